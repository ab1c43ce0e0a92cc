import assert from 'node:assert/strict';
import { it } from 'node:test';
import { turns } from '../../test/support/eventually.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { UpstreamTicker } from '../market/upstream.ts';
import type { LiveEvent } from './connector.ts';
import type { ExchangeRig } from './exchange-rig.testing.ts';
import { digitsOf, type ExchangeUnderTest, type Garbage } from './exchange-under-test.testing.ts';
import type { AcknowledgementStyle } from './subscriptions.ts';
import { UpstreamError } from './wire.ts';

/** Traits on which the guarantees depend. */
export interface GuaranteeTraits {
  readonly acknowledges: AcknowledgementStyle;
  /** Its own limit of a frame, where that is below what is configured. */
  readonly frameBytesMax?: number;
  /** The polls of regular operation: `statistics` beside its WebSocket, or `everything`, and has none. */
  readonly polls?: 'statistics' | 'everything';
}

type Rig = ExchangeRig<ExchangeUnderTest>;

/** Runs a test with a rig that is stopped however the test ends; the feed is not started. */
type WithRig = (run: (rig: Rig) => Promise<void>) => Promise<void>;

export const never = new AbortController().signal;
/** Configuration of the rigs of these tests. */
export const rigOptions = {
  frameBytesMax: 2 * 1024 * 1024,
  timing: { catalogueReloadMs: 5_000, catalogueRecheckMs: 5_000, catalogueSpacingMs: 1_000 },
};
const banMs = 120_000;
/** Requests after which a ban is known, at most. */
const requestsMax = 3;
/** A first price is there this long after the start, with every market subscribed. */
const firstPriceMs = 10_000;
/** Codes of the protocol (RFC 6455 §7.4.1), and two of an exchange's own: none documents which of them it sends. */
const closeCodes = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1011, 1012, 1013, 1014, 3000, 4000, 4999];
const garbage: readonly Garbage[] = ['json', 'binary', 'utf8', 'nested', 'channel', 'symbol'];

/** Declares the tests of what every connector guarantees, whatever stands in for its exchange. */
export function connectorGuarantees(traits: GuaranteeTraits, withRig: WithRig): void {
  const withLive = (run: (rig: Rig) => Promise<void>) =>
    withRig(async (rig) => {
      await rig.becomeLive();
      await run(rig);
    });
  listingAndPrices(traits, withRig, withLive);
  if (traits.polls !== 'everything') {
    silences(withLive);
    endings(traits, withLive);
  }
  requests(withRig);
  bans(withLive);
}

function listingAndPrices({ acknowledges, polls }: GuaranteeTraits, withRig: WithRig, withLive: WithRig): void {
  it('lists every market with its exact steps and sizes', () => withRig(listsEveryMarket));

  it('has every market subscribed and priced within ten seconds', () =>
    withRig(async (rig) => {
      await rig.becomeLive();
      const { length: count } = rig.exchange.markets;
      await rig.pass('every price', () => rig.sink.markets.contents().tickers.size === count);
      assert.ok(rig.clock.monotonicMs() <= firstPriceMs, `${rig.clock.monotonicMs()} ms`);
      // Without acknowledgements a subscription is accepted at its deadline.
      if (acknowledges === 'none') await rig.passFor(10_000);
      assert.equal(rig.health.symbolsSubscribed, count);
      assert.deepEqual(rig.health.symbolsRejected, []);
      assert.deepEqual(rig.health.framesDropped, {});
      assert.deepEqual(rig.health.tickersRejected, {});
    }));

  it('gives every digit of the wire, live and over REST', () => withLive(givesEveryDigit));

  it('polls one silent market over REST without interrupting the others', () =>
    withLive(async (rig) => {
      const [, silent] = twoOf(rig);
      await rig.exchange.set({ fault: 'mute-symbol', symbol: silent });
      // Where everything is polled that is the regular path.
      await delivers(rig, silent, polls === 'everything' ? 'live' : 'fallback');
      assert.deepEqual([rig.health.path, rig.health.epoch], ['live', 1]);
    }));

  if (polls === 'everything') return;
  it('has a market subscribed that sends no price', () =>
    withRig(async (rig) => {
      await rig.exchange.set({ fault: 'mute-symbol', symbol: twoOf(rig)[1] });
      await rig.becomeLive();
      await rig.passFor(15_000);
      assert.equal(rig.health.symbolsSubscribed, rig.exchange.markets.length);
      assert.deepEqual(rig.health.symbolsRejected, []);
    }));

  it('serves a market whose subscription is refused over REST, and the others live', () =>
    withRig(async (rig) => {
      const [other, refused] = twoOf(rig);
      await rig.exchange.set({ fault: 'reject', symbol: refused });
      await rig.becomeLive();
      await rig.pass('the answers', () => rig.health.symbolsSubscribed >= rig.exchange.markets.length - 1);
      await delivers(rig, refused, 'fallback');
      await delivers(rig, other, 'live');
      assert.equal(rig.health.path, 'live');
      if (acknowledges !== 'none') assert.deepEqual(rig.health.symbolsRejected, [refused]);
    }));
}

