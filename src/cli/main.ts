import { systemClock, systemRandomness } from '../clock.ts';
import type { Context, Output } from './context.ts';
import { run } from './run.ts';
import { stopSignalOf } from './stop-signal.ts';

let stopSignal: AbortSignal | undefined;
process.exitCode = await run(process.argv.slice(2), contextOf(process));

function contextOf(theProcess: NodeJS.Process): Context {
  return {
    stdout: outputOf(theProcess.stdout),
    stderr: outputOf(theProcess.stderr),
    stdin: { stream: theProcess.stdin, isTerminal: theProcess.stdin.isTTY === true },
    env: theProcess.env,
    cwd: theProcess.cwd(),
    clock: systemClock,
    randomness: systemRandomness,
    get signal() {
      stopSignal ??= stopSignalOf(theProcess, systemClock);
      return stopSignal;
    },
  };
}

/** Whoever reads us may stop reading, as `head` does: that is no failure of ours. */
function outputOf(stream: NodeJS.WriteStream): Output {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return { write: (text) => stream.write(text), isTerminal: stream.isTTY === true };
}
