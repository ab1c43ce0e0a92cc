import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { Board } from '../board/board.ts';
import { ServiceBoard } from '../board/service-board.ts';
import type { SharingFigures } from '../cluster/shared-feed.ts';
import type { ClockReading } from '../feed/clock-watch.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { Sign } from '../history/segment/segment-store.ts';
import type { AdminParts, Phase } from '../management/parts.ts';
import type { DecimalString } from '../market/decimal.ts';
import { Markets } from '../market/markets.ts';
import { symbol, upstreamMarket } from '../market/samples.testing.ts';
import { FeedStatus } from '../market/service-status.ts';
import { threeLive } from '../market/market-rig.testing.ts';
import type { CurrencyCode } from '../market/symbol.ts';
import { notesOf, readiness } from './readiness.ts';

const minuteMs = 60_000;

/** The parts that readiness looks at, all well unless a test says otherwise. */
function sourcesIn(phase: Phase) {
  const clock = new FakeClock();
  const feedStatus = new FeedStatus();
  const markets = new Markets(
    { feePercent: '0.5' as DecimalString, converted: new Map(), pricePrecision: new Map(), rateValidForMs: minuteMs },
    { quotes: new Set(['EUR' as CurrencyCode]), symbols: 'all' },
  );
  const service = new ServiceBoard(feedStatus, clock);
  feedStatus.feedCurrent('live', clock.now(), clock.monotonicMs());
  const reachable = { store: true };
  const held = { keys: 0, windows: 0, terms: 0 };
  const disk = { trouble: undefined as string | undefined, finding: undefined as string | undefined };
  const well = {
    certificateExpiresAt: undefined as EpochMs | undefined,
    isMailFailing: false,
    note: undefined as string | undefined,
  };
  const reading: { -readonly [Name in keyof ClockReading]: ClockReading[Name] } = {
    bySource: new Map(),
    offsetMs: undefined,
    isWrong: false,
  };
  const silent: Sign[] = [];
  const feeds: object[] = [];
  const sharing = { figures: undefined as SharingFigures | undefined };
  const upgrade = { kept: undefined as string | undefined };
  const sources = {
    clock,
    feed: { clock: () => reading, sources: () => feeds },
    market: { service, feedStatus, markets, board: new Board(markets), snapshots: { lastError: () => disk.trouble } },
    storeCheck: { result: () => ({ finding: disk.finding }) },
    configuration: { pricing: { converted: new Map() }, markets: { delistAfterMs: 24 * 60 * minuteMs } },
    listener: { certificateExpiresAt: () => well.certificateExpiresAt, overload: well },
    notifier: { figures: () => ({ isFailing: well.isMailFailing, pending: 3 }) },
    store: upgrade,
    changes: { reachable: () => reachable.store, held: () => held },
    phase: () => phase,
    recording: () => ({ silent }),
    sharedLimits: () => undefined,
    replication: () => sharing.figures,
  } as unknown as AdminParts;
  return { clock, markets, service, reachable, held, disk, well, reading, silent, sharing, feeds, upgrade, sources };
}

test('a process that serves is ready, and has nothing to say while all is well', () => {
  assert.deepEqual(readiness(sourcesIn('serving').sources), { ready: true, phase: 'serving', notes: [] });
});

test('a feed of its own, and why the lease cannot be had, are noted while they last (fault row 69)', () => {
  const { sharing, sources } = sourcesIn('serving');
  const alone = { isLeading: false, isAlone: true, resyncs: 1, leaseTrouble: 'not connected: connect ECONNREFUSED' };
  sharing.figures = alone;
  assert.deepEqual(readiness(sources).notes, [
    'this process is on a feed of its own until Redis says who leads',
    'the lease of the feed cannot be had: not connected: connect ECONNREFUSED',
  ]);
  sharing.figures = { ...alone, isAlone: false, leaseTrouble: undefined };
  assert.deepEqual(readiness(sources).notes, []);
});

