import { type BackoffRange, backoffMs } from '../ground/backoff.ts';
import { type EpochMs, sleep, type Timer } from '../ground/clock.ts';
import { tellingOnce } from '../ground/log.ts';
import type { Sample } from '../ground/metric.ts';
import type { ClaimedDelivery, Deliveries } from '../store/deliveries.ts';
import type { NoticeOutcome } from '../store/outbox.ts';
import { yieldToEvents } from '../store/store-context.ts';
import { domainOf } from './message.ts';
import type { RetryingSender } from './send-mail.ts';
import type { SendOutcome } from './webhook.ts';

/** An outbox with couriers of its own: what waits in another does not wait for them. */
export interface Lane<Name extends string = string> {
  readonly name: Name;
  readonly outbox: Pick<Deliveries, 'claimMany'> & {
    settle(claim: ClaimedDelivery, outcome: NoticeOutcome): Promise<unknown>;
  };
  /** How many attempts are under way at a time, so that a receiver that does not answer does not hold up all others. */
  readonly couriers: number;
  /** The waits between attempts. */
  readonly retry: BackoffRange;
  readonly giveUpAfterMs: number;
}

interface Told<Name extends string> {
  readonly lanes: readonly Lane<Name>[];
  /** The name of a message in the log: `an alert`. */
  readonly noun: string;
  /** How urgent it is in the log that one could not be delivered. */
  readonly failure: 'error' | 'warn';
}

const lookEveryMs = 5_000;
const pruneEveryMs = 3_600_000;
const keptMs = 30 * 86_400_000;
const claimEveryMs = 1_000;
const leaseMs = 120_000;

type AttemptOutcome = NoticeOutcome['status'];

/** Attempts by lane and outcome. `pending` ones are made again. */
export type AttemptCounts<Name extends string> = Readonly<Record<Name, Record<AttemptOutcome, number>>>;

/**
 * Looks every five seconds at what is to be told, and delivers what is in its outboxes meanwhile: each always under the
 * same id, and again until it is accepted. What a process claimed and did not settle is claimed again after a while, by
 * any of them.
 */
export abstract class Teller<Options extends RetryingSender, Name extends string = string> {
  protected readonly options: Options;
  /** Attempts since the start. */
  readonly attempts: AttemptCounts<Name>;
  readonly #told: Told<Name>;
  readonly #stopping = new AbortController();
  #timer: Timer | undefined;
  #turn: Promise<void> | undefined;
  #delivering: readonly Promise<void>[] = [];
  #prunedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: Options, told: Told<Name>) {
    this.options = options;
    this.#told = told;
    const none = () => ({ sent: 0, failed: 0, unconfirmed: 0, pending: 0 });
    this.attempts = Object.fromEntries(told.lanes.map(({ name }) => [name, none()])) as AttemptCounts<Name>;
  }

  /** Puts what is to be told into an outbox. */
  protected abstract look(): Promise<void>;
  /** Drops what is too old of what is kept. */
  protected abstract prune(before: EpochMs): Promise<void>;
  /** Makes one attempt, in a minute at most. One that rejects is made again once its claim is over. */
  protected abstract send(claim: ClaimedDelivery, stopping: AbortSignal): Promise<SendOutcome>;

  /** Without couriers nothing is looked at. */
  start(): void {
    const lanes = this.#told.lanes.filter(({ couriers }) => couriers > 0);
    if (lanes.length === 0) return;
    this.#delivering = lanes.map((lane) => this.#deliver(lane));
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
    await this.prune((this.options.clock.now() - keptMs) as EpochMs);
  }

  async #deliver(lane: Lane<Name>): Promise<void> {
    const { mail } = this.options;
    const options = { leaseMs, messageIdDomain: mail === undefined ? 'localhost' : domainOf(mail.from.address) };
    const claiming = this.#guarded('cannot be taken from the outbox; it is tried again');
    const sending = this.#guarded('cannot be sent or settled; it is tried again');
    const underWay = new Set<Promise<void>>();
    while (!this.#stopping.signal.aborted) {
      let claims: readonly ClaimedDelivery[] = [];
      await claiming(async () => {
        claims = await lane.outbox.claimMany(options, lane.couriers - underWay.size);
      });
      for (const claim of claims) {
        const attempt = sending(() => this.#attempt(lane, claim)).finally(() => underWay.delete(attempt));
        underWay.add(attempt);
      }
      if (claims.length === 0) await sleep(this.options.clock, claimEveryMs, this.#stopping.signal);
      else if (underWay.size >= lane.couriers) await Promise.race(underWay);
      // SQLite answers without leaving the thread: others have their turn.
      await yieldToEvents();
    }
    await Promise.all(underWay);
  }

  async #attempt(lane: Lane<Name>, claim: ClaimedDelivery): Promise<void> {
    const { log } = this.options;
    const { noun, failure } = this.#told;
    const outcome = this.#judged(lane, claim, await this.send(claim, this.#stopping.signal));
    this.attempts[lane.name][outcome.status]++;
    await lane.outbox.settle(claim, outcome);
    const { id, destination, attempts } = claim;
    const fields = { delivery: id, destination, attempts };
    if (outcome.status === 'sent') log.info(fields, `${noun} was delivered`);
    else if (outcome.status !== 'pending')
      log[failure]({ ...fields, reason: outcome.error }, `${noun} could not be delivered, and is not tried again`);
    else if (attempts === 1)
      log.warn({ ...fields, reason: outcome.error }, `${noun} could not be delivered yet; it is tried again`);
  }

  #judged(lane: Lane<Name>, { attempts, createdAt }: ClaimedDelivery, sent: SendOutcome): NoticeOutcome {
    const { retry, giveUpAfterMs } = lane;
    const isStopping = this.#stopping.signal.aborted;
    const now = this.options.clock.now();
    if (sent.kind === 'accepted') return { status: 'sent' };
    if (sent.kind === 'refused') return { status: 'failed', error: sent.reason };
    if (sent.kind === 'unconfirmed') return { status: 'unconfirmed', error: sent.reason };
    if (now - createdAt >= giveUpAfterMs) return { status: 'failed', error: `given up: ${sent.reason}` };
    const ownMs = isStopping ? 0 : backoffMs(this.options.randomness, retry, attempts);
    const delayMs = Math.max(Math.round(ownMs), sent.retryAfterMs ?? 0);
    return { status: 'pending', error: sent.reason, nextAttemptAt: (now + delayMs) as EpochMs };
  }
}

/** Samples of a metric with the labels lane and outcome. */
export function* attemptSamples(attempts: AttemptCounts<string>): Iterable<Sample> {
  for (const [lane, counts] of Object.entries(attempts))
    for (const outcome of ['sent', 'failed', 'unconfirmed', 'pending'] as const) yield [lane, outcome, counts[outcome]];
}
