import { count, line, listOf, object } from '../operator/fields.ts';

const namedMax = 5;

/** The first few of what may be thousands, and how many more there are. */
export interface Few<Entry> {
  readonly first: Entry[];
  readonly more: number;
}

export function fewOf<Entry>(entries: readonly Entry[]): Few<Entry> {
  return { first: entries.slice(0, namedMax), more: Math.max(0, entries.length - namedMax) };
}

/** `BTCEUR, ETHEUR and 3 more`. */
export function fewText({ first, more }: Few<string>): string {
  return `${first.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Describes a {@link Few} of names. */
export function fewNames(description: string, example: string) {
  return object(description, {
    first: listOf(line('A name.', example, 64), 'The first of them.', namedMax),
    more: count('How many there are besides.', 2),
  });
}
