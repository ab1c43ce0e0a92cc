import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import { MarketRig, marketsWith, sourceRules, threeLive } from '../market/market-rig.testing.ts';
import { after, symbol, upstreamMarket, upstreamTicker } from '../market/samples.testing.ts';
import { reviewSources } from '../market/source-review.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import { foundIn } from './find.ts';
import { notesOf } from './notes.ts';
import type { Observed } from './observed.ts';
import { lostSource, wellProcess } from './well.testing.ts';

const minuteMs = 60_000;

const textsOf = (observed: Observed) => notesOf(observed).map(({ text }) => text);

test('a process of which all is well has nothing to say', () => {
  assert.deepEqual(textsOf(wellProcess().observed), []);
});

test('a feed of its own, and why the lease cannot be had, are noted while they last (fault row 69)', () => {
  const { state, observed } = wellProcess();
  const alone = { isAlone: true, leaseTrouble: 'not connected: connect ECONNREFUSED' };
  state.sharing = alone;
  assert.deepEqual(textsOf(observed), [
    'this process is on a feed of its own until Redis says who leads',
    'the lease of the feed cannot be had: not connected: connect ECONNREFUSED',
  ]);
  state.sharing = { ...alone, isAlone: false, leaseTrouble: undefined };
  assert.deepEqual(textsOf(observed), []);
});