/** Checks the listing against the markets of the exchange under test. */
export async function listsEveryMarket({ connector, exchange }: Rig): Promise<void> {
  const { markets, skipped, isComplete } = await connector.loadCatalogue(never);
  assert.deepEqual(skipped, []);
  assert.equal(isComplete, true);
  assert.deepEqual(
    markets
      .map(({ symbol, pricePrecision, amountPrecision, tickSize, status }) => ({
        symbol,
        pricePrecision,
        amountPrecision,
        tickSize,
        status,
      }))
      .toSorted(bySymbol),
    exchange.markets.toSorted(bySymbol),
  );
  for (const { minOrderSize } of markets) assert.match(minOrderSize, /^\d*\.?\d*[1-9]\d*$/);
}

/** Checks the digits of two markets on both paths. */
export async function givesEveryDigit(rig: Rig): Promise<void> {
  for (const symbol of twoOf(rig)) {
    const from = rig.sink.taken.length;
    const expected = rig.exchange.price(symbol);
    const wanted = JSON.stringify(expected.live);
    const live = () => takenSince(rig, from, symbol).filter(({ path }) => path === 'live');
    await rig.pass(
      `${wanted} of ${symbol}`,
      () => live().some((ticker) => JSON.stringify(digitsOf(ticker)) === wanted),
      200,
      () => `the last of ${live().length}: ${JSON.stringify(live().map(digitsOf).at(-1))}`,
    );
    const polling = rig.connector.pollTickers([symbol], never);
    await rig.settled(polling);
    const [polled] = await polling;
    assert.deepEqual(
      [polled?.symbol, polled && digitsOf(polled), polled?.path],
      [symbol, expected.fallback, 'fallback'],
    );
  }
}

