import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { digestOf, generateApiKey } from '../access/api-key.ts';
import { ClientAddresses } from '../access/client-address.ts';
import { type KeyDirectory, type KeyMatch, KeyDirectory as Keys } from '../access/key-directory.ts';
import { decide, type LimitDecision } from '../access/limit-decision.ts';
import type { MaybePromise } from '../access/limits.ts';
import type { EpochMs } from '../ground/clock.ts';
import { instantJson } from './answer.ts';
import { type Decision, Pipeline, type PublicRequest } from './pipeline.ts';
import { readModelOf } from './read-model.testing.ts';
import { RequestCounts } from './request-counts.ts';
import { splitTarget } from './request-target.ts';
import type { Resource } from './resource.ts';

const now = Date.UTC(2026, 10, 23, 12, 0, 10) as EpochMs;
const later = (now + 5_000) as EpochMs;
const address = new ClientAddresses([]).resolve('192.0.2.1', undefined);

/** A pipeline whose limits answer as a test says, and that remembers what it counted. */
class Rig {
  readonly keys: KeyDirectory = new Keys();
  readonly key = generateApiKey(seededRandomness(1));
  readonly counts = new RequestCounts();
  readonly taken: string[] = [];
  readonly breached: KeyMatch[] = [];
  readonly failures: unknown[] = [];
  readonly asked: { readonly now: EpochMs; readonly query: string }[] = [];
  refuses: string[] = [];
  isShared = false;
  hasFailuresLeft = true;
  maintenanceSeconds: number | undefined;
  refreshKeys: (() => Promise<void> | undefined) | undefined;
  readonly pipeline: Pipeline;

  constructor() {
    this.addKey();
    const take = (category: string, instant: EpochMs): MaybePromise<LimitDecision> => {
      this.taken.push(`${category} ${instant === now ? 'now' : 'later'}`);
      const verdict = decide(
        this.refuses.includes(category.split(' ')[0]!) ? 60 : 0,
        60,
        Math.floor(instant / 60_000),
        instant,
      );
      return this.isShared ? Promise.resolve(verdict) : verdict;
    };
    const limits = {
      takeForKey: (_key: KeyMatch, at: EpochMs) => take('key', at),
      takeForAddress: (bucket: string, at: EpochMs) => take(`address ${bucket}`, at),
      takeForFailedAuthentication: (bucket: string, at: EpochMs) => take(`failure ${bucket}`, at),
      takeForPage: (bucket: string, at: EpochMs) => {
        this.taken.push(`page ${bucket} ${at === now ? 'now' : 'later'}`);
        return decide(this.refuses.includes('page') ? 240 : 0, 240, Math.floor(at / 60_000), at);
      },
      hasFailuresLeft: () => this.hasFailuresLeft,
      forgetSlot() {},
    };
    const gate = {
      keys: this.keys,
      limits,
      breaches: { refused: (match: KeyMatch) => void this.breached.push(match) },
      refreshKeys: () => this.refreshKeys?.(),
    };
    const service = { maintenanceRetryAfterSeconds: () => this.maintenanceSeconds };
    const resource = (route: string, more: Partial<Resource> = {}): [string, Resource] => [
      route,
      {
        route,
        answersInMaintenance: false,
        answer: ({ now, query }) => {
          this.asked.push({ now, query });
          return instantJson({ route });
        },
        ...more,
      },
    ];
    this.pipeline = new Pipeline({
      routes: {
        keyed: new Map([
          resource('/v1/ticker'),
          resource('/v1/status', { answersInMaintenance: true }),
          resource('/v1/time', { isNeverShed: true }),
          resource('/v1/broken', {
            answer() {
              throw new Error('broken');
            },
          }),
        ]),
        keyless: new Map([resource('/')]),
        uncounted: new Map([resource('/docs', { answersInMaintenance: true })]),
        lost: resource('lost', { answersInMaintenance: true })[1],
      },
      gate,
      readModel: readModelOf({ service }),
      counts: this.counts,
      clock: { now: () => later },
      failed: (error, requestId) => void this.failures.push([(error as Error).message, requestId]),
    });
  }

