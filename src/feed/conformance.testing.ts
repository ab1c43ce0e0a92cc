import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DialectName } from '../../exchange-simulator/dialects.ts';
import { soon, turns } from '../../test/support/eventually.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import { connectorOptions } from './connector.testing.ts';
import type { ConnectorClass } from './connectors.ts';
import { bannedWords } from './exchange-under-test.testing.ts';
import {
  connectorGuarantees,
  delivers,
  type GuaranteeTraits,
  never,
  outcome,
  rigOptions,
  twoOf,
} from './guarantees.testing.ts';
import { SimulatorRig } from './simulator-rig.testing.ts';

/** Traits in which exchanges differ that all conform. */
export interface ConnectorTraits extends GuaranteeTraits {
  readonly dialect: DialectName;
  readonly connector: ConnectorClass;
  /** It announces the end of a connection in advance. */
  readonly plansReconnects: boolean;
  /**
   * `announced`: the exchange has a state of its own; `markets`: every market is paused; `none`: there are no states.
   */
  readonly maintenance: 'announced' | 'markets' | 'none';
  /** Markets that have ended stay in its list, in a state of their own. */
  readonly listsEnded?: boolean;
  readonly hasCandles: boolean;
  /** The exchange ends every connection after 24 hours. */
  readonly endsDaily?: boolean;
}

const dayMs = 86_400_000;

type Run = (rig: SimulatorRig) => Promise<void>;

/** The suite that a connector passes over the stand-in exchange in its dialect. */
export function connectorConformance(traits: ConnectorTraits): void {
  const { dialect, connector } = traits;

  /** A rig that is stopped however the test ends. */
  async function withRig(run: Run): Promise<void> {
    const rig = await SimulatorRig.open({
      ...rigOptions,
      dialect,
      connector,
      simulator: { markets: 6, quotes: ['EUR'] },
    });
    try {
      await run(rig);
    } finally {
      await rig.stop();
    }
  }

  const withLive = (run: Run) =>
    withRig(async (rig) => {
      await rig.becomeLive();
      await run(rig);
    });

  describe(`the ${dialect} connector`, () => {
    connectorGuarantees(traits, withRig);
    if (traits.plansReconnects) plannedReconnects(withLive);
    if (traits.maintenance !== 'none') states(traits.maintenance, withLive);
    delisting(withLive);
    if (traits.listsEnded) ended(withRig, withLive);
    clocks(traits, withRig, withLive);
    if (traits.hasCandles) candles(withRig);
    names(withRig);
    if (traits.polls !== 'everything') sessions(withRig);
  });
}

function plannedReconnects(withLive: (run: Run) => Promise<void>): void {
  it('replaces a connection whose end is announced without a gap, and counts no fault', () =>
    withLive(async (rig) => {
      await rig.simulator.faults.set({ fault: 'reconnect-notice' });
      await rig.pass('the successor', () => rig.health.connectionsRenewed === 1);
      await rig.pass('the end of the first', () => rig.simulator.state().connections.length === 1);
      assert.equal(rig.simulator.state().connectsTotal, 2);
      assert.deepEqual([rig.health.path, rig.health.epoch, rig.health.connectionsEnded], ['live', 1, {}]);
      await delivers(rig, twoOf(rig)[0], 'live');
    }));
}

function states(announcedBy: 'announced' | 'markets', withLive: (run: Run) => Promise<void>): void {
  it('reports maintenance as the exchange announces it, and its end', () =>
    withLive(async (rig) => {
      const [one, other] = twoOf(rig);
      const isDown = () =>
        announcedBy === 'announced'
          ? rig.health.systemStatus === 'maintenance'
          : rig.status(one) === 'paused' && rig.status(other) === 'paused';
      await rig.simulator.faults.set({ fault: 'system-status', status: 'maintenance' });
      await rig.pass('maintenance', isDown);
      await rig.simulator.faults.clear();
      await rig.pass('its end', () => !isDown());
      assert.equal(rig.status(one), 'trading');
    }));

  it('pauses a halted market', () =>
    withLive(async (rig) => {
      await rig.simulator.faults.set({ fault: 'pair-status', symbol: 'BTC/EUR', status: 'cancel_only' });
      await rig.pass('the pause', () => rig.status('BTCEUR') === 'paused');
      await rig.simulator.faults.clear();
      await rig.pass('trading again', () => rig.status('BTCEUR') === 'trading');
    }));
}

