const windowMs = 10 * 86_400_000;
const isoTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)/g;
const epochTime = /(?<![\w.])\d{10,19}(?![\w.])/g;
/** Digits of a time since the Unix epoch, and how many of its unit are a millisecond; seconds are apart. */
const perMs: Readonly<Record<number, bigint>> = { 13: 1n, 16: 1_000n, 19: 1_000_000n };
const requestId = /"(id|req_?id|reqId|requestId)":\s*("[^"]*"|\d+)/;

/**
 * Moves every time in a text that is within ten days of the recording, as ISO 8601 or as seconds, milli-, micro- or
 * nanoseconds since the Unix epoch, so that what was recorded at `at` (seconds) happens at `nowMs`.
 */
export function movedTo(nowMs: number, at: number, text: string): string {
  const shiftMs = Math.round(nowMs - at * 1_000);
  const isMeant = (ms: number) => Math.abs(ms - at * 1_000) < windowMs;
  return text
    .replace(isoTime, (found) => {
      const ms = Date.parse(found);
      return isMeant(ms) ? new Date(ms + shiftMs).toISOString() : found;
    })
    .replace(epochTime, (found) => {
      const units = perMs[found.length];
      if (units !== undefined) {
        const isTime = isMeant(Number(BigInt(found) / units));
        return isTime ? String(BigInt(found) + BigInt(shiftMs) * units) : found;
      }
      const isTime = found.length === 10 && isMeant(Number(found) * 1_000);
      return isTime ? String(Number(found) + Math.floor(shiftMs / 1_000)) : found;
    });
}

/** Matches a market's name wherever a text has it as a whole: `BTC-EUR`, `order_book_btceur`, `btceur@ticker`. */
export function nameIn(name: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9])${RegExp.escape(name)}(?![A-Za-z0-9])`, 'gi');
}

/** Writes the names of markets so that no exchange has them. */
export function withUnknownNames(text: string, names: Iterable<string>): string {
  let changed = text;
  for (const name of names) changed = changed.replace(nameIn(name), (found) => `${found}X`);
  return changed;
}

/** Gives an answer the number of the request. */
export function answering(request: string, answer: string): string {
  const id = requestId.exec(request);
  return id === null ? answer : answer.replace(requestId, (found) => (found.startsWith(`"${id[1]}"`) ? id[0] : found));
}

/** Tells whether two requests are the same but for their numbers. */
export function isSameRequest(one: string, other: string): boolean {
  return one.replace(requestId, '') === other.replace(requestId, '');
}

/** Adds a member that no connector knows to every object of a JSON text. */
export function withUnknownMembers(text: string): string {
  const added = '"member_of_tomorrow":"new"';
  return text.replace(/"(?:[^"\\]|\\.)*"|\{\s*\}|\{/g, (found) => {
    if (found.startsWith('"')) return found;
    return found === '{' ? `{${added},` : `{${added}}`;
  });
}
