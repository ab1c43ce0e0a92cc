import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ServiceBoard } from '../../src/board/service-board.ts';
import { asUrgentAsCause } from '../../src/conditions/data.ts';
import { fromYaml } from '../../src/configuration/configuration.testing.ts';
import type {
  Catalogue,
  ConnectorOptions,
  ExchangeConnector,
  LiveConnection,
  LiveListener,
} from '../../src/feed/connector.ts';
import { FeedCounters, type FeedHealth } from '../../src/feed/health.ts';
import { UpstreamError } from '../../src/feed/wire.ts';
import type { EpochMs } from '../../src/ground/clock.ts';
import { silentLog } from '../../src/ground/log.ts';
import { healthBody } from '../../src/management/feed.ts';
import { FeedTimeline } from '../../src/management/feed-timeline.ts';
import { flowView, sourceFlow } from '../../src/management/views.ts';
import type { DataFlow } from '../../src/market/data-flow.ts';
import { decimal, polledTicker, upstreamMarket, upstreamTicker } from '../../src/market/samples.testing.ts';
import { FeedStatus } from '../../src/market/service-status.ts';
import type { MarketSymbol } from '../../src/market/symbol.ts';
import type { UpstreamTicker } from '../../src/market/upstream.ts';
import { servedBody } from '../../src/operator/served.ts';
import { StatusRecorder } from '../../src/persistence/status-recorder.ts';
import { pageHtml } from '../../src/portal/layout.ts';
import { named, parsePage } from '../../src/portal/parsed-page.testing.ts';
import { siteFor } from '../../src/portal/site.testing.ts';
import { statusPage } from '../../src/portal/status.ts';
import { statusSummary } from '../../src/portal/status-summary.ts';
import { openStore } from '../../src/store/store.ts';
import { createFeed } from '../../src/wiring/feed.ts';
import { marketsFor } from '../../src/wiring/market-room.ts';
import { verdictOf } from '../../web/console/feed/verdict.ts';
import { FakeClock, seededRandomness } from '../support/fake-clock.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const site = siteFor('en');

interface Summary {
  readonly status: { readonly description: string };
  readonly components: readonly { readonly id: string; readonly data_flow?: string; readonly silent_since?: string }[];
  readonly incidents: readonly { readonly started_at: string | null }[];
}

/** Whatever tells of the feed of one process, from the board of its service. */
function viewsOf(clock: FakeClock, feedStatus: FeedStatus, service: ServiceBoard) {
  const market = { service, feedStatus };
  const saved = new Map<string, string>();
  const newTimeline = () =>
    new FeedTimeline({
      service,
      snapshots: { save: async (name, payload) => void saved.set(name, payload), load: async () => undefined },
      clock,
      log: silentLog,
    });

  function portal() {
    const now = clock.now();
    const current = service.current(now);
    const shown = { current, now, windows: [], history: service.history, written: [] };
    const { status, components, incidents } = statusSummary(site, shown) as Summary;
    const page = pageHtml(site, statusPage(site, shown));
    const [meaning] = named(parsePage(page), 'p').filter(({ attributes }) => attributes.get('class') === 'meaning');
    return { description: status.description, component: components[1]!, incidents, meaning: meaning!.text };
  }

  /** The words of the console for the source, and for all together. */
  function console(id: string, symbols = 1) {
    const flow = sourceFlow({ market, clock, replication: () => undefined }, { id, isPaused: false });
    const health: FeedHealth = {
      ...new FeedCounters(),
      path: 'live',
      connection: 'open',
      sessions: 1,
      bannedUntil: undefined,
      symbolsWanted: symbols,
      symbolsSubscribed: symbols,
      symbolsRejected: [],
      symbolsQuiet: 0,
      symbolsDoubted: 0,
      lastLiveDataAgeMs: undefined,
    };
    const served = servedBody([]);
    const source = {
      id,
      kind: 'kraken',
      paused: false,
      flow,
      served,
      health: healthBody(health),
      trend: [],
      doubts: [],
    };
    return { source: verdictOf(source), all: flowView(service.read(clock.now()).flow) };
  }

  /** Each view's own word for whether data arrives: all the same, or the test fails. */
  async function seen(id: string): Promise<DataFlow['state']> {
    const { flow, ticker } = service.read(clock.now());
    const isSilent = flow.state === 'silent';
    const timeline = newTimeline();
    await timeline.start();
    const span = timeline.spans(clock.now()).at(-1)!.state;
    await timeline.stop();
    const { description, component, incidents, meaning } = portal();
    const words = console(id);
    const verdicts = {
      readiness: asUrgentAsCause({ market, clock }).severity === 'critical',
      timeline: span === 'silent',
      summary: description.startsWith('Market data is not arriving'),
      component: component.data_flow === 'silent',
      incidents: incidents.length === 1,
      page: /^(No market data is arriving|Market data is not arriving)/.test(meaning),
      source: words.source === 'no data',
      console: words.all.state === 'silent',
    };
    for (const [view, verdict] of Object.entries(verdicts)) assert.equal(verdict, isSilent, `${view}: ${description}`);
    assert.equal(component.data_flow, flow.state);
    assert.equal(words.source, { flowing: 'all right', polled: 'over REST', silent: 'no data' }[flow.state]);
    assert.equal(ticker === 'operational', flow.state === 'flowing' && feedStatus.path === 'live');
    assert.ok(ticker !== 'outage' || isSilent, 'an outage in which data arrives');
    if (ticker !== 'operational' && service.read(clock.now()).lastUpdatedAt !== undefined)
      assert.match(description, / old$/, 'it says how old the data is, and not that it is current');
    return flow.state;
  }

  return { portal, console, seen, newTimeline };
}

