import type { Log } from '../ground/log.ts';
import { type ApprovalKind, approvalKinds } from '../operator/approval-kind.ts';
import type { Store } from '../store/store.ts';

const snapshotName = 'approvalKinds';

/**
 * Leaves in the store which changes need a second person, for commands that read another configuration. Never rejects:
 * the service goes on without.
 */
export async function publishApprovalKinds(
  { snapshots }: Pick<Store, 'snapshots'>,
  kinds: readonly ApprovalKind[],
  log: Log,
): Promise<void> {
  try {
    await snapshots.save(snapshotName, JSON.stringify(kinds));
  } catch (error) {
    log.warn({ err: error }, 'commands with another configuration do not learn which changes need a second person');
  }
}

/** The kinds of changes that need a second person for the service that started last on this store. */
export async function publishedApprovalKinds({
  snapshots,
}: Pick<Store, 'snapshots'>): Promise<readonly ApprovalKind[]> {
  const kept = JSON.parse((await snapshots.load(snapshotName))?.payload ?? '[]') as readonly string[];
  return approvalKinds.filter((kind) => kept.includes(kind));
}
