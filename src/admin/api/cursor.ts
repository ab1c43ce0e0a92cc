import { invalid } from './problems.ts';

/** A place in a list as text that means nothing to whoever hands it back. */
export function writeCursor(...place: readonly (number | string)[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

/** Reads what {@link writeCursor} wrote, parts of these types. Throws `INVALID_INPUT` for anything else. */
export function readCursor<const Kinds extends readonly ('number' | 'string')[]>(
  text: string | undefined,
  ...kinds: Kinds
): { [Index in keyof Kinds]: Kinds[Index] extends 'number' ? number : string } | undefined {
  if (text === undefined) return undefined;
  const place = parsed(Buffer.from(text, 'base64url').toString());
  const fits =
    Array.isArray(place) && place.length === kinds.length && kinds.every((kind, index) => isOf(kind, place[index]));
  if (!fits) throw invalid('after', 'is no place in this list. Use `next` of the page before as it was.');
  return place as never;
}

function isOf(kind: 'number' | 'string', value: unknown): boolean {
  return kind === 'number' ? Number.isSafeInteger(value) : typeof value === 'string' && value.length <= 64;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
