import { timingSafeEqual } from 'node:crypto';
import { tokenDigest } from '../access/operator-token.ts';
import { randomBase62 } from '../ground/base62.ts';
import type { Clock, EpochMs, Randomness } from '../ground/clock.ts';
import type { Role } from '../operator/role.ts';

/** The person who has signed in, with a token or through the provider. */
export interface Holder {
  /** The id of the token in the store; `undefined` for that of the configuration, and for a person. */
  readonly tokenId: string | undefined;
  readonly name: string;
  readonly role: Role;
}

/** A signed-in browser. */
export interface Session extends Holder {
  /** For the audit log; it grants no access. */
  readonly id: string;
  readonly csrfToken: string;
  readonly expiresAt: EpochMs;
}

export const sessionCookie = 'mdapi_session';

const sessionsMax = 1_000;
/** 190 random bits. */
const secretLength = 32;
const idLength = 16;

/**
 * The sessions of this process, in memory. A session is stored under the SHA-256 of its secret, so that neither the
 * time of a look-up nor a memory dump reveals the secret. At 1,000 sessions the oldest is dropped.
 */
export class Sessions {
  readonly #clock: Pick<Clock, 'now' | 'monotonicMs'>;
  readonly #randomness: Randomness;
  readonly #lastsMs: number;
  readonly #byDigest = new Map<string, Session & { readonly endsAtMonotonicMs: number }>();

  /** @param lastsMs from sign-in to the end, however much it is used */
  constructor(clock: Pick<Clock, 'now' | 'monotonicMs'>, randomness: Randomness, lastsMs: number) {
    this.#clock = clock;
    this.#randomness = randomness;
    this.#lastsMs = lastsMs;
  }

  /** Sessions that are held; some may have expired. */
  get size(): number {
    return this.#byDigest.size;
  }

  /**
   * Makes a session and its secret.
   *
   * @param atMostMs where it is to end sooner than others
   */
  open(holder: Holder, atMostMs = this.#lastsMs): { readonly secret: string; readonly session: Session } {
    this.#dropExpired();
    const lastsMs = Math.min(this.#lastsMs, atMostMs);
    const [oldest] = this.#byDigest.keys();
    if (this.#byDigest.size >= sessionsMax && oldest !== undefined) this.#byDigest.delete(oldest);
    const secret = randomBase62(secretLength, this.#randomness);
    const session = {
      id: `ses_${randomBase62(idLength, this.#randomness)}`,
      ...holder,
      csrfToken: randomBase62(secretLength, this.#randomness),
      expiresAt: (this.#clock.now() + lastsMs) as EpochMs,
      endsAtMonotonicMs: this.#clock.monotonicMs() + lastsMs,
    };
    this.#byDigest.set(digestText(secret), session);
    return { secret, session };
  }

  /** `expired` once for a session that has expired, which is dropped. */
  find(secret: string): Session | 'expired' | undefined {
    const digest = digestText(secret);
    const session = this.#byDigest.get(digest);
    if (session === undefined) return undefined;
    if (!this.#isOver(session)) return session;
    this.#byDigest.delete(digest);
    return 'expired';
  }

  close(secret: string): void {
    this.#byDigest.delete(digestText(secret));
  }

  /** Ends every session of a token. */
  closeOf(tokenId: string): void {
    for (const [digest, session] of this.#byDigest) if (session.tokenId === tokenId) this.#byDigest.delete(digest);
  }

  /** By both clocks: a wall clock set back makes no session longer. */
  #isOver({ expiresAt, endsAtMonotonicMs }: Session & { readonly endsAtMonotonicMs: number }): boolean {
    return this.#clock.now() >= expiresAt || this.#clock.monotonicMs() >= endsAtMonotonicMs;
  }

  #dropExpired(): void {
    for (const [digest, session] of this.#byDigest) if (this.#isOver(session)) this.#byDigest.delete(digest);
  }
}

/** Whether two secrets are the same, in a time that does not depend on where they differ. */
export function sameSecret(one: string, other: string): boolean {
  return timingSafeEqual(tokenDigest(one), tokenDigest(other));
}

function digestText(secret: string): string {
  return Buffer.from(tokenDigest(secret)).toString('base64');
}
