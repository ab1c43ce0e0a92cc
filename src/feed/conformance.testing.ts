import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadCatalogue, tickText } from '../../exchange-simulator/catalogue.ts';
import type { DialectName } from '../../exchange-simulator/dialects.ts';
import { soon, turns } from '../../test/support/eventually.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import type { UpstreamTicker } from '../market/upstream.ts';
import { connectorOptions } from './connector.testing.ts';
import type { ConnectorClass } from './connectors.ts';
import { SimulatorRig, type SimulatorRigOptions } from './simulator-rig.testing.ts';
import type { AcknowledgementStyle } from './subscriptions.ts';
import { UpstreamError } from './wire.ts';

/** Traits in which exchanges differ that all conform. */
export interface ConnectorTraits {
  readonly dialect: DialectName;
  readonly connector: ConnectorClass;
  readonly acknowledges: AcknowledgementStyle;
  /** It announces the end of a connection in advance. */
  readonly plansReconnects: boolean;
  /**
   * `announced`: the exchange has a state of its own; `markets`: every market is paused; `none`: there are no states.
   */
  readonly maintenance: 'announced' | 'markets' | 'none';
  readonly hasCandles: boolean;
  /** Its own limit of a frame, where that is below what is configured. */
  readonly frameBytesMax?: number;
  /** The exchange ends every connection after 24 hours. */
  readonly endsDaily?: boolean;
  /** The polls of regular operation: `statistics` beside its WebSocket, or `everything`, and has none. */
  readonly polls?: 'statistics' | 'everything';
}

const never = new AbortController().signal;
const markets = 6;
const btc = 'BTCEUR' as MarketSymbol;
const ltc = 'LTCEUR' as MarketSymbol;
const ada = 'ADAEUR' as MarketSymbol;
const configuredFrameBytesMax = 2 * 1024 * 1024;
/** A first price is there this long after the start, with every market subscribed. */
const firstPriceMs = 10_000;
const dayMs = 86_400_000;
/** Codes of the protocol (RFC 6455 §7.4.1), and two of an exchange's own: none documents which of them it sends. */
const closeCodes = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 1012, 1013, 1014, 3000, 4000, 4999];

