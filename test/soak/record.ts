import { History } from '../support/history.ts';

/** A stretch of time, in milliseconds since the epoch; it has no end yet while it lasts. */
export interface Band {
  readonly kind: 'fault' | 'maintenance';
  readonly what: string;
  readonly fromMs: number;
  toMs: number | undefined;
}

/** Once a second. */
export interface Sample {
  readonly atMs: number;
  readonly residentMb: number;
  readonly heapMb: number;
  readonly connections: number;
  readonly timers: number;
  readonly eventLoopP99Ms: number;
  /** `undefined` while there never was any data. */
  readonly dataAgeS: number | undefined;
  readonly latencyP99Ms: number | undefined;
  readonly answers: number;
}

/** What was left after a full garbage collection. */
export interface LiveMemory {
  readonly atMs: number;
  readonly heapMb: number;
  /** Outside the heap: answers on their way to slow readers above all. */
  readonly buffersMb: number;
}

/** How the feed came back after one fault. */
export interface Recovery {
  readonly what: string;
  readonly clearedAtMs: number;
  /** `undefined` when it did not within the bound. */
  readonly tookMs: number | undefined;
}

/** All that a run has seen. */
export class SoakRecord {
  readonly history = new History();
  readonly bands: Band[] = [];
  readonly samples: Sample[] = [];
  readonly liveMemory: LiveMemory[] = [];
  readonly recoveries: Recovery[] = [];
  /** Answers by what they were: `200`, `304`, `503 SERVICE_MAINTENANCE`. */
  readonly answers = new Map<string, number>();
  /** Requests that got no answer, by the system's code. */
  readonly lost = new Map<string, number>();
  /** What clients that do not read their answers were told: by being cut. */
  readonly cuts = { count: 0 };
  readonly undocumented: string[] = [];
  /** What else was wrong, in plain words. */
  readonly faults: string[] = [];
  readonly keys = { created: 0, revoked: 0, takenMsMax: 0, refusedMsMax: 0 };
  /**
   * Of the market whose every price is known: how late one was dated, and how long one was served after it was
   * replaced.
   */
  readonly known = { answers: 0, datedLateMsMax: 0, behindMsMax: 0, behindDuring: '', faults: [] as string[] };
  /** Milliseconds, all of the run. */
  readonly latencies: number[] = [];
  #thisSecond: number[] = [];

  answered(what: string, tookMs: number): void {
    add(this.answers, what);
    this.latencies.push(tookMs);
    this.#thisSecond.push(tookMs);
  }

  fault(what: string): void {
    this.faults.push(what);
  }

  /** All that was found to be wrong so far. */
  get wrongs(): readonly string[] {
    return [...this.history.faults, ...this.faults, ...this.known.faults, ...this.undocumented];
  }

  lostAnswer(code: string): void {
    add(this.lost, code);
  }

  /** The latencies since it was asked last. */
  takeLatencies(): readonly number[] {
    const latencies = this.#thisSecond;
    this.#thisSecond = [];
    return latencies;
  }

  /** What goes on of this kind, and what ended last where nothing does. */
  running(kind: Band['kind']): string {
    const last = this.bands.findLast((band) => band.kind === kind);
    if (last === undefined) return `before any ${kind}`;
    return last.toMs === undefined ? last.what : `${((Date.now() - last.toMs) / 1000).toFixed(1)} s after ${last.what}`;
  }

  /**
   * How late the event loop of the service ran within the last half minute, at most: what is wrong meanwhile can be the
   * machine's.
   */
  get lateMsLately(): number {
    const lately = this.samples.slice(-30).filter(({ atMs }) => Date.now() - atMs < 30_000);
    return Math.max(0, ...lately.map(({ eventLoopP99Ms }) => eventLoopP99Ms));
  }

  begin(kind: Band['kind'], what: string): Band {
    const band: Band = { kind, what, fromMs: Date.now(), toMs: undefined };
    this.bands.push(band);
    return band;
  }
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
