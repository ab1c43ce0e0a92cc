import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { silentLog } from '../log.ts';
import { MarketBook } from '../market/market-book.ts';
import {
  after,
  everyEuroMarket,
  hourMs,
  pricingPolicy,
  start,
  upstreamMarket,
  upstreamTicker,
} from '../market/samples.testing.ts';
import { skippedPairsName } from '../market/upstream.ts';
import { openStore } from '../store/store.ts';
import { CatalogueReview } from './catalogue-review.ts';

const bases = ['BTC', ...Array.from({ length: 19 }, (_, index) => `C${index}`)];

async function reviewed(t: TestContext) {
  const clock = new FakeClock();
  const store = await openStore({ url: 'sqlite::memory:', clock, randomness: seededRandomness(1) });
  const book = new MarketBook({ ...pricingPolicy(), converted: new Map() }, everyEuroMarket);
  const logged: string[] = [];
  const line = (_: object, message: string) => void logged.push(message);
  const saving = { meanwhile: () => {} };
  const memory = {
    async save() {
      await store.markets.upsertMany(book.catalogue.records());
      saving.meanwhile();
    },
  };
  const log = { ...silentLog, info: line, warn: line, error: line };
  const review = new CatalogueReview({ store, book, memory, log, delistAfterMs: 24 * hourMs });
  t.after(() => store.close());
  /** A load of the catalogue this many hours after the start, without some of the markets. */
  async function load(hours: number, ...without: readonly string[]) {
    const at = after(start, hours * hourMs);
    const listed = bases.filter((base) => !without.includes(base)).map((base) => upstreamMarket(base));
    book.catalogueLoaded(listed, at);
    review.loaded('kraken', at);
    await review.stop();
  }
  return {
    store,
    book,
    logged,
    saving,
    load,
    /** Loads without some of the markets, from one hour to another, as often as all of the time between counts. */
    async loads([from, to]: readonly [number, number], ...without: readonly string[]) {
      for (let hours = from; hours <= to; hours += 0.5) await load(hours, ...without);
    },
    skip: async (source: string, ...names: readonly string[]) => {
      review.loaded(source, start, { skipped: names.map((name) => ({ name, reason: 'unknown' })) } as never);
      await review.stop();
    },
    delisted: async () =>
      (await store.markets.list()).filter(({ delistedAt }) => delistedAt !== undefined).map(({ symbol }) => symbol),
    audited: async (wanted: string) =>
      (await store.audit.page({ limit: 100 })).items.filter(({ action }) => action === wanted).length,
  };
}

test('a market that the exchange no longer lists is reported, and delisted through the store once it is due', async (t) => {
  const { load, loads, delisted, logged, audited } = await reviewed(t);
  await load(0);
  await loads([1, 24.5], 'BTC');
  assert.deepEqual(logged, ['markets that the exchange no longer lists are paused']);
  assert.deepEqual(await delisted(), []);
  await load(25, 'BTC');
  assert.deepEqual(await delisted(), ['BTCEUR']);
  await load(25.5, 'BTC');
  assert.equal(await audited('market.delist'), 1, 'it is delisted once');
});

test('a ticker that comes while the markets are saved keeps its market', async (t) => {
  const { load, loads, delisted, saving, book } = await reviewed(t);
  await load(0);
  await loads([1, 24.5], 'BTC');
  let saves = 0;
  saving.meanwhile = () => {
    saves++;
    book.tickerReceived(upstreamTicker({ receivedAt: after(start, 25 * hourMs) }));
  };
  await load(25, 'BTC');
  assert.equal(saves, 1, 'it was due');
  assert.deepEqual(await delisted(), []);
});

test('when over a tenth of the markets are missing none is delisted, and the audit log says so once for each', async (t) => {
  const { load, loads, delisted, logged, audited } = await reviewed(t);
  await load(0);
  await loads([1, 26], 'BTC', 'C1', 'C2');
  assert.deepEqual(await delisted(), []);
  assert.equal(await audited('market.hold_back'), 3);
  assert.equal(logged.filter((line) => line.startsWith('delisting is held back')).length, 1);
  await load(26.5);
  assert.equal(logged.at(-1), 'markets are no longer missing from the exchange');
});

test('the pairs that each source skips are kept together', async (t) => {
  const { store, skip } = await reviewed(t);
  await skip('kraken', 'XBTEUR');
  await skip('bitvavo', 'ABC-EUR');
  await skip('kraken');
  const { payload = '' } = (await store.snapshots.load(skippedPairsName)) ?? {};
  assert.deepEqual(JSON.parse(payload), [{ name: 'ABC-EUR', reason: 'unknown' }]);
});

test('a review that fails is logged, and the next load brings another', async (t) => {
  const { load, loads, saving, logged, delisted } = await reviewed(t);
  await load(0);
  await loads([1, 24.5], 'BTC');
  saving.meanwhile = () => {
    throw new Error('no space left');
  };
  await load(25, 'BTC');
  assert.match(logged.at(-1) ?? '', /the review of the catalogue failed/);
  saving.meanwhile = () => {};
  await load(25.5, 'BTC');
  assert.deepEqual(await delisted(), ['BTCEUR']);
});
