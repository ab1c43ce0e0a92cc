import type { Clock, EpochMs, Randomness, Timer } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Breaches } from '../store/breaches.ts';
import type { NoticeRecord, NoticeRule, Notices } from '../store/notices.ts';
import { BreachRecorder, type BreachSource } from './breach-recorder.ts';
import { Courier, type CourierCounts } from './courier.ts';
import type { SmtpServer } from './delivery.ts';
import type { Mailbox } from './message.ts';

export interface NotifierOptions {
  readonly store: { readonly breaches: Breaches; readonly notices: Notices };
  readonly source: BreachSource;
  readonly rule: NoticeRule;
  /** `undefined`: notices are recorded and shown to operators, not sent. */
  readonly mail: { readonly server: SmtpServer; readonly from: Mailbox } | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

/** What this process did since it started, and how many notices still wait in the shared outbox. */
export interface NotifierFigures {
  readonly decided: number;
  readonly attempts: CourierCounts;
  readonly pending: number;
  /** Whether the last e-mail could not be sent. */
  readonly isFailing: boolean;
}

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
const noAttempts: CourierCounts = { sent: 0, failed: 0, postponed: 0, unconfirmed: 0 };

/**
 * E-mail notices on repeated breaches (contract, Limits, rule 3): refusals into the database, decided there, sent from
 * there.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #recorder: BreachRecorder;
  readonly #decider: NoticeDecider;
  #courier: Courier | undefined;
  #timer: Timer | undefined;
  #turn: Promise<void> | undefined;
  #failing = false;
  #decided = 0;
  #pending = 0;
  #prunedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: NotifierOptions) {
    const { store, source, rule, mail, clock } = options;
    this.#options = options;
    this.#recorder = new BreachRecorder(source, store.breaches);
    this.#decider = new NoticeDecider({ notices: store.notices, rule, mailed: mail !== undefined, clock });
  }

  /** @param baseUrl where clients reach the service, for links; asked for when an e-mail is written */
  start(baseUrl: () => string): void {
    const { mail, rule, clock, store, log } = this.#options;
    if (mail === undefined) {
      log.warn({}, 'no mail server is configured (mail.smtp): notices to key holders are recorded, not sent');
    } else {
      const place = {
        get baseUrl() {
          return baseUrl();
        },
        atMostEveryMs: rule.atMostEveryMs,
      };
      this.#courier = new Courier({ ...this.#options, ...mail, notices: store.notices, place });
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

  figures(): NotifierFigures {
    return {
      decided: this.#decided,
      attempts: this.#courier?.counts ?? noAttempts,
      pending: this.#pending,
      isFailing: this.#courier?.isFailing ?? false,
    };
  }

  #guardedTurn(): Promise<void> {
    return this.#guarded(async () => {
      const { store, clock, log } = this.#options;
      await this.#recorder.flush(clock.now());
      const made = await this.#decider.decideDue();
      this.#decided += made.length;
      for (const { id, keyId, status } of made)
        log.info({ notice: id, keyId, status }, 'a key breached its limit repeatedly');
      this.#pending = await store.notices.countPending();
      await this.#prune();
    });
  }

  async #prune(): Promise<void> {
    const { store, clock } = this.#options;
    if (clock.monotonicMs() - this.#prunedAtMs < pruneEveryMs) return;
    this.#prunedAtMs = clock.monotonicMs();
    const now = clock.now();
    await store.breaches.prune((now - breachesKeptMs) as typeof now);
    await store.notices.prune((now - noticesKeptMs) as typeof now);
  }

  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#failing = false;
    } catch (error) {
      if (!this.#failing)
        this.#options.log.error({ err: error }, 'breaches of limits cannot be recorded; they are kept');
      this.#failing = true;
    }
  }
}

interface DeciderOptions {
  readonly notices: Pick<Notices, 'decide'>;
  readonly rule: NoticeRule;
  /** Whether notices are sent. Otherwise they are recorded only. */
  readonly mailed: boolean;
  readonly clock: Clock;
}

/** Decides once a minute, when a minute is over and all servers have written their refusals. */
class NoticeDecider {
  readonly #options: DeciderOptions;
  #decidedUpTo: number | undefined;

  constructor(options: DeciderOptions) {
    this.#options = options;
  }

  /**
   * The notices that were due and are made now; none when this minute was decided before. Rejects with the store's
   * error.
   */
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
