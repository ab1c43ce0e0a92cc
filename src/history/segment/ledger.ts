import { createHash } from 'node:crypto';
import type { Hold, LedgerKind, Run } from './segment-store.ts';

/** Gives what the hash of an entry has to be. */
export function ledgerHash(previous: Uint8Array | undefined, kind: LedgerKind, text: string): Buffer {
  return createHash('sha256')
    .update(previous ?? Buffer.alloc(32))
    .update(`${kind} ${text}\n`)
    .digest();
}

/** The text of a run's entry, which may be shown: of the key of its request ids it has the SHA-256. */
export function runText({ run, chain, startedAt, requestKey }: Run): string {
  return JSON.stringify({ run, chain, startedAt, key: createHash('sha256').update(requestKey).digest('hex') });
}

export function holdText({ id, from, to, reason }: Hold): string {
  return JSON.stringify({ id, from, to, reason });
}
