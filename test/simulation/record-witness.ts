import type { EpochMs } from '../../src/ground/clock.ts';
import { verifyRecord } from '../../src/history/query/verify.ts';
import { rebuildAnswer } from '../../src/history/reading/bodies.ts';
import type { Coverage } from '../../src/history/reading/coverage.ts';
import { RecordReader } from '../../src/history/reading/record-reader.ts';
import { openSegments } from '../../src/history/segment/open-segments.ts';
import { after } from '../../src/history/segment/rows.ts';
import type { Witnessed } from './clients.ts';
import type { Findings } from './rules.ts';
import { epochMs } from './scheduler.ts';
import type { ServiceProcess } from './service-process.ts';
import { theWorld } from './world.ts';

interface Kept {
  readonly answer: Witnessed;
  /** Whether all clocks were right. */
  readonly isTimed: boolean;
  readonly process: ServiceProcess;
  /** How often its process had been disturbed, and the disk, when it answered. */
  readonly disturbances: string;
}

/** One answer of so many is looked up again. */
const keptEvery = 10;
/** What a process had noted and not written when it ended is in no record: it says where that begins. */
const writtenWithinMs = 5_000;
/**
 * What the record says of an instant was served then by one process or another, which know of a price and of a hold a
 * moment apart.
 */
const apartMs = 2_000;
const agedMs = 20_000;

/** Keeps some of the answers, and has the record build them again at the end. */
export class RecordWitness {
  readonly #path: string;
  readonly #findings: Findings;
  readonly #kept: Kept[] = [];
  #seen = 0;

  constructor(path: string, findings: Findings) {
    this.#path = path;
    this.#findings = findings;
  }

  /** @param isTimed whether the clocks of all processes are right */
  saw(answer: Witnessed, process: ServiceProcess, isTimed: boolean): void {
    // Of a key that the service does not know, or not yet, nothing is recorded.
    const isOfKey = answer.status !== 401 && (answer.status !== 429 || answer.body.includes('"detail":"API key'));
    if (!isOfKey || ++this.#seen % keptEvery !== 0) return;
    // What waited in a process that stood still is answered all at once.
    const isSteady = answer.answeredAtMs - process.disturbedAtMs > writtenWithinMs;
    const isPrompt = answer.answeredAtMs - answer.askedAtMs < apartMs;
    const kept = { answer, process, isTimed: isTimed && isSteady && isPrompt, disturbances: disturbancesOf(process) };
    theWorld()
      .scheduler.lane('auditor')
      .later(writtenWithinMs, () => {
        if (disturbancesOf(process) === kept.disturbances && isSound()) this.#kept.push(kept);
      });
  }

  async compare(): Promise<void> {
    const store = await openSegments({ kind: 'sqlite', path: this.#path });
    const reader = new RecordReader(store);
    const coverage = await reader.coverage(theWorld().lane.clock.now());
    for (const { answer, isTimed } of this.#kept) {
      if (isTimed && answer.target === '/v1/tickers' && answer.status === 200)
        await this.#comparePast(reader, coverage, answer);
      const found = await reader.findServing(answer.headers['x-request-id'] ?? '');
      const rebuilt = found && (await rebuildAnswer(reader, found));
      const what =
        found === undefined ? 'is not recorded' : rebuilt === undefined ? 'cannot be built again' : 'is another';
      this.#findings.check(
        'recorded',
        rebuilt?.body === answer.shown,
        () => `${answer.by} ${answer.target} ${answer.status} of ${answer.answeredAtMs} ${what}`,
      );
    }
    const { finding } = await verifyRecord(store, () => {});
    this.#findings.check('seals hold', finding === undefined, () => JSON.stringify(finding));
    await store.close();
  }

  /**
   * What the record says was the price then has to be as new as what was served. That of a process that is cut off can
   * be older.
   */
  async #comparePast(reader: RecordReader, coverage: Coverage, answer: Witnessed): Promise<void> {
    const servedAt = epochMs + answer.answeredAtMs;
    for (const { symbol, timestampMs } of JSON.parse(answer.body).tickers as Ticker[]) {
      const told: (number | undefined)[] = [];
      for (const at of [servedAt, servedAt - apartMs, servedAt + apartMs] as EpochMs[])
        for (const chain of coverage.chainsAt(at).slice(0, 1))
          told.push((await reader.lastQuote(chain, symbol, after({ at })))?.quote?.capturedAt);
      if (told.length < 3) continue;
      const isAsNew = told.some((capturedAt) => (capturedAt ?? 0) >= timestampMs - agedMs);
      const what = `${answer.by} served ${symbol} of ${timestampMs} at ${servedAt}, the record has ${told.join(', ')}`;
      this.#findings.check('past price', isAsNew, () => what);
    }
  }
}

interface Ticker {
  readonly symbol: string;
  readonly timestampMs: number;
}

function disturbancesOf(process: ServiceProcess): string {
  return `${process.disturbedAtMs} ${isSound()}`;
}

function isSound(): boolean {
  const { isFull, syncMs } = theWorld().disk;
  return !isFull && syncMs === 1;
}
