import { digestOf, generateApiKey, lastFourOf } from '../../access/api-key.ts';
import type { Command } from '../command.ts';
import { formatInstant, parseSpan } from '../instant.ts';
import { paintFor, pairs } from '../style.ts';
import { withStore } from '../with-store.ts';
import { keyIdFrom, keyIdPositional, keyJson, keyLines, keyState, shownOnce } from './describe.ts';

const overlapMaxMs = 365 * 86_400_000;
const defaultOverlap = '24h';

export const keysRotate: Command = {
  name: 'keys rotate',
  summary: 'replace an API key by a new one; both work for a while',
  details: [
    'The new key has the account, label, limit and expiry of the old one, and is printed this once. The old one stops working at the end of the overlap.',
    'With --json the object is the new key; the old one is under `replaces`.',
  ],
  positionals: [keyIdPositional],
  options: [
    { name: 'overlap', value: 'SPAN', summary: `how long both work, such as 30m or 7d (default: ${defaultOverlap})` },
  ],
  examples: [
    { line: 'mdapi keys rotate key_Vb8xT0pLq3WnR5Ys', note: 'the old key works for another day' },
    { line: 'mdapi keys rotate key_Vb8xT0pLq3WnR5Ys --overlap 0s', note: 'the old key leaked: it stops at once' },
  ],
  async run(input, context) {
    const id = keyIdFrom(input);
    const overlapMs = parseSpan(input.option('overlap') ?? defaultOverlap, overlapMaxMs, '--overlap');
    return withStore(input, context, async (store) => {
      const key = generateApiKey(context.randomness);
      const { old, replacement } = await store.keys.rotate(id, {
        digest: digestOf(key),
        lastFour: lastFourOf(key),
        overlapMs,
      });
      const now = context.clock.now();
      const paint = paintFor(context);
      const lines = keyLines(replacement, keyState(replacement, true, now), paint);
      const until =
        old.expiresAt === undefined || old.expiresAt <= now
          ? 'no longer works'
          : `works until ${formatInstant(old.expiresAt)}`;
      return {
        json: { ...keyJson(replacement), key, replaces: keyJson(old) },
        text: pairs([['Key', key], ...lines, ['Replaces', `${old.id}, which ${until}`]], paint),
        notes: [shownOnce],
      };
    });
  },
};
