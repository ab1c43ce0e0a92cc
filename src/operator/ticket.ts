import { tokenDigest } from '../access/operator-token.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { Store } from '../store/store.ts';

const snapshotName = 'command-ticket';
const validForMs = 30_000;

/** One thing that a command on the machine asks of the running server. */
export interface Ticket {
  /** The text that the server made for it; see `Challenges`. */
  readonly challenge: string;
  /** The id of the one operation that it wants. */
  readonly operation: string;
}

/**
 * Answers the challenge of a server by writing to its store what is wanted: whoever writes to the store may do
 * everything there. Nothing secret is sent, so that whoever listens in the server's place gets nothing.
 */
export async function leaveTicket({ snapshots }: Store, ticket: Ticket, actor: string): Promise<void> {
  await snapshots.save(snapshotName, JSON.stringify({ digest: digestOf(ticket), actor }));
}

/**
 * Uses a ticket up and gives its actor; `undefined` where none was left for this challenge and operation, and for one
 * left half a minute ago or before.
 */
export async function takeTicket({ snapshots }: Store, ticket: Ticket, now: EpochMs): Promise<string | undefined> {
  const kept = await snapshots.load(snapshotName);
  if (kept === undefined || Math.abs(now - kept.savedAt) > validForMs) return undefined;
  const left = JSON.parse(kept.payload) as { readonly digest: string; readonly actor: string };
  const isValid = left.digest === digestOf(ticket) && (await snapshots.remove(snapshotName, kept.payload));
  return isValid ? left.actor : undefined;
}

/** Whoever only reads the store cannot use it: the challenge is not in it. */
function digestOf({ challenge, operation }: Ticket): string {
  return tokenDigest(`${challenge} ${operation}`).toHex();
}
