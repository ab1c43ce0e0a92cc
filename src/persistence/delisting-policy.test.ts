import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import { Markets } from '../market/markets.ts';
import {
  everyEuroMarket,
  hourMs,
  pricingPolicy,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from '../market/samples.testing.ts';
import { FeedStatus } from '../market/service-status.ts';
import { type ListedMarket, type SkippedPair, skippedPairsName } from '../market/upstream.ts';
import { btcEur, openFixture } from '../store/store.testing.ts';
import { DelistingPolicy } from './delisting-policy.ts';
import { MarketSnapshots } from './market-snapshots.ts';

const bases = Array.from({ length: 20 }, (_, index) => `B${String.fromCharCode(65 + index)}`);
const delistAfterMs = 24 * hourMs;

/** An exchange with twenty markets, the first of which is BA. */
async function reviewed(t: TestContext) {
  const { store, clock, outside } = await openFixture(t);
  const markets = new Markets(pricingPolicy(), everyEuroMarket);
  const saved = new MarketSnapshots(store, markets, new FeedStatus(), clock, silentLog);
  markets.observe(saved);
  const during = { save: () => {} };
  const snapshots = {
    async save() {
      await saved.save();
      during.save();
    },
  };
  const logged: [level: string, message: string, symbols: unknown][] = [];
  const at = (level: string) => (fields: object, message: string) => {
    const { symbols, symbol: one } = fields as { symbols?: unknown; symbol?: unknown };
    logged.push([level, message, symbols ?? one]);
  };
  const log = { ...silentLog, info: at('info'), warn: at('warn'), error: at('error') };
  const review = new DelistingPolicy({ store, markets, snapshots, log, delistAfterMs });
  /** Listed as ended. */
  const ended = new Set<string>();
  const load = async (lacking: readonly string[], skipped: readonly SkippedPair[] = []) => {
    const listed = bases
      .filter((base) => !lacking.includes(base))
      .map(
        (base): ListedMarket => (ended.has(base) ? { ...upstreamMarket(base), status: 'ended' } : upstreamMarket(base)),
      );
    markets.catalogueLoaded(listed, clock.now(), { skipped, isComplete: true });
    review.loaded('exchange', clock.now(), { skipped, isComplete: true });
    await review.stop();
  };
  return {
    store,
    outside,
    review,
    during,
    load,
    ended,
    restore: () => saved.restore(),
    clock,
    /** Takes out what was logged since the last call. */
    told: () => logged.splice(0),
    /** A load an hour, for this long. */
    async lack(hours: number, ...lacking: readonly string[]) {
      for (let hour = 0; hour < hours; hour++) {
        clock.jump(hourMs);
        await load(lacking);
      }
    },
    tick: (base: string) =>
      markets.tickerReceived(upstreamTicker({ symbol: symbol(`${base}EUR`), receivedAt: clock.now() })),
    delisted: async () =>
      (await store.markets.list()).filter(({ delistedAt }) => delistedAt !== undefined).map((market) => market.symbol),
    actions: async () =>
      (await store.audit.page({ limit: 100 })).items.map(
        ({ action, actor, subject }) => `${action} ${actor} ${subject.id}`,
      ),
  };
}

const gone = 'markets that the exchange no longer lists, or lists as ended, are paused';

test('a market that the exchange has not listed for the configured time is delisted once, by the service, in the store and its audit log', async (t) => {
  const { load, lack, delisted, actions, told } = await reviewed(t);
  await load([]);
  await lack(24, 'BA');
  assert.deepEqual(told(), [['warn', gone, ['BAEUR']]]);
  assert.deepEqual(await delisted(), []);
  await lack(1, 'BA');
  assert.deepEqual(await delisted(), ['BAEUR']);
  assert.deepEqual(await actions(), ['market.delist service BAEUR']);
  assert.deepEqual(told(), [['warn', 'market delisted for good: it ended at the exchange', 'BAEUR']]);
  await lack(2, 'BA');
  assert.deepEqual(
    await actions(),
    ['market.delist service BAEUR'],
    'also before this process has read that it is delisted',
  );
  assert.deepEqual(told(), []);
});

test('a market that stays in the list after its end is delisted after the same time (fault row 95)', async (t) => {
  const { load, lack, ended, delisted, actions, told, tick } = await reviewed(t);
  await load([]);
  ended.add('BA');
  await lack(20);
  tick('BA');
  await lack(24);
  assert.deepEqual(await delisted(), [], 'a price started its time over');
  await lack(1);
  assert.deepEqual(await delisted(), ['BAEUR']);
  assert.deepEqual(await actions(), ['market.delist service BAEUR']);
  assert.deepEqual(
    told().map(([level, message]) => [level, message]),
    [
      ['warn', gone],
      ['info', 'markets are no longer missing from the exchange'],
      ['warn', gone],
      ['warn', 'market delisted for good: it ended at the exchange'],
    ],
  );
});

test('of more than a tenth that end at once and stay in the list none is delisted by itself (fault row 95)', async (t) => {
  const { load, lack, ended, delisted } = await reviewed(t);
  await load([]);
  for (const base of ['BA', 'BB', 'BC']) ended.add(base);
  await lack(30);
  assert.deepEqual(await delisted(), []);
});

test('what a former version took for paused markets leaves the store once, with an entry in the audit log (fault row 95)', async (t) => {
  const { store, load, ended, restore, delisted, actions, told } = await reviewed(t);
  const former = ['BA', 'BB', 'BC', 'BD'];
  await store.markets.upsertMany(
    former.map((base) => ({ ...btcEur, symbol: `${base}EUR`, base, upstreamStatus: 'paused' as const })),
  );
  await store.markets.upsertMany([{ ...btcEur, symbol: 'BACZK', base: 'BA', quote: 'CZK', via: 'BAEUR' }]);
  await store.markets.setOperatorPaused('BDEUR', true);
  await restore();
  for (const base of former) ended.add(base);
  await load([]);
  const names = (await store.markets.list()).map(({ symbol: name }) => name);
  for (const name of ['BAEUR', 'BACZK', 'BBEUR', 'BCEUR']) assert.ok(!names.includes(name), name);
  assert.ok(names.includes('BDEUR'), 'an operator decided on it');
  assert.deepEqual(await actions(), ['market.forget service all', 'market.pause system BDEUR']);
  assert.deepEqual(await delisted(), []);
  const saidSo = () =>
    told().filter(([, message]) => message === 'markets that never had a price and have ended are none');
  assert.deepEqual(saidSo(), [
    ['warn', 'markets that never had a price and have ended are none', ['BAEUR', 'BBEUR', 'BCEUR']],
  ]);
  await load([]);
  assert.deepEqual(saidSo(), []);
});

test('a market whose ticker comes while the markets are being saved is not delisted', async (t) => {
  const { load, lack, during, tick, delisted, told } = await reviewed(t);
  await load([]);
  during.save = () => void tick('BA');
  await lack(30, 'BA');
  assert.deepEqual(await delisted(), []);
  assert.ok(told().every(([level]) => level !== 'error'));
});

test('a market whose ticker comes while its delisting waits for another program is not delisted', async (t) => {
  const { clock, load, lack, during, outside, tick, delisted, told } = await reviewed(t);
  await load([]);
  await lack(24, 'BA');
  told();
  during.save = () => outside.exec('begin immediate');
  const reviewing = lack(1, 'BA');
  await clock.advance(0);
  assert.equal(clock.pendingTimers, 1, 'it waits');
  tick('BA');
  outside.exec('commit');
  await clock.advance(1_000);
  await reviewing;
  assert.deepEqual(await delisted(), []);
  assert.deepEqual(told(), []);
});

test('a market that is listed again is reported once, and its absence begins anew', async (t) => {
  const { load, lack, delisted, told } = await reviewed(t);
  await load([]);
  await lack(20, 'BA');
  await lack(1);
  await lack(20, 'BA');
  const back = 'markets are no longer missing from the exchange';
  assert.deepEqual(told(), [
    ['warn', gone, ['BAEUR']],
    ['info', back, ['BAEUR']],
    ['warn', gone, ['BAEUR']],
  ]);
  assert.deepEqual(await delisted(), []);
});

test('while over a tenth of the markets are missing none is delisted, which is logged and recorded once for each', async (t) => {
  const { load, lack, delisted, actions, told } = await reviewed(t);
  await load([]);
  await lack(24, 'BA', 'BB', 'BC');
  told();
  await lack(3, 'BA', 'BB', 'BC');
  assert.deepEqual(await delisted(), []);
  const held = ['BAEUR', 'BBEUR', 'BCEUR'];
  const heldBack = 'delisting is held back: over a tenth of the markets are missing';
  assert.deepEqual(told(), [['warn', heldBack, held]]);
  assert.deepEqual(
    (await actions()).sort(),
    held.map((each) => `market.hold_back service ${each}`),
  );
  await lack(1, 'BA', 'BB');
  assert.deepEqual(await delisted(), ['BAEUR', 'BBEUR'], 'a tenth is not over a tenth');
});

test('what sources cannot use is saved for the console, of all sources together, when it changes', async (t) => {
  const { load, store, review } = await reviewed(t);
  const saved = async () => JSON.parse((await store.snapshots.load(skippedPairsName))?.payload ?? '"nothing"');
  const pair = (base: string) => ({ symbol: symbol(`${base}EUR`), reason: 'no precision' }) as unknown as SkippedPair;
  await load([], [pair('XA')]);
  assert.deepEqual(await saved(), [pair('XA')]);
  review.loaded('other', 0 as EpochMs, { skipped: [pair('XB')], isComplete: true });
  await review.stop();
  assert.deepEqual(await saved(), [pair('XA'), pair('XB')]);
  await store.snapshots.save(skippedPairsName, '"untouched"');
  await load([], [pair('XA')]);
  assert.equal(await saved(), 'untouched');
  await load([]);
  assert.deepEqual(await saved(), [pair('XB')]);
});

test('a review that the store refuses is logged, and the next load brings another', async (t) => {
  const { load, lack, outside, delisted, told } = await reviewed(t);
  await load([]);
  await lack(24, 'BA');
  told();
  outside.exec('alter table audit_log rename to hidden');
  await lack(1, 'BA');
  assert.deepEqual(told(), [['error', 'the review of the catalogue failed; the next load brings another', undefined]]);
  assert.deepEqual(await delisted(), []);
  outside.exec('alter table hidden rename to audit_log');
  await lack(1, 'BA');
  assert.deepEqual(await delisted(), ['BAEUR']);
});