  addKey(key = this.key): number {
    return this.keys.upsert({
      digest: digestOf(key),
      keyId: 'key_1',
      usable: true,
      expiresAt: undefined,
      limitPerMinute: undefined,
    });
  }

  decide(
    url: string,
    { key, ...more }: Partial<PublicRequest> & { readonly key?: string | null } = {},
  ): MaybePromise<Decision> {
    const used = key === undefined ? this.key : key;
    const headers = { ...(used === null ? {} : { 'x-exchange-apikey': used }), ...more.headers };
    const request = { requestId: 'r', now, address, method: 'GET', target: splitTarget(url), shed: 'none' as const };
    return this.pipeline.decide({ ...request, ...more, headers });
  }
}

/** An answer as its client sees it, and the rest of the decision. */
async function seen(decision: MaybePromise<Decision>) {
  const { answer, route, verdict, key, limitedBy } = await decision;
  const code = answer.kind === 'problem' ? answer.code : answer.kind === 'text' ? JSON.parse(answer.text).route : '';
  return { code, route, isCounted: verdict !== undefined, isKeyed: key !== undefined, limitedBy };
}

const keyed = { isCounted: true, isKeyed: true, limitedBy: undefined };
const keyless = { isCounted: true, isKeyed: false, limitedBy: undefined };
const unmatched = { route: 'unmatched' };
const lost = { code: 'lost', route: 'lost', ...keyless };
const overloaded = { code: 'SERVICE_OVERLOADED', ...unmatched, isCounted: false, isKeyed: false, limitedBy: undefined };

test('a request with a valid key is counted once on the key, and answered at its instant', async () => {
  const rig = new Rig();
  assert.deepEqual(await seen(rig.decide('/v1/ticker?symbol=BTCEUR')), {
    code: '/v1/ticker',
    route: '/v1/ticker',
    ...keyed,
  });
  assert.deepEqual(rig.taken, ['key now']);
  assert.deepEqual(rig.asked, [{ now, query: 'symbol=BTCEUR' }]);
});

test('limits that count elsewhere are waited for, and the answer is of the later instant (fault row 69)', async () => {
  const rig = new Rig();
  rig.isShared = true;
  assert.ok(rig.decide('/v1/ticker') instanceof Promise);
  assert.deepEqual(await seen(rig.decide('/v1/ticker')), { code: '/v1/ticker', route: '/v1/ticker', ...keyed });
  assert.deepEqual(rig.asked.at(-1), { now: later, query: '' });
  assert.deepEqual(await seen(rig.decide('/')), { code: '/', route: '/', ...keyless });
  assert.deepEqual(rig.asked.at(-1), { now: later, query: '' });
});

test('everything under /v1 needs a key, and nothing else', async () => {
  const rig = new Rig();
  const missing = { code: 'MISSING_API_KEY', ...unmatched, ...keyless };
  for (const path of ['/v1', '/v1/', '/v1/ticker', '/v1/nowhere', '/v1//', '/v1?a']) {
    assert.deepEqual(await seen(rig.decide(path, { key: null })), missing, path);
  }
  assert.deepEqual(await seen(rig.decide('/v1/ticker', { key: '' })), { ...missing, code: 'INVALID_API_KEY' });
  rig.taken.length = 0;
  for (const path of ['/v12', '/v1.1/ticker', '/V1/ticker', '/nowhere']) {
    assert.deepEqual(
      await seen(rig.decide(path, { key: null })),
      { code: 'NOT_FOUND', ...unmatched, ...keyless },
      path,
    );
  }
  assert.ok(rig.taken.every((taken) => taken === 'address 192.0.2.1 now'));
});

