import type { BreachRecord } from '../access/key-records.ts';
import type { EpochMs, Timer } from '../ground/clock.ts';
import { tellingOnce } from '../ground/log.ts';
import type { MetricGroup } from '../ground/metric.ts';
import type { Breaches } from '../store/breaches.ts';
import type { NoticeRule, Notices } from '../store/notices.ts';
import { Courier } from './courier.ts';
import type { NoticePlace } from './notice-mail.ts';
import type { RetryingSender } from './send-mail.ts';

/** Where refusals are gathered on the request path. */
interface BreachSource {
  /** Takes out what was refused since the last call. */
  drain(now: EpochMs): readonly BreachRecord[];
}

/** Without a mail server notices are recorded and shown to operators, not sent. */
export interface NotifierOptions extends RetryingSender {
  readonly store: { readonly breaches: Breaches; readonly notices: Notices };
  readonly source: BreachSource;
  readonly rule: NoticeRule;
}

/** Counts of what this process did since it started, and of notices that still wait in the shared outbox. */
export type NotifierFigures = ReturnType<Notifier['figures']>;

const minuteMs = 60_000;
/** By then every server on the database has written its refusals of a minute. */
const settledAfterMs = 3_000;
/** Every decision looks again at what another server may have written late. */
const overlapMs = 10 * minuteMs;
/** At its start a process looks at what one that crashed did not decide. */
const firstLookBackMs = 24 * 60 * minuteMs;
const turnEveryMs = 1_000;
const pruneEveryMs = 3_600_000;
const breachesKeptMs = 30 * 86_400_000;
const noticesKeptMs = 365 * 86_400_000;
/** Kept at most while the database cannot be written, about 10 MB; what comes after is dropped. */
const unsavedMax = 100_000;
const noAttempts = { sent: 0, failed: 0, postponed: 0, unconfirmed: 0 };

/**
 * E-mail notices on repeated breaches (contract, Limits, rule 3): refusals into the database, decided there, sent from
 * there.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #recorder: BreachRecorder;
  #courier: Courier | undefined;
  #timer: Timer | undefined;
  #turn: Promise<void> | undefined;
  readonly #guarded: ReturnType<typeof tellingOnce>;
  #decided = 0;
  #decidedUpTo: number | undefined;
  #pending = 0;
  #prunedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#guarded = tellingOnce((err) =>
      options.log.error({ err }, 'breaches of limits cannot be recorded; they are kept'),
    );
    this.#recorder = new BreachRecorder(options.source, options.store.breaches);
  }

  /** @param place as notices name it */
  start(place: NoticePlace): void {
    const { mail, clock, store, log } = this.#options;
    if (mail === undefined) {
      log.warn({}, 'no mail server is configured (mail.smtp): notices to key holders are recorded, not sent');
    } else {
      this.#courier = new Courier({ ...this.#options, mail, notices: store.notices, place });
      this.#courier.start();
    }
    this.#timer = clock.every(turnEveryMs, () => {
      this.#turn ??= this.#guardedTurn().finally(() => {
        this.#turn = undefined;
      });
    });
  }

  /** Records what is left to record, also when it was never started. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#courier?.stop();
    await this.#turn;
    await this.#guarded(() => this.#recorder.flush(this.#options.clock.now()));
  }

  figures() {
    return {
      decided: this.#decided,
      attempts: this.#courier?.counts ?? noAttempts,
      pending: this.#pending,
      /** Whether the last e-mail could not be sent. */
      isFailing: this.#courier?.isFailing ?? false,
    };
  }

  #guardedTurn(): Promise<void> {
    return this.#guarded(async () => {
      const { store, clock } = this.#options;
      await this.#recorder.flush(clock.now());
      await this.#decideDue();
      this.#pending = await store.notices.countPending();
      await this.#prune();
    });
  }

  /** Decides once a minute, when a minute is over and all servers have written their refusals. */
  async #decideDue(): Promise<void> {
    const { store, rule, mail, clock, log } = this.#options;
    const settledMs = clock.now() - settledAfterMs;
    const upToMinute = (settledMs - (settledMs % minuteMs) - minuteMs) as EpochMs;
    if (upToMinute === this.#decidedUpTo) return;
    const afterMinute = this.#afterMinute(upToMinute);
    const made = await store.notices.decide({ rule, mailed: mail !== undefined, upToMinute, afterMinute });
    this.#decidedUpTo = upToMinute;
    this.#decided += made.length;
    for (const { id, keyId, status } of made)
      log.info({ notice: id, keyId, status }, 'a key breached its limit repeatedly');
  }

  /** The wall clock may have gone back: then the earlier of the two counts. */
  #afterMinute(upToMinute: EpochMs): EpochMs {
    if (this.#decidedUpTo === undefined) return (upToMinute - firstLookBackMs) as EpochMs;
    return (Math.min(this.#decidedUpTo, upToMinute) - overlapMs) as EpochMs;
  }

  async #prune(): Promise<void> {
    const { store, clock } = this.#options;
    if (clock.monotonicMs() - this.#prunedAtMs < pruneEveryMs) return;
    this.#prunedAtMs = clock.monotonicMs();
    const now = clock.now();
    await store.breaches.prune((now - breachesKeptMs) as typeof now);
    await store.notices.prune((now - noticesKeptMs) as typeof now);
  }
}

/** Writes refusals to the database. What could not be written is written with the next that can. */
export class BreachRecorder {
  readonly #source: BreachSource;
  readonly #breaches: Pick<Breaches, 'add'>;
  readonly #unsavedMax: number;
  #unsaved = new Map<string, BreachRecord>();

  constructor(source: BreachSource, breaches: Pick<Breaches, 'add'>, limit: number = unsavedMax) {
    this.#source = source;
    this.#breaches = breaches;
    this.#unsavedMax = limit;
  }

  /** Rejects with the store's error, and loses nothing by it. Calls must not overlap. */
  async flush(now: EpochMs): Promise<void> {
    for (const count of this.#source.drain(now)) {
      const name = `${count.minuteStart} ${count.keyId}`;
      const known = this.#unsaved.get(name);
      if (known !== undefined) this.#unsaved.set(name, { ...count, refused: known.refused + count.refused });
      else if (this.#unsaved.size < this.#unsavedMax) this.#unsaved.set(name, count);
    }
    if (this.#unsaved.size === 0) return;
    await this.#breaches.add([...this.#unsaved.values()]);
    this.#unsaved = new Map();
  }
}

export const noticeMetrics: MetricGroup<NotifierFigures> = {
  title: 'Notices',
  metrics: [
    {
      name: 'notices_decided_total',
      help: 'Notices to key holders that this process decided.',
      read: ({ decided }) => decided,
    },
    {
      name: 'notice_attempts_total',
      help: 'Attempts to send a notice, by outcome.',
      labels: ['outcome'],
      read: ({ attempts }) => ({ ...attempts }),
    },
    {
      name: 'notices_pending',
      help: 'Notices in the outbox that are still to be sent, of all processes.',
      read: ({ pending }) => pending,
    },
  ],
};