test('what is critical after an upgrade comes with the way back, and an upgrade that went well says nothing', () => {
  const { disk, upgrade, sources } = sourcesIn('serving');
  upgrade.kept = '/data/mdapi.sqlite.before-2.0.0-20300101T000000000Z';
  assert.deepEqual(readiness(sources).notes, []);
  disk.trouble = 'the disk is full';
  const [, way] = readiness(sources).notes;
  assert.match(
    way!,
    /^this start brought the database up to date\. .*`mdapi store restore \/data\/mdapi\.sqlite\.before-2/,
  );
});

test('a full disk and a damaged database file are named', () => {
  const { disk, sources } = sourcesIn('serving');
  disk.trouble = 'The disk that holds the database is full.';
  disk.finding = 'row 3 missing from index';
  assert.deepEqual(readiness(sources).notes, [
    'nothing can be saved: The disk that holds the database is full.',
    'the database file is damaged, restore a backup: row 3 missing from index',
  ]);
});

test('a process that shares the record and is silent is named with the end of its part (fault row 78)', () => {
  const { sources, silent } = sourcesIn('serving');
  silent.push({ chain: 3, at: Date.parse('2026-11-21T10:00:00.000Z') as EpochMs });
  const text = 'the process of chain 3 is silent: its part of the record ends at 2026-11-21T10:00:00.000Z';
  assert.deepEqual(readiness(sources), { ready: true, phase: 'serving', notes: [text] });
});

test('a mass loss that is held back is named with the way out', () => {
  const { held, sources } = sourcesIn('serving');
  held.keys = 5_000;
  assert.match(readiness(sources).notes.join(), /5000 keys, .* vanished .* `mdapi store accept-changes`/);
});

test('a clock that the exchanges contradict is named, with the side and with them (fault row 86)', () => {
  const { reading, sources } = sourcesIn('serving');
  reading.bySource = new Map([['kraken', 7_200_080]]);
  reading.offsetMs = 7_200_080;
  assert.deepEqual(readiness(sources).notes, []);
  reading.isWrong = true;
  assert.deepEqual(readiness(sources).notes, ['the clock of this process is 7200 s ahead of that of kraken']);
  reading.bySource = new Map([
    ['kraken', -3_100],
    ['okx', -2_900],
  ]);
  reading.offsetMs = -2_900;
  assert.deepEqual(readiness(sources).notes, ['the clock of this process is 3 s behind that of kraken, okx']);
});

test('an overload is named as it is logged, and leaves the process ready: established clients are served', () => {
  const { well, sources } = sourcesIn('serving');
  well.note = 'overloaded: 91 % (bound 90 %) of the heap is in use; requests without a key are refused';
  assert.deepEqual(readiness(sources), { ready: true, phase: 'serving', notes: [well.note] });
});

test('a process that starts or ends is not ready, and says why', () => {
  assert.deepEqual(readiness(sourcesIn('starting').sources), {
    ready: false,
    phase: 'starting',
    notes: ['API keys are still being loaded'],
  });
  assert.deepEqual(readiness(sourcesIn('draining').sources), {
    ready: false,
    phase: 'draining',
    notes: ['shutting down'],
  });
});

test('a source without a connection is named with the time and who makes the prices; where nothing arrives it is urgent', async () => {
  const { clock, feeds, sources } = sourcesIn('serving');
  const health = {
    connection: 'waiting',
    lastLiveDataAgeMs: 9_000 as number | undefined,
    epoch: 1,
    catalogueLoads: {},
    lastCatalogueAt: undefined as number | undefined,
  };
  feeds.push({ id: 'kraken', kind: 'kraken', isPaused: false, health });
  const { market } = sources;
  const said = () => notesOf(sources).map(({ level, text }) => [level, text]);
  const text = (seconds: number) => `kraken: no connection for ${seconds} s; no other source makes its prices`;
  assert.deepEqual(said(), []);
  health.lastLiveDataAgeMs = 25_400;
  market.feedStatus.pathChanged('fallback');
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
  health.lastCatalogueAt = 1;
  assert.equal(said().length, 1, 'it is asked and needs no connection');
  health.connection = 'open';
  assert.deepEqual(said(), [['critical', 'market data: degraded']]);
});

test('stale data, maintenance and an unreachable store are reported, and leave it ready', async () => {
  const { clock, service, reachable, sources } = sourcesIn('serving');
  await clock.advance(5 * minuteMs + 1);
  service.setWindows([{ from: clock.now(), to: (clock.now() + minuteMs) as never, description: 'Upgrade' }]);
  reachable.store = false;
  const { ready, notes } = readiness(sources);
  assert.equal(ready, true);
  assert.deepEqual(notes, [
    'market data: outage',
    'the store cannot be used: keys, markets and windows are as last known',
    'an announced maintenance window is running',
  ]);
});

test('held prices, a certificate about to expire and failing mail are noted, with the page that shows more', () => {
  const { clock, markets, well, sources } = sourcesIn('serving');
  markets.catalogueLoaded([upstreamMarket('BTC')], clock.now());
  markets.applyHolds([{ symbol: symbol('BTCEUR'), heldAt: clock.now() } as never]);
  well.certificateExpiresAt = (clock.now() + 3.5 * 86_400_000) as EpochMs;
  well.isMailFailing = true;
  assert.deepEqual(
    notesOf(sources).map(({ level, text, page }) => [level, text, page]),
    [
      ['warning', '1 traded markets have no price: no_ticker', 'markets'],
      ['warning', 'prices are held by an operator: BTCEUR', 'markets'],
      ['warning', 'the TLS certificate expires in 3 days', null],
      ['warning', 'the last e-mail to a key holder could not be sent; 3 wait', 'notices'],
    ],
  );
  well.certificateExpiresAt = clock.now();
  assert.deepEqual(notesOf(sources)[0], {
    level: 'critical',
    text: 'the TLS certificate has expired',
    page: null,
    markets: [],
  });
});

test('doubts are noted once for each source and reason, with the names of their markets and what is served instead', () => {
  const { sources } = sourcesIn('serving');
  const rig = threeLive();
  rig.tick('one', '88200');
  rig.review();
  const { board } = sources.market;
  const noted = notesOf({ ...sources, market: { ...sources.market, markets: rig.markets, board } });
  assert.deepEqual(noted, [
    {
      level: 'warning',
      text: 'one is doubted, contradicted: BTCEUR at 88200 / 88201 (served: the price of two). It means: other sources agree on another price, or it alone left its own',
      page: 'feed',
      markets: ['BTCEUR'],
    },
  ]);
});

test('a source that is itself lost is not named as one that makes the prices', () => {
  const { feeds, sources } = sourcesIn('serving');
  const { markets } = threeLive();
  const [one, two] = ['one', 'two'].map((id) => {
    const health = { connection: 'open', lastLiveDataAgeMs: 12_000, epoch: 1 };
    feeds.push({ id, kind: 'kraken', isPaused: false, health });
    return health;
  });
  const said = () => notesOf({ ...sources, market: { ...sources.market, markets } }).map(({ text }) => text);
  two!.connection = 'waiting';
  assert.deepEqual(said(), ['two: no connection for 12 s; 1 markets on one']);
  one!.connection = 'waiting';
  assert.deepEqual(said(), [
    'one: no connection for 12 s; no other source makes its prices',
    'two: no connection for 12 s; no other source makes its prices',
  ]);
});

test('markets about to be delisted are noted, and a delisting that waits for the operator before all else', () => {
  const { clock, markets, sources } = sourcesIn('serving');
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
    text: 'missing from the exchange’s list, and delisted unless they come back: ETHEUR',
  };
  assert.ok(notesOf(sources).some(({ level, text }) => level === missing.level && text === missing.text));
  for (let hour = 3; hour < 26; hour++) load(hour, 'BTC');
  const [first] = notesOf(sources);
  assert.deepEqual(first, {
    level: 'critical',
    text: 'delisting waits for an operator: ETHEUR',
    page: 'markets',
    markets: [],
  });
});
