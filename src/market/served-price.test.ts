import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MarketChoice } from './market-choice.ts';
import { BTCEUR, MarketRig, sourceRules } from './market-rig.testing.ts';
import { MarketSource } from './market-source.ts';
import { after, decimal, start, upstreamTicker } from './samples.testing.ts';
import { servedMarkets } from './served-markets.ts';
import { type ServedPath, servedPath } from './served-price.ts';
import type { Exclusion, Reach } from './source-choice.ts';
import { judgeTicker } from './ticker-acceptance.ts';

test('a price is over its best path only live or quiet at the first source that offers the market', () => {
  type First = Parameters<typeof servedPath>[1] & object;
  const path = (reach: Reach, first: Partial<First> | undefined = {}, exclusion?: Exclusion, isRestored = false) =>
    servedPath({ reach, exclusion }, { isUsed: true, isLive: true, isQuiet: false, ...first }, isRestored);
  const table: [ServedPath, ServedPath][] = [
    [path('live'), 'best'],
    [path('live', {}, 'not_trading'), 'best'],
    [path('live', {}, 'held'), 'best'],
    [path('live', {}, 'contradicted'), 'silent'],
    [path('live', {}, 'paused'), 'silent'],
    [path('live', { isLive: false }), 'silent'],
    [path('polled'), 'polled'],
    [path('polled', { isLive: false }), 'polled'],
    [path('polled', { isQuiet: true }), 'best'],
    [path('polled', { isQuiet: true, isLive: false }), 'polled'],
    [path('silent', { isQuiet: true }), 'silent'],
    [path('live', { isUsed: false }), 'standby'],
    [path('polled', { isUsed: false }), 'standby'],
    [path('live', { isUsed: false, isQuiet: true }), 'best'],
    [path('live', { isUsed: false, isQuiet: true, isLive: false }), 'standby'],
    [path('live', {}, undefined, true), 'silent'],
    [path('live', { isQuiet: true }, undefined, true), 'best'],
    [servedPath({ reach: 'live', exclusion: undefined }, undefined, false), 'silent'],
  ];
  for (const [index, [found, expected]] of table.entries()) assert.equal(found, expected, `row ${index}`);
});

test('a source in use that is contradicted makes no price, and one whose market is halted does', () => {
  const source = new MarketSource({ id: 'one', isPaused: false });
  const choice = new MarketChoice(BTCEUR, sourceRules({ ids: ['one'] }), undefined, [source]);
  choice.used = source;
  const makers = (exclusion: Exclusion) => {
    source.candidate = { reach: 'live', exclusion, isProven: true };
    const found = new Set<string>();
    const over = choice.served({ isLive: () => true, isQuiet: () => false }, found);
    return [over, ...found];
  };
  assert.deepEqual(makers('contradicted'), ['silent']);
  assert.deepEqual(makers('not_trading'), ['best', 'one']);
});

test('a market whose price was withdrawn is none that is served', () => {
  const rig = new MarketRig({ ids: ['one'] });
  rig.list('one');
  rig.tick('one', '84000');
  assert.equal(rig.serving('live').priced, 1);
  rig.markets.priceWithdrawn(BTCEUR, rig.markets.sources.first, start);
  assert.equal(rig.serving('live').priced, 0);
  assert.deepEqual(servedMarkets(rig.markets, start), []);
});

test('a price that stays the same is proved by each live value and each poll that says so', () => {
  const rig = new MarketRig({ ids: ['one'] });
  rig.list('one');
  const proved = () =>
    servedMarkets(rig.markets, after(start, rig.nowMs)).map(({ ageMs, provedBy }) => [ageMs, provedBy]);
  rig.tick('one', '84000');
  rig.serving('live');
  rig.nowMs = 60_000;
  assert.deepEqual(proved(), [[60_000, 'live']]);
  const askedAt = after(start, 59_700);
  assert.equal(rig.tick('one', '84000', { path: 'fallback', upstreamTime: start, askedAt }), undefined);
  assert.equal(rig.markets.acceptedTicker(BTCEUR)?.capturedAt, start, 'the exchange dates it as before');
  assert.deepEqual(proved(), [[300, 'fallback']]);
  rig.nowMs = 61_000;
  rig.tick('one', '84000', { upstreamTime: start });
  assert.deepEqual(proved(), [[0, 'live']]);
});

test('a process that follows dates a newer price by itself, before the next report', () => {
  const [leader, follower] = [new MarketRig({ ids: ['one'] }), new MarketRig({ ids: ['one'] })];
  for (const rig of [leader, follower]) rig.list('one');
  leader.tick('one', '84000');
  leader.serving('live');
  follower.markets.restore(leader.kept());
  follower.markets.sources.takeReport({
    at: start,
    markets: [[BTCEUR, leader.markets.sources.states(BTCEUR)]],
  });
  const now = after(start, 4_000);
  const ages = () => servedMarkets(follower.markets, now).map(({ ageMs }) => ageMs);
  assert.deepEqual(ages(), [4_000]);
  const receivedAt = after(start, 3_000);
  const ticker = upstreamTicker({ bid: decimal('84001'), ask: decimal('84002'), receivedAt, upstreamTime: receivedAt });
  const judgement = judgeTicker(ticker, undefined, 'one');
  assert.ok('accepted' in judgement);
  follower.markets.tickerAccepted(BTCEUR, judgement.accepted);
  assert.deepEqual(ages(), [1_000]);
});