test('a failed authentication is counted on the address alone, and refused with its own limit', async () => {
  const rig = new Rig();
  assert.deepEqual(await seen(rig.decide('/v1/ticker', { key: 'mdk_wrong' })), {
    code: 'INVALID_API_KEY',
    ...unmatched,
    ...keyless,
  });
  assert.deepEqual(rig.taken, ['failure 192.0.2.1 now']);
  rig.refuses = ['failure'];
  const refused = rig.decide('/v1/ticker', { key: null }) as Decision;
  assert.deepEqual(await seen(refused), {
    code: 'RATE_LIMIT_EXCEEDED',
    ...unmatched,
    ...keyless,
    limitedBy: 'failedAuthentication',
  });
  assert.deepEqual(rig.counts.limitedByCategory, new Map([['failedAuthentication', 1]]));
  const { answer } = refused;
  assert.deepEqual(answer.kind === 'problem' && [answer.detail, answer.retryAfterSeconds], [
    'Failed authentication: the limit of 60 requests per minute is used up.',
    50,
  ]);
});

test('the key, the address and pages are refused by the limit that counted them, a breach of a key is noted of it', async () => {
  const rig = new Rig();
  rig.refuses = ['key', 'address', 'page'];
  const refused = { code: 'RATE_LIMIT_EXCEEDED', ...unmatched };
  assert.deepEqual(await seen(rig.decide('/v1/ticker')), { ...refused, ...keyed, limitedBy: 'key' });
  assert.equal(rig.breached.length, 1);
  assert.deepEqual(await seen(rig.decide('/')), { ...refused, ...keyless, limitedBy: 'address' });
  assert.deepEqual(await seen(rig.decide('/docs')), { ...refused, ...keyless, limitedBy: 'page' });
  assert.deepEqual(rig.taken, ['key now', 'address 192.0.2.1 now', 'page 192.0.2.1 now']);
  assert.equal(rig.breached.length, 1);
  assert.deepEqual(rig.asked, []);
  assert.deepEqual(
    rig.counts.limitedByCategory,
    new Map([
      ['key', 1],
      ['address', 1],
      ['page', 1],
    ]),
  );
});

test('a page has no headers of a limit', async () => {
  const rig = new Rig();
  assert.deepEqual(await seen(rig.decide('/docs')), { code: '/docs', route: '/docs', ...keyless, isCounted: false });
});

test('a key that was withdrawn while its request was counted is refused without a breach of whoever has its slot', async () => {
  const rig = new Rig();
  rig.isShared = true;
  rig.refuses = ['key'];
  const slot = rig.addKey();
  const waiting = rig.decide('/v1/ticker');
  rig.keys.remove(digestOf(rig.key));
  assert.deepEqual(await seen(waiting), {
    code: 'RATE_LIMIT_EXCEEDED',
    ...unmatched,
    ...keyless,
    limitedBy: 'key',
  });
  assert.equal(rig.breached.length, 0);
  rig.addKey();
  const still = await seen(rig.decide('/v1/ticker'));
  assert.equal(still.isKeyed, true);
  assert.deepEqual(
    rig.breached.map((match) => match.slot),
    [slot],
  );
});

test('an unknown key has the keys looked at again, while its address has failures left', async () => {
  const rig = new Rig();
  const made = generateApiKey(seededRandomness(2));
  rig.refreshKeys = async () => void rig.addKey(made);
  assert.deepEqual(await seen(rig.decide('/v1/ticker', { key: made })), {
    code: '/v1/ticker',
    route: '/v1/ticker',
    ...keyed,
  });
  assert.deepEqual([rig.taken, rig.asked], [['key later'], [{ now: later, query: '' }]]);
  let looks = 0;
  rig.refreshKeys = () => {
    looks++;
    return undefined;
  };
  const unknown = { key: 'mdk_unknown' };
  assert.equal((await seen(rig.decide('/v1/ticker', unknown))).code, 'INVALID_API_KEY');
  rig.refreshKeys = async () => void looks++;
  assert.equal((await seen(rig.decide('/v1/ticker', unknown))).code, 'INVALID_API_KEY');
  assert.deepEqual([looks, rig.taken.slice(1)], [2, ['failure 192.0.2.1 now', 'failure 192.0.2.1 later']]);
  rig.hasFailuresLeft = false;
  await rig.decide('/v1/ticker', unknown);
  assert.equal(looks, 2);
});

