import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { MarketSymbol } from '../market/symbol.ts';
import { CoinbaseConnector } from './coinbase/connector.ts';
import { KrakenConnector } from './kraken/connector.ts';
import { SimulatorRig, type SimulatorRigOptions } from './simulator-rig.testing.ts';

/** Runs against a stand-in, which is stopped however the test ends. */
async function withRig(options: SimulatorRigOptions, run: (rig: SimulatorRig) => Promise<void>): Promise<void> {
  const rig = await SimulatorRig.open(options);
  try {
    await run(rig);
  } finally {
    await rig.stop();
  }
}

const coinbase = (markets: number): SimulatorRigOptions => ({
  dialect: 'coinbase',
  connector: CoinbaseConnector,
  simulator: { markets, quotes: ['EUR'], updatesPerSecond: 50 },
});

/** The age of the oldest price that was taken, in milliseconds; no price at all is `Infinity`. */
function oldestMs({ sink, clock, exchange }: SimulatorRig): number {
  const heard = new Map<MarketSymbol, number>();
  for (const { symbol, receivedAt } of sink.taken) heard.set(symbol, receivedAt);
  return Math.max(
    ...exchange.markets.map(({ symbol }) => clock.now() - (heard.get(symbol) ?? Number.NEGATIVE_INFINITY)),
  );
}

describe('sessions that an exchange bounds', () => {
  it('two hundred markets of Coinbase are live over thirteen sessions of sixteen (fault row 93)', () =>
    withRig(coinbase(200), async (rig) => {
      await rig.simulator.faults.set({ fault: 'session-limit', streams: 16 });
      await rig.becomeLive();
      await rig.passFor(30_000, 1_000);
      const { symbolsRejected, symbolsSubscribed, sessions, epoch } = rig.health;
      assert.deepEqual([symbolsSubscribed, symbolsRejected.length, sessions, epoch], [200, 0, 13, 1]);
      const { connections, connectsTotal } = rig.simulator.state();
      assert.deepEqual([connections.length, connectsTotal], [13, 13]);
      assert.ok(connections.every(({ tickers }) => tickers <= 16));
      assert.ok(oldestMs(rig) < 15_000, `${oldestMs(rig)} ms`);
    }));

  it('a bound below the setting is learnt, whatever its words, and holds for the next connection (fault row 93)', async () => {
    for (const message of [undefined, 'The universe says no']) {
      await withRig(coinbase(40), async (rig) => {
        await rig.simulator.faults.set({ fault: 'session-limit', streams: 10, ...(message && { message }) });
        await rig.becomeLive();
        await rig.pass('every subscription', () => rig.health.symbolsSubscribed === 40);
        assert.deepEqual(rig.health.symbolsRejected, []);
        const { connections } = rig.simulator.state();
        const errors = connections.reduce((sum, { received }) => sum + received, 0);
        assert.ok(errors <= 60, `${errors} messages for 40 markets`);
        await rig.simulator.faults.set({ fault: 'reset' });
        await rig.pass('live again', () => rig.health.epoch === 2 && rig.health.symbolsSubscribed === 40);
        assert.equal(rig.health.sessions, 4);
      });
    }
  });

  it('one session that ends costs its own markets a moment, and the connection goes on (fault row 93)', () =>
    withRig(coinbase(40), async (rig) => {
      await rig.becomeLive();
      await rig.pass('every subscription', () => rig.health.symbolsSubscribed === 40);
      rig.simulator.resetOne(1);
      await rig.pass('the loss', () => rig.health.symbolsSubscribed < 40);
      assert.equal(rig.health.symbolsSubscribed, 24);
      await rig.pass('its successor', () => rig.health.symbolsSubscribed === 40);
      assert.deepEqual([rig.health.epoch, rig.health.path, rig.health.connectionsEnded], [1, 'live', {}]);
    }));

  it('where sessions run out the rest is polled as the fallback is, and is live once they are to be had (fault row 93)', () =>
    withRig(coinbase(40), async (rig) => {
      await rig.becomeLive();
      await rig.pass('every subscription', () => rig.health.symbolsSubscribed === 40);
      await rig.simulator.faults.set({ fault: 'refuse', status: 429, retryAfterS: 5 });
      rig.simulator.resetOne(2);
      await rig.passFor(60_000, 500);
      assert.deepEqual([rig.health.symbolsRejected.length, rig.health.path], [8, 'live']);
      const attempts = rig.simulator.state().connectsLastMinute;
      assert.ok(attempts >= 2 && attempts <= 8, `${attempts} attempts`);
      assert.ok(oldestMs(rig) < 15_000, `${oldestMs(rig)} ms`);
      await rig.simulator.faults.clear();
      await rig.pass('the sessions', () => rig.health.symbolsSubscribed === 40, 500);
    }));
});

describe('a refusal for which nobody knows the reason', () => {
  it('one bad pair among the names of a poll costs the others nothing (fault row 94)', () =>
    withRig(
      { dialect: 'kraken', connector: KrakenConnector, simulator: { markets: 40, quotes: ['EUR'] } },
      async (rig) => {
        await rig.simulator.faults.set({ fault: 'refuse', status: 503, retryAfterS: 3_600 });
        const body = '{"error":["EQuery:Invalid asset pair"]}';
        await rig.simulator.faults.set({ fault: 'rest-says', call: 'Ticker', body, named: true });
        rig.supervisor.start();
        await rig.pass('every price', () => rig.sink.markets.contents().tickers.size === 40);
        assert.ok(rig.clock.monotonicMs() < 10_000, `${rig.clock.monotonicMs()} ms`);
        assert.equal(rig.health.polls.refused, undefined);
      },
    ));
});
