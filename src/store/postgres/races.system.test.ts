import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { EpochMs } from '../../ground/clock.ts';
import { btcEur, digestNumber, openEngine, postgresTest } from '../store.testing.ts';

const rounds = 20;

/** Two servers' stores, and a key of an account. */
async function twoServers(t: TestContext) {
  const { store, openAnother, clock } = await openEngine(t, 'postgres');
  const other = await openAnother();
  const account = await store.accounts.create({ email: 'a@example.com' });
  let number = 0;
  const newKey = () => store.keys.insert({ accountId: account.id, digest: digestNumber(++number), lastFour: 'wxyz' });
  const nextDigest = () => digestNumber(++number);
  return { store, other, clock, account, newKey, nextDigest };
}

/** The reasons of those that were refused. */
async function refusals(attempts: readonly Promise<unknown>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(attempts);
  return settled.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { reason?: string }).reason] : []));
}

postgresTest('of two rotations of a key at once one succeeds', async (t) => {
  const { store, other, newKey, nextDigest } = await twoServers(t);
  for (let round = 0; round < rounds; round++) {
    const { id } = await newKey();
    const rotate = (by: typeof store) =>
      by.keys.rotate(id, { digest: nextDigest(), lastFour: 'next', overlapMs: 1_000 });
    assert.deepEqual(await refusals([rotate(store), rotate(other)]), ['key_already_rotated']);
  }
  assert.equal((await store.keys.list()).length, 2 * rounds);
});

postgresTest('a key that is revoked stays revoked, whatever else is decided about it at the same moment', async (t) => {
  const { store, other, newKey, nextDigest } = await twoServers(t);
  for (let round = 0; round < rounds; round++) {
    const { id } = await newKey();
    await Promise.allSettled([
      other.keys.setStatus(id, 'revoked'),
      store.keys.setStatus(id, 'disabled'),
      store.keys.setStatus(id, 'active'),
      store.keys.rotate(id, { digest: nextDigest(), lastFour: 'next', overlapMs: 1_000 }),
    ]);
    assert.equal((await store.keys.get(id))?.status, 'revoked');
  }
});

postgresTest('a change that two make at once is written down once', async (t) => {
  const { store, other, newKey } = await twoServers(t);
  for (let round = 0; round < rounds; round++) {
    const { id } = await newKey();
    await Promise.all([store.keys.setStatus(id, 'disabled'), other.keys.setStatus(id, 'disabled')]);
    const { items: entries } = await store.audit.page({ limit: 10, subjectId: id });
    assert.deepEqual(entries.map(({ action }) => action).sort(), ['key.create', 'key.disable']);
  }
});

postgresTest(
  'of two accounts with the same address at once one is made, and of two tokens with the same name',
  async (t) => {
    const { store, other, nextDigest } = await twoServers(t);
    for (let round = 0; round < rounds; round++) {
      const [lower, upper] = [`x${round}@example.com`, `X${round}@example.com`];
      const made = [store.accounts.create({ email: lower }), other.accounts.create({ email: upper })];
      assert.deepEqual(await refusals(made), ['email_taken']);
      const make = (by: typeof store) =>
        by.tokens.insert({ role: 'admin', digest: nextDigest(), name: `ann ${round}` });
      assert.deepEqual(await refusals([make(store), make(other)]), ['token_name_taken']);
    }
  },
);

postgresTest(
  'a delisting is final although catalogue loads and a second delisting come at the same moment',
  async (t) => {
    const { store, other, clock } = await twoServers(t);
    const at = clock.now();
    for (let round = 0; round < rounds; round++) {
      const symbols = [`A${round}`, `B${round}`, `C${round}`];
      const loaded = symbols.map((symbol) => ({ ...btcEur, symbol }));
      await store.markets.upsertMany(loaded);
      const attempts = [
        store.markets.delist(symbols[0]!, at),
        other.markets.delist(symbols[0]!, (at + 1) as EpochMs),
        store.markets.upsertMany(loaded),
        other.markets.upsertMany(loaded.toReversed()),
      ];
      assert.deepEqual(await refusals(attempts), ['market_delisted']);
      const delisted = (await store.markets.list()).find(({ symbol }) => symbol === symbols[0]);
      assert.ok(delisted?.delistedAt === at || delisted?.delistedAt === at + 1);
    }
  },
);

