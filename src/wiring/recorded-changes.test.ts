import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { Board } from '../board/board.ts';
import { textOf } from '../board/decoded.testing.ts';
import { load } from '../configuration/configuration.testing.ts';
import { partsForTest } from '../feed/parts.testing.ts';
import type { RecordLookup } from '../feed/recorded-references.ts';
import { ReferencePriceTracker } from '../feed/reference-price-tracker.ts';
import type { EpochMs } from '../ground/clock.ts';
import { RequestNumbers } from '../ground/request-numbers.ts';
import { RecordQuestions } from '../history/query/questions.ts';
import { rebuildAnswer } from '../history/reading/bodies.ts';
import { RecordReader } from '../history/reading/record-reader.ts';
import { type OpenWriter, openWriter } from '../history/record/open-writer.ts';
import { directoryFor, newRecord, type RecordFixture, requestKey } from '../history/record/record.testing.ts';
import { Recorder } from '../history/record/recorder.ts';
import { Markets } from '../market/markets.ts';
import { noReferences } from '../market/reference-prices.ts';
import {
  decimal,
  everyEuroMarket,
  pricingPolicy,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from '../market/samples.testing.ts';
import type { Reach } from '../market/source-choice.ts';
import { reviewSources } from '../market/source-review.ts';
import { explainPrice, type PriceReport } from '../operator/price.ts';
import { priceAnswerOf } from '../operator/record.ts';
import { pastPricesOf } from './record-room.ts';

const BTCEUR = symbol('BTCEUR');
const rules = { ids: ['engine', 'other'], lists: new Map(), mode: 'primary', returnAfterMs: 0 } as const;
const numbers = new RequestNumbers(requestKey);

/** A service that records, with an engine and another source of BTCEUR. Only the engine gives no candles. */
class Rig {
  readonly clock = new FakeClock('2026-11-21T10:00:10.000Z');
  readonly questions: RecordQuestions;
  readonly asked: EpochMs[] = [];
  isUnreadable = false;
  markets!: Markets;
  #record: RecordFixture;
  #board!: Board;
  #recorder!: Recorder;
  #keeper!: ReferencePriceTracker;
  #open!: OpenWriter;
  #pieces: Buffer[] = [];
  #requests = 0;

  private constructor(record: RecordFixture) {
    this.#record = record;
    this.questions = new RecordQuestions(record.store, this.clock);
  }

  static async start(t: TestContext): Promise<Rig> {
    const rig = new Rig(await newRecord(t));
    t.after(() => rig.#keeper.stop());
    t.after(() => rig.#open.release());
    await rig.startProcess();
    return rig;
  }

  async startProcess(): Promise<void> {
    const { store, journalPath } = this.#record;
    const now = this.clock.now();
    this.#open = await openWriter({
      store,
      journalPath,
      requestKey,
      now,
      written: (bytes) => this.#recorder.written(bytes),
    });
    this.markets = new Markets(pricingPolicy(), everyEuroMarket, undefined, rules);
    this.#board = new Board(this.markets);
    const channel = { send: (piece: Buffer) => void this.#pieces.push(piece) };
    this.#recorder = new Recorder({ markets: this.markets, clock: this.clock, channel, onGap: () => {} });
    this.#recorder.start([
      ['process', JSON.stringify({ version: '1.0.0', errorsUrl: 'https://api.example.com/errors' })],
    ]);
    const { gap } = this.#open;
    if (gap !== undefined) this.#recorder.fact('gap', '', JSON.stringify(gap));
    for (const { id } of this.markets.sources.all)
      this.markets.catalogueLoaded([upstreamMarket('BTC')], now, undefined, id);
    const lookUpRecord: RecordLookup = async (source, at) => {
      this.asked.push(at);
      if (this.isUnreadable) throw new Error('disk I/O error');
      return this.questions.middlesAt(source, at);
    };
    const connector = { id: 'engine', loadCandles: async () => [] };
    const engine = this.markets.sources.first;
    const sink = {
      referencePricesChanged: (...changed: Parameters<Markets['referencePricesChanged']>) =>
        this.markets.referencePricesChanged(changed[0], changed[1], engine),
    };
    this.#keeper = new ReferencePriceTracker(partsForTest({ connector, sink, clock: this.clock, lookUpRecord }));
    this.#keeper.start();
    this.#keeper.follow([BTCEUR]);
  }

  /** Ends the process, in order or not. */
  async endProcess({ isKilled = false } = {}): Promise<void> {
    this.#keeper.stop();
    if (!isKilled) this.#recorder.stop();
    await this.written();
    if (!isKilled) await this.#open.writer.stop();
    this.#open.release();
  }

  /** A source says that BTCEUR has this bid, and an ask 2 above it. */
  async price(bid: number, source = 'engine'): Promise<void> {
    const receivedAt = this.clock.now();
    const values = {
      bid: decimal(`${bid}`),
      ask: decimal(`${bid + 2}`),
      last: undefined,
      priceChangePercent24h: undefined,
    };
    const ticker = upstreamTicker({ ...values, receivedAt, upstreamTime: receivedAt });
    assert.equal(this.markets.tickerReceived(ticker, this.markets.sources.find(source)!), undefined);
    await this.written();
  }

  /** Sets which source makes the price from now on. */
  lead(source: 'engine' | 'other'): void {
    const reach = (id: string): Reach => (id === source ? 'live' : 'silent');
    reviewSources(
      this.markets,
      { reach, isHeard: () => true, isQuiet: () => false, isLive: (id) => id === source },
      { now: this.clock.now(), nowMs: this.clock.monotonicMs() },
    );
  }

  /** Moves on to an instant, to the second, and lets the feed ask. */
  async to(iso: string): Promise<void> {
    this.clock.jump(Date.parse(iso) - 2_000 - this.clock.now());
    await this.clock.advance(2_000);
    await this.#open.writer.tick(this.clock.now());
  }

  get body(): string {
    const reading = this.#board.ticker(BTCEUR, this.clock.now());
    assert.equal(reading.kind, 'page');
    return reading.kind === 'page' ? textOf(reading.page) : '';
  }

  /** The changes over 1 hour, 24 hours and 7 days that clients get. */
  get changes(): (string | undefined)[] {
    const { priceChangePercent1h, priceChangePercent24h, priceChangePercent7d } = JSON.parse(this.body);
    return [priceChangePercent1h, priceChangePercent24h, priceChangePercent7d];
  }

  get explained(): PriceReport['changes'] {
    const answer = explainPrice(this.markets, BTCEUR, this.clock.now());
    return answer.kind === 'priced' ? answer.report.changes : [];
  }

  /** The same of an instant, from the record. */
  async explainedAt(at: EpochMs, withoutCandles: readonly string[]): Promise<PriceReport['changes']> {
    const answer = priceAnswerOf(await this.questions.priceAt(BTCEUR, at, withoutCandles));
    return answer?.kind === 'priced' ? answer.report.changes : [];
  }

  /** Answers a key. Returns what finds the answer again. */
  async served(): Promise<{ body: string; rebuilt: () => Promise<string | undefined> }> {
    const requestId = numbers.idOf(++this.#requests);
    const { body } = this;
    const asked = {
      keyId: 'key_a',
      askedAt: this.clock.now(),
      route: '/v1/ticker',
      symbol: BTCEUR,
      status: 200,
      text: '',
    };
    this.#recorder.served({ ...asked, request: this.#requests });
    await this.written();
    const reader = new RecordReader(this.#record.store);
    const rebuilt = async () => (await rebuildAnswer(reader, (await reader.findServing(requestId))!))?.body;
    return { body, rebuilt };
  }

  /** Lets what was published reach the record. */
  async written(): Promise<void> {
    this.#recorder.flush();
    for (const piece of this.#pieces.splice(0)) await this.#open.writer.take(piece);
  }
}

const after = (time: string) => {
  const timestamp = `2026-11-${time}:00.000Z`;
  return { timestamp, timestampMs: Date.parse(timestamp) };
};

test('percent changes of a source without candles come from its record once that is long enough, and are explained and built again from it', async (t) => {
  const rig = await Rig.start(t);
  await rig.price(100);
  await rig.to('2026-11-21T10:00:59.000Z');
  await rig.price(109);
  await rig.to('2026-11-21T10:01:30.000Z');
  await rig.price(110);
  await rig.to('2026-11-21T10:59:30.000Z');
  await rig.price(119);
  assert.deepEqual(rig.changes, [undefined, undefined, undefined], 'the record is not an hour long');
  await rig.to('2026-11-21T11:00:30.000Z');
  await rig.price(125);
  assert.deepEqual(rig.changes, [undefined, undefined, undefined], 'it began within the minute');
  await rig.to('2026-11-21T11:01:05.000Z');
  await rig.price(131);
  assert.deepEqual(rig.changes, ['20.00', undefined, undefined], 'from 110 to 132, between bid and ask');
  const hour = { over: '1h', percent: '20.00', origin: 'record', price: '110', ...after('21T10:01') };
  assert.deepEqual(rig.explained, [hour]);
  const answer = await rig.served();
  const at = rig.clock.now();
  rig.clock.jump(55_000);
  await rig.price(132);
  const nextMinute = rig.clock.now();
  await rig.to('2026-11-22T10:58:05.000Z');
  await rig.price(143);
  assert.deepEqual(rig.changes, [undefined, '20.00', undefined], 'from 120 at 11:00, the nearest hour, to 144');
  const day = { over: '24h', percent: '20.00', origin: 'record', price: '120', ...after('21T11:00') };
  assert.deepEqual(rig.explained, [day]);
  await rig.to('2026-11-28T11:29:05.000Z');
  await rig.price(59);
  assert.deepEqual(rig.changes, [undefined, undefined, '-50.00']);
  assert.equal(await answer.rebuilt(), answer.body, 'byte for byte');
  assert.deepEqual(await rig.explainedAt(at, ['engine']), [hour]);
  const later = { ...hour, percent: '20.91' };
  assert.deepEqual(await rig.explainedAt(nextMinute, ['engine']), [later], 'the record was not yet asked for 10:02');
  const unknown = { over: '1h', percent: '20.00', origin: 'source', price: null, timestamp: null, timestampMs: null };
  assert.deepEqual(await rig.explainedAt(at, []), [unknown]);
});

test('a price of the past is of the source that makes the price now, and of none that had fallen silent', async (t) => {
  const rig = await Rig.start(t);
  await rig.price(109);
  await rig.price(999, 'other');
  await rig.to('2026-11-21T10:10:30.000Z');
  await rig.price(109);
  await rig.price(999, 'other');
  rig.lead('other');
  await rig.price(999, 'other');
  await rig.to('2026-11-21T10:12:30.000Z');
  await rig.price(109);
  rig.lead('engine');
  await rig.price(109);
  for (const [time, change] of [
    ['11:01', '20.00'],
    ['11:05', undefined],
    ['11:11', undefined],
    ['11:13', '20.00'],
  ] as const) {
    await rig.to(`2026-11-21T${time}:05.000Z`);
    await rig.price(131);
    assert.equal(rig.changes[0], change, time);
  }
});

test('a restart keeps the changes, and an instant at which nothing was recorded gives none', async (t) => {
  for (const isKilled of [false, true]) {
    await t.test(isKilled ? 'after a kill' : 'after a stop', async (t) => {
      const rig = await Rig.start(t);
      await rig.price(109);
      await rig.to('2026-11-21T10:01:30.000Z');
      await rig.price(109);
      await rig.endProcess({ isKilled });
      rig.clock.jump(90_000);
      await rig.startProcess();
      await rig.price(109);
      const recordedFor = rig.clock.now();
      rig.markets.referencesTaken(BTCEUR, { ...noReferences, price1hAgo: decimal('55'), recordedFor });
      assert.equal(rig.changes[0], '100.00', 'as it was saved before');
      await rig.to('2026-11-21T10:04:30.000Z');
      await rig.price(109);
      assert.equal(rig.changes[0], undefined);
      for (const [time, change] of [
        ['11:01', '20.00'],
        ['11:02', undefined],
        ['11:04', '20.00'],
      ] as const) {
        await rig.to(`2026-11-21T${time}:05.000Z`);
        await rig.price(131);
        assert.equal(rig.changes[0], change, time);
      }
    });
  }
});

test('the record is asked once a minute for all markets, and a change that it cannot confirm is left out', async (t) => {
  const rig = await Rig.start(t);
  await rig.price(109);
  await rig.to('2026-11-21T10:01:30.000Z');
  await rig.price(109);
  await rig.to('2026-11-21T10:02:30.000Z');
  await rig.price(109);
  await rig.to('2026-11-21T10:03:30.000Z');
  await rig.price(109);
  rig.asked.length = 0;
  await rig.to('2026-11-21T11:01:05.000Z');
  await rig.price(131);
  assert.equal(rig.changes[0], '20.00');
  assert.equal(rig.asked.length, 3);
  await rig.clock.advance(54_000);
  assert.equal(rig.asked.length, 3);
  rig.isUnreadable = true;
  await rig.clock.advance(5_000);
  assert.equal(rig.asked.length, 4, 'the hours are the same');
  assert.deepEqual(rig.changes, [undefined, undefined, undefined]);
  rig.isUnreadable = false;
  await rig.clock.advance(60_000);
  assert.equal(rig.changes[0], '20.00', 'what held at 10:03');
  await rig.clock.advance(60_000);
  await rig.written();
  const from = Date.parse('2026-11-21T11:01:00.000Z') as EpochMs;
  const { rows } = await rig.questions.quotes(BTCEUR, { from, to: (from + 600_000) as EpochMs, limit: 100 });
  const published = rows.map(({ quote }) => quote?.statistics.priceChangePercent1h);
  assert.deepEqual(published, ['0.00', '20.00', undefined, '20.00'], 'each change once');
});

test('a process that records nothing asks a file of others, and makes none', async (t) => {
  const directory = directoryFor(t);
  const configuration = load({ env: { MDAPI_HISTORY_URL: `sqlite:${join(directory, 'history.sqlite')}` } });
  const past = pastPricesOf({ configuration, only: 'feed', clock: new FakeClock() })!;
  t.after(() => past.stop());
  assert.equal(await past.ask('engine', Date.parse('2026-11-21T10:00:00.000Z') as EpochMs), undefined);
  assert.deepEqual(readdirSync(directory), []);
  assert.equal(
    pastPricesOf({ configuration: load({ env: { MDAPI_HISTORY_URL: 'off' } }), clock: new FakeClock() }),
    undefined,
  );
});
