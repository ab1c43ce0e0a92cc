import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Big from 'big.js';
import type { ExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { eventually } from '../support/eventually.ts';
import type { ServiceHarness } from '../support/service-harness.ts';
import { threeFrom } from '../support/three-sources.ts';

/** Far shorter than by default: insisting is over after some looks. */
const quick = { 'guard.confirmAfter': '1s', 'pricing.returnAfter': '1s' };
const honest = ['50000.0', '50000.1'] as const;

function set(simulators: readonly ExchangeSimulator[], [bid, ask]: readonly [string, string]): void {
  for (const simulator of simulators) simulator.setPrice({ symbol: 'BTC/EUR', bid, ask });
}

/** Asks until a lie was told for longer than any span that could make it true, and throws when it is ever served. */
async function neverServed(service: ServiceHarness, [bid, ask]: readonly [string, string]): Promise<void> {
  const startedMs = service.clock.monotonicMs();
  await eventually('it has insisted long enough', async () => {
    const ticker = (await service.api.tickers()).get('BTCEUR');
    if (ticker !== undefined) {
      assert.equal(ticker.buyPrice, Big(ask).times('1.005').round(1, Big.roundUp).toFixed(1));
      assert.equal(ticker.sellPrice, Big(bid).times('0.995').round(1, Big.roundDown).toFixed(1));
    }
    return service.clock.monotonicMs() - startedMs > 3_000;
  });
}

describe('a source that lies, live and over REST, while two others agree', { concurrency: 3 }, () => {
  for (const mode of ['primary', 'median']) {
    for (const [what, lie] of [
      ['a thousand times too high', ['50000000.0', '50000100.0']],
      ['a thousandth of the price', ['50.0', '50.1']],
      ['five percent too high', ['52500.0', '52500.1']],
      ['a spread over half the price', ['1.0', '60000000.0']],
    ] as const) {
      test(`never makes the price with ${what}, however long and though it began so, in \`${mode}\` (fault row 71)`, async (t) => {
        const settings = { ...quick, 'pricing.source': mode };
        const { service, states, all } = await threeFrom(t, settings, (simulators) => {
          set(simulators, honest);
          set(simulators.slice(0, 1), lie);
        });
        await service.untilPriced('BTCEUR');
        // The first price waits for two seconds at most, and a busy machine needs longer for three connections.
        await eventually('the first one is excluded', async () => (await states())[0]?.state === 'excluded');
        await neverServed(service, honest);
        set(all, honest);
        await eventually('the first one is back', async () => (await states())[0]?.state === 'used');
        set(all.slice(0, 1), lie);
        await neverServed(service, honest);
        const [first] = await states();
        assert.equal(first?.state, 'excluded');
      });
    }
  }

  test('makes no price while others move on and it stands still: another does within ten seconds (fault row 74)', async (t) => {
    const { service, states, others } = await threeFrom(t, quick, (simulators) => set(simulators, honest));
    await service.untilPriced('BTCEUR');
    await eventually('every source has it live', async () => (await states()).every(({ reach }) => reach === 'live'));
    const movedMs = service.clock.monotonicMs();
    set(others, ['51500.0', '51500.1']);
    await service.untilBuyPrice('BTCEUR', '51757.7');
    assert.ok(service.clock.monotonicMs() - movedMs < 10_000);
    await eventually('it says why', async () => (await states())[0]?.reason === 'contradicted');
  });
});

test('two assets of one name are never mixed up: the second never takes over, and is shown as not comparable (fault row 72)', async (t) => {
  for (const mode of ['primary', 'median']) {
    const settings = {
      ...quick,
      'pricing.source': mode,
      'pricing.sources': JSON.stringify({ BTCEUR: ['kraken', 'bitvavo'] }),
    };
    const { service, states } = await threeFrom(t, settings, (simulators) => {
      set(simulators, honest);
      set(simulators.slice(1, 2), ['10.0', '10.1']);
    });
    await service.untilPriced('BTCEUR');
    await eventually('the first one makes the price', async () => (await states())[0]?.state === 'used');
    await neverServed(service, honest);
    assert.deepEqual([(await states())[1]?.state, (await states())[1]?.reason], ['excluded', 'not_comparable']);
    await service.simulator.faults.set({ fault: 'down' });
    await neverServed(service, honest);
    await service.stopService();
  }
});
