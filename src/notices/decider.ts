import type { Clock, EpochMs } from '../clock.ts';
import type { NoticeRecord, NoticeRule, Notices } from '../store/notices.ts';

export interface DeciderOptions {
  readonly notices: Pick<Notices, 'decide'>;
  readonly rule: NoticeRule;
  /** Whether notices are sent. Otherwise they are recorded only. */
  readonly mailed: boolean;
  readonly clock: Clock;
}

const minuteMs = 60_000;
/** Every server on the database has written its refusals of a minute so long after it. */
const settledAfterMs = 3_000;
/** Looked at again with every decision: what another server wrote late. */
const overlapMs = 10 * minuteMs;
/** Looked at when the process starts: what one that crashed did not come to decide. */
const firstLookBackMs = 24 * 60 * minuteMs;

/** Decides once a minute, when a minute is over and all servers have told of it. */
export class NoticeDecider {
  readonly #options: DeciderOptions;
  #decidedUpTo: number | undefined;

  constructor(options: DeciderOptions) {
    this.#options = options;
  }

  /** The notices that were due and are made now; none when this minute was decided before. Rejects with what the database said. */
  async decideDue(): Promise<readonly NoticeRecord[]> {
    const { notices, rule, mailed, clock } = this.#options;
    const settledMs = clock.now() - settledAfterMs;
    const upToMinute = (settledMs - (settledMs % minuteMs) - minuteMs) as EpochMs;
    if (upToMinute === this.#decidedUpTo) return [];
    const afterMinute = this.#afterMinute(upToMinute);
    const made = await notices.decide({ rule, mailed, upToMinute, afterMinute });
    this.#decidedUpTo = upToMinute;
    return made;
  }

  /** The wall clock may have gone back: then the earlier of the two counts. */
  #afterMinute(upToMinute: EpochMs): EpochMs {
    if (this.#decidedUpTo === undefined) return (upToMinute - firstLookBackMs) as EpochMs;
    return (Math.min(this.#decidedUpTo, upToMinute) - overlapMs) as EpochMs;
  }
}
