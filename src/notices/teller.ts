import { backoffMs } from '../ground/backoff.ts';
import { type EpochMs, sleep, type Timer } from '../ground/clock.ts';
import { tellingOnce } from '../ground/log.ts';
import type { ClaimedDelivery, Deliveries } from '../store/deliveries.ts';
import type { NoticeOutcome } from '../store/outbox.ts';
import { domainOf } from './message.ts';
import type { RetryingSender } from './send-mail.ts';
import type { SendOutcome } from './webhook.ts';

interface Told {
  readonly outbox: Pick<Deliveries, 'claim' | 'settle' | 'prune'>;
  /** The name of a message in the log: `an alert`. */
  readonly noun: string;
  /**
   * How many are sent at a time, so that a receiver that does not answer does not hold up all others; 0: nothing is
   * told.
   */
  readonly couriers: number;
}

const lookEveryMs = 5_000;
const pruneEveryMs = 3_600_000;
const keptMs = 30 * 86_400_000;
const claimEveryMs = 1_000;
const leaseMs = 120_000;
const retryRange = { minMs: 5_000, maxMs: 600_000, jitter: 'equal' } as const;
const giveUpAfterMs = 3 * 86_400_000;

/**
 * Looks every five seconds at what is to be told, and delivers what is in an outbox meanwhile: each always under the
 * same id, and again until it is accepted. What a process claimed and did not settle is claimed again after a while, by
 * any of them.
 */
export abstract class Teller<Options extends RetryingSender> {
  protected readonly options: Options;
  readonly #told: Told;
  readonly #stopping = new AbortController();
  #timer: Timer | undefined;
  #turn: Promise<void> | undefined;
  #delivering: readonly Promise<void>[] = [];
  #prunedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: Options, told: Told) {
    this.options = options;
    this.#told = told;
  }

  /** Puts what is to be told into the outbox. */
  protected abstract look(): Promise<void>;
  /** Drops what is too old of what is kept besides. */
  protected prune?(): Promise<void>;
  /** Makes one attempt, in a minute at most. One that rejects is made again once its claim is over. */
  protected abstract send(claim: ClaimedDelivery, stopping: AbortSignal): Promise<SendOutcome>;

  start(): void {
    if (this.#told.couriers === 0) return;
    this.#delivering = Array.from({ length: this.#told.couriers }, () => this.#deliver());
    const guarded = this.#guarded('cannot be kept; it is looked at again');
    this.#timer = this.options.clock.every(lookEveryMs, () => {
      this.#turn ??= guarded(() => this.#lookAndPrune()).finally(() => {
        this.#turn = undefined;
      });
    });
  }

  /** Aborts the attempts that are under way, which are made again. */
  async stop(): Promise<void> {
    this.#timer?.cancel();
    this.#stopping.abort();
    await Promise.all([this.#turn, ...this.#delivering]);
  }

  #guarded(fault: string) {
    return tellingOnce((err) => this.options.log.error({ err }, `${this.#told.noun} ${fault}`));
  }

  async #lookAndPrune(): Promise<void> {
    await this.look();
    const nowMs = this.options.clock.monotonicMs();
    if (nowMs - this.#prunedAtMs < pruneEveryMs) return;
    this.#prunedAtMs = nowMs;
    await this.#told.outbox.prune((this.options.clock.now() - keptMs) as EpochMs);
    await this.prune?.();
  }

  async #deliver(): Promise<void> {
    const guarded = this.#guarded('cannot be taken from the outbox; it is tried again');
    while (!this.#stopping.signal.aborted) {
      let found = false;
      await guarded(async () => {
        found = await this.#sendNext();
      });
      if (!found) await sleep(this.options.clock, claimEveryMs, this.#stopping.signal);
    }
  }

  /** Whether there was something to send. */
  async #sendNext(): Promise<boolean> {
    const { mail, log } = this.options;
    const { outbox, noun } = this.#told;
    const messageIdDomain = mail === undefined ? 'localhost' : domainOf(mail.from.address);
    const claim = await outbox.claim({ leaseMs, messageIdDomain });
    if (claim === undefined) return false;
    const outcome = this.#judged(claim, await this.send(claim, this.#stopping.signal));
    await outbox.settle(claim, outcome);
    const { id, destination, attempts } = claim;
    const fields = { delivery: id, destination, attempts };
    if (outcome.status === 'sent') log.info(fields, `${noun} was delivered`);
    else if (outcome.status !== 'pending')
      log.error({ ...fields, reason: outcome.error }, `${noun} could not be delivered, and is not tried again`);
    else if (attempts === 1)
      log.warn({ ...fields, reason: outcome.error }, `${noun} could not be delivered yet; it is tried again`);
    return true;
  }

  #judged({ attempts, createdAt }: ClaimedDelivery, sent: SendOutcome): NoticeOutcome {
    const now = this.options.clock.now();
    if (sent.kind === 'accepted') return { status: 'sent' };
    if (sent.kind === 'refused') return { status: 'failed', error: sent.reason };
    if (sent.kind === 'unconfirmed') return { status: 'unconfirmed', error: sent.reason };
    if (now - createdAt >= giveUpAfterMs) return { status: 'failed', error: `given up: ${sent.reason}` };
    const ownMs = this.#stopping.signal.aborted ? 0 : backoffMs(this.options.randomness, retryRange, attempts);
    const delayMs = Math.max(Math.round(ownMs), sent.retryAfterMs ?? 0);
    return { status: 'pending', error: sent.reason, nextAttemptAt: (now + delayMs) as EpochMs };
  }
}
