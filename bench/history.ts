import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type EpochMs, systemClock } from '../src/ground/clock.ts';
import { RecordQuestions } from '../src/history/query/questions.ts';
import { Journal } from '../src/history/reading/journal.ts';
import { Publication } from '../src/history/record/publication.ts';
import { Recorder } from '../src/history/record/recorder.ts';
import { RecordWriter } from '../src/history/record/writer.ts';
import { chainStart } from '../src/history/segment/segment.ts';
import { openSqliteSegments } from '../src/history/segment/sqlite-segments.ts';
import type { Markets } from '../src/market/markets.ts';
import type { MarketSymbol } from '../src/market/symbol.ts';
import { type MarketWalk, walkOf } from './fixture/market-walk.ts';
import { bytes, ratio, span, whole } from './report/format.ts';
import type { Bar, Section } from './report/section.ts';
import { quantile } from './report/statistics.ts';
import type { Scope } from './scope.ts';

const exchangeMarkets = 700;
/** Of the exchange; each is published twice, in EUR and in CZK. */
const changesPerSecond = 700;
const answersPerSecond = 1_000;
const keys = 5_000;
const startMs = Date.parse('2026-11-22T11:00:00.000Z');
const secondsOfADay = 86_400;

interface Found {
  readonly quotes: number;
  readonly servings: number;
  readonly bytesAQuote: number;
  readonly bytesAServing: number;
  /**
   * What noting a published price takes on the serving thread, and what making, writing and sealing it takes beside it.
   */
  readonly notingMs: number;
  readonly writingMs: number;
  readonly pointsMs: readonly number[];
  readonly dayMs: number;
  /** All prices into one Parquet file, in a process of its own. */
  readonly exportMs: number;
  readonly peakBytes: number;
}

/** What the record takes: bytes, processor and time to look something up. */
export async function history(scope: Scope): Promise<Section> {
  const minutes = scope.pick(60, 4);
  const found = await record(scope, minutes);
  const { bytesAQuote, bytesAServing, pointsMs, dayMs, exportMs, peakBytes } = found;
  const point = quantile(pointsMs, 0.99);
  const bars: Bar[] = [
    { promise: 'at most 5 bytes a published price', measured: ratio(bytesAQuote), met: bytesAQuote <= 5 },
    { promise: 'at most 3 bytes an answer', measured: ratio(bytesAServing), met: bytesAServing <= 3 },
    { promise: 'the price of an instant within 20 ms (p99)', measured: span(point), met: point <= 20 },
    { promise: 'a day of a market within 1 s', measured: span(dayMs), met: dayMs <= 1_000 },
    { promise: 'an export within 300 MB', measured: bytes(peakBytes), met: peakBytes <= 300e6 },
  ];
  return {
    title: 'The record',
    meaning: `${whole(2 * exchangeMarkets)} markets, ${whole(2 * changesPerSecond)} published prices and ${whole(answersPerSecond)} answers a second to ${whole(keys)} keys, ${minutes} minutes of simulated time, statistics with every tenth price. Bytes are those of sealed segments after the first minute, which has every name. Noting is on the serving thread; arithmetic, journal and sealing are on the recording one. A day of a market, of one that changes once a second, is read from ${minutes} minutes and multiplied.`,
    columns: [
      'prices',
      'answers',
      'bytes a price',
      'bytes an answer',
      'noting',
      'recording',
      'price of an instant p50',
      'p99',
      'a day of a market',
      'all prices as Parquet',
      'its memory',
    ],
    rows: [
      [
        whole(found.quotes),
        whole(found.servings),
        ratio(bytesAQuote),
        ratio(bytesAServing),
        span(found.notingMs),
        span(found.writingMs),
        span(quantile(pointsMs, 0.5)),
        span(point),
        span(dayMs),
        span(exportMs),
        bytes(peakBytes),
      ],
    ],
    bars,
    figures: found,
  };
}

/** A clock that stays where it is set. */
class StillClock {
  ms = startMs;
  now = () => this.ms as EpochMs;
  monotonicMs = () => this.ms;
  after = () => ({ cancel() {} });
  every = () => ({ cancel() {} });
}