test('what is critical after an upgrade comes with the way back, and an upgrade that went well says nothing', () => {
  const { state, observed } = wellProcess();
  state.kept = '/data/mdapi.sqlite.before-2.0.0-20300101T000000000Z';
  assert.deepEqual(textsOf(observed), []);
  state.trouble = new Error('the disk is full');
  const [, way] = textsOf(observed);
  assert.match(
    way!,
    /^this start brought the database up to date\. .*`mdapi store restore \/data\/mdapi\.sqlite\.before-2/,
  );
});

test('a database that this start had to make is noted for as long as it holds no key (fault row 103)', () => {
  const { state, observed } = wellProcess();
  state.made = '/data/mdapi.sqlite';
  state.keys = 0;
  const [text] = textsOf(observed);
  assert.match(text!, /^there was no database \/data\/mdapi\.sqlite, and this start made one: it holds no key/);
  state.keys = 1;
  assert.deepEqual(textsOf(observed), []);
});

test('a full disk and a damaged database file are named', () => {
  const { state, observed } = wellProcess();
  state.trouble = new Error('The disk that holds the database is full.');
  state.finding = 'row 3 missing from index';
  assert.deepEqual(textsOf(observed), [
    'nothing can be saved: The disk that holds the database is full.',
    'the database file is damaged, restore a backup: row 3 missing from index',
  ]);
});

test('a process that shares the record and is silent is named with the end of its part (fault row 78)', () => {
  const { state, observed } = wellProcess();
  state.record!.silent = [{ chain: 3, at: Date.parse('2026-11-21T10:00:00.000Z') as EpochMs }];
  const text = 'the process of chain 3 is silent: its part of the record ends at 2026-11-21T10:00:00.000Z';
  assert.deepEqual(textsOf(observed), [text]);
});

test('a mass loss that is held back is named with the way out', () => {
  const { state, observed } = wellProcess();
  state.held.keys = 5_000;
  assert.match(textsOf(observed).join(), /5000 keys, .* vanished .* `mdapi store accept-changes`/);
});

test('a clock that the exchanges contradict is named, with the side and with them (fault row 86)', () => {
  const { state, observed } = wellProcess();
  state.clock.bySource = new Map([['kraken', 7_200_080]]);
  state.clock.offsetMs = 7_200_080;
  assert.deepEqual(textsOf(observed), []);
  state.clock.isWrong = true;
  assert.deepEqual(textsOf(observed), ['the clock of this process is 7200 s ahead of that of kraken']);
  state.clock.bySource = new Map([
    ['kraken', -3_100],
    ['okx', -2_900],
  ]);
  state.clock.offsetMs = -2_900;
  assert.deepEqual(textsOf(observed), ['the clock of this process is 3 s behind that of kraken, okx']);
});

test('an overload is named as it is logged, and leaves the process ready: established clients are served', () => {
  const { state, observed } = wellProcess();
  state.cause = { signal: 'heap', step: 1, value: 91, bound: 90, late: undefined };
  const text = 'overloaded: 91 % (bound 90 %) of the heap is in use; requests without a key are refused';
  assert.deepEqual(textsOf(observed), [text]);
});

test('a source without a connection is named with the time and who makes the prices; where nothing arrives it is urgent', async () => {
  const { clock, feedStatus, state, observed } = wellProcess();
  const kraken = lostSource('kraken', 9_000);
  kraken.health.epoch = 1;
  const { health } = kraken;
  state.sources = [kraken];
  const said = () => notesOf(observed).map(({ level, text }) => [level, text]);
  const text = (seconds: number) => `kraken: no connection for ${seconds} s; no other source makes its prices`;
  assert.deepEqual(said(), []);
  health.lastLiveDataAgeMs = 25_400;
  feedStatus.pathChanged('fallback');
  assert.deepEqual(said(), [
    ['warning', 'market data: degraded'],
    ['warning', text(25)],
  ]);
  await clock.advance(6_000);
  assert.deepEqual(said(), [
    ['critical', 'market data: degraded'],
    ['critical', text(25)],
  ]);
  health.lastLiveDataAgeMs = undefined;
  assert.equal(said().length, 1, 'the first attempt may still succeed');
  health.epoch = 2;
  const never = 'kraken: no connection yet; no other source makes its prices';
  assert.deepEqual(said().at(-1), ['critical', never]);
  Object.assign(health, { connection: 'idle', epoch: 0, catalogueLoads: { network: 1 } });
  assert.equal(said().length, 1, 'its list of markets may still come');
  health.catalogueLoads = { network: 2 };
  assert.deepEqual(said().at(-1), ['critical', never], 'it was lost before the start');
  health.lastCatalogueAt = 1 as EpochMs;
  assert.equal(said().length, 1, 'it is asked and needs no connection');
  health.connection = 'open';
  assert.deepEqual(said(), [['critical', 'market data: degraded']]);
});

test('stale data, maintenance and an unreachable store are reported, and leave it ready', async () => {
  const { clock, service, state, observed } = wellProcess();
  await clock.advance(5 * minuteMs + 1);
  service.setWindows([{ from: clock.now(), to: after(clock.now(), minuteMs), description: 'Upgrade' }]);
  state.isReachable = false;
  assert.deepEqual(textsOf(observed), [
    'market data: outage',
    'the store cannot be used: keys, markets and windows are as last known',
    'an announced maintenance window is running',
  ]);
});

test('held prices, a certificate about to expire and failing mail are noted, with the page that shows more', () => {
  const { clock, markets, state, observed } = wellProcess();
  markets.catalogueLoaded([upstreamMarket('BTC')], clock.now());
  markets.applyHolds([{ symbol: symbol('BTCEUR'), heldAt: clock.now(), acceptedAt: undefined }]);
  state.certificateExpiresAt = (clock.now() + 3.5 * 86_400_000) as EpochMs;
  state.mail = { isFailing: true, pending: 3 };
  assert.deepEqual(
    notesOf(observed).map(({ level, text, page }) => [level, text, page]),
    [
      ['warning', '1 traded markets have no price: no_ticker', 'markets'],
      ['warning', 'prices are held by an operator: BTCEUR', 'markets'],
      ['warning', 'the TLS certificate expires in 3 days', null],
      ['warning', 'the last e-mail to a key holder could not be sent; 3 wait', 'notices'],
    ],
  );
  state.certificateExpiresAt = clock.now();
  assert.deepEqual(notesOf(observed)[0], {
    level: 'critical',
    text: 'the TLS certificate has expired',
    page: null,
    markets: [],
    condition: { code: 'CertificateExpired', values: {} },
  });
});

test('doubts are noted once for each source and reason, with the names of their markets and what is served instead', () => {
  const { observed } = wellProcess();
  const rig = threeLive();
  rig.tick('one', '88200');
  rig.review();
  const noted = notesOf({ ...observed, market: { ...observed.market, markets: rig.markets } });
  assert.deepEqual(noted, [
    {
      level: 'warning',
      text: 'one is doubted, contradicted: BTCEUR at 88200 / 88201 (served: the price of two). It means: other sources agree on another price, or it alone left its own',
      page: 'feed',
      markets: ['BTCEUR'],
      condition: {
        code: 'SourceDoubted',
        values: {
          source: 'one',
          reason: 'contradicted',
          markets: {
            first: [
              {
                market: 'BTCEUR',
                bid: '88200',
                ask: '88201',
                servedBy: 'two',
                lastGoodOf: null,
                lastGoodAtMs: null,
              },
            ],
            more: 0,
          },
        },
      },
    },
  ]);
});

test('a source that is itself lost is not named as one that makes the prices', () => {
  const { state, observed } = wellProcess();
  const { markets } = threeLive();
  const [one, two] = ['one', 'two'].map((id) => lostSource(id, 12_000));
  one!.health.connection = 'open';
  state.sources = [one!, two!];
  const said = () => textsOf({ ...observed, market: { ...observed.market, markets } });
  assert.deepEqual(said(), ['two: no connection for 12 s; 1 markets on one']);
  one!.health.connection = 'waiting';
  assert.deepEqual(said(), [
    'one: no connection for 12 s; no other source makes its prices',
    'two: no connection for 12 s; no other source makes its prices',
  ]);
});

test('markets about to be delisted are noted, and a delisting that waits for the operator before all else', () => {
  const { clock, markets, observed } = wellProcess();
  const load = (hour: number, ...names: string[]) => {
    const at = (clock.now() + hour * 60 * minuteMs) as EpochMs;
    markets.catalogueLoaded(
      names.map((name) => upstreamMarket(name)),
      at,
    );
  };
  load(0, 'BTC', 'ETH');
  load(1, 'BTC');
  load(2, 'BTC');
  const missing = {
    level: 'warning',
    text: 'missing from the exchange’s list or ended in it, and delisted unless they come back: ETHEUR',
  };
  assert.ok(notesOf(observed).some(({ level, text }) => level === missing.level && text === missing.text));
  for (let hour = 3; hour < 26; hour++) load(hour, 'BTC');
  const [first] = notesOf(observed);
  assert.deepEqual(first, {
    level: 'critical',
    text: 'delisting waits for an operator: ETHEUR',
    page: 'markets',
    markets: [],
    condition: { code: 'DelistingHeldBack', values: { markets: { first: ['ETHEUR'], more: 0 } } },
  });
});

test('what the guard holds is noted with its source, and is an alert of its own', () => {
  const { observed } = wellProcess();
  const rig = new MarketRig({ ids: ['one'] });
  rig.list('one');
  rig.tick('one', '84000');
  rig.review('live');
  rig.nowMs = 1_000;
  rig.tick('one', '120000');
  rig.review('live');
  const seen = { ...observed, market: { ...observed.market, markets: rig.markets } };
  const holders = foundIn(
    seen,
    () => () => false,
    ({ title }) => title === 'Prices are held back',
  );
  assert.deepEqual(
    [...holders].map(({ severity, sentence }) => [severity, sentence]),
    [['critical', 'prices are held by the guard: BTCEUR']],
  );
  assert.deepEqual(
    notesOf(seen).map(({ condition }) => condition.code),
    ['SourceDoubted'],
  );
});

/** 200 markets of one source: so many are polled because their subscription is refused, the last two quiet. */
function partlyPolled(polled: number) {
  const { clock, feedStatus, observed } = wellProcess();
  const markets = marketsWith({ sources: sourceRules({ ids: ['kraken'] }), policy: { converted: new Map() } });
  const listed = Array.from({ length: 200 }, (_, index) => upstreamMarket(`M${index}`));
  markets.catalogueLoaded(listed, clock.now(), undefined, 'kraken');
  const symbols = listed.map((market) => market.symbol);
  const refused = new Set(symbols.slice(0, polled));
  const tick = (which: readonly MarketSymbol[]) => {
    for (const market of which) {
      const path = refused.has(market) ? 'fallback' : 'live';
      const now = clock.now();
      markets.tickerReceived(upstreamTicker({ symbol: market, path, receivedAt: now, upstreamTime: now }));
    }
  };
  const review = () => {
    const facts = {
      reach: (_: string, market: MarketSymbol) => (refused.has(market) ? ('polled' as const) : ('live' as const)),
      isHeard: () => true,
      isAwaited: () => true,
      isQuiet: () => false,
      isLive: () => true,
    };
    const at = { now: clock.now(), nowMs: clock.monotonicMs() };
    feedStatus.reviewed(reviewSources(markets, facts, at).serving, true, at.now, at.nowMs);
    feedStatus.source('kraken').current(true, at.now, at.nowMs);
  };
  const process: Observed = { ...observed, market: { ...observed.market, markets } };
  tick(symbols);
  review();
  return { clock, symbols, tick, review, markets, texts: () => textsOf(process), notes: () => notesOf(process) };
}

test('the share of the markets that is polled is said while the service is degraded for it (fault row 92)', () => {
  assert.deepEqual(partlyPolled(184).texts(), [
    'market data: degraded',
    '184 of 200 priced markets are not served over their best path: 184 over REST, 0 from a standby, 0 not delivered',
  ]);
  assert.deepEqual(partlyPolled(20).texts(), [], 'a tenth does not make the service worse');
});

test('prices that no live connection tells of are counted once they were not proved for over 15 s, with the worst (fault row 92)', async () => {
  const { clock, symbols, tick, review, texts, notes, markets } = partlyPolled(20);
  await clock.advance(15_000);
  review();
  assert.deepEqual(texts(), [], 'quiet ones are had live, and polls have their time');
  tick(symbols.slice(0, 17));
  await clock.advance(1);
  review();
  assert.deepEqual(texts(), [
    '3 of 200 prices were last proved current over 15 s ago and are not had live; the oldest is M17EUR of kraken, 15 s',
  ]);
  assert.deepEqual(notes()[0]?.markets, ['M17EUR']);
  markets.applyControls(
    symbols.slice(17, 20).map((each) => ({ symbol: each, operatorPaused: true, delistedAt: undefined })),
  );
  assert.deepEqual(texts(), [], 'a market that does not trade has no new price');
});
