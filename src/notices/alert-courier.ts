import { backoffMs } from '../backoff.ts';
import { type Clock, type EpochMs, type Randomness, sleep } from '../clock.ts';
import { type Log, tellingOnce } from '../log.ts';
import type { ClaimedDelivery, Deliveries } from '../store/deliveries.ts';
import type { NoticeOutcome } from '../store/outbox.ts';
import type { WebhookOutcome } from './webhook.ts';

interface AlertCourierOptions {
  readonly deliveries: Pick<Deliveries, 'claim' | 'settle'>;
  readonly messageIdDomain: string;
  /** Makes one attempt, in a minute at most. Never rejects. */
  readonly send: (delivery: ClaimedDelivery, stopping: AbortSignal) => Promise<WebhookOutcome>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

const lookEveryMs = 1_000;
const leaseMs = 120_000;
const retryRange = { minMs: 5_000, maxMs: 600_000, jitter: 'equal' } as const;
const giveUpAfterMs = 3 * 86_400_000;

/**
 * Delivers what is in the outbox of alerts: each at least once, always under the same id, and again until it is accepted. One that a process claimed
 * and did not settle is claimed again after a while, by any of them.
 */
export class AlertCourier {
  readonly #options: AlertCourierOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: AlertCourierOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Aborts the attempt that is under way, which is made again. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { clock, log } = this.#options;
    const guarded = tellingOnce((err) => log.error({ err }, 'the outbox of alerts cannot be used; it is tried again'));
    while (!this.#stopping.signal.aborted) {
      let found = false;
      await guarded(async () => {
        found = await this.#sendNext();
      });
      if (!found) await sleep(clock, lookEveryMs, this.#stopping.signal);
    }
  }

  /** Whether there was something to send. */
  async #sendNext(): Promise<boolean> {
    const { deliveries, messageIdDomain, send, log } = this.#options;
    const claim = await deliveries.claim({ leaseMs, messageIdDomain });
    if (claim === undefined) return false;
    const outcome = this.#judged(claim, await send(claim, this.#stopping.signal));
    await deliveries.settle(claim, outcome);
    const { id, destination, attempts } = claim;
    const fields = { delivery: id, destination, attempts };
    if (outcome.status === 'sent') log.info(fields, 'an alert was delivered');
    else if (outcome.status === 'failed')
      log.error({ ...fields, reason: outcome.error }, 'an alert could not be delivered, and is not tried again');
    else if (attempts === 1)
      log.warn({ ...fields, reason: outcome.error }, 'an alert could not be delivered yet; it is tried again');
    return true;
  }

  #judged({ attempts, createdAt }: ClaimedDelivery, sent: WebhookOutcome): NoticeOutcome {
    const now = this.#options.clock.now();
    if (sent.kind === 'accepted') return { status: 'sent' };
    if (sent.kind === 'refused') return { status: 'failed', error: sent.reason };
    if (now - createdAt >= giveUpAfterMs) return { status: 'failed', error: `given up: ${sent.reason}` };
    const ownMs = this.#stopping.signal.aborted ? 0 : backoffMs(this.#options.randomness, retryRange, attempts);
    const delayMs = Math.max(Math.round(ownMs), sent.retryAfterMs ?? 0);
    return { status: 'pending', error: sent.reason, nextAttemptAt: (now + delayMs) as EpochMs };
  }
}
