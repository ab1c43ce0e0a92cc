import type { FeedHealth } from '../feed/health.ts';
import type { Clock, Timer } from '../ground/clock.ts';

export const trendMinutesMax = 60;
const sampleEveryMs = 1_000;
const minuteMs = 60_000;

/** The health that a trend is made of. */
type Health = Pick<FeedHealth, 'connection' | 'lastLiveDataAgeMs'>;

interface Sources {
  sources(): readonly { readonly id: string; readonly health: Health }[];
}

/** How long live data of a source stayed away at worst in each minute; `null` where its connection was never open. */
type Trend = (number | null)[];

/** The last hour of each source, minute by minute, in the process that runs the feed. Lost when the process ends. */
export class SourceTrends {
  readonly #feed: Sources;
  readonly #clock: Pick<Clock, 'monotonicMs' | 'every'>;
  readonly #trends = new Map<string, Trend>();
  readonly #timer: Timer;
  #minute: number;

  constructor(feed: Sources, clock: Pick<Clock, 'monotonicMs' | 'every'>) {
    this.#feed = feed;
    this.#clock = clock;
    this.#minute = Math.floor(clock.monotonicMs() / minuteMs);
    this.#timer = clock.every(sampleEveryMs, () => this.#sample());
  }

  /** Oldest first, the current minute last. */
  of(source: string): Trend {
    return [...(this.#trends.get(source) ?? [])];
  }

  stop(): void {
    this.#timer.cancel();
  }

  #sample(): void {
    const minute = Math.floor(this.#clock.monotonicMs() / minuteMs);
    const begun = Array<null>(Math.min(minute - this.#minute, trendMinutesMax)).fill(null);
    this.#minute = minute;
    const sources = this.#feed.sources();
    for (const id of this.#trends.keys()) if (!sources.some((each) => each.id === id)) this.#trends.delete(id);
    for (const { id, health } of sources) {
      const trend = [...(this.#trends.get(id) ?? [null]), ...begun].slice(-trendMinutesMax);
      const { connection, lastLiveDataAgeMs: ageMs } = health;
      const isSeen = connection === 'open' || trend.at(-1) !== null;
      if (isSeen && ageMs !== undefined) trend.push(Math.max(trend.pop() ?? 0, Math.round(ageMs)));
      this.#trends.set(id, trend);
    }
  }
}
