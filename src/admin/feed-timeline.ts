import Type from 'typebox';
import { Value } from 'typebox/value';
import type { ServiceBoard } from '../board/service-board.ts';
import type { Clock, EpochMs, Timer } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Snapshots } from '../store/snapshots.ts';

/** How market data arrived: over the live connection, over the fallback, or not at all. */
type FeedState = 'live' | 'fallback' | 'outage';

/** A span in which the feed was in one state. Between two spans the service was not running. */
export interface FeedSpan {
  readonly state: FeedState;
  readonly fromMs: number;
  /** `undefined` for the current span. */
  readonly toMs: number | undefined;
}

const snapshotName = 'feed-timeline';
const sampleEveryMs = 1_000;
/** The end of the last span that a killed process loses. */
const saveEveryMs = 60_000;
const keptMs = 24 * 3_600_000;
/** A feed that flaps every few seconds for a day must not fill the memory: the oldest spans are dropped. */
const spansMax = 1_000;

const stateOf: Readonly<Record<string, FeedState>> = { operational: 'live', degraded: 'fallback' };

/** The states of the feed over the last 24 hours, kept across restarts in a snapshot of its own. */
export class FeedTimeline {
  readonly #service: Pick<ServiceBoard, 'read'>;
  readonly #snapshots: Pick<Snapshots, 'save' | 'load'>;
  readonly #clock: Clock;
  readonly #log: Log;
  #past: { readonly state: FeedState; readonly fromMs: number; readonly toMs: number }[] = [];
  #current: { readonly state: FeedState; readonly fromMs: number } | undefined;
  #savedAtMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;
  #saving: Promise<void> = Promise.resolve();
  #failing = false;

  constructor(
    service: Pick<ServiceBoard, 'read'>,
    snapshots: Pick<Snapshots, 'save' | 'load'>,
    clock: Clock,
    log: Log,
  ) {
    this.#service = service;
    this.#snapshots = snapshots;
    this.#clock = clock;
    this.#log = log;
  }

  /** Loads what was saved and starts recording. A snapshot that cannot be read is ignored. */
  async start(): Promise<void> {
    this.#past = readSpans((await this.#snapshots.load(snapshotName))?.payload);
    this.#sample();
    this.#timer = this.#clock.every(sampleEveryMs, () => this.#sample());
  }

  /** Saves one last time. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    if (this.#timer !== undefined) this.#save(this.#clock.now());
    await this.#saving;
  }

  /** Oldest first, from 24 hours before `now`. */
  spans(now: EpochMs): readonly FeedSpan[] {
    const sinceMs = now - keptMs;
    const all: FeedSpan[] = [...this.#past];
    if (this.#current !== undefined) all.push({ ...this.#current, toMs: undefined });
    return all
      .filter(({ toMs }) => toMs === undefined || toMs > sinceMs)
      .map((span) => ({ ...span, fromMs: Math.max(span.fromMs, sinceMs) }));
  }

  #sample(): void {
    const now = this.#clock.now();
    const state = stateOf[this.#service.read(now).ticker] ?? 'outage';
    if (this.#current?.state !== state) {
      if (this.#current !== undefined) this.#past.push(ended(this.#current, now));
      this.#current = { state, fromMs: now };
      this.#past = this.#past.filter(({ toMs }) => toMs > now - keptMs).slice(-spansMax);
      this.#save(now);
    } else if (this.#clock.monotonicMs() - this.#savedAtMs >= saveEveryMs) {
      this.#save(now);
    }
  }

  #save(now: EpochMs): void {
    this.#savedAtMs = this.#clock.monotonicMs();
    const spans = this.#current === undefined ? this.#past : [...this.#past, ended(this.#current, now)];
    const payload = JSON.stringify({ version: 1, spans });
    this.#saving = this.#saving.then(async () => {
      try {
        await this.#snapshots.save(snapshotName, payload);
        this.#failing = false;
      } catch (error) {
        if (!this.#failing) this.#log.error({ err: error }, 'the feed timeline could not be saved');
        this.#failing = true;
      }
    });
  }
}

/** A wall clock that is set back must not make a span end before it begins. */
function ended(span: { readonly state: FeedState; readonly fromMs: number }, now: EpochMs) {
  return { ...span, toMs: Math.max(span.fromMs, now) };
}

function readSpans(payload: string | undefined): { state: FeedState; fromMs: number; toMs: number }[] {
  if (payload === undefined) return [];
  try {
    const { version, spans } = JSON.parse(payload) as { version?: unknown; spans?: unknown };
    return version === 1 && Array.isArray(spans) ? spans.filter((span) => Value.Check(SpanSchema, span)) : [];
  } catch {
    return [];
  }
}

const SpanSchema = Type.Object({
  state: Type.Enum(['live', 'fallback', 'outage']),
  fromMs: Type.Integer(),
  toMs: Type.Integer(),
});
