import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import type { PendingReason } from '../market/catalogue-review.ts';
import { Markets } from '../market/markets.ts';
import { everyEuroMarket, hourMs, pricingPolicy, symbol, upstreamMarket } from '../market/samples.testing.ts';
import { FeedStatus } from '../market/service-status.ts';
import { loadPending, readReview, settle, type Verdict } from '../operator/review.ts';
import { openFixture } from '../store/store.testing.ts';
import { CatalogueReviewer } from './catalogue-reviewer.ts';
import { MarketSnapshots } from './market-snapshots.ts';
import { StoreFollower } from './store-follower.ts';

const delistAfterMs = 24 * hourMs;
const source = 'exchange';
const named = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => upstreamMarket(`${prefix}${index}`));

/** A process on a store, with a feed that is played. */
async function startProcess({ store, clock }: Awaited<ReturnType<typeof openFixture>>, t: TestContext) {
  const markets = new Markets(pricingPolicy(), { ...everyEuroMarket, marketsMax: 300 });
  const snapshots = new MarketSnapshots(store, markets, new FeedStatus(), clock, silentLog);
  const logged: string[] = [];
  const log = {
    ...silentLog,
    info: (fields: object, message: string) => void logged.push(`${(fields as { reason?: string }).reason} ${message}`),
    warn: (fields: object, message: string) => void logged.push(`${(fields as { reason?: string }).reason} ${message}`),
  };
  const reviewer = new CatalogueReviewer({ store, markets, log, delistAfterMs });
  markets.observe(reviewer);
  await snapshots.restore();
  markets.observe(snapshots);
  const keys = { held: 0, acceptLosses: async () => {}, refresh: async () => {} };
  const service = { setWindows() {}, written: [] };
  const follower = new StoreFollower(store, { keys, markets, service }, clock, silentLog, hourMs);
  follower.start();
  await follower.look();
  t.after(() => follower.stop());
  return {
    markets,
    snapshots,
    logged,
    settled: () => reviewer.stop(),
    async load(listed: ReturnType<typeof named>) {
      markets.catalogueLoaded(listed, clock.now(), { skipped: [], isComplete: true });
      await snapshots.save();
      reviewer.loaded();
      await reviewer.stop();
    },
    async decide(verdict: Verdict, reason: PendingReason) {
      const waits = (await loadPending(store)).find((each) => each.reason === reason)!;
      await settle(store.as('olga'), waits, verdict, clock.now());
      await follower.look();
      await reviewer.stop();
    },
    get size() {
      return [...markets.catalogue.all()].filter(({ isConverted }) => !isConverted).length;
    },
    has: (name: string) => markets.catalogue.find(symbol(name)) !== undefined,
    async pending() {
      return (await loadPending(store)).map(({ reason, count }) => `${reason} ${count}`);
    },
    async audited() {
      const { items } = await store.audit.page({ limit: 100 });
      return items
        .map(({ action, actor, subject, summary }) => `${action} ${actor} ${subject.id} ${summary}`)
        .reverse();
    },
  };
}

test('growth that waits is in the store, the log and the audit log, until an operator accepts it (fault row 97)', async (t) => {
  const fixture = await openFixture(t);
  const { load, decide, pending, audited, logged, has, markets } = await startProcess(fixture, t);
  const again: string[] = [];
  markets.catalogue.reviews.onAccepted = (id) => void again.push(id);
  await load(named('A', 100));
  await load([...named('A', 100), ...named('F', 60)]);
  await load([...named('A', 100), ...named('F', 60)]);
  assert.deepEqual(await pending(), ['growth 60']);
  assert.deepEqual(logged, ['growth markets of a list wait']);
  await decide('accept', 'growth');
  assert.deepEqual([await pending(), again], [[], [source]]);
  assert.equal(has('F0EUR'), false, 'with the next load');
  await load([...named('A', 100), ...named('F', 60)]);
  assert.equal(has('F0EUR'), true);
  assert.deepEqual(await audited(), [
    'catalogue.hold_back service exchange Held back 60 markets of the list of exchange: too many new ones at once.',
    'catalogue.accept olga exchange Accepted new markets of exchange: F0EUR, F1EUR, F2EUR, F3EUR, F4EUR and 55 more.',
  ]);
  assert.deepEqual(logged.slice(1), ['growth markets of a list no longer wait']);
});