/** A status recorder over a store of its own. */
async function recorderOf(t: TestContext, clock: FakeClock, service: Pick<ServiceBoard, 'read' | 'history'>) {
  const store = await openStore({ url: 'sqlite::memory:', clock, randomness: seededRandomness(5) });
  const options = { store, service, clock, log: silentLog, randomness: seededRandomness(6), isWriter: () => true };
  const recorder = new StatusRecorder(options);
  t.after(async () => {
    await recorder.stop();
    await store.close();
  });
  await recorder.start();
  return { recorder, incidents: () => service.history.incidents.map(({ state, from, to }) => ({ state, from, to })) };
}

/** An exchange whose two ways can be cut. Its prices change by the second. */
class CutExchange implements ExchangeConnector {
  readonly id: string;
  readonly #clock: ConnectorOptions['clock'];
  static made: CutExchange | undefined;
  /** `dead`: nothing arrives, and the connection stays; `closed`: it is lost at once, and refused from then on. */
  live: 'up' | 'dead' | 'closed' = 'up';
  hasRest = true;
  #listener: LiveListener = () => {};

  constructor({ id, clock }: ConnectorOptions) {
    this.id = id;
    this.#clock = clock;
    CutExchange.made = this;
  }

  async loadCatalogue(): Promise<Catalogue> {
    return { markets: [upstreamMarket('BTC')], skipped: [], isComplete: true };
  }

