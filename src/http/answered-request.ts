import type { ErrorCode } from '../contract/errors.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { Answer } from './answer.ts';

/** A request once it is answered. Neither the text of a key nor the address of a client. */
export interface AnsweredRequest {
  readonly requestId: string;
  /** When the answer was written. */
  readonly at: EpochMs;
  readonly durationMs: number;
  /** The route of the resource; `unmatched` where there is none. Never a path a client chose. */
  readonly route: string;
  readonly status: number;
  readonly code: ErrorCode | undefined;
  readonly bytes: number;
  /** The valid key that asked; absent where there was none. */
  readonly keyId: string | undefined;
}

/** An answer to a valid key, with what was answered. */
export interface ServedRequest {
  /** The number that its request id hides. */
  readonly request: number;
  readonly keyId: string;
  /** The instant it was answered for. */
  readonly now: EpochMs;
  readonly route: string;
  /** Raw, without its question mark. */
  readonly query: string;
  readonly status: number;
  readonly answer: Answer;
}