/** The suite that every connector passes, over the stand-in exchange in its dialect. */
export function connectorConformance(traits: ConnectorTraits): void {
  const { dialect, connector } = traits;
  // An hour of polling is hundreds of real requests.
  const [age, ageMs] = traits.polls === undefined ? ['24 hours', dayMs] : ['ten minutes', dayMs / 144];
  const options = (changes: SimulatorRigOptions = {}): SimulatorRigOptions => ({
    dialect,
    connector,
    frameBytesMax: configuredFrameBytesMax,
    timing: { catalogueReloadMs: 5_000, catalogueRecheckMs: 5_000, catalogueSpacingMs: 1_000 },
    ...changes,
    simulator: { markets, quotes: ['EUR'], ...changes.simulator },
  });

  /** A rig that is stopped however the test ends. */
  async function withRig(run: (rig: SimulatorRig) => Promise<void>, changes?: SimulatorRigOptions): Promise<void> {
    const rig = await SimulatorRig.open(options(changes));
    try {
      await run(rig);
    } finally {
      await rig.stop();
    }
  }

  async function withLive(run: (rig: SimulatorRig) => Promise<void>): Promise<void> {
    await withRig(async (rig) => {
      await rig.becomeLive();
      await run(rig);
    });
  }

  /** For what only a WebSocket can do. */
  const onSocket = (guarantee: string, run: () => Promise<void>) => {
    if (traits.polls !== 'everything') it(guarantee, run);
  };

  describe(`the ${dialect} connector`, () => {
    it('lists every market with its exact steps and sizes', () =>
      withRig(async ({ connector: opened }) => {
        const { markets: read, skipped, isComplete } = await opened.loadCatalogue(never);
        const listed = loadCatalogue({ markets, quotes: ['EUR'] }).flatMap(({ pair }) =>
          pair === undefined || pair.quote !== 'EUR' ? [] : [pair],
        );
        assert.deepEqual(skipped, []);
        assert.equal(isComplete, true);
        assert.deepEqual(
          read
            .map(({ symbol, pricePrecision, amountPrecision, tickSize, status }) => [
              symbol,
              pricePrecision,
              amountPrecision,
              tickSize,
              status,
            ])
            .toSorted(),
          listed
            .map((pair) => [
              `${pair.base}${pair.quote}`,
              pair.priceDecimals,
              pair.lotDecimals,
              tickText(pair),
              'trading',
            ])
            .toSorted(),
        );
        for (const { minOrderSize } of read) assert.match(minOrderSize, /^\d*\.?\d*[1-9]\d*$/);
      }));

    it('has every market subscribed and priced within ten seconds', () =>
      withRig(async (rig) => {
        await rig.becomeLive();
        await rig.pass('every price', () => rig.sink.markets.contents().tickers.size === markets);
        assert.ok(rig.clock.monotonicMs() <= firstPriceMs, `${rig.clock.monotonicMs()} ms`);
        // Without acknowledgements a subscription is accepted at its deadline.
        if (traits.acknowledges === 'none') await rig.passFor(10_000);
        assert.equal(rig.health.symbolsSubscribed, markets);
        assert.deepEqual(rig.health.symbolsRejected, []);
        assert.deepEqual(rig.health.framesDropped, {});
        assert.deepEqual(rig.health.tickersRejected, {});
      }));

    it('gives every digit of the wire, live and over REST', () =>
      withLive(async (rig) => {
        const values = { bid: '50000.10', ask: '50000.30', high: '60000.00', low: '40000.50' };
        const volume = '270638.50461281';
        rig.simulator.setPrice({ symbol: 'BTC/EUR', ...values, last: '50000.20', volume });
        const digits = ({ bid, ask, high24h: high, low24h: low, volume24h }: UpstreamTicker) =>
          [bid, ask, high, low, volume24h].join();
        const expected = [...Object.values(values), volume].join();
        const last = () => rig.sink.taken.findLast(({ symbol }) => symbol === btc);
        await rig.pass('the digits', () => last() !== undefined && digits(last()!) === expected);
        assert.equal(last()?.path, 'live');
        const polling = rig.connector.pollTickers([btc], never);
        await settled(rig, polling);
        const [polled] = await polling;
        assert.deepEqual([polled?.symbol, polled && digits(polled), polled?.path], [btc, expected, 'fallback']);
      }));

    onSocket('serves a market whose subscription is refused over REST, and the others live', () =>
      withRig(async (rig) => {
        await rig.simulator.faults.set({ fault: 'reject', symbol: 'ADA/EUR' });
        await rig.becomeLive();
        await rig.pass('the answers', () => rig.health.symbolsSubscribed >= markets - 1);
        rig.simulator.setPrice({ symbol: 'ADA/EUR', bid: '1.111111', ask: '1.111112' });
        await rig.pass('its price', () => rig.sink.bid(ada) === '1.111111');
        assert.equal(rig.health.path, 'live');
        assert.equal(rig.sink.taken.findLast(({ symbol }) => symbol === ada)?.path, 'fallback');
        if (traits.acknowledges !== 'none') assert.deepEqual(rig.health.symbolsRejected, [ada]);
      }),
    );

    onSocket('notices a connection that carries no prices, and comes back to it', () =>
      withLive(async (rig) => {
        await rig.simulator.faults.set({ fault: 'mute' });
        const mutedAtMs = rig.clock.monotonicMs();
        await rig.pass('the fallback', () => rig.health.path === 'fallback');
        assert.ok(rig.clock.monotonicMs() - mutedAtMs <= 12_000);
        assert.equal(rig.health.connectionsEnded.data_silent, 1);
        await rig.simulator.faults.clear();
        await rig.pass('live again', () => rig.health.path === 'live');
      }),
    );

    it('polls one silent market over REST without interrupting the others', () =>
      withLive(async (rig) => {
        await rig.simulator.faults.set({ fault: 'mute-symbol', symbol: 'LTC/EUR' });
        rig.simulator.setPrice({ symbol: 'LTC/EUR', bid: '99.11', ask: '99.12' });
        await rig.pass('its price', () => rig.sink.bid(ltc) === '99.11');
        assert.deepEqual([rig.health.path, rig.health.epoch], ['live', 1]);
      }));

    onSocket('does not depend on heartbeats, and ends a connection on which nothing arrives', () =>
      withLive(async (rig) => {
        await rig.simulator.faults.set({ fault: 'no-heartbeat' });
        await rig.passFor(20_000);
        assert.deepEqual([rig.health.path, rig.health.epoch], ['live', 1]);
        await rig.simulator.faults.set({ fault: 'freeze' });
        await rig.pass('the end', () => (rig.health.connectionsEnded.transport_silent ?? 0) === 1);
        await rig.simulator.faults.clear();
        await rig.pass('live again', () => rig.health.path === 'live');
      }),
    );

    onSocket('comes back with all subscriptions after a reset and after a clean close', () =>
      withLive(async (rig) => {
        for (const [fault, epoch] of [
          ['reset', 2],
          ['close', 3],
        ] as const) {
          await rig.simulator.faults.set({ fault });
          await rig.pass('live again', () => rig.health.epoch === epoch && rig.health.path === 'live');
          await rig.pass('all subscribed', () => rig.simulator.state().subscriptions === markets);
        }
        assert.deepEqual(rig.health.connectionsEnded, { network: 1, closed: 1 });
      }),
    );

    onSocket('comes back from an end with any code that a server can send', () =>
      withLive(async (rig) => {
        for (const [index, code] of closeCodes.entries()) {
          await rig.simulator.faults.set({ fault: 'close', code });
          await rig.pass(`live after ${code}`, () => rig.health.epoch === index + 2 && rig.health.path === 'live', 500);
          await rig.pass('all subscribed', () => rig.simulator.state().subscriptions === markets);
        }
        assert.deepEqual(rig.health.connectionsEnded, { closed: closeCodes.length });
      }),
    );

    if (traits.plansReconnects) {
      it('replaces a connection whose end is announced without a gap, and counts no fault', () =>
        withLive(async (rig) => {
          await rig.simulator.faults.set({ fault: 'reconnect-notice' });
          await rig.pass('the successor', () => rig.health.connectionsRenewed === 1);
          await rig.pass('the end of the first', () => rig.simulator.state().connections.length === 1);
          assert.equal(rig.simulator.state().connectsTotal, 2);
          assert.deepEqual([rig.health.path, rig.health.epoch, rig.health.connectionsEnded], ['live', 1, {}]);
          rig.simulator.setPrice({ symbol: 'BTC/EUR', bid: '50001.10', ask: '50001.20' });
          await rig.pass('a price', () => rig.sink.bid(btc) === '50001.10');
        }));
    }

    it('sends no request after a 429, for the time of Retry-After or for a default without one', () =>
      withRig(async (rig) => {
        await rig.connector.loadCatalogue(never);
        const asked = () => Object.values(rig.simulator.state().requests).reduce((sum, count) => sum + count, 0);
        for (const noRetryAfter of [false, true]) {
          await rig.passFor(60_000, 1_000);
          await rig.simulator.faults.set({ fault: 'rest-429', retryAfterS: 20, noRetryAfter });
          const refused = await outcome(rig, rig.connector.pollTickers([btc], never));
          assert.equal(refused.kind, 'rate_limited');
          assert.equal(refused.retryAfterMs, noRetryAfter ? undefined : 20_000);
          await rig.simulator.faults.clear();
          const before = asked();
          const next = rig.connector.pollTickers([btc], never);
          await rig.passFor(noRetryAfter ? 3_000 : 19_000, 1_000);
          assert.equal(asked(), before);
          await settled(rig, next);
          assert.equal((await next).length, 1);
        }
      }));

    if (traits.maintenance !== 'none') {
      it('reports maintenance as the exchange announces it, and its end', () =>
        withLive(async (rig) => {
          const isDown = () =>
            traits.maintenance === 'announced'
              ? rig.health.systemStatus === 'maintenance'
              : rig.status(btc) === 'paused' && rig.status(ltc) === 'paused';
          await rig.simulator.faults.set({ fault: 'system-status', status: 'maintenance' });
          await rig.pass('maintenance', isDown);
          await rig.simulator.faults.clear();
          await rig.pass('its end', () => !isDown());
          assert.equal(rig.status(btc), 'trading');
        }));

      it('pauses a halted market', () =>
        withLive(async (rig) => {
          await rig.simulator.faults.set({ fault: 'pair-status', symbol: 'BTC/EUR', status: 'cancel_only' });
          await rig.pass('the pause', () => rig.status(btc) === 'paused');
          await rig.simulator.faults.clear();
          await rig.pass('trading again', () => rig.status(btc) === 'trading');
        }));
    }

    it('reports a delisted market as missing, and polls the others', () =>
      withLive(async (rig) => {
        await rig.simulator.faults.set({ fault: 'pair-delist', symbol: 'LTC/EUR' });
        await rig.pass('two loads without it', () => rig.sink.markets.catalogue.absences(0).missing.includes(ltc));
        assert.equal(rig.health.path, 'live');
        const { tickers } = await outcome(rig, rig.connector.pollTickers([btc, ltc], never));
        assert.deepEqual(
          tickers?.map(({ symbol }) => symbol),
          [btc],
        );
      }));

    onSocket('drops and counts frames that it cannot read, and keeps reading', () =>
      withLive(async (rig) => {
        const dropped = () => Object.values(rig.health.framesDropped).reduce((sum, count) => sum + count, 0);
        for (const kind of ['json', 'binary', 'utf8', 'nested', 'channel', 'symbol']) {
          const before = dropped();
          await rig.simulator.faults.set({ fault: 'garbage', kind });
          await rig.pass(`the ${kind} frame is dropped`, () => dropped() > before);
        }
        assert.deepEqual([rig.health.path, rig.health.epoch], ['live', 1]);
        rig.simulator.setPrice({ symbol: 'BTC/EUR', bid: '50002.10', ask: '50002.20' });
        await rig.pass('a price', () => rig.sink.bid(btc) === '50002.10');
      }),
    );

    onSocket('ends a connection that sends a frame over the limit of the exchange, or over the configured one', () =>
      withLive(async (rig) => {
        const { frameBytesMax = configuredFrameBytesMax } = traits;
        await rig.simulator.faults.set({ fault: 'oversized', bytes: frameBytesMax + 1_000 });
        await rig.pass('the end', () => rig.health.connectionsEnded.oversized === 1);
        await rig.pass('live again', () => rig.health.path === 'live');
      }),
    );

    it('never takes a time from the future, however wrong the exchange’s clock is', () =>
      withLive(async (rig) => {
        for (const ms of [3_600_000, -3_600_000]) {
          await rig.simulator.faults.set({ fault: 'clock-skew', ms });
          rig.simulator.setPrice({ symbol: 'BTC/EUR', bid: '50003.10', ask: `50003.${ms > 0 ? 2 : 3}0` });
          await rig.passFor(3_000);
          const { capturedAt } = rig.sink.markets.acceptedTicker(btc)!;
          assert.ok(capturedAt <= rig.clock.now());
          await rig.simulator.faults.clear();
        }
      }));

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
        connection.subscribe([btc]);
        const delivers = async (bid: string) => {
          rig.simulator.setPrice({ symbol: 'BTC/EUR', bid, ask: '50009.10' });
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
        assert.equal(endings, traits.endsDaily === true ? 1 : 0, 'its end is known before it comes');
        await delivers('50004.10');
        clock.jump(-dayMs);
        await delivers('50005.10');
        connection.terminate();
        await turns(5);
        assert.equal(clock.pendingTimers, 0);
      }));

    if (traits.hasCandles) {
      it('reads candles in order, the current one last', () =>
        withRig(async (rig) => {
          await rig.connector.loadCatalogue(never);
          for (const interval of ['hour', 'minute'] as const) {
            const loading = rig.connector.loadCandles!(btc, interval, never);
            await settled(rig, loading);
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
  });
}

/** Lets time pass until a promise is settled either way. */
async function settled(rig: SimulatorRig, promise: Promise<unknown>): Promise<void> {
  let isSettled = false;
  const note = () => {
    isSettled = true;
  };
  promise.then(note, note);
  await rig.pass('an answer', () => isSettled);
}

async function outcome(rig: SimulatorRig, promise: Promise<readonly UpstreamTicker[]>) {
  await settled(rig, promise);
  return promise.then(
    (tickers) => ({ tickers, kind: undefined, retryAfterMs: undefined }),
    (error: unknown) => {
      assert.ok(error instanceof UpstreamError);
      return { tickers: undefined, kind: error.kind, retryAfterMs: error.retryAfterMs };
    },
  );
}
