import { constants, userInfo } from 'node:os';
import { type Clock, systemClock, systemRandomness } from '../ground/clock.ts';
import type { Context, Output } from './command.ts';
import { logTargetOf } from './log-target.ts';

/** A process as the context of a command. */
export function contextOf(theProcess: NodeJS.Process): Context {
  let stopSignal: AbortSignal | undefined;
  let hungUp: (() => unknown) | undefined;
  const isAtTerminal = [theProcess.stdin, theProcess.stdout, theProcess.stderr].some(({ isTTY }) => isTTY);
  return {
    stdout: outputOf(theProcess.stdout, ({ code }) => {
      theProcess.exitCode = 1;
      theProcess.stderr.write(`mdapi: the output could not be written (${code})\n`);
    }),
    // Nowhere is left to say that this one cannot be written.
    stderr: outputOf(theProcess.stderr, () => {}),
    get logTarget() {
      return logTargetOf(theProcess.stderr);
    },
    stdin: { stream: theProcess.stdin, isTerminal: theProcess.stdin.isTTY === true },
    env: theProcess.env,
    cwd: theProcess.cwd(),
    get user() {
      return userName(theProcess);
    },
    clock: systemClock,
    randomness: systemRandomness,
    get signal() {
      stopSignal ??= stopSignalOf(theProcess, systemClock, () => hungUp);
      return stopSignal;
    },
    onHangUp(called) {
      if (!isAtTerminal) hungUp = called;
    },
  };
}

/**
 * Ends a process a second after its command, though something is still open, and says what. Its output is read first.
 */
export function exitWhenDone(
  theProcess: Pick<NodeJS.Process, 'exit' | 'getActiveResourcesInfo' | 'stdout' | 'stderr'>,
  clock: Clock,
): void {
  // This timer holds no process open: one that has nothing open ends before.
  clock.every(1_000, () => {
    if (theProcess.stdout.writableLength > 0) return;
    theProcess.stderr.write(`mdapi: ended with this open: ${theProcess.getActiveResourcesInfo().join(', ')}\n`);
    theProcess.exit();
  });
}

/** In a container the user can be a number that has no name. */
function userName(theProcess: NodeJS.Process): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return theProcess.getuid === undefined ? undefined : `uid-${theProcess.getuid()}`;
  }
}

/**
 * A reader may close its end early, as `head` does, and a terminal may be closed: neither is an error of ours.
 *
 * @param failed told of any other error, such as of a full disk; the process goes on
 */
function outputOf(stream: NodeJS.WriteStream, failed: (error: NodeJS.ErrnoException) => void): Output {
  const closed = new AbortController();
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') failed(error);
    closed.abort();
  });
  return { write: (text) => stream.write(text), isTerminal: stream.isTTY === true, closed: closed.signal };
}

const stopSignals = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/** The scripts that npm runs this program by and forwards signals to, as `bin/mdapi.js` has them. */
const npmScripts = ['start', 'mdapi', 'npx'];

/** One Ctrl-C can arrive twice: from the terminal, and forwarded by the program that started this one, such as npm. */
const sameRequestWithinMs = 500;
/** A signal to a group also arrives through the launcher, which a machine with other work can delay. */
const throughLauncherWithinMs = 2_000;

/**
 * A signal that aborts on SIGINT, SIGTERM, or SIGHUP where `hungUp` gives nothing else to do, and when the launcher is
 * gone. A further one while the process is stopping ends it at once, with 128 plus the signal's number; one that comes
 * from the system and through the launcher is one. From this call on, signals no longer end the process by themselves.
 */
export function stopSignalOf(
  theProcess: Pick<NodeJS.Process, 'on' | 'exit' | 'env'>,
  clock: Clock,
  hungUp: () => (() => unknown) | undefined = () => undefined,
): AbortSignal {
  const controller = new AbortController();
  const isOfNpm = npmScripts.includes(theProcess.env.npm_lifecycle_event ?? '');
  const ways = new Set<'system' | 'launcher'>();
  let firstAtMs: number | undefined;
  const received = (name: (typeof stopSignals)[number], way: 'system' | 'launcher') => {
    const reload = name === 'SIGHUP' ? hungUp() : undefined;
    if (reload !== undefined) return controller.signal.aborted ? undefined : reload();
    const atMs = clock.monotonicMs();
    firstAtMs ??= atMs;
    const sinceMs = atMs - firstAtMs;
    const isOther = !ways.has(way) && sinceMs <= throughLauncherWithinMs;
    ways.add(way);
    controller.abort();
    // A second SIGTERM is deliberate, unless npm is there to forward the first.
    const mayBeForwarded = name !== 'SIGTERM' || isOfNpm;
    if (isOther || (mayBeForwarded && sinceMs <= sameRequestWithinMs)) return;
    theProcess.exit(128 + constants.signals[name]);
  };
  for (const name of stopSignals) theProcess.on(name, () => received(name, 'system'));
  // `bin/mdapi.js` hands on what its launcher says.
  (theProcess as unknown as NodeJS.EventEmitter).on('launcher', (word: string) => {
    const name = stopSignals.find((each) => each === word);
    if (name === undefined) controller.abort();
    else received(name, 'launcher');
  });
  return controller.signal;
}