function delisting(withLive: (run: Run) => Promise<void>): void {
  it('reports a delisted market as missing, and polls the others', () =>
    withLive(async (rig) => {
      const [btc, ltc] = ['BTCEUR', 'LTCEUR'] as MarketSymbol[];
      await rig.simulator.faults.set({ fault: 'pair-delist', symbol: 'LTC/EUR' });
      await rig.pass('two loads without it', () => rig.sink.markets.catalogue.absences(0).missing.includes(ltc!));
      assert.equal(rig.health.path, 'live');
      const { tickers } = await outcome(rig, rig.connector.pollTickers([btc!, ltc!], never));
      assert.deepEqual(
        tickers?.map(({ symbol }) => symbol),
        [btc],
      );
    }));
}

function ended(withRig: (run: Run) => Promise<void>, withLive: (run: Run) => Promise<void>): void {
  const end = { fault: 'pair-end', symbol: 'LTC/EUR' } as const;
  const loads = (rig: SimulatorRig) => rig.sink.catalogues.length;

  it('does not offer, subscribe or poll what had ended before the start, until it comes to life (fault row 95)', () =>
    withRig(async (rig) => {
      await rig.simulator.faults.set(end);
      await rig.becomeLive();
      await rig.pass('another load', () => loads(rig) > 1, 1_000);
      assert.equal(rig.status('LTCEUR'), undefined);
      assert.deepEqual([rig.health.symbolsWanted, rig.health.symbolsQuiet], [5, 0]);
      await rig.simulator.faults.clear();
      await rig.pass('life', () => rig.status('LTCEUR') === 'trading', 1_000);
      await rig.pass('its price', () => rig.sink.bid('LTCEUR') !== undefined);
    }));

  it('pauses what ends and stays in the list, and counts the time until it comes back (fault row 95)', () =>
    withLive(async (rig) => {
      const missing = () => rig.sink.markets.catalogue.absences(0).missing;
      await rig.simulator.faults.set(end);
      await rig.pass('the pause', () => rig.status('LTCEUR') === 'paused', 1_000);
      await rig.pass('two loads', () => missing().length > 0, 1_000);
      assert.deepEqual(missing(), ['LTCEUR']);
      await rig.simulator.faults.clear();
      await rig.pass('trading again', () => rig.status('LTCEUR') === 'trading', 1_000);
      assert.deepEqual(missing(), []);
    }));
}

function clocks(
  { connector, polls, endsDaily = false }: ConnectorTraits,
  withRig: (run: Run) => Promise<void>,
  withLive: (run: Run) => Promise<void>,
): void {
  it('never takes a time from the future, however wrong the exchange’s clock is', () =>
    withLive(async (rig) => {
      const [symbol] = twoOf(rig);
      for (const ms of [3_600_000, -3_600_000]) {
        await rig.simulator.faults.set({ fault: 'clock-skew', ms });
        rig.exchange.price(symbol);
        await rig.passFor(3_000);
        const { capturedAt } = rig.sink.markets.acceptedTicker(symbol)!;
        assert.ok(capturedAt <= rig.clock.now());
        await rig.simulator.faults.clear();
      }
    }));

  // An hour of polling is hundreds of real requests.
  const [age, ageMs] = polls === undefined ? ['24 hours', dayMs] : ['ten minutes', dayMs / 144];
  it(`delivers after ${age} on one clock, and after that clock was moved by a day`, () =>
    withRig(async (rig) => {
      const clock = new FakeClock();
      const bids: (string | undefined)[] = [];
      let isOpen = false;
      let endings = 0;
      const { restUrl, wsUrl: liveUrl } = rig.simulator;
      const opened = new connector(connectorOptions({ clock, restUrl, liveUrl, quotes: ['EUR' as CurrencyCode] }));
      await opened.loadCatalogue(never);
      const connection = opened.openLive((event) => {
        isOpen ||= event.type === 'opened';
        if (event.type === 'ending') endings++;
        if (event.type === 'ticker') bids.push(...event.tickers.map(({ bid }) => bid));
      });
      // An exchange that is only polled begins with a timer.
      await clock.advance(0);
      await soon('the connection', () => isOpen);
      const [symbol] = twoOf(rig);
      connection.subscribe([symbol]);
      const deliversAgain = async () => {
        const { bid } = rig.exchange.price(symbol).live;
        await rig.pass(`the bid ${bid}`, () => {
          void clock.advance(200);
          return bids.includes(bid);
        });
      };
      for (let step = 0; step < 24; step++) {
        await clock.advance(ageMs / 24);
        connection.ping();
        await turns(10);
      }
      assert.equal(endings, endsDaily ? 1 : 0, 'its end is known before it comes');
      await deliversAgain();
      clock.jump(-dayMs);
      await deliversAgain();
      connection.terminate();
      await turns(5);
      assert.equal(clock.pendingTimers, 0);
    }));
}

