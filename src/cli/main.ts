import { userInfo } from 'node:os';
import { systemClock, systemRandomness } from '../clock.ts';
import type { Context, Output } from './context.ts';
import { run } from './run.ts';
import { stopSignalOf } from './stop-signal.ts';
import { terminalOf } from './terminal.ts';

let stopSignal: AbortSignal | undefined;
process.exitCode = await run(process.argv.slice(2), contextOf(process));

function contextOf(theProcess: NodeJS.Process): Context {
  return {
    stdout: outputOf(theProcess.stdout),
    stderr: outputOf(theProcess.stderr),
    stdin: { stream: theProcess.stdin, isTerminal: theProcess.stdin.isTTY === true },
    terminal: terminalOf(theProcess),
    env: theProcess.env,
    cwd: theProcess.cwd(),
    get user() {
      return userName();
    },
    clock: systemClock,
    randomness: systemRandomness,
    get signal() {
      stopSignal ??= stopSignalOf(theProcess, systemClock);
      return stopSignal;
    },
  };
}

/** In a container the user can be a mere number that no list of users knows. */
function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return process.getuid === undefined ? undefined : `uid-${process.getuid()}`;
  }
}

/** Whoever reads us may stop reading, as `head` does, and a terminal may be closed: that is no failure of ours. */
function outputOf(stream: NodeJS.WriteStream): Output {
  const closed = new AbortController();
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
    closed.abort();
  });
  return { write: (text) => stream.write(text), isTerminal: stream.isTTY === true, closed: closed.signal };
}
