import type { Clock, Randomness } from '../clock.ts';

/** Where text goes. */
export interface Output {
  write(text: string): void;
  readonly isTerminal: boolean;
}

/** All of the world that a command may touch. */
export interface Context {
  /** Data. */
  readonly stdout: Output;
  /** Diagnostics, hints and questions. */
  readonly stderr: Output;
  readonly stdin: { readonly stream: NodeJS.ReadableStream; readonly isTerminal: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** Aborts when the process is told to stop. Looking at it takes the signals over from the system, so only commands that run on do. */
  readonly signal: AbortSignal;
}
