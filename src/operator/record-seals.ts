import type { Verification } from '../history/query/verify.ts';
import type { ExpectedHead } from '../history/segment/expected-heads.ts';
import { stampedAt } from '../notices/time-stamp.ts';

/** Verifies the time stamps of a record too, offline. */
export async function withStamps<Verified extends Pick<Verification, 'finding' | 'stamps'>>(
  verified: Verified,
): Promise<Verified> {
  if (verified.finding !== undefined) return verified;
  for (const { day, head, response } of verified.stamps ?? []) {
    const isRight = await stampedAt(Uint8Array.from(Buffer.from(response, 'base64')), head).catch(() => false);
    if (isRight === false) return { ...verified, finding: { subject: `time stamp of ${day}`, what: 'changed' } };
  }
  return verified;
}

/** A mail: its subject or its first sentence, and the hash on a line of its own. */
const mailed =
  /(?<day>\d{4}-\d\d-\d\d)[^{}]{0,60}?segment (?<segment>\d+) of chain (?<chain>\d+)[^{}]*?^(?<head>[0-9a-f]{64})\r?$/gm;
const noted = /^(?<day>\d{4}-\d\d-\d\d) (?<chain>\d+) (?<segment>\d+) (?<head>[0-9a-f]{64})\r?$/gm;
const logged = /\{.*"head":"[0-9a-f]{64}".*\}/g;

/**
 * Reads seals of days out of mails, lines of the log among any others, and lines such as `2026-11-22 1 4711 c0ffee…`;
 * the first day first.
 */
export function sealsIn(text: string): readonly ExpectedHead[] {
  const found = [mailed, noted].flatMap((pattern) => [...text.matchAll(pattern)].map(({ groups }) => groups!));
  const lines = [...text.matchAll(logged)].map(([line]): Record<string, string> => JSON.parse(line));
  return [...found, ...lines]
    .filter(({ day }) => day !== undefined)
    .map(({ day, chain, segment, head }) => ({ day, chain: Number(chain), number: Number(segment), hash: head! }))
    .sort((one, other) => (one.day! < other.day! ? -1 : 1));
}
