import { createIfMissing } from '../store/sqlite/open.ts';
import { lockForService } from '../store/sqlite/service-lock.ts';
import { StoreError } from '../store/store-error.ts';
import { ClickHouse, type ClickHouseLocation } from './clickhouse.ts';
import type { SegmentReader } from './segment-store.ts';
import { type ShipOptions, type Shipped, Shipping } from './ship.ts';
import { ShipError } from './ship-error.ts';

/**
 * Ships a record, and nothing while another process of this machine does. Rejects with `ShipError`.
 *
 * @param create whether to make tables that are missing
 */
export async function shipTo(
  store: SegmentReader,
  location: ClickHouseLocation,
  create: boolean,
  options: ShipOptions,
): Promise<Shipped> {
  const release = lock(store.journalPath!);
  const target = new ClickHouse(location);
  try {
    if (create) await target.create(options.keepForMs);
    return await new Shipping(store, target, options).ship();
  } finally {
    await target.close();
    release();
  }
}

/** Two would send the same rows in different batches. @param path of the record, or what its journals begin with */
function lock(path: string): () => void {
  createIfMissing(path);
  try {
    return lockForService(path);
  } catch (error) {
    if (!(error instanceof StoreError && error.reason === 'in_use')) throw error;
    const holder = /process (\d+ on \S+)\./.exec(error.message)?.[1] ?? 'another';
    throw new ShipError('ship_running', `The record is being shipped already, by process ${holder}.`);
  }
}
