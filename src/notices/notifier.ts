import type { Clock, Randomness, Timer } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Breaches } from '../store/breaches.ts';
import type { NoticeRule, Notices } from '../store/notices.ts';
import { BreachRecorder, type BreachSource } from './breach-recorder.ts';
import { Courier, type CourierCounts } from './courier.ts';
import { NoticeDecider } from './decider.ts';
import type { Mailbox } from './message.ts';
import type { SmtpServer } from './smtp-server.ts';

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
}

const turnEveryMs = 1_000;
const pruneEveryMs = 3_600_000;
const breachesKeptMs = 30 * 86_400_000;
const noticesKeptMs = 365 * 86_400_000;
const noAttempts: CourierCounts = { sent: 0, failed: 0, postponed: 0, unconfirmed: 0 };

/** E-mail notices on repeated breaches (contract, Limits, rule 3): refusals into the database, decided there, sent from there. */
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

  /** Writes down what is left to write. Stopping one that was not started does that too. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    await this.#courier?.stop();
    await this.#turn;
    await this.#guarded(() => this.#recorder.flush(this.#options.clock.now()));
  }

  figures(): NotifierFigures {
    return { decided: this.#decided, attempts: this.#courier?.counts ?? noAttempts, pending: this.#pending };
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
        this.#options.log.error({ err: error }, 'breaches of limits cannot be written down; they are kept');
      this.#failing = true;
    }
  }
}
