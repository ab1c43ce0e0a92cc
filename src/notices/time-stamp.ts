import { createHash } from 'node:crypto';
import { backoffMs } from '../backoff.ts';
import { type Clock, type Randomness, sleep, withTimeout } from '../clock.ts';
import type { Log } from '../log.ts';
import type { DaySeal } from './seal-mail.ts';

const sha256 = '2.16.840.1.101.3.4.2.1';
const attemptTimeoutMs = 30_000;
const retryRange = { minMs: 30_000, maxMs: 3_600_000, jitter: 'equal' } as const;
/** By then the next day's, whose head covers this one's, is on its way. */
const giveUpAfterMs = 86_400_000;

/** A time stamp by RFC 3161 on the head of a day. */
export interface StampedSeal extends DaySeal {
  /** The answer of the authority, DER in base64. */
  readonly response: string;
}

interface TimeStamperOptions {
  readonly url: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly keep: (stamp: StampedSeal) => Promise<unknown>;
}

/** Has the last hash of each day stamped, in the background. One that a stop of the process interrupts is left to the next day. */
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
        const response = await this.#ask(head);
        await keep({ day, chain, segment, head, response: Buffer.from(response).toString('base64') });
        return log.info({ day, at: (await stampedAt(response, head)).toISOString() }, 'the record has a time stamp');
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        if (clock.now() - begunAt >= giveUpAfterMs) return log.error({ err: error, day }, 'a day has no time stamp');
        if (attempts === 1) log.warn({ err: error, day }, 'the record got no time stamp; it is tried again');
      }
      await sleep(clock, Math.round(backoffMs(randomness, retryRange, attempts)), this.#stopping.signal);
    }
  }

  /** Rejects where the authority does not answer with a stamp of this head. */
  async #ask(head: string): Promise<Uint8Array<ArrayBuffer>> {
    const { url, clock, randomness } = this.#options;
    const body = await stampRequest(head, randomness.bytes(8));
    const response = await withTimeout(clock, attemptTimeoutMs, async (late) => {
      const signal = AbortSignal.any([this.#stopping.signal, late]);
      const headers = { 'Content-Type': 'application/timestamp-query' };
      const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal });
      if (!answer.ok) throw new Error(`the time stamp authority answered ${answer.status}`);
      return new Uint8Array(await answer.arrayBuffer());
    });
    await stampedAt(response, head);
    return response;
  }
}

/** @param nonce so that no older answer fits */
async function stampRequest(head: string, nonce: Uint8Array): Promise<ArrayBuffer> {
  const [{ Integer, OctetString }, { AlgorithmIdentifier, MessageImprint, TimeStampReq }] = await libraries();
  const valueHex = createHash('sha256').update(head, 'hex').digest();
  const hashAlgorithm = new AlgorithmIdentifier({ algorithmId: sha256 });
  const messageImprint = new MessageImprint({ hashAlgorithm, hashedMessage: new OctetString({ valueHex }) });
  // A whole number above zero has no zero and no sign first.
  const number = Uint8Array.from([0x40 | (nonce[0]! & 0x3f), ...nonce.subarray(1)]);
  const asked = { version: 1, messageImprint, certReq: true, nonce: new Integer({ valueHex: number }) };
  return new TimeStampReq(asked).toSchema().toBER();
}

/** Reads when an authority stamped a head, with the certificate that the stamp brings. Rejects where it did not. */
export async function stampedAt(response: Uint8Array<ArrayBuffer>, head: string): Promise<Date> {
  const [, { SignedData, TimeStampResp, TSTInfo }] = await libraries();
  const { timeStampToken, status } = TimeStampResp.fromBER(response);
  if (timeStampToken === undefined) throw new Error(`the time stamp authority refused with status ${status.status}`);
  const signed = new SignedData({ schema: timeStampToken.content });
  const data = Uint8Array.from(Buffer.from(head, 'hex')).buffer;
  if (!(await signed.verify({ signer: 0, data })))
    throw new Error('the time stamp is of something else, or not signed');
  return TSTInfo.fromBER(signed.encapContentInfo.eContent!.valueBlock.valueHexView as Uint8Array<ArrayBuffer>).genTime;
}

/** Loaded with the first stamp. */
function libraries() {
  return Promise.all([import('asn1js'), import('pkijs')]);
}