  async pollTickers(): Promise<readonly UpstreamTicker[]> {
    if (!this.hasRest) throw new UpstreamError('network', 'refused');
    const receivedAt = this.#clock.now() as EpochMs;
    return [polledTicker({ ...this.#prices, receivedAt, askedAt: receivedAt })];
  }

  async loadCandles(): Promise<readonly []> {
    return [];
  }

  openLive(listener: LiveListener): LiveConnection {
    this.#listener = listener;
    queueMicrotask(() => {
      if (this.live === 'up') listener({ type: 'opened' });
      if (this.live === 'closed') this.close();
    });
    return {
      subscribe: (symbols: readonly MarketSymbol[]) => {
        for (const symbol of symbols) listener({ type: 'accepted', symbol });
        this.tick();
      },
      unsubscribe() {},
      ping: () => {
        if (this.live === 'up') this.#listener({ type: 'frame' });
      },
      terminate() {},
    };
  }

  /** A price arrives, where the connection is up. */
  tick(): void {
    const receivedAt = this.#clock.now() as EpochMs;
    const tickers = [upstreamTicker({ ...this.#prices, receivedAt, upstreamTime: undefined })];
    if (this.live === 'up') this.#listener({ type: 'ticker', isSnapshot: false, tickers });
  }

  /** The live connection ends now. */
  close(): void {
    this.live = 'closed';
    this.#listener({ type: 'closed', reason: 'network', detail: 'reset', retryAfterMs: undefined });
  }

  get #prices() {
    return { high24h: decimal('90000'), low24h: decimal('80000') };
  }
}

/** A feed of one source, with everything that tells of it. */
async function running(t: TestContext, feedSettings = '{}') {
  const clock = new FakeClock('2026-11-20T10:00:00.000Z');
  const configuration = fromYaml(
    `sources: [{ id: kraken, kind: kraken }]\npricing: { converted: {} }\nfeed: ${feedSettings}\n`,
  );
  const market = { markets: marketsFor(configuration), feedStatus: new FeedStatus() };
  const feed = createFeed(configuration, new Map([['kraken', CutExchange]]), {
    market,
    review: { loaded() {} },
    clock,
    randomness: seededRandomness(1),
    log: silentLog,
  });
  const service = new ServiceBoard(market.feedStatus, clock);
  const views = viewsOf(clock, market.feedStatus, service);
  const timeline = views.newTimeline();
  const { incidents } = await recorderOf(t, clock, service);
  feed.start();
  await timeline.start();
  const exchange = CutExchange.made!;
  t.after(async () => {
    await timeline.stop();
    await feed.stop();
  });
  return {
    ...views,
    clock,
    service,
    exchange,
    incidents,
    spans: () => timeline.spans(clock.now()),
    /** Lets seconds pass, with a price each, and looks at all views after each. Gives what they said. */
    async pass(seconds: number) {
      const states: DataFlow['state'][] = [];
      for (let second = 0; second < seconds; second++) {
        exchange.tick();
        await clock.advance(secondMs);
        states.push(await views.seen('kraken'));
      }
      return states;
    },
  };
}

/** Runs of the same, such as `3 polled`. */
function runsOf(states: readonly string[]): readonly string[] {
  const runs: [state: string, length: number][] = [];
  for (const state of states) {
    const last = runs.at(-1);
    if (last?.[0] === state) last[1]++;
    else runs.push([state, 1]);
  }
  return runs.map(([state, length]) => `${length} ${state}`);
}

test('with a poll every twenty seconds that succeeds, no view ever says that no data arrives, and each says how old it is', async (t) => {
  const { exchange, pass, incidents, spans, portal } = await running(t, '{ fallbackPoll: 20s }');
  await pass(10);
  const lostAt = spans().at(-1)!.fromMs;
  exchange.close();
  assert.deepEqual(runsOf(await pass(180)), ['180 polled']);
  assert.match(
    portal().description,
    /^The service works worse than usual: its data is (less than a second|\d+ seconds?) old$/,
  );
  assert.deepEqual(
    incidents().map(({ state, to }) => [state, to]),
    [['degraded', undefined]],
  );
  assert.deepEqual(
    spans()
      .filter(({ fromMs }) => fromMs >= lostAt)
      .map(({ state }) => state),
    ['live', 'fallback'],
  );
});

test('once those polls fail too, every view says so 25 seconds after the last, and since when', async (t) => {
  const { exchange, pass, clock, service, spans, portal, console } = await running(t, '{ fallbackPoll: 20s }');
  await pass(10);
  exchange.close();
  await pass(30);
  const lastAt = service.read(clock.now()).lastUpdatedAt!;
  exchange.hasRest = false;
  const states = await pass(40);
  const polledMs = clock.now() - 40 * secondMs - lastAt;
  const [polled] = runsOf(states);
  assert.equal(polled, `${Math.floor((25 * secondMs - polledMs) / secondMs)} polled`);
  assert.equal(states.at(-1), 'silent');
  assert.equal(console('kraken').all.sinceMs, lastAt);
  assert.equal(Date.parse(portal().incidents[0]!.started_at!), lastAt);
  assert.deepEqual([spans().at(-1)!.state, spans().at(-1)!.fromMs], ['silent', lastAt]);
});

for (const live of ['dead', 'closed'] as const) {
  test(`eight seconds into an outage in which the live connection is ${live} all views say that no data arrives, and since when`, async (t) => {
    const { exchange, pass, service, clock, portal, console, spans, incidents } = await running(t);
    await pass(10);
    const lastAt = clock.now();
    exchange.hasRest = false;
    if (live === 'closed') exchange.close();
    exchange.live = live;
    const states = await pass(8);
    assert.equal(states.at(-1), 'silent');
    assert.equal(service.read(clock.now()).ticker, 'degraded');
    const { flow } = service.read(clock.now());
    const since = flow.state === 'silent' ? flow.since! : Number.NaN;
    assert.ok(Math.abs(lastAt - since) <= 1_500, 'no longer ago than it was last heard');
    assert.match(portal().description, /^Market data is not arriving: the last is [89] seconds old$/);
    assert.equal(Date.parse(portal().incidents[0]!.started_at!), since);
    assert.equal(console('kraken').all.sinceMs, since);
    assert.deepEqual([spans().at(-1)!.state, spans().at(-1)!.fromMs], ['silent', since]);
    await pass(112);
    assert.deepEqual(incidents(), [{ state: 'outage', from: since, to: undefined }]);
  });
}

test('a wall clock that is set makes no view take what is silent for alive', async (t) => {
  for (const byMs of [-60 * minuteMs, -900, 900, 60 * minuteMs]) {
    const { exchange, pass, clock, seen, portal } = await running(t);
    await pass(10);
    exchange.hasRest = false;
    exchange.live = 'dead';
    await pass(8);
    clock.jump(byMs);
    assert.equal(await seen('kraken'), 'silent', `set by ${byMs} ms`);
    const since = Date.parse(portal().incidents[0]!.started_at!);
    assert.ok(clock.now() - since >= 7 * secondMs - 900, `set by ${byMs} ms: silent for ${clock.now() - since} ms`);
    assert.deepEqual(runsOf(await pass(3)), ['3 silent']);
  }
});

const agesMs = [
  0, 999, 4_999, 5_000, 5_001, 5_500, 5_501, 8_000, 20_000, 25_000, 25_001, 65_000, 65_001, 300_000, 300_001,
];
const pollsMs = [500, 1_000, 20_000, 60_000];

test('at every age, with every interval of polls, live, polled and never fed, all views say the same', async (t) => {
  const recorded = await recordedStates(t);
  const ways = ['live', 'never', ...pollsMs] as const;
  for (const ageMs of agesMs) {
    for (const way of ways) {
      const clock = new FakeClock();
      const feedStatus = new FeedStatus();
      const service = new ServiceBoard(feedStatus, clock);
      if (way !== 'never') {
        feedStatus.updated(way === 'live' ? 'live' : 'fallback', clock.now(), clock.monotonicMs());
        const pollEveryMs = way === 'live' ? undefined : way;
        feedStatus.source('kraken').current(way === 'live', clock.now(), clock.monotonicMs(), pollEveryMs);
      }
      await clock.advance(ageMs);
      const dueMs = way === 'live' ? 5_000 : way === 'never' ? -1 : way + 5_000;
      const arriving = way === 'live' ? 'flowing' : 'polled';
      const state = await viewsOf(clock, feedStatus, service).seen('kraken');
      assert.equal(state, ageMs <= dueMs ? arriving : 'silent', `${ageMs} ms, ${way}`);
      const { ticker } = service.read(clock.now());
      const incident = { flowing: undefined, polled: 'degraded', silent: 'outage' }[state];
      assert.equal(recorded.get(`${ticker} ${state}`), incident, `${ageMs} ms, ${way}: recorded of ${ticker} ${state}`);
    }
  }
});

/** What the recorder makes of each reading of the board that lasts for two minutes. */
async function recordedStates(t: TestContext): Promise<ReadonlyMap<string, string | undefined>> {
  const recorded = new Map<string, string | undefined>();
  const since = Date.parse('2026-11-20T09:00:00.000Z') as EpochMs;
  for (const ticker of ['operational', 'degraded', 'outage'] as const) {
    for (const flow of [{ state: 'flowing' }, { state: 'polled' }, { state: 'silent', since }] as const) {
      const clock = new FakeClock('2026-11-20T10:00:00.000Z');
      const board = new ServiceBoard(new FeedStatus(), clock);
      const read = (now: EpochMs) => ({ ...board.read(now), ticker, status: ticker, flow });
      const { incidents } = await recorderOf(t, clock, { read, history: board.history });
      await clock.advance(2 * minuteMs);
      recorded.set(`${ticker} ${flow.state}`, incidents()[0]?.state);
    }
  }
  return recorded;
}
