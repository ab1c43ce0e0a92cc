import { filled } from '../ground/filled.ts';
import written from './store-errors.json' with { type: 'json' };

const { engineReasons, texts } = written;

/** Names a text: the reason, followed by a dot and the case where a reason has several. */
type TextName = keyof typeof texts;
type ReasonOf<Name> = Name extends `${infer Reason}.${string}` ? Reason : Name;

/** Why the store refused or failed. Stable: programs decide on it, people read the message. */
export type StoreErrorReason = keyof typeof engineReasons | ReasonOf<TextName>;

/** Everything the store throws. The message says what was refused and how to fix it, and never holds a key, a digest or an SQL parameter. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly reason: StoreErrorReason;

  constructor(reason: StoreErrorReason, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.reason = reason;
  }

  /** True when the engine or the file is at fault, false when what was asked cannot be done. Trying again later can help with some. */
  get isEngineFailure(): boolean {
    return Object.hasOwn(engineReasons, this.reason);
  }
}

/** An error with one of the texts of the store. @param values for the words in braces */
export function refusal(
  name: TextName,
  values: Readonly<Record<string, string | number>> = {},
  cause?: unknown,
): StoreError {
  const [reason] = name.split('.');
  return new StoreError(reason as StoreErrorReason, filled(texts[name], values), cause);
}

export function isTextName(name: string): name is TextName {
  return Object.hasOwn(texts, name);
}
