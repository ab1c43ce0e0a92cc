import { type Language, language } from '../language.ts';
import { withLocalTimes } from './time.ts';

/** A sentence of the service by its code, with the values it names. */
interface Coded {
  readonly code: string;
  readonly values: object;
}

/**
 * The words for each code; `undefined` leaves one to the service. One that is added there and is not named here is an
 * error of types.
 */
export type WordsFor<Said extends Coded> = {
  readonly [Code in Said['code']]: (values: Extract<Said, { readonly code: Code }>['values']) => string | undefined;
};

/**
 * A sentence of the service in the language of the page: its own English, or the Czech that is made from its code and
 * values. One without a code, as an older version wrote it, and one that this console does not know yet, stay English.
 */
export function saidText<Said extends Coded>(
  english: string,
  said: Said | null | undefined,
  czech: WordsFor<Said>,
  of: Language = language,
): string {
  if (of === 'en' || said == null || !Object.hasOwn(czech, said.code)) return withLocalTimes(english);
  const words = czech[said.code as Said['code']] as (values: object) => string | undefined;
  return words(said.values) ?? withLocalTimes(english);
}
