import Type from 'typebox';
import type { BreachRecord } from '../access/key-records.ts';
import { limitWindowMs } from '../contract/limits.ts';
import type { EpochMs } from '../ground/clock.ts';
import { count, instantFields, instants, listOf, named, object, referenceTo } from '../operator/fields.ts';
import { KeySchema, keyView } from '../operator/key.ts';
import { NoticeSchema, noticeView } from '../operator/notice.ts';
import { RequestSchema, requestId, requestView } from '../operator/request.ts';
import type { RefusedKey } from '../store/breaches.ts';
import { type KeyWithAccount, keyUnknown } from '../store/key-record.ts';
import { operation, pathId } from './operation.ts';
import type { Management } from './parts.ts';
import { Problem } from './problems.ts';

const breachesShown = 200;
const noticesShown = 50;
const keysShown = 100;
const dayMs = 86_400_000;
const breachesKeptMs = 30 * dayMs;

const limitPerMinute = count('The limit that applies, its own or the configured one, in requests a minute.', 60);

const KeyUsageSchema = named('KeyUsage', 'How a key is used.', {
  key: referenceTo(KeySchema, 'The key.'),
  limitPerMinute,
  currentMinute: object('The current minute, as this process counted it.', {
    ...instantFields('startedAt', 'When the minute began.'),
    used: count('Requests counted.', 41),
    refused: count('Requests refused.', 0),
    remaining: count('Requests left.', 19),
  }),
  breaches: listOf(
    object('A minute in which the key was refused.', {
      ...instantFields('minute', 'The minute.'),
      refused: count('Requests refused in it.', 112),
      limitPerMinute: count('The limit that refused them.', 60),
    }),
    'Of the last 30 days, latest first.',
    breachesShown,
  ),
  notices: listOf(NoticeSchema, 'E-mails to its holder, latest first.', noticesShown),
});

const UsageSchema = named('Usage', 'The keys that stand out.', {
  ...instantFields('since', 'Where the 24 hours begin.'),
  keys: listOf(
    object('A key and how it is used.', {
      key: referenceTo(KeySchema, 'The key.'),
      used: count('Requests counted in the current minute, by this process.', 41),
      refused: count('Requests refused in the current minute, by this process.', 0),
      limitPerMinute,
      breachedMinutes24h: count('Minutes of the last 24 hours in which it was refused.', 3),
      refused24h: count('Requests refused in them.', 541),
    }),
    'The most refused keys of the last 24 hours, then the busiest of this minute.',
    keysShown,
  ),
});

function busiest({ access: { limits, directory } }: Management, now: EpochMs): string[] {
  return limits.busiest(now, keysShown).map(({ slot }) => directory.keyIdOf(slot));
}

function breachesOf(id: string, refused: readonly RefusedKey[]) {
  const found = refused.find(({ keyId }) => keyId === id);
  return { breachedMinutes24h: found?.minutes ?? 0, refused24h: found?.refused ?? 0 };
}

function breachView({ minuteStart, refused, limitPerMinute }: BreachRecord) {
  return { ...instants('minute', minuteStart), refused, limitPerMinute };
}

/** Read from the counters of the request path. A revoked key is not in memory and has no usage. */
function thisMinute(
  { access: { directory, limits, breaches } }: Management,
  { id, limitPerMinute: ownLimit }: KeyWithAccount,
  digests: ReadonlyMap<string, Uint8Array>,
  now: EpochMs,
) {
  const digest = digests.get(id);
  const match = digest === undefined ? undefined : directory.matchOf(digest);
  const { used, limitPerMinute } = limits.usageOf(match ?? { slot: 0, limitPerMinute: ownLimit }, now);
  if (match === undefined) return { used: 0, refused: 0, limitPerMinute };
  return { used, refused: breaches.refusedNow(match.slot, now), limitPerMinute };
}

export const usageOperations = {
  readKeyUsage: operation({
    path: '/api/keys/:id/usage',
    summary: 'How a key is used',
    description:
      'The current minute, the minutes in which it was refused, and the notices to its holder. Reading it counts as no request.',
    params: pathId('key'),
    answer: KeyUsageSchema,
    async handle({ params, store, now }, management) {
      const key = await store.keys.get(params.id);
      if (key === undefined) throw keyUnknown({ id: params.id });
      const breaches = await store.breaches.listOf(key.id, (now - breachesKeptMs) as EpochMs);
      const notices = await store.notices.list({ keyId: key.id, limit: noticesShown });
      const digests = await store.keys.digestsOf([key.id]);
      const { used, refused, limitPerMinute } = thisMinute(management, key, digests, now);
      return {
        key: keyView(key, now),
        limitPerMinute,
        currentMinute: {
          ...instants('startedAt', now - (now % limitWindowMs)),
          used,
          refused,
          remaining: Math.max(0, limitPerMinute - used),
        },
        breaches: breaches.slice(-breachesShown).reverse().map(breachView),
        notices: notices.map(noticeView),
      };
    },
  }),

  readUsage: operation({
    path: '/api/usage',
    summary: 'The keys that stand out',
    description:
      'At most 100 keys: those refused most in the last 24 hours, and those used most in the current minute.',
    answer: UsageSchema,
    async handle({ store, now }, management) {
      const since = (now - dayMs) as EpochMs;
      const refused = await store.breaches.mostRefused(since, keysShown);
      const busy = busiest(management, now);
      const ids = [...new Set([...refused.map(({ keyId }) => keyId), ...busy])].slice(0, keysShown);
      const keys = new Map((await store.keys.getMany(ids)).map((key) => [key.id, key]));
      const digests = await store.keys.digestsOf(ids);
      const rows = ids.flatMap((id) => {
        const key = keys.get(id);
        if (key === undefined) return [];
        const usage = thisMinute(management, key, digests, now);
        return [{ key: keyView(key, now), ...usage, ...breachesOf(id, refused) }];
      });
      return { ...instants('since', since), keys: rows };
    },
  }),

  readRequest: operation({
    path: '/api/requests/:id',
    summary: 'One request, by the id that its client quotes',
    description:
      'Found are the latest 10,000 requests of valid keys and as many others, of this process and since its start. The access log (`logs.access`) has older ones.',
    params: Type.Object({ id: requestId }),
    answer: RequestSchema,
    handle({ params }, { listener }) {
      const found = listener.recent.find(params.id);
      if (found === undefined)
        throw new Problem('NOT_FOUND', 'This process does not know this request, or not any more.', {
          said: { code: 'request_unknown', values: {} },
        });
      return requestView(found);
    },
  }),
};
