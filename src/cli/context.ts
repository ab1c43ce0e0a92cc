import type { Clock, Randomness } from '../clock.ts';

/** Where text goes. */
export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
  /** Aborts once nobody reads any more, as when `head` has enough. Absent where that cannot happen. */
  readonly closed?: AbortSignal;
}

/** A terminal with somebody at it: what is drawn on stdout is seen, and keys come in on stdin. */
export interface Terminal {
  size(): TerminalSize;
  /** Calls `run` after each change of the size; gives what ends that. */
  onResize(run: () => void): () => void;
  /** While on, each key comes as it is pressed and is not shown, and Ctrl-C is a key like others. */
  setRaw(on: boolean): void;
  /** Calls `run` when the process ends, in whatever way it can still notice; gives what ends that. */
  atExit(run: () => void): () => void;
}

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** All of the world that a command may touch. */
export interface Context {
  /** Data. */
  readonly stdout: Output;
  /** Diagnostics, hints and questions. */
  readonly stderr: Output;
  readonly stdin: { readonly stream: NodeJS.ReadableStream; readonly isTerminal: boolean };
  /** Absent unless stdin and stdout are both a terminal. */
  readonly terminal?: Terminal | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The name the system knows whoever runs the command by; absent where it has none for him. */
  readonly user?: string | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Aborts when the process is told to stop. Looking at it takes the signals over from the system, so only commands that run on do. */
  readonly signal: AbortSignal;
}