function silences(withLive: WithRig): void {
  it('notices a connection that carries no prices, and comes back to it', () =>
    withLive(async (rig) => {
      await rig.exchange.set({ fault: 'mute' });
      const mutedAtMs = rig.clock.monotonicMs();
      await rig.pass('the fallback', () => rig.health.path === 'fallback');
      assert.ok(rig.clock.monotonicMs() - mutedAtMs <= 12_000);
      const { connectionsEnded } = rig.health;
      assert.equal(connectionsEnded.transport_silent, undefined, 'pings were answered: is one in the recording?');
      assert.deepEqual(connectionsEnded, { data_silent: 1 });
      await rig.exchange.clear();
      await rig.pass('live again', () => rig.health.path === 'live');
    }));

  it('does not depend on heartbeats, and ends a connection on which nothing arrives', () =>
    withLive(async (rig) => {
      await rig.exchange.set({ fault: 'no-heartbeat' });
      await rig.passFor(20_000);
      assert.deepEqual([rig.health.path, rig.health.epoch], ['live', 1]);
      await rig.exchange.set({ fault: 'freeze' });
      await rig.pass('the end', () => (rig.health.connectionsEnded.transport_silent ?? 0) === 1);
      await rig.exchange.clear();
      await rig.pass('live again', () => rig.health.path === 'live');
    }));

  it('takes nothing from a connection that was given up, and leaves no timer behind', () =>
    withLive(async (rig) => {
      const { connector, clock, supervisor, exchange } = rig;
      supervisor.stop();
      const events: LiveEvent[] = [];
      let isGivenUp = false;
      const connection = connector.openLive((event) => {
        events.push(event);
        // As the supervisor does: within an event, while further frames of the same packet wait.
        if (isGivenUp) connection.terminate();
      });
      await rig.pass('the connection', () => events.some(({ type }) => type === 'opened'));
      connection.subscribe(exchange.markets.map(({ symbol }) => symbol));
      await rig.pass('a ticker', () => events.some(({ type }) => type === 'ticker'));
      const { length: before } = events;
      isGivenUp = true;
      exchange.burst();
      await turns(50);
      await rig.passFor(5_000);
      assert.equal(events.length, before + 1);
      await exchange.stop();
      assert.equal(clock.pendingTimers, 0);
    }));
}

function endings({ frameBytesMax = rigOptions.frameBytesMax }: GuaranteeTraits, withLive: WithRig): void {
  const isBack = ({ exchange }: Rig) => exchange.subscriptions === exchange.markets.length;

  it('comes back with all subscriptions after a reset and after a clean close', () =>
    withLive(async (rig) => {
      for (const [fault, epoch] of [
        [{ fault: 'reset' }, 2],
        [{ fault: 'close', code: 1000 }, 3],
      ] as const) {
        await rig.exchange.set(fault);
        await rig.pass('live again', () => rig.health.epoch === epoch && rig.health.path === 'live');
        await rig.pass('all subscribed', () => isBack(rig));
      }
      assert.deepEqual(rig.health.connectionsEnded, { network: 1, closed: 1 });
    }));

  it('comes back from an end with any code that a server can send', () =>
    withLive(async (rig) => {
      for (const [index, code] of closeCodes.entries()) {
        await rig.exchange.set({ fault: 'close', code });
        await rig.pass(`live after ${code}`, () => rig.health.epoch === index + 2 && rig.health.path === 'live', 500);
        await rig.pass('all subscribed', () => isBack(rig));
      }
      assert.deepEqual(rig.health.connectionsEnded, { closed: closeCodes.length });
    }));

  it('drops and counts frames that it cannot read, and keeps reading', () =>
    withLive(async (rig) => {
      const dropped = () => Object.values(rig.health.framesDropped).reduce((sum, count) => sum + count, 0);
      for (const kind of garbage) {
        const before = dropped();
        await rig.exchange.set({ fault: 'garbage', kind });
        await rig.pass(`the ${kind} frame is dropped`, () => dropped() > before);
      }
      assert.deepEqual([rig.health.path, rig.health.epoch], ['live', 1]);
      await delivers(rig, twoOf(rig)[0], 'live');
    }));

  it('ends a connection that sends a frame over the limit of the exchange, or over the configured one', () =>
    withLive(async (rig) => {
      await rig.exchange.set({ fault: 'oversized', bytes: frameBytesMax + 1_000 });
      await rig.pass('the end', () => rig.health.connectionsEnded.oversized === 1);
      await rig.pass('live again', () => rig.health.path === 'live');
    }));
}

