import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { EpochMs } from '../../ground/clock.ts';
import { Markets } from '../../market/markets.ts';
import {
  conversionRate,
  decimal,
  everyEuroMarket,
  pricingPolicy,
  upstreamMarket,
  upstreamTicker,
} from '../../market/samples.testing.ts';
import { RecordQuestions } from '../query/questions.ts';
import { type OpenWriter, openWriter } from '../record/open-writer.ts';
import { newRecord, requestKey } from '../record/record.testing.ts';
import { Recorder } from '../record/recorder.ts';
import { openSegments } from '../segment/open-segments.ts';
import type { PublishingFact } from '../segment/rows.ts';
import type { RecordLocation, SegmentStore } from '../segment/segment-store.ts';
import { journalOf } from './journal.ts';

/** A process that records, on a machine of its own: what it published, and its chain of the record. */
class RecordingProcess {
  readonly clock: FakeClock;
  readonly location: RecordLocation;
  readonly store: SegmentStore;
  readonly markets = new Markets(pricingPolicy(), everyEuroMarket);
  chain = 0;
  #open!: OpenWriter;
  #recorder!: Recorder;
  readonly #pieces: Buffer[] = [];
  #isRunning = false;
  #publishing: PublishingFact = false;

  private constructor(clock: FakeClock, location: RecordLocation, store: SegmentStore) {
    this.clock = clock;
    this.location = location;
    this.store = store;
  }

  /** @param location on a database with others, with a journal of its own */
  static async start(t: Pick<TestContext, 'after'>, clock: FakeClock, location: RecordLocation) {
    const process = new RecordingProcess(clock, location, await openSegments(location));
    t.after(async () => {
      if (process.#isRunning) process.kill();
      await process.store.close();
    });
    await process.begin();
    return process;
  }

  /** Starts it: the first time, or after it ended. */
  async begin(): Promise<void> {
    const { store, clock, markets } = this;
    const journalPath = store.journalPath!;
    this.#open = await openWriter({ store, journalPath, requestKey, now: clock.now(), written: () => {} });
    this.chain = this.#open.chain;
    const channel = { send: (piece: Buffer) => void this.#pieces.push(piece) };
    const onStandstill = () => {
      this.#publishing = false;
    };
    this.#recorder = new Recorder({ markets, clock, channel, onStandstill, onGap: () => {} });
    this.#recorder.start([['process', '{"version":"1.0.0","errorsUrl":"https://api.example.com/errors"}']]);
    if (this.#open.gap !== undefined) this.#recorder.fact('gap', '', JSON.stringify(this.#open.gap));
    this.#isRunning = true;
    this.#publishing = false;
    await this.tick();
  }

  /** Says that it makes the prices, or takes them from another from now on. */
  publish(publishing: PublishingFact): void {
    if (this.#publishing !== publishing) this.#recorder.fact('publishing', '', JSON.stringify(publishing));
    this.#publishing = publishing;
  }

  /** Publishes a price of BTCEUR. */
  price(bid: string, capturedAt = this.clock.now()): void {
    if ([...this.markets.catalogue.all()].length === 0) {
      this.markets.catalogueLoaded([upstreamMarket('BTC')], this.clock.now());
      this.markets.rateRefreshed(conversionRate({ refreshedAt: this.clock.now() }));
    }
    const values = { bid: decimal(bid), ask: decimal(`${Number(bid) + 10}`), last: undefined };
    const ticker = upstreamTicker({ ...values, receivedAt: capturedAt });
    const refusal = this.markets.tickerReceived({ ...ticker, upstreamTime: capturedAt });
    assert.equal(refusal, undefined);
    this.#recorder.flush();
  }

  /** Does what the recording thread does once a second. */
  async tick(): Promise<void> {
    await this.#write();
    await this.#open.writer.tick(this.clock.now());
  }

  /** Gives the chains of silent processes, as it knows them. */
  silent(): readonly number[] {
    return this.#open.writer.figures().silent.map(({ chain }) => chain);
  }

  /** Ends it in order. */
  async stop(): Promise<void> {
    this.#recorder.stop();
    await this.#write();
    await this.#open.writer.stop();
    this.#open.release();
    this.#isRunning = false;
  }

  /** Ends it at once. */
  kill(): void {
    this.#recorder.stop();
    this.#pieces.length = 0;
    this.#open.release();
    this.#isRunning = false;
  }

  /** Takes the journal away with its machine, where nobody else can read it. */
  loseMachine(): void {
    rmSync(journalOf(this.store.journalPath!, this.chain));
  }

  async #write(): Promise<void> {
    this.#recorder.flush();
    for (const piece of this.#pieces.splice(0)) await this.#open.writer.take(piece);
  }
}

/** The location of another machine on the same database. */
function elsewhere(location: RecordLocation, name: string): RecordLocation {
  return location.kind === 'sqlite' ? location : { ...location, journalPath: `${location.journalPath}-${name}` };
}

const everything = { from: 0 as EpochMs, to: (10 ** 13) as EpochMs };

/** Two processes that record into one database: the first makes the prices, the second has them 3 ms later. */
export async function twoProcesses(t: Pick<TestContext, 'after'>, from = '2026-11-21T10:00:10.000Z') {
  const { location } = await newRecord(t);
  const clock = new FakeClock(from);
  const leader = await RecordingProcess.start(t, clock, location);
  const follower = await RecordingProcess.start(t, clock, elsewhere(location, 'second'));
  const running = new Set([leader, follower]);
  const published: { readonly at: EpochMs; readonly bid: string }[] = [];
  const questions = new RecordQuestions(follower.store, clock);
  leader.publish(true);
  /** Some seconds with a price each. */
  const pass = async (seconds: number, from = leader, to: readonly RecordingProcess[] = [follower]) => {
    for (let second = 0; second < seconds; second++) {
      clock.jump(500);
      const [at, bid] = [clock.now(), `${84_000 + published.length}`];
      from.price(bid);
      published.push({ at, bid });
      clock.jump(3);
      for (const each of to) each.price(bid, at);
      clock.jump(497);
      for (const each of running) await each.tick();
    }
  };
  const bidAt = async (at: number) => {
    const found = await questions.priceAt('BTCEUR', at as EpochMs, []);
    return found.kind === 'priced' ? found.row.quote!.bid : found.kind;
  };
  /** The price that the record gives for a moment after each was published. */
  const bidsThen = () => Promise.all(published.map(({ at }) => bidAt(at + 10)));
  const quotes = async () => {
    const rows = (await Array.fromAsync(questions.everyQuote(everything, 'BTCEUR'))).flat();
    return rows.flatMap(({ quote }) => quote?.bid ?? []);
  };
  return { location, clock, leader, follower, running, published, questions, pass, bidAt, bidsThen, quotes };
}
