import type { Clock } from '../../clock.ts';
import type { AuditLog } from '../../store/audit.ts';

const entriesPerHourMax = 60;
const hourMs = 3_600_000;

/** A token that was not accepted. */
export interface Refusal {
  /** Canonical address of whoever sent it. */
  readonly address: string;
  /** Where it was sent: `sign-in` or the operation it was to open. */
  readonly purpose: string;
  /** The token's id where it is one of ours that may no longer be used. */
  readonly tokenId: string | undefined;
}

/**
 * Records refused tokens, at most 60 an hour whatever the number of addresses they come from: nobody can fill the disk
 * with them. The next entry that is recorded tells how many were left out.
 */
export class RefusalLog {
  readonly #audit: Pick<AuditLog, 'record'>;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #hourStartMs = Number.NEGATIVE_INFINITY;
  #recorded = 0;
  #leftOut = 0;

  /** @param audit bound to the actor `unknown` */
  constructor(audit: Pick<AuditLog, 'record'>, clock: Pick<Clock, 'monotonicMs'>) {
    this.#audit = audit;
    this.#clock = clock;
  }

  /** Rejects with what the store said; the refusal itself does not depend on it. */
  async record({ address, purpose, tokenId }: Refusal): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#hourStartMs >= hourMs) {
      this.#hourStartMs = nowMs;
      this.#recorded = 0;
    }
    if (this.#recorded >= entriesPerHourMax) {
      this.#leftOut++;
      return;
    }
    this.#recorded++;
    const leftOutBefore = this.#leftOut;
    this.#leftOut = 0;
    const what = tokenId === undefined ? 'a wrong token' : 'a token that is no longer valid';
    await this.#audit.record({
      action: 'session.refuse',
      subject: tokenId === undefined ? { kind: 'session', id: purpose } : { kind: 'token', id: tokenId },
      summary: `Refused ${what} from ${address}.`,
      details: { address, purpose, leftOutBefore },
    });
  }
}
