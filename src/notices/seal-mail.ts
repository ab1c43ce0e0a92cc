import { backoffMs } from '../ground/backoff.ts';
import { sleep } from '../ground/clock.ts';
import { domainOf, type MailBody, type Mailbox, signatureMark, tagOf } from './message.ts';
import { type RetryingSender, sendMail } from './send-mail.ts';

/** The last segment of the record when a day ends. */
export interface DaySeal {
  /** The day that ended, such as `2026-11-22`, in UTC. */
  readonly day: string;
  readonly chain: number;
  readonly segment: number;
  /** SHA-256 in hexadecimal digits. */
  readonly head: string;
}

interface SealMailerOptions extends RetryingSender {
  readonly mail: NonNullable<RetryingSender['mail']>;
  readonly to: Mailbox;
  /** The name of the environment: `Test`. */
  readonly environment?: string | undefined;
}

const retryRange = { minMs: 30_000, maxMs: 3_600_000, jitter: 'equal' } as const;
/** By then the mail of the next day, whose hash covers this one's, is on its way. */
const giveUpAfterMs = 86_400_000;

/**
 * Mails the last hash of each day, in the background. A mail whose answer was lost is sent again: twice does no harm.
 * One that a stop of the process interrupts is lost; the log has the hash.
 */
export class SealMailer {
  readonly #options: SealMailerOptions;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(options: SealMailerOptions) {
    this.#options = options;
  }

  /** Returns at once. */
  send(seal: DaySeal): void {
    const running = this.#send(seal)
      .catch((error) => this.#options.log.error({ err: error, ...seal }, 'the hash of the record could not be mailed'))
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Aborts what is on its way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  async #send(seal: DaySeal): Promise<void> {
    const { clock, randomness, log, mail, to, environment } = this.#options;
    const begunAt = clock.now();
    const messageId = `<seal-${seal.day}-${seal.head.slice(0, 32)}@${domainOf(mail.from.address)}>`;
    for (let attempts = 1; !this.#stopping.signal.aborted; attempts++) {
      const delivery = await sendMail(
        this.#options,
        sealMail(seal, environment),
        { to: to.address, messageId },
        this.#stopping.signal,
      );
      if (delivery.kind === 'accepted') {
        log.info({ ...seal }, 'the hash of the record was mailed');
        return;
      }
      const { reason } = delivery;
      if (delivery.kind === 'refused' || clock.now() - begunAt >= giveUpAfterMs) {
        log.error({ ...seal, reason }, 'the hash of the record could not be mailed, and is not tried again');
        return;
      }
      if (attempts === 1)
        log.warn({ ...seal, reason }, 'the hash of the record could not be mailed; it is tried again');
      await sleep(clock, Math.round(backoffMs(randomness, retryRange, attempts)), this.#stopping.signal);
    }
  }
}

/** The text that the hash is read out of again to compare the record with it: see `record-seals.ts`. */
function sealMail({ day, chain, segment, head }: DaySeal, environment: string | undefined): MailBody {
  const text = `The record of prices and answers up to the end of ${day} (UTC)
ends with segment ${segment} of chain ${chain}. Its SHA-256:

${head}

Keep this message where the record cannot be changed from.
It shows later that the record until then was neither
cut off nor rewritten.

${signatureMark}
This message was sent automatically, once a day.
`;
  return { subject: `${tagOf(environment)}Record of ${day}: segment ${segment} of chain ${chain}`, text };
}
