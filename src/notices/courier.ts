import { backoffMs } from '../ground/backoff.ts';
import { type EpochMs, sleep } from '../ground/clock.ts';
import type { ClaimedNotice, Notices } from '../store/notices.ts';
import type { NoticeOutcome } from '../store/outbox.ts';
import { type Delivery, deliver } from './delivery.ts';
import { composeMessage, domainOf, mailableAddress } from './message.ts';
import { breachMail, type NoticePlace } from './notice-mail.ts';
import type { RetryingSender } from './send-mail.ts';

export interface CourierOptions extends RetryingSender {
  readonly mail: NonNullable<RetryingSender['mail']>;
  readonly notices: Pick<Notices, 'claim' | 'beginSending' | 'settle'>;
  readonly place: NoticePlace;
}

const lookEveryMs = 1_000;
/**
 * After the lease another server may claim the notice; an attempt that has not come to the message's end is aborted
 * before.
 */
const leaseMs = 120_000;
const attemptTimeoutMs = leaseMs - 10_000;
/** From the message's end on no other server claims it while an answer may still come. */
const answerLeaseMs = 15 * 60_000;
const retryRange = { minMs: 30_000, maxMs: 3_600_000, jitter: 'equal' } as const;
/** The time for which mail servers themselves keep trying (RFC 5321 §4.5.4.1). */
const giveUpAfterMs = 4 * 86_400_000;
const stopTimeoutMs = 5_000;

const failureMessages = {
  pending: 'a notice could not be sent yet; it is tried again',
  failed: 'a notice could not be sent, and is not tried again',
  unconfirmed: 'whether a notice was accepted is not known; it is not sent again',
} as const;

/**
 * Sends what is in the outbox, one notice after another. Several couriers, in one process or in many, share the outbox:
 * each notice is claimed for a while, and the claim is confirmed just before the end of the message is sent. A crash
 * before that loses nothing and sends nothing; after it, until the answer is recorded, the notice is `unconfirmed` and
 * not sent again.
 */
export class Courier {
  readonly #options: CourierOptions;
  readonly #stopping = new AbortController();
  readonly #abort = new AbortController();
  /** Attempts by how they ended, since the start. `postponed` ones are made again. */
  readonly counts = { sent: 0, failed: 0, postponed: 0, unconfirmed: 0 };
  /** Whether the last attempt did not get its e-mail off. */
  isFailing = false;
  #running: Promise<void> = Promise.resolve();
  /** Attempts in a row that failed for the server, not for the message. */
  #serverFaults = 0;
  #storeFailing = false;
  /** The end of a message may be on its way: only its answer shows whether it was accepted. */
  #isEnding = false;

