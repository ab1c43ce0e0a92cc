import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { CurrencyCode } from '../market/symbol.ts';
import type { CandleInterval } from './connector.ts';
import { connectorKinds } from './connectors.ts';
import { ExchangeRig } from './exchange-rig.testing.ts';
import {
  connectorGuarantees,
  type GuaranteeTraits,
  givesEveryDigit,
  listsEveryMarket,
  never,
  rigOptions,
} from './guarantees.testing.ts';
import { RecordedExchange, type RecordedProtocol } from './recorded-exchange.testing.ts';
import { withUnknownMembers } from './recorded-texts.testing.ts';

/** An exchange as its recording has it. */
export interface RecordedTraits extends GuaranteeTraits, RecordedProtocol {
  /** Its name in `connectorKinds`. */
  readonly kind: string;
  /** Quote currencies of its markets. */
  readonly quotes: readonly string[];
  /** How many markets the recorded listing has in these currencies. */
  readonly listed: number;
  /** The text that says in the listing that a market takes every order; left out where there are no states. */
  readonly trading?: string;
  /** The opening prices of the last recorded candles, oldest first; left out where none were recorded. */
  readonly candles?: Readonly<Record<CandleInterval, readonly string[]>>;
}

type Rig = ExchangeRig<RecordedExchange>;
type Run = (rig: Rig) => Promise<void>;
type WithRig = (run: Run, symbols?: 'all') => Promise<void>;

/** The suite that a connector passes over nothing but recorded frames and answers. */
export function recordedConformance(traits: RecordedTraits): void {
  const { kind, markets } = traits;
  const symbols = markets.map(({ symbol }) => symbol);
  const quotes = traits.quotes as CurrencyCode[];

  async function withRig(run: Run, chosen: 'all' | typeof symbols = symbols): Promise<void> {
    const known = connectorKinds[kind];
    assert.ok(known, `src/feed/connectors.ts has no entry "${kind}"`);
    const clock = new FakeClock();
    const exchange = new RecordedExchange(clock, traits, new URL(known.urls.rest).pathname);
    await exchange.listen();
    const rig = new ExchangeRig(clock, exchange, await known.load(), { ...rigOptions, quotes, symbols: chosen });
    try {
      await run(rig);
    } finally {
      await rig.stop();
    }
  }

  describe(`the ${kind} connector, by its recording`, () => {
    connectorGuarantees(traits, withRig);
    listing(traits, withRig);
    tomorrow(withRig);
    candles(traits, withRig);
  });
}

function listing({ listed, trading }: RecordedTraits, withRig: WithRig): void {
  it('reads every market of the recorded listing, and pauses them in a state that it does not know', () =>
    withRig(async ({ connector, exchange }) => {
      const { markets, skipped } = await connector.loadCatalogue(never);
      assert.deepEqual([markets.length, skipped], [listed, []]);
      if (trading === undefined) return;
      exchange.alter = (text) => text.replaceAll(trading, trading.replace(/"?[\w-]+"?$/, '"state_of_tomorrow"'));
      const changed = await connector.loadCatalogue(never);
      assert.equal(changed.markets.length, listed);
      assert.deepEqual(new Set(changed.markets.map(({ status }) => status)), new Set(['paused']));
    }, 'all'));
}

function tomorrow(withRig: WithRig): void {
  it('reads the same digits when every object has a member that it does not know', () =>
    withRig(async (rig) => {
      rig.exchange.alter = withUnknownMembers;
      await listsEveryMarket(rig);
      await rig.becomeLive();
      await givesEveryDigit(rig);
      assert.deepEqual([rig.health.framesDropped, rig.health.tickersRejected], [{}, {}]);
    }));
}

function candles({ kind, markets, candles: recorded }: RecordedTraits, withRig: WithRig): void {
  it('gives candles exactly if it is registered so, and those that were recorded in order', () =>
    withRig(async (rig) => {
      const { connector } = rig;
      const { hasNoCandles = false } = connectorKinds[kind]!;
      assert.equal(hasNoCandles, connector.loadCandles === undefined, `hasNoCandles of ${kind} in connectors.ts`);
      if (recorded === undefined) return;
      await connector.loadCatalogue(never);
      for (const interval of ['hour', 'minute'] as const) {
        const loading = connector.loadCandles!(markets[0]!.symbol, interval, never);
        await rig.settled(loading);
        const read = await loading;
        const times = read.map(({ openedAt }) => openedAt);
        assert.deepEqual(
          times,
          [...new Set(times)].toSorted((one, other) => one - other),
        );
        const expected: readonly string[] = recorded[interval];
        assert.deepEqual(
          read.slice(-expected.length).map(({ open }) => open),
          expected,
        );
      }
    }));
}