postgresTest('of an end and an extension of a window at once both see what the other did', async (t) => {
  const { store, other, clock } = await twoServers(t);
  const later = (minutes: number) => (clock.now() + minutes * 60_000) as EpochMs;
  for (let round = 0; round < rounds; round++) {
    const { id } = await store.windows.announce({ from: clock.now(), to: later(5), description: 'Upgrade' });
    const refused = await refusals([store.windows.end(id), other.windows.extend(id, later(9))]);
    const [window] = (await store.windows.list()).filter((one) => one.id === id);
    // Ended first, it cannot be extended any more; extended first, it still ends.
    assert.equal(window?.to, clock.now());
    assert.ok(refused.length === 0 || refused[0] === 'window_over');
  }
});

postgresTest('of two people who adopt one found outage at once one makes an incident of it', async (t) => {
  const { store, other, clock } = await twoServers(t);
  for (let round = 0; round < rounds; round++) {
    const outage = { component: 'api', state: 'outage', from: clock.now(), to: clock.now() } as const;
    const found = await store.statusRecords.addIncident(outage);
    const adopt = (by: typeof store) => by.incidents.open({ found, title: 'Away', text: 'It was away.' });
    assert.deepEqual(await refusals([adopt(store), adopt(other)]), ['incident_adopted']);
    const close = (by: typeof store) => by.incidents.close(found, { text: 'Over.' });
    assert.deepEqual(await refusals([close(store), close(other)]), ['incident_resolved']);
    const [incident] = (await store.incidents.list({ limit: 99 })).filter(({ id }) => id === found);
    assert.deepEqual(
      incident?.updates.map(({ number }) => number),
      [2, 1],
    );
  }
});

postgresTest('breaches that two servers count in the same minutes are added up', async (t) => {
  const { store, other } = await twoServers(t);
  const counts = Array.from({ length: 200 }, (_, index) => ({
    keyId: `key_${index % 20}`,
    minuteStart: (Math.floor(index / 20) * 60_000) as EpochMs,
    refused: 1,
    limitPerMinute: 60,
  }));
  for (let round = 0; round < rounds; round++) {
    await Promise.all([store.breaches.add(counts), other.breaches.add(counts.toReversed())]);
  }
  const found = await store.breaches.listOf('key_7', -1 as EpochMs);
  assert.deepEqual(
    found.map(({ refused }) => refused),
    Array.from({ length: 10 }, () => 2 * rounds),
  );
  await store.breaches.add([counts[0]!, counts[0]!]);
  assert.equal((await store.breaches.listOf('key_0', -1 as EpochMs))[0]?.refused, 2 * rounds + 2);
});

postgresTest('a notice is decided once and claimed by one server', async (t) => {
  const { store, other, clock, newKey } = await twoServers(t);
  const now = clock.now();
  const minute = (number: number) => (now - (now % 60_000) - number * 60_000) as EpochMs;
  const rule = { breachedMinutes: 3, withinMs: 3_600_000, atMostEveryMs: 86_400_000 };
  for (let round = 0; round < rounds; round++) {
    const { id: keyId } = await newKey();
    await store.breaches.add(
      [3, 2, 1].map((number) => ({ keyId, minuteStart: minute(number), refused: 1, limitPerMinute: 1 })),
    );
  }
  const decision = { rule, upToMinute: minute(1), afterMinute: minute(100), mailed: true };
  const decided = await Promise.all([store, other, store, other].map((by) => by.notices.decide(decision)));
  assert.equal(decided.flat().length, rounds);
  const claim = (by: typeof store) => by.notices.claim({ leaseMs: 60_000, messageIdDomain: 'example.com' });
  const claimed: unknown[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const one of await Promise.all([claim(store), claim(other)])) if (one !== undefined) claimed.push(one.id);
  }
  assert.equal(claimed.length, rounds);
  assert.equal(new Set(claimed).size, rounds);
});