  constructor(options: CourierOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Aborts an attempt that can still be aborted, and waits a little for the answer to one that cannot. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    if (!this.#isEnding) this.#abort.abort();
    const timeout = this.#options.clock.after(stopTimeoutMs, () => this.#abort.abort());
    await this.#running;
    timeout.cancel();
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    while (!this.#stopping.signal.aborted) {
      const found = await this.#sendNext();
      const isWaiting = this.#serverFaults > 0;
      if (found && !isWaiting) continue;
      const pauseMs = isWaiting ? this.#backoffMs(this.#serverFaults) : lookEveryMs;
      await sleep(clock, pauseMs, this.#stopping.signal);
    }
  }

  /** Whether there was something to send. Never rejects. */
  async #sendNext(): Promise<boolean> {
    const { notices, mail, log } = this.#options;
    try {
      const claim = await notices.claim({ leaseMs, messageIdDomain: domainOf(mail.from.address) });
      this.#storeFailing = false;
      if (claim === undefined) return false;
      await this.#attempt(claim);
      return true;
    } catch (error) {
      if (!this.#storeFailing) log.error({ err: error }, 'the outbox of notices cannot be read; it is tried again');
      this.#storeFailing = true;
      return false;
    }
  }

  async #attempt(claim: ClaimedNotice): Promise<void> {
    const recipient = claim.accountEmail === undefined ? undefined : mailableAddress(claim.accountEmail);
    if (recipient === undefined) {
      const error = claim.accountEmail === undefined ? 'the account is gone' : 'no mail can be sent to this address';
      return this.#settle(claim, { status: 'failed', error });
    }
    const delivery = await this.#deliver(claim, recipient);
    this.#serverFaults = delivery.kind === 'postponed' && delivery.serverFault ? this.#serverFaults + 1 : 0;
    if (delivery.kind === 'withdrawn') {
      this.#options.log.warn({ notice: claim.id }, 'another server has taken over a notice; it was not sent from here');
      return;
    }
    await this.#settle(claim, this.#outcomeOf(claim, delivery));
  }

  async #deliver(claim: ClaimedNotice, to: string): Promise<Delivery> {
    const { notices, mail, place, clock } = this.#options;
    const { smtp: server, from } = mail;
    const head = { from, to, messageId: claim.messageId, date: clock.now() };
    const message = await composeMessage(breachMail(claim.figures, place, claim.language), head);
    const tooLate = new AbortController();
    const timeout = clock.after(attemptTimeoutMs, () => tooLate.abort());
    const signal = AbortSignal.any([this.#abort.signal, tooLate.signal]);
    let asked: Promise<boolean> | undefined;
    const mayEnd = () => {
      timeout.cancel();
      this.#isEnding = true;
      asked = notices.beginSending(claim, answerLeaseMs);
      return asked;
    };
    try {
      return await deliver({ server, envelope: { from: from.address, to }, message, mayEnd, signal });
    } finally {
      timeout.cancel();
      // Must be written before what is recorded next.
      await asked?.catch(() => {});
      this.#isEnding = false;
    }
  }

  #outcomeOf(
    { attempts, createdAt }: ClaimedNotice,
    delivery: Exclude<Delivery, { kind: 'withdrawn' }>,
  ): NoticeOutcome {
    switch (delivery.kind) {
      case 'accepted':
        return { status: 'sent' };
      case 'refused':
        return { status: 'failed', error: delivery.reason };
      case 'unanswered':
        return { status: 'unconfirmed', error: delivery.reason };
      case 'postponed': {
        const now = this.#options.clock.now();
        if (now - createdAt >= giveUpAfterMs) return { status: 'failed', error: `given up: ${delivery.reason}` };
        const delayMs = this.#stopping.signal.aborted ? 0 : this.#backoffMs(attempts);
        return { status: 'pending', error: delivery.reason, nextAttemptAt: (now + delayMs) as EpochMs };
      }
    }
  }

  /**
   * Tries until it succeeds or the courier stops: what is not recorded here is `unconfirmed` for every other server.
   */
  async #settle(claim: ClaimedNotice, outcome: NoticeOutcome): Promise<void> {
    const { notices, clock, log } = this.#options;
    for (let failing = false; ; failing = true) {
      try {
        await notices.settle(claim, outcome);
        break;
      } catch (error) {
        if (!failing)
          log.error({ err: error, notice: claim.id }, 'how a notice was sent cannot be recorded; it is tried again');
        if (this.#stopping.signal.aborted) return;
        await sleep(clock, lookEveryMs, this.#stopping.signal);
      }
    }
    this.#report(claim, outcome);
  }

  #report({ id, keyId, attempts }: ClaimedNotice, outcome: NoticeOutcome): void {
    const { log } = this.#options;
    this.isFailing = outcome.status !== 'sent';
    this.counts[outcome.status === 'pending' ? 'postponed' : outcome.status]++;
    const fields = { notice: id, keyId, attempts };
    if (outcome.status === 'sent') log.info(fields, 'a notice was sent');
    else log.warn({ ...fields, reason: outcome.error }, failureMessages[outcome.status]);
  }

  /** @param failures 1 or more */
  #backoffMs(failures: number): number {
    return Math.round(backoffMs(this.#options.randomness, retryRange, failures));
  }
}