function requests(withRig: WithRig): void {
  it('sends no request after a 429, for the time of Retry-After or for a default without one', () =>
    withRig(async (rig) => {
      await rig.connector.loadCatalogue(never);
      const [symbol] = twoOf(rig);
      for (const noRetryAfter of [false, true]) {
        await rig.passFor(60_000, 1_000);
        await rig.exchange.set({ fault: 'rest-429', retryAfterS: 20, noRetryAfter });
        const refused = await outcome(rig, rig.connector.pollTickers([symbol], never));
        assert.equal(refused.kind, 'rate_limited');
        // Without it a connector may know how long its exchange counts.
        if (!noRetryAfter) assert.equal(refused.retryAfterMs, 20_000);
        await rig.exchange.clear();
        const before = rig.exchange.requestsTotal;
        const next = rig.connector.pollTickers([symbol], never);
        await rig.passFor(noRetryAfter ? 3_000 : 19_000, 1_000);
        assert.equal(rig.exchange.requestsTotal, before);
        await rig.settled(next);
        assert.equal((await next).length, 1);
      }
    }));
}

function bans(withLive: WithRig): void {
  for (const status of [403, 418, 429, 'own'] as const) {
    it(`makes no request and no connection before the instant that a ban names, ${status} (fault row 94)`, () =>
      withLive(async (rig) => {
        const { clock, connector, exchange } = rig;
        const until = (clock.now() + banMs) as EpochMs;
        const [requests, connects] = [exchange.requestsTotal, exchange.connectsTotal];
        await exchange.set({ fault: 'ban', status, until });
        await rig.settled(connector.loadCatalogue(never).catch(() => undefined));
        assert.equal(rig.health.bannedUntil, until);
        await exchange.set({ fault: 'reset' });
        await rig.passFor(until - clock.now() - 1_000, 1_000);
        const made = exchange.requestsTotal - requests;
        // One can have been on its way, and a catalogue be of several.
        assert.ok(made <= requestsMax, `${made} requests`);
        assert.deepEqual([exchange.connectsTotal, rig.health.connection], [connects, 'waiting']);
        let kind: string | undefined;
        connector.loadCatalogue(never).catch((error: UpstreamError) => {
          kind = error.kind;
        });
        await turns(20);
        assert.equal(kind, 'banned', 'at once, for whoever asks');
        await exchange.clear();
        await rig.pass('live again', () => rig.health.path === 'live' && rig.health.bannedUntil === undefined);
        await delivers(rig, twoOf(rig)[0], 'live');
      }));
  }
}

/** Lets time pass until a market has a new price on this path, with the bid and ask that the exchange sends. */
export async function delivers(rig: Rig, symbol: MarketSymbol, path: UpstreamTicker['path']): Promise<void> {
  const { bid, ask } = rig.exchange.price(symbol)[path];
  const from = rig.sink.taken.length;
  const isIt = (ticker: UpstreamTicker) => ticker.path === path && ticker.bid === bid && ticker.ask === ask;
  await rig.pass(`${bid} of ${symbol}, ${path}`, () => takenSince(rig, from, symbol).some(isIt));
}

function takenSince({ sink }: Rig, from: number, symbol: MarketSymbol): UpstreamTicker[] {
  return sink.taken.slice(from).filter((ticker) => ticker.symbol === symbol);
}

/** The outcome of a poll: tickers, or the kind of its failure. */
export async function outcome(rig: Rig, polling: Promise<readonly UpstreamTicker[]>) {
  await rig.settled(polling);
  return polling.then(
    (tickers) => ({ tickers, kind: undefined, retryAfterMs: undefined }),
    (error: unknown) => {
      assert.ok(error instanceof UpstreamError);
      return { tickers: undefined, kind: error.kind, retryAfterMs: error.retryAfterMs };
    },
  );
}

/** Two markets that the exchange under test prices. */
export function twoOf({ exchange }: Rig): readonly [MarketSymbol, MarketSymbol] {
  const [first, second] = exchange.markets;
  if (first === undefined || second === undefined) throw new Error('an exchange under test has two markets or more');
  return [first.symbol, second.symbol];
}

function bySymbol(one: { readonly symbol: string }, other: { readonly symbol: string }): number {
  return one.symbol < other.symbol ? -1 : 1;
}