test('what was rejected stays so over a restart, and can be accepted later (fault row 97)', async (t) => {
  const fixture = await openFixture(t);
  const listed = [...named('A', 100), ...named('F', 60)];
  const before = await startProcess(fixture, t);
  await before.load(named('A', 100));
  await before.load(listed);
  await before.decide('reject', 'growth');
  await before.load(listed);
  assert.deepEqual([before.size, await before.pending()], [100, []]);

  const { load, size, pending, ...after } = await startProcess(fixture, t);
  await load(listed);
  assert.deepEqual([size, await pending(), after.logged], [100, [], []]);
  const { rejected } = await readReview(fixture.store);
  assert.deepEqual(
    rejected.map((each) => [each.source, each.rejected.length]),
    [[source, 60]],
  );
  await fixture.store.lists.accept(source, rejected[0]!.rejected);
  const again = await startProcess(fixture, t);
  await again.load(listed);
  assert.equal(again.size, 160);
});

test('what waited before a restart is known before any load, waits on since then, and is not recorded twice (fault row 97)', async (t) => {
  const fixture = await openFixture(t);
  const listed = [...named('A', 100), ...named('F', 400)];
  const before = await startProcess(fixture, t);
  await before.load(named('A', 100));
  fixture.clock.jump(hourMs);
  await before.load(listed);
  const [waited] = before.markets.catalogue.reviews.pending;
  fixture.clock.jump(hourMs);

  const after = await startProcess(fixture, t);
  const [known] = after.markets.catalogue.reviews.pending;
  assert.deepEqual([known?.reason, known?.count, known?.since], ['growth', 400, waited?.since]);
  await after.load(listed);
  assert.deepEqual(after.markets.catalogue.reviews.pending, [waited]);
  assert.deepEqual(await loadPending(fixture.store), [waited]);
  assert.deepEqual([after.logged, (await after.audited()).length], [[], 1]);
});

test('a process that follows shows what waits, and leaves what is kept of it alone (fault row 97)', async (t) => {
  const fixture = await openFixture(t);
  const leader = await startProcess(fixture, t);
  await leader.load(named('A', 100));
  await leader.load([...named('A', 100), ...named('F', 60)]);
  const follower = await startProcess(fixture, t);
  // It led before.
  await follower.load(named('A', 100));
  await leader.load([...named('A', 100), ...named('F', 61)]);
  follower.markets.restore(
    JSON.parse(
      JSON.stringify({
        records: leader.markets.catalogue.records(),
        listed: leader.markets.catalogue.listedBySource(),
        reviews: leader.markets.catalogue.reviews.states(),
        tickers: [],
        references: [],
        rates: [],
      }),
    ),
  );
  const [shown] = follower.markets.catalogue.reviews.pending;
  assert.deepEqual([shown?.count, shown?.symbols.length], [61, 20]);
  await follower.settled();
  assert.deepEqual(
    (await loadPending(fixture.store)).map(({ symbols }) => symbols.length),
    [61],
  );
  await leader.decide('accept', 'growth');
  assert.deepEqual(await leader.pending(), []);
});

test('a surplus is rejected for good or stays noted, and an accepted loss is delisted (fault row 97)', async (t) => {
  const fixture = await openFixture(t);
  const { load, decide, pending, audited, markets } = await startProcess(fixture, t);
  const all = named('A', 320);
  await load(all);
  assert.deepEqual(await pending(), ['over_maximum 20']);
  await decide('reject', 'over_maximum');
  await load(all);
  assert.deepEqual(await pending(), []);
  for (let hour = 0; hour < 26; hour++) {
    fixture.clock.jump(hourMs);
    await load(all.slice(40, 300));
  }
  assert.deepEqual(await pending(), ['loss 40']);
  await decide('reject', 'loss');
  assert.deepEqual([await pending(), markets.catalogue.absences(delistAfterMs).due], [[], []]);
  assert.match(
    (await audited()).at(-1)!,
    /^catalogue\.reject olga exchange Kept markets that are missing from the list/,
  );
});

test('an accepted loss is delisted, market by market, by the operator (fault row 97)', async (t) => {
  const fixture = await openFixture(t);
  const { load, decide, pending, audited } = await startProcess(fixture, t);
  await load(named('A', 20));
  for (let hour = 0; hour < 26; hour++) {
    fixture.clock.jump(hourMs);
    await load(named('A', 20).slice(3));
  }
  assert.deepEqual(await pending(), ['loss 3']);
  await fixture.store.markets.delist('A1EUR', fixture.clock.now() as EpochMs);
  await decide('accept', 'loss');
  assert.deepEqual(await pending(), []);
  assert.deepEqual(
    (await audited()).map((entry) => entry.split(' ').slice(0, 3).join(' ')),
    ['market.delist system A1EUR', 'market.delist olga A0EUR', 'market.delist olga A2EUR'],
  );
});
