import assert from 'node:assert/strict';
import { asEpochMs } from '../ground/clock.ts';
import type { MarketToSave } from './markets.ts';
import { btcEur, openEngine, refusal, storeTest } from './store.testing.ts';

const btcCzk: MarketToSave = { ...btcEur, symbol: 'BTCCZK', quote: 'CZK', via: 'BTCEUR', minOrderValue: undefined };

storeTest('markets are listed by symbol with every digit, as they were saved last', async (t) => {
  const { store, clock } = await openEngine(t);
  await store.markets.upsertMany([btcEur, btcCzk]);
  const unset = { heldAt: undefined, acceptedAt: undefined, acceptedSource: undefined };
  const rest = { operatorPaused: false, ...unset, updatedAt: clock.now() };
  assert.deepEqual(await store.markets.list(), [
    { ...btcCzk, ...rest },
    { ...btcEur, ...rest },
  ]);
  clock.jump(1);
  const changed = {
    ...btcEur,
    tickSize: '0.10',
    upstreamStatus: 'paused',
    absence: { since: clock.now(), until: clock.now() },
  } as const;
  await store.markets.upsertMany([changed]);
  assert.deepEqual((await store.markets.list())[1], { ...changed, ...rest, updatedAt: clock.now() });
});

storeTest('thousands of markets are saved in one go', async (t) => {
  const { store } = await openEngine(t);
  const many = Array.from({ length: 1_001 }, (_, index) => ({ ...btcEur, symbol: `M${index}` }));
  await store.markets.upsertMany(many);
  await store.markets.upsertMany(many);
  await store.markets.upsertMany([]);
  assert.equal((await store.markets.list()).length, 1_001);
});

storeTest(
  'markets that never were any are removed with those converted from them, unless an operator decided on one',
  async (t) => {
    const { store, clock } = await openEngine(t);
    const decided = ['PAUSED', 'HELD', 'DELISTED'];
    await store.markets.upsertMany([btcEur, btcCzk, ...decided.map((name) => ({ ...btcEur, symbol: name }))]);
    await store.markets.setOperatorPaused('PAUSED', true);
    await store.markets.setHeld('HELD', clock.now());
    await store.markets.delist('DELISTED', clock.now());
    const many = Array.from({ length: 600 }, (_, index) => `M${index}`);
    assert.equal(await store.markets.forget([...many, 'BTCEUR', ...decided]), 2);
    assert.deepEqual(
      (await store.markets.list()).map((market) => market.symbol),
      decided.toSorted(),
    );
    const [entry] = (await store.audit.page({ limit: 1 })).items;
    assert.equal(entry?.summary, 'Removed 2 markets that never had a price and are listed as ended.');
    assert.deepEqual(entry?.details, { count: 2, symbols: ['BTCCZK', 'BTCEUR'] });
    assert.equal(await store.markets.forget(['BTCEUR']), 0);
    assert.equal((await store.audit.page({ limit: 1 })).items[0]?.id, entry?.id);
  },
);

storeTest("a catalogue load never changes the operator's pause", async (t) => {
  const { store } = await openEngine(t);
  await store.markets.upsertMany([btcEur]);
  assert.equal((await store.markets.setOperatorPaused('BTCEUR', true)).operatorPaused, true);
  await store.markets.upsertMany([btcEur]);
  assert.equal((await store.markets.list())[0]?.operatorPaused, true);
  assert.equal((await store.markets.setOperatorPaused('BTCEUR', false)).operatorPaused, false);
});

storeTest("an operator's hold lasts from its first instant until it is released, and is audited", async (t) => {
  const { store, clock } = await openEngine(t);
  await store.markets.upsertMany([btcEur, btcCzk]);
  const since = clock.now();
  assert.equal((await store.markets.setHeld('BTCEUR', since)).heldAt, since);
  clock.jump(1_000);
  assert.equal((await store.markets.setHeld('BTCEUR', clock.now())).heldAt, since);
  await store.markets.upsertMany([btcEur]);
  assert.equal(await store.markets.setAllHeld(clock.now()), 1);
  assert.deepEqual(
    (await store.markets.list()).map(({ heldAt }) => heldAt),
    [clock.now(), since],
  );
  assert.equal((await store.markets.setHeld('BTCEUR', undefined)).heldAt, undefined);
  assert.equal(await store.markets.setAllHeld(undefined), 1);
  clock.jump(1_000);
  assert.equal((await store.markets.acceptDoubted('BTCEUR', clock.now())).acceptedAt, clock.now());
  const audited = (await store.audit.page({ limit: 10 })).items.map(({ action, subject }) => `${action} ${subject.id}`);
  const made = ['hold BTCEUR', 'hold all', 'release BTCEUR', 'release all', 'accept BTCEUR'];
  assert.deepEqual(audited.toSorted(), made.map((entry) => `market.${entry}`).toSorted());
});

storeTest(
  'the source that an operator accepts is kept with the market and in the audit log until the next acceptance',
  async (t) => {
    const { store, clock } = await openEngine(t);
    await store.markets.upsertMany([btcEur]);
    assert.equal((await store.markets.acceptDoubted('BTCEUR', clock.now(), 'bitvavo')).acceptedSource, 'bitvavo');
    await store.markets.upsertMany([btcEur]);
    assert.equal((await store.markets.list())[0]?.acceptedSource, 'bitvavo');
    const [audited] = (await store.audit.page({ limit: 1 })).items;
    assert.match(audited?.summary ?? '', /^Accepted what was doubted of BTCEUR from bitvavo\.$/);
    clock.jump(1_000);
    assert.equal((await store.markets.acceptDoubted('BTCEUR', clock.now())).acceptedSource, undefined);
  },
);

storeTest('delisting is final: nothing written later changes the market or its instant', async (t) => {
  const { store, clock } = await openEngine(t);
  await store.markets.upsertMany([btcEur, btcCzk]);
  const delisted = await store.markets.delist('BTCEUR', clock.now());
  assert.equal(delisted.delistedAt, clock.now());
  const later = asEpochMs(clock.now() + 1_000);
  await assert.rejects(store.markets.delist('BTCEUR', later), refusal('market_delisted'));
  await assert.rejects(store.markets.setOperatorPaused('BTCEUR', true), refusal('market_delisted'));
  await store.markets.upsertMany([{ ...btcEur, tickSize: '5', delistedAt: later }]);
  assert.deepEqual((await store.markets.list())[1], delisted);
});

storeTest('a delisting that the catalogue led to is kept the same way', async (t) => {
  const { store, clock } = await openEngine(t);
  await store.markets.upsertMany([
    { ...btcEur, absence: { since: clock.now(), until: clock.now() }, delistedAt: clock.now() },
  ]);
  await store.markets.upsertMany([btcEur]);
  assert.equal((await store.markets.list())[0]?.delistedAt, clock.now());
});

storeTest('an unknown market is refused', async (t) => {
  const { store, clock } = await openEngine(t);
  await assert.rejects(store.markets.setOperatorPaused('NOPE', true), refusal('market_unknown'));
  await assert.rejects(store.markets.delist('NOPE', clock.now()), refusal('market_unknown'));
});
