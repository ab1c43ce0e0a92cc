import { createHash } from 'node:crypto';
import { backoffMs } from '../ground/backoff.ts';
import { type Clock, type Randomness, sleep, withTimeout } from '../ground/clock.ts';
import type { Log } from '../ground/log.ts';
import type { DaySeal } from './seal-mail.ts';

const attemptTimeoutMs = 30_000;
const retryRange = { minMs: 30_000, maxMs: 3_600_000, jitter: 'equal' } as const;
/** By then the next day's, whose head covers this one's, is on its way. */
const giveUpAfterMs = 86_400_000;
const sha256 = '2.16.840.1.101.3.4.2.1';
const nonceBytes = 8;

interface TimeStamperOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** `response` is the answer of the authority, DER in base64. */
  readonly keep: (stamp: DaySeal & { readonly response: string }) => Promise<unknown>;
}

/**
 * Has the last hash of each day stamped, in the background. One that a stop of the process interrupts is left to the
 * next day.
 */
export class TimeStamper {
  readonly #options: TimeStamperOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(options: TimeStamperOptions) {
    this.#options = options;
  }

  /** Returns at once. */
  send(seal: DaySeal): void {
    this.#running = this.#running.then(() => this.#send(seal));
  }

  /** Aborts what is on its way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #send({ day, chain, segment, head }: DaySeal): Promise<void> {
    const { clock, randomness, log, keep } = this.#options;
    const begunAt = clock.now();
    for (let attempts = 1; !this.#stopping.signal.aborted; attempts++) {
      try {
        // A whole number above zero has no zero and no sign first.
        const [first = 0, ...rest] = randomness.bytes(nonceBytes);
        const nonce = Uint8Array.of(0x40 | (first & 0x3f), ...rest);
        const response = await this.#ask(await stampRequest(head, nonce));
        const at = (await stampedAt(response, head, nonce)).toISOString();
        await keep({ day, chain, segment, head, response: Buffer.from(response).toString('base64') });
        return log.info({ day, at }, 'the record has a time stamp');
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        if (clock.now() - begunAt >= giveUpAfterMs) return log.error({ err: error, day }, 'a day has no time stamp');
        if (attempts === 1) log.warn({ err: error, day }, 'the record got no time stamp; it is tried again');
      }
      await sleep(clock, Math.round(backoffMs(randomness, retryRange, attempts)), this.#stopping.signal);
    }
  }

  #ask(body: ArrayBuffer): Promise<Uint8Array<ArrayBuffer>> {
    const { url, clock } = this.#options;
    return withTimeout(clock, attemptTimeoutMs, async (late) => {
      const signal = AbortSignal.any([this.#stopping.signal, late]);
      const headers = { 'Content-Type': 'application/timestamp-query' };
      const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal });
      if (!answer.ok) throw new Error(`the time stamp authority answered ${answer.status}`);
      return new Uint8Array(await answer.arrayBuffer());
    });
  }
}

/** Writes the request for a stamp of a head (RFC 3161, 2.4.1), with the wish for the certificate of the authority. */
async function stampRequest(head: string, nonce: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const [{ Integer, OctetString }, { AlgorithmIdentifier, MessageImprint, TimeStampReq }] = await libraries();
  const hashAlgorithm = new AlgorithmIdentifier({ algorithmId: sha256 });
  const valueHex = createHash('sha256').update(head, 'hex').digest();
  const messageImprint = new MessageImprint({ hashAlgorithm, hashedMessage: new OctetString({ valueHex }) });
  const asked = { version: 1, messageImprint, certReq: true, nonce: new Integer({ valueHex: nonce }) };
  return new TimeStampReq(asked).toSchema().toBER();
}

/**
 * Reads when an authority stamped a head, with the certificate that the stamp brings. Rejects where it did not.
 *
 * @param nonce of the request that it has to answer, where that is known
 */
export async function stampedAt(
  response: Uint8Array<ArrayBuffer>,
  head: string,
  nonce?: Uint8Array<ArrayBuffer>,
): Promise<Date> {
  const [, { SignedData, TimeStampResp, TSTInfo }] = await libraries();
  const { timeStampToken, status } = TimeStampResp.fromBER(response);
  if (timeStampToken === undefined) throw new Error(`the time stamp authority refused with status ${status.status}`);
  const signed = new SignedData({ schema: timeStampToken.content });
  const data = Uint8Array.from(Buffer.from(head, 'hex')).buffer;
  if (!(await signed.verify({ signer: 0, data })))
    throw new Error('the time stamp is of something else, or not signed');
  const info = TSTInfo.fromBER(signed.encapContentInfo.eContent!.valueBlock.valueHexView as Uint8Array<ArrayBuffer>);
  const answered = info.nonce?.valueBlock.valueHexView;
  if (nonce !== undefined && (answered === undefined || !Buffer.from(nonce).equals(answered)))
    throw new Error('the time stamp answers another request');
  return info.genTime;
}

/** They are loaded with the first stamp. */
function libraries() {
  return Promise.all([import('asn1js'), import('pkijs')]);
}