function names(withRig: (run: Run) => Promise<void>): void {
  it('asks for all where a request that names markets is refused for no known reason (fault row 94)', () =>
    withRig(async (rig) => {
      await rig.connector.loadCatalogue(never);
      for (const [status, body] of [
        [400, '{"nobody":"knows"}'],
        [404, 'gone'],
      ] as const) {
        await rig.passFor(10_000, 1_000);
        await rig.simulator.faults.set({ fault: 'rest-says', status, body, named: true });
        const { tickers } = await outcome(rig, rig.connector.pollTickers([...twoOf(rig)], never));
        assert.deepEqual(tickers?.map(({ symbol }) => symbol).toSorted(), twoOf(rig).toSorted());
      }
    }));
}

function sessions(withRig: (run: Run) => Promise<void>): void {
  for (const [words, message] of [
    ['its own', undefined],
    ['unknown', 'The universe says no'],
  ] as const) {
    it(`opens further sessions where one is full, in ${words} words, and all markets are live (fault row 93)`, () =>
      withRig(async (rig) => {
        await rig.simulator.faults.set({ fault: 'session-limit', streams: 2, ...(message && { message }) });
        await rig.becomeLive();
        const { length: count } = rig.exchange.markets;
        await rig.pass('every subscription', () => rig.simulator.state().subscriptions === count);
        await rig.passFor(15_000);
        assert.deepEqual([rig.health.symbolsSubscribed, rig.health.symbolsRejected], [count, []]);
        assert.deepEqual([rig.health.sessions, rig.health.epoch, rig.health.path], [count / 2, 1, 'live']);
        for (const symbol of twoOf(rig)) await delivers(rig, symbol, 'live');
      }));
  }

  it('makes no request either where the ban is said in a handshake (fault row 94)', () =>
    withRig(async (rig) => {
      await rig.becomeLive();
      const until = (rig.clock.now() + 60_000) as EpochMs;
      await rig.simulator.faults.set({ fault: 'refuse', status: 403, noRetryAfter: true, body: bannedWords(until) });
      await rig.simulator.faults.set({ fault: 'reset' });
      await rig.pass('the ban', () => rig.health.bannedUntil === until);
      const before = rig.simulator.state();
      await rig.passFor(40_000, 1_000);
      const { requests, connectsLastMinute } = rig.simulator.state();
      assert.deepEqual(requests, before.requests);
      assert.equal(connectsLastMinute, before.connectsLastMinute);
      await rig.simulator.faults.clear();
      await rig.pass('live again', () => rig.health.path === 'live');
    }));
}

function candles(withRig: (run: Run) => Promise<void>): void {
  it('reads candles in order, the current one last', () =>
    withRig(async (rig) => {
      await rig.connector.loadCatalogue(never);
      const [symbol] = twoOf(rig);
      for (const interval of ['hour', 'minute'] as const) {
        const loading = rig.connector.loadCandles!(symbol, interval, never);
        await rig.settled(loading);
        const times = (await loading).map(({ openedAt }) => openedAt as number);
        const lengthMs = interval === 'hour' ? 3_600_000 : 60_000;
        assert.ok(times.length >= (interval === 'hour' ? 168 : 60), `${times.length} candles`);
        assert.deepEqual(
          times,
          times.toSorted((one, other) => one - other),
        );
        assert.equal(times.at(-1), Math.floor(rig.clock.now() / lengthMs) * lengthMs);
      }
    }));
}