async function record(scope: Scope, minutes: number): Promise<Found> {
  const path = join(scope.directory, 'history.sqlite');
  const store = openSqliteSegments(path);
  const requestKey = Buffer.alloc(16, 7);
  const run = await store.addRun({ chain: 1, startedAt: startMs as EpochMs, requestKey });
  const journal = new Journal(`${path}.minute1`);
  const publication = new Publication();
  const head = { chain: 1, run, requestKey, head: chainStart };
  const writer = new RecordWriter({ publication, journal, store, ...head, written: () => {} });
  const clock = new StillClock();
  const walk = walkOf(exchangeMarkets, clock.now());
  const pieces: Buffer[] = [];
  const recorder = new Recorder({
    markets: walk.markets,
    clock,
    channel: { send: (piece) => pieces.push(piece) },
    onGap: () => {},
  });
  recorder.start([]);
  const load = { walk, recorder, writer, pieces, clock, notingMs: 0, writingMs: 0 };
  for (let second = 0; second < minutes * 60; second++) {
    if (second % 60 === 0) scope.progress(`minute ${second / 60} of ${minutes}`);
    await oneSecond(load);
  }
  await writer.seal();
  const { quotes, servings } = writer.figures();
  const bytesEach = async (kind: 'quotes' | 'servings') => {
    const heads = (await store.heads({ kinds: [kind] })).filter(({ firstAt }) => firstAt >= startMs + 60_000);
    const sumOf = (name: 'bytes' | 'count') => heads.reduce((sum, head) => sum + head[name], 0);
    return sumOf('bytes') / sumOf('count');
  };
  const looked = await lookUp(new RecordQuestions(store, systemClock), walk.markets, minutes);
  const found = {
    quotes,
    servings,
    bytesAQuote: await bytesEach('quotes'),
    bytesAServing: await bytesEach('servings'),
    fileBytes: statSync(path).size,
    notingMs: load.notingMs / (quotes + servings),
    writingMs: load.writingMs / (quotes + servings),
    ...looked,
  };
  journal.close();
  await store.close();
  scope.progress('export');
  const exporting = [fileURLToPath(new URL('./export-process.ts', import.meta.url)), path];
  return { ...found, ...JSON.parse(execFileSync(process.execPath, exporting, { encoding: 'utf8' })) };
}

interface Load {
  readonly walk: MarketWalk;
  readonly recorder: Recorder;
  readonly writer: RecordWriter;
  readonly pieces: Buffer[];
  readonly clock: StillClock;
  notingMs: number;
  writingMs: number;
}

async function oneSecond(load: Load): Promise<void> {
  const { walk, recorder, writer, pieces, clock } = load;
  const from = clock.ms;
  const changes = Array.from({ length: changesPerSecond }, () => ({
    at: Math.random(),
    run: () => walk.change(clock.now()),
  }));
  const answers = pollsOf(from).map(({ key, at }) => ({ at, run: () => answer(load, key) }));
  const events = [...changes, ...answers].sort((one, other) => one.at - other.at);
  const startedMs = performance.now();
  for (const { at, run } of events) {
    clock.ms = from + Math.floor(at * 1_000);
    run();
  }
  recorder.flush();
  load.notingMs += performance.now() - startedMs;
  clock.ms = from + 1_000;
  const writingFromMs = performance.now();
  for (const piece of pieces.splice(0)) {
    await writer.take(piece);
    recorder.written(piece.length);
  }
  await writer.tick(clock.now());
  load.writingMs += performance.now() - writingFromMs;
}

const pollEveryMs = 5_000;
/** How late or early a client is. */
const jitterMs = 15;
/** When each key polls next. */
const due = Array.from({ length: keys }, (_, key) => startMs + (key / keys) * pollEveryMs);

/** The polls of a second: keys poll every five seconds, a little late or early. */
function pollsOf(from: number): { readonly key: number; readonly at: number }[] {
  return due.flatMap((at, key) => {
    if (at >= from + 1_000) return [];
    due[key] = at + pollEveryMs + Math.round((Math.random() - 0.5) * 2 * jitterMs);
    return [{ key, at: Math.max(0, at - from) / 1_000 }];
  });
}

/** Answered so far. */
let requests = 0;

function answer({ walk, recorder, clock }: Load, key: number): void {
  const isList = key % 2 === 0;
  const symbol = isList ? '' : walk.symbols[key % walk.symbols.length]!;
  const route = isList ? '/v1/tickers' : '/v1/ticker';
  const keyId = `key_${createHash('sha256').update(String(key)).digest('base64url').slice(0, 16)}`;
  recorder.served({ keyId, askedAt: clock.now(), route, symbol, status: 200, text: '', request: ++requests });
}

async function lookUp(questions: RecordQuestions, markets: Markets, minutes: number) {
  const symbols = [...markets.catalogue.all()].map(({ symbol }) => symbol);
  const pointsMs: number[] = [];
  for (let count = 0; count < 200; count++) {
    const symbol = symbols[count % symbols.length] as MarketSymbol;
    const at = (startMs + 60_000 + Math.random() * (minutes - 1) * 60_000) as EpochMs;
    const startedMs = performance.now();
    await questions.priceAt(symbol, at, []);
    pointsMs.push(performance.now() - startedMs);
  }
  const usual = symbols[200]!;
  const startedMs = performance.now();
  const everything = { from: startMs as EpochMs, to: (startMs + secondsOfADay * 1_000) as EpochMs };
  for await (const _rows of questions.everyQuote(everything, usual));
  const dayMs = (performance.now() - startedMs) * (1_440 / minutes);
  return { pointsMs, dayMs };
}
