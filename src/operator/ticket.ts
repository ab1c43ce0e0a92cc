import { generateToken, tokenDigest } from '../access/operator-token.ts';
import type { EpochMs, Randomness } from '../ground/clock.ts';
import type { Store } from '../store/store.ts';

const snapshotName = 'command-ticket';
const validForMs = 30_000;

/**
 * Makes a text by which a command shows the running server who it is: whoever writes to the store may do everything
 * there.
 */
export async function makeTicket({ snapshots }: Store, actor: string, randomness: Randomness): Promise<string> {
  const ticket = generateToken('operator', randomness);
  await snapshots.save(snapshotName, JSON.stringify({ digest: tokenDigest(ticket).toHex(), actor }));
  return ticket;
}

/**
 * Uses a ticket up and gives its actor; `undefined` for any other text, and for one made half a minute ago or before.
 */
export async function useTicket({ snapshots }: Store, digest: Uint8Array, now: EpochMs): Promise<string | undefined> {
  const kept = await snapshots.load(snapshotName);
  if (kept === undefined || Math.abs(now - kept.savedAt) > validForMs) return undefined;
  const ticket = JSON.parse(kept.payload) as { readonly digest: string; readonly actor: string };
  const isValid = ticket.digest === digest.toHex() && (await snapshots.remove(snapshotName, kept.payload));
  return isValid ? ticket.actor : undefined;
}
