import { sha256 } from './segment.ts';
import type { LedgerKind, RecordHold, Run } from './segment-store.ts';

/** Gives what the hash of an entry has to be. */
export function ledgerHash(previous: Uint8Array | undefined, kind: LedgerKind, text: string): Buffer {
  return sha256(previous ?? Buffer.alloc(32), `${kind} ${text}\n`);
}

/** The text of a run's entry, which may be shown: of the key of its request ids it has the SHA-256. */
export function runText({ run, chain, startedAt, requestKey }: Run): string {
  return JSON.stringify({ run, chain, startedAt, key: sha256(requestKey).toString('hex') });
}

export function holdText({ id, from, to, reason }: RecordHold): string {
  return JSON.stringify({ id, from, to, reason });
}
