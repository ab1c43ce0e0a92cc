import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';
import type { ServiceBoard } from '../board/service-board.ts';
import type { Clock, EpochMs, Timer } from '../ground/clock.ts';
import { type Log, tellingOnce } from '../ground/log.ts';
import { SerialQueue } from '../ground/serial-queue.ts';
import type { FeedState } from '../market/service-status.ts';
import type { Snapshots } from '../store/snapshots.ts';

interface TimelineParts {
  readonly service: Pick<ServiceBoard, 'read'>;
  readonly snapshots: Pick<Snapshots, 'save' | 'load'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** How market data arrived in a span: over the live connection, over the fallback, or not at all. */
const SpanSchema = Type.Object({
  state: Type.Enum(['live', 'fallback', 'silent']),
  fromMs: Type.Integer(),
  toMs: Type.Integer(),
});
const SnapshotSchema = Type.Object({ version: Type.Literal(2), spans: Type.Array(SpanSchema) });
/** Version 1 called silence an outage, which the status of clients is only once it has lasted. */
const FormerSchema = Type.Object({
  version: Type.Literal(1),
  spans: Type.Array(Type.Object({ ...SpanSchema.properties, state: Type.Enum(['live', 'fallback', 'outage']) })),
});

type Span = Static<typeof SpanSchema>;

const snapshotName = 'feed-timeline';
const sampleEveryMs = 1_000;
/** The end of the last span that a killed process loses. */
const saveEveryMs = 60_000;
const keptMs = 24 * 3_600_000;
/** A feed that flaps every few seconds for a day must not fill the memory: the oldest spans are dropped. */
const spansMax = 1_000;

const stateOf: Readonly<Record<FeedState, Span['state']>> = {
  operational: 'live',
  degraded: 'fallback',
  outage: 'silent',
};

/**
 * The states of the feed over the last 24 hours, kept across restarts in a snapshot of its own. Between two spans the
 * service was not running.
 */
export class FeedTimeline {
  readonly #parts: TimelineParts;
  /** The current one is the last, and ends with the latest sample. */
  #spans: Span[] = [];
  #current: Span | undefined;
  #timers: readonly Timer[] = [];
  readonly #saving = new SerialQueue();
  readonly #guarded: ReturnType<typeof tellingOnce>;

  constructor(parts: TimelineParts) {
    this.#parts = parts;
    this.#guarded = tellingOnce((err) => parts.log.error({ err }, 'the feed timeline could not be saved'));
  }

  /** Loads what was saved and starts recording. A snapshot that cannot be read is ignored. */
  async start(): Promise<void> {
    const { snapshots, clock } = this.#parts;
    this.#spans = readSpans((await snapshots.load(snapshotName))?.payload);
    this.#sample();
    this.#timers = [clock.every(sampleEveryMs, () => this.#sample()), clock.every(saveEveryMs, () => this.#save())];
  }

  /** Saves one last time. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) timer.cancel();
    if (this.#timers.length > 0) {
      this.#sample();
      this.#save();
    }
    await this.#saving.idle();
  }

  /** Oldest first, from 24 hours before `now`; `toMs` is `undefined` for the current span. */
  spans(now: EpochMs) {
    const sinceMs = now - keptMs;
    return this.#spans
      .filter(({ toMs }) => toMs > sinceMs)
      .map((span) => ({
        state: span.state,
        fromMs: Math.max(span.fromMs, sinceMs),
        toMs: span === this.#current ? undefined : span.toMs,
      }));
  }

  #sample(): void {
    const { service, clock } = this.#parts;
    const now = clock.now();
    const { ticker, flow } = service.read(now);
    const state = flow.state === 'silent' ? 'silent' : stateOf[ticker];
    // A wall clock that is set back must not make a span end before it begins.
    if (this.#current !== undefined) this.#current.toMs = Math.max(this.#current.fromMs, now);
    if (this.#current?.state === state) return;
    // Before its start this process saw nothing.
    const since = this.#current !== undefined && flow.state === 'silent' ? flow.since : undefined;
    const fromMs = since === undefined ? now : this.#cutAt(since);
    this.#current = { state, fromMs, toMs: now };
    this.#spans = this.#spans.filter(({ toMs }) => toMs > now - keptMs).slice(-spansMax);
    this.#spans.push(this.#current);
    this.#save();
  }

  /** Takes back what was noted after an instant: silence shows only after seconds, and nothing arrived in these. */
  #cutAt(atMs: number): number {
    this.#spans = this.#spans.filter(({ fromMs }) => fromMs < atMs);
    const last = this.#spans.at(-1);
    if (last !== undefined) last.toMs = Math.min(last.toMs, atMs);
    return atMs;
  }

  #save(): void {
    const payload = JSON.stringify({ version: 2, spans: this.#spans });
    void this.#saving.run(() => this.#guarded(() => this.#parts.snapshots.save(snapshotName, payload)));
  }
}

function readSpans(payload = ''): Span[] {
  try {
    const snapshot: unknown = JSON.parse(payload);
    if (Value.Check(SnapshotSchema, snapshot)) return snapshot.spans;
    if (!Value.Check(FormerSchema, snapshot)) return [];
    return snapshot.spans.map((span) => ({ ...span, state: span.state === 'outage' ? 'silent' : span.state }));
  } catch {
    return [];
  }
}
