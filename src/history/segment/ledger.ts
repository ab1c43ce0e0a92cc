import { createHash } from 'node:crypto';

export type LedgerKind = 'run' | 'hold' | 'release' | 'deletion' | 'seal' | 'stamp';

/** Something of the record beside its segments, sealed with all that came before it. It stays when segments are deleted. */
export interface LedgerEntry {
  /** 1, 2, 3 and so on, without a hole. */
  readonly number: number;
  readonly kind: LedgerKind;
  /** JSON. */
  readonly text: string;
  /** SHA-256 over the one before, at first 32 zero bytes, and over kind and text. */
  readonly hash: Uint8Array;
}

/** The record up to the end of a day. */
export interface DaySeal {
  /** The day that ended, such as `2026-11-22`, in UTC. */
  readonly day: string;
  readonly chain: number;
  /** The last segment of the day in this chain. */
  readonly segment: number;
  /** SHA-256 in hexadecimal digits. */
  readonly head: string;
  /** The ends of the other chains: number, segment and hash of each. */
  readonly others: readonly string[];
}

/** Gives what the hash of an entry has to be. */
export function ledgerHash(previous: Uint8Array | undefined, kind: LedgerKind, text: string): Buffer {
  return createHash('sha256')
    .update(previous ?? Buffer.alloc(32))
    .update(`${kind} ${text}\n`)
    .digest();
}

type Numbers<Names extends string> = Readonly<Record<Names, number>>;

/** The text of a run's entry, which may be shown: of the key of its request ids it has the SHA-256. */
export function runText(facts: Numbers<'run' | 'chain' | 'startedAt'> & { readonly requestKey: Uint8Array }): string {
  const { run, chain, startedAt, requestKey } = facts;
  return JSON.stringify({ run, chain, startedAt, key: createHash('sha256').update(requestKey).digest('hex') });
}

export function holdText({
  id,
  from,
  to,
  reason,
}: Numbers<'id' | 'from' | 'to'> & { readonly reason: string }): string {
  return JSON.stringify({ id, from, to, reason });
}
