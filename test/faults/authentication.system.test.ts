import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { digestOf, generateApiKey } from '../../src/access/api-key.ts';
import { KeyDirectoryLoader } from '../../src/access/key-directory-loader.ts';
import { UnknownKeyRefresh } from '../../src/access/unknown-key-refresh.ts';
import { systemClock } from '../../src/ground/clock.ts';
import { silentLog } from '../../src/ground/log.ts';
import { StoreFollower } from '../../src/persistence/store-follower.ts';
import { openFixture } from '../../src/store/store.testing.ts';
import { openStore } from '../../src/store/store.ts';
import { eventually } from '../support/eventually.ts';
import { seededRandomness } from '../support/fake-clock.ts';
import { json, ListenerHarness } from '../support/listener-harness.ts';
import { Wire } from '../support/wire.ts';
import { seed, sized } from './full-size.ts';
import { assertRecovered, startHealthy } from './oracle.ts';

describe('a key that cannot be used', () => {
  test('is refused with the same bytes and in the same time whatever is wrong with it (fault row 20)', async (t) => {
    const { store } = await openFixture(t);
    const watch = store.watchChanges({ changed() {}, failed() {} });
    const keyRefresh = new UnknownKeyRefresh({ look: () => watch.look(), reachable: () => true }, systemClock);
    const api = await startHealthy({ clock: systemClock, look: () => keyRefresh.refresh() });
    t.after(() => api.stop());
    const keys = {
      unknown: generateApiKey(seededRandomness(seed)),
      mistyped: `${api.key.slice(0, 20)}${api.key[20] === 'a' ? 'b' : 'a'}${api.key.slice(21)}`,
      disabled: api.addKey({ usable: false }),
      expired: api.addKey({ expiresAt: api.clock.now() }),
    };
    const bytes = new Set<string>();
    for (const key of Object.values(keys)) {
      const { status, headers, body } = await api.get('/v1/time', { key });
      const { requestId, ...problem } = json({ status, headers, body });
      const { date, 'x-request-id': id, 'x-ratelimit-remaining': left, 'x-ratelimit-reset': reset, ...rest } = headers;
      assert.ok(requestId === id && date && left && reset);
      bytes.add(JSON.stringify([status, rest, problem, body.length]));
    }
    assert.equal(bytes.size, 1);
    await assertSameTimes(api, keys);
    await assertRecovered(api);
  });

  test('is stopped after ten tries a minute, however many are tried, and a valid key from the same address is not (fault row 22)', async (t) => {
    const api = await ListenerHarness.start();
    t.after(() => api.stop());
    const random = seededRandomness(seed);
    const wire = await Wire.open(api.port);
    const statuses = new Map<number, number>();
    const tries = sized(2000, 10_000);
    for (let sent = 0; sent < tries; sent += 40) {
      const guesses = Array.from({ length: 40 }, () => {
        const headers = { Connection: 'keep-alive' };
        return api.requestText('/v1/time', { key: generateApiKey(random), headers });
      });
      for (const { status } of await wire.askAll(guesses)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    assert.deepEqual(
      [...statuses],
      [
        [401, 10],
        [429, tries - 10],
      ],
    );
    assert.equal((await api.get('/v1/time')).status, 200);
    assert.equal(api.limits.addressesHeld, 1, 'nothing is kept of the keys that were tried');
    assert.equal(api.directory.size, 1);
    wire.close();
    await assertRecovered(api);
  });
});

describe('a key that is changed by another process', () => {
  const auditForMs = 400 * 86_400_000;

  /** A listener whose keys come from a store, and the same store as another process has it open. */
  async function start(t: TestContext) {
    const { store: other, outside, path } = await openFixture(t);
    const store = await openStore({ url: `sqlite:${path}`, clock: systemClock, randomness: seededRandomness(7) });
    t.after(() => store.close());
    let keyRefresh: UnknownKeyRefresh | undefined;
    const api = await startHealthy({ clock: systemClock, look: () => keyRefresh?.refresh() });
    t.after(() => api.stop());
    const loader = new KeyDirectoryLoader(api.directory, store);
    const log = silentLog;
    const changes = new StoreFollower(
      store,
      { keys: loader, markets: api.markets, service: api.service },
      systemClock,
      log,
      auditForMs,
    );
    changes.start();
    keyRefresh = new UnknownKeyRefresh(changes, systemClock);
    t.after(async () => {
      await changes.stop();
    });
    const account = await other.accounts.create({ email: 'somebody@example.com' });
    const key = generateApiKey(seededRandomness(seed));
    const { id } = await other.keys.insert({ accountId: account.id, digest: digestOf(key), lastFour: key.slice(-4) });
    /** Waits for the status, and says how long it took. */
    const becomes = async (status: number) => {
      const startedMs = performance.now();
      const found = async () => (await api.get('/v1/time', { key })).status === status;
      await eventually(`the key is answered ${status}`, found);
      assert.ok(performance.now() - startedMs < 1000, 'within a second');
    };
    return { api, other, outside, changes, account, key, id, becomes };
  }

  test('works from its first use, however soon after it was made', async (t) => {
    const { api, other, account } = await start(t);
    for (let number = 1; number <= 20; number++) {
      const made = generateApiKey(seededRandomness(seed + number));
      await other.keys.insert({ accountId: account.id, digest: digestOf(made), lastFour: made.slice(-4) });
      const statuses = await Promise.all([1, 2, 3].map(async () => (await api.get('/v1/time', { key: made })).status));
      assert.deepEqual(statuses, [200, 200, 200], `key ${number}`);
    }
  });

  test('is refused within a second of being disabled, revoked or left without an account, and taken again as soon (fault row 21)', async (t) => {
    const { other, account, id, becomes } = await start(t);
    await becomes(200);
    await other.keys.setStatus(id, 'disabled');
    await becomes(401);
    await other.keys.setStatus(id, 'active');
    await becomes(200);
    await other.accounts.setActive(account.id, false);
    await becomes(401);
    await other.accounts.setActive(account.id, true);
    await becomes(200);
    await other.keys.setStatus(id, 'revoked');
    await becomes(401);
  });

  test('stays as it was known while the database cannot be read, and is current as soon as it can (fault row 21)', async (t) => {
    const { api, outside, changes, key, id, becomes } = await start(t);
    await becomes(200);
    outside.exec('ALTER TABLE access_changes RENAME TO hidden');
    outside.exec("UPDATE api_keys SET status = 'disabled'");
    await eventually('the trouble is noticed', () => !changes.reachable());
    assert.equal((await api.get('/v1/time', { key })).status, 200);
    outside.exec('ALTER TABLE hidden RENAME TO access_changes');
    await eventually('the database is read again', () => changes.reachable());
    await becomes(401);
    assert.ok(id);
  });
});

/** Compares the times of every two kinds of refusal, as an attacker would; a difference in three attempts fails. */
async function assertSameTimes(api: ListenerHarness, keys: Readonly<Record<string, string>>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const distinct = await distinguishable(api, keys, sized(250, 2500));
    if (distinct.length === 0) return;
    assert.ok(attempt < 3, `distinguishable by their times: ${distinct.join('; ')}`);
  }
}

async function distinguishable(
  api: ListenerHarness,
  keys: Readonly<Record<string, string>>,
  each: number,
): Promise<string[]> {
  const random = seededRandomness(seed);
  const wire = await Wire.open(api.port);
  const requests = Object.entries(keys).map(([name, key]) => ({
    name,
    text: api.requestText('/v1/time', { key, headers: { Connection: 'keep-alive' } }),
    tookMs: [] as number[],
  }));
  for (let round = 0; round < each; round++) {
    // In another order each time, so that no kind always follows the same one.
    const order = requests
      .map((request) => ({ request, at: random.fraction() }))
      .sort((one, other) => one.at - other.at);
    for (const { request } of order) {
      const startedMs = performance.now();
      await wire.ask(request.text);
      request.tookMs.push(performance.now() - startedMs);
    }
  }
  wire.close();
  return requests.flatMap((one, index) =>
    requests.slice(index + 1).flatMap((other) => {
      const p = mannWhitney(one.tookMs, other.tookMs);
      return p > 0.01 ? [] : [`${one.name} and ${other.name}, p = ${p.toExponential(1)}`];
    }),
  );
}

/** The two-sided p-value of the Mann-Whitney U test, by its normal approximation. */
function mannWhitney(one: readonly number[], other: readonly number[]): number {
  const all = [...one.map((value) => ({ value, isOne: true })), ...other.map((value) => ({ value, isOne: false }))];
  all.sort((first, second) => first.value - second.value);
  let rankSum = 0;
  for (const [index, { isOne }] of all.entries()) if (isOne) rankSum += index + 1;
  const u = rankSum - (one.length * (one.length + 1)) / 2;
  const mean = (one.length * other.length) / 2;
  const deviation = Math.sqrt((one.length * other.length * (one.length + other.length + 1)) / 12);
  return 2 * (1 - standardNormal(Math.abs(u - mean) / deviation));
}

/** The standard normal distribution function (Abramowitz and Stegun 26.2.17, to 7.5e-8). */
function standardNormal(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const tail = [1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153].reduce((sum, c) => (sum + c) * t, 0);
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * tail;
}
