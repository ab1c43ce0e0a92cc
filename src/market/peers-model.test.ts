import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BTCEUR, MarketRig } from './market-rig.testing.ts';
import { decimal, symbol, upstreamMarket } from './samples.testing.ts';
import { check } from './seeded.testing.ts';
import type { Reach } from './source-choice.ts';

/**
 * A source of the model: what it makes of the market's true price, from an instant on. Of three sources at most one
 * is not honest, so
 * that a majority always knows the truth.
 */
type Kind = 'honest' | 'times1000' | 'off5' | 'frozen' | 'renamed' | 'wide' | 'poor';

interface Step {
  /** In tenths of a percent. */
  readonly move: number;
  /** Which source speaks first. */
  readonly order: number;
}

const kinds: readonly Kind[] = ['times1000', 'off5', 'frozen', 'renamed', 'wide', 'poor'];

/** In whole cents, so that the model needs no decimals. */
function bidOf(kind: Kind, cents: number, frozenAt: number): { bid: number; ask: number } {
  if (kind === 'times1000') return { bid: cents * 1_000, ask: cents * 1_000 + 10 };
  if (kind === 'off5') return { bid: Math.round(cents * 1.05), ask: Math.round(cents * 1.05) + 10 };
  if (kind === 'frozen') return { bid: frozenAt, ask: frozenAt + 10 };
  if (kind === 'renamed') return { bid: 5_000, ask: 5_001 };
  if (kind === 'wide') return { bid: Math.round(cents / 2), ask: cents * 2 };
  if (kind === 'poor') return { bid: Math.floor(cents / 1_000) * 1_000, ask: Math.ceil((cents + 10) / 1_000) * 1_000 };
  return { bid: cents, ask: cents + 10 };
}

function text(cents: number) {
  return decimal((cents / 100).toFixed(2));
}

test('of three sources one that is not honest never makes the price, whatever it does and whenever it begins', (t) => {
  const step = fc.record<Step>({
    move: fc.integer({ min: -6, max: 6 }),
    order: fc.integer({ min: 0, max: 5 }),
  });
  const history = fc.record({
    mode: fc.constantFrom('primary' as const, 'median' as const),
    odd: fc.integer({ min: 0, max: 2 }),
    kind: fc.constantFrom(...kinds),
    from: fc.integer({ min: 0, max: 20 }),
    until: fc.integer({ min: 20, max: 150 }),
    steps: fc.array(step, { minLength: 30, maxLength: 100 }),
  });
  check(
    t,
    fc.property(history, ({ mode, odd, kind, from, until, steps }) => {
      const rig = new MarketRig({ mode });
      const ids = ['one', 'two', 'three'];
      for (const id of ids) rig.list(id, [upstreamMarket('BTC')]);
      let cents = 8_400_000;
      let frozenAt = cents;
      // Every price that an honest source said in the last seconds may be served.
      const honest: { bid: number; ask: number }[] = [];
      for (const [number, { move, order }] of steps.entries()) {
        rig.nowMs += 500;
        cents += Math.round((cents * move) / 1_000);
        if (number <= from) frozenAt = cents;
        const isOdd = number >= from && number < until;
        honest.push(bidOf('honest', cents, 0), bidOf(kind === 'poor' ? 'poor' : 'honest', cents, 0));
        const permutation = [order % 3, (order + 1) % 3, (order + 2) % 3];
        for (const index of order > 2 ? permutation.reverse() : permutation) {
          const { bid, ask } = bidOf(isOdd && index === odd ? kind : 'honest', cents, frozenAt);
          rig.tick(ids[index]!, '0', { bid: text(bid), ask: text(ask), ...range(cents) });
          assertHonest(rig, honest, `step ${number}`);
        }
        rig.review('live' as Reach, 'live', 'live');
        assertHonest(rig, honest, `review ${number}`);
      }
    }),
    { numRuns: 800 },
  );
});

function range(cents: number) {
  return { low24h: text(Math.round(cents * 0.9)), high24h: text(Math.round(cents * 1.1)), symbol: symbol('BTCEUR') };
}

/** The served price lies within two percent of what honest sources say now or said in the last moments. */
function assertHonest(rig: MarketRig, honest: readonly { bid: number; ask: number }[], when: string): void {
  const served = rig.markets.acceptedTicker(BTCEUR);
  if (served === undefined) return;
  const middle = (Number(served.bid) + Number(served.ask)) * 50;
  const isHonest = honest.slice(-12).some(({ bid, ask }) => Math.abs(middle - (bid + ask) / 2) <= 0.021 * bid);
  assert.ok(isHonest, `${when}: ${served.source} ${served.bid}/${served.ask}, honest ${JSON.stringify(honest.at(-1))}`);
}