test('overload is judged after the key: without one 401, with one the shed answer, which counts nothing', async () => {
  const rig = new Rig();
  assert.equal((await seen(rig.decide('/v1/ticker', { shed: 'keyless' }))).code, '/v1/ticker');
  assert.equal((await seen(rig.decide('/v1/ticker', { shed: 'all', key: null }))).code, 'MISSING_API_KEY');
  rig.taken.length = 0;
  assert.deepEqual(await seen(rig.decide('/v1/ticker', { shed: 'all' })), { ...overloaded, isKeyed: true });
  assert.deepEqual(await seen(rig.decide('/v1/nowhere', { shed: 'all' })), { ...overloaded, isKeyed: true });
  for (const shed of ['keyless', 'all'] as const) {
    for (const path of ['/', '/docs', '/nowhere']) {
      assert.deepEqual(await seen(rig.decide(path, { shed, key: null })), overloaded, `${path} ${shed}`);
    }
  }
  assert.deepEqual(rig.taken, []);
  assert.deepEqual(await seen(rig.decide('/v1/time', { shed: 'all' })), {
    code: '/v1/time',
    route: '/v1/time',
    ...keyed,
  });
});

test('a path that does not exist is a problem for programs and a page for people', async () => {
  const rig = new Rig();
  const none = { code: 'NOT_FOUND', ...unmatched };
  assert.deepEqual(await seen(rig.decide('/v1/nowhere')), { ...none, ...keyed });
  assert.deepEqual(await seen(rig.decide('/v1/%zz')), { ...none, ...keyed, code: 'BAD_REQUEST' });
  const headers = { accept: 'text/html' };
  assert.deepEqual(await seen(rig.decide('/nowhere', { headers })), lost);
  assert.deepEqual(await seen(rig.decide('/nowhere', { headers, method: 'HEAD' })), lost);
  assert.equal((await seen(rig.decide('/nowhere', { headers, method: 'POST' }))).code, 'NOT_FOUND');
  assert.equal((await seen(rig.decide('/%zz', { headers }))).code, 'BAD_REQUEST');
  assert.equal((await seen(rig.decide('/nowhere'))).code, 'NOT_FOUND');
  assert.equal((await seen(rig.decide('/', { headers }))).code, '/');
});

test('the method is judged before maintenance, and maintenance before the resource', async () => {
  const rig = new Rig();
  assert.equal((await seen(rig.decide('/v1/ticker', { method: 'HEAD' }))).code, '/v1/ticker');
  rig.maintenanceSeconds = 17;
  rig.asked.length = 0;
  for (const method of ['POST', 'get', 'OPTIONS'])
    assert.deepEqual(await seen(rig.decide('/v1/ticker', { method })), {
      code: 'METHOD_NOT_ALLOWED',
      route: '/v1/ticker',
      ...keyed,
    });
  const { answer } = rig.decide('/v1/ticker') as Decision;
  assert.deepEqual(answer.kind === 'problem' && [answer.code, answer.retryAfterSeconds], ['SERVICE_MAINTENANCE', 17]);
  assert.deepEqual(rig.asked, []);
  assert.equal((await seen(rig.decide('/v1/status'))).code, '/v1/status');
});

test('a resource that throws costs the client its answer alone, and the log learns why', async () => {
  const rig = new Rig();
  assert.deepEqual(await seen(rig.decide('/v1/broken')), { code: 'INTERNAL_ERROR', route: '/v1/broken', ...keyed });
  assert.deepEqual(rig.failures, [['broken', 'r']]);
});
