import { readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { isoInstant } from '../../contract/instant.ts';
import type { EpochMs } from '../../ground/clock.ts';
import { migrations, migrationTable } from '../migrate.ts';
import { asStoreError } from './errors.ts';
import { createIfMissing } from './file.ts';

const busyTimeoutMs = 2_000;
const pagesAtOnce = 1_000;

/**
 * Copies a database that lacks steps of the schema, as it is before this version changes it, to a file beside it that
 * its name tells of: one of each version. Returns the copy's path; `undefined` where no step is missing. Throws
 * `StoreError` where it cannot be copied.
 */
export async function keepBefore(version: string, path: string, now: EpochMs): Promise<string | undefined> {
  const prefix = `${path}.before-${version}-`;
  // Within one look, so that the copy has none of what another process does at this moment.
  using source = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
  source.exec('begin');
  const isMade = source.prepare('select 1 from sqlite_schema where name = ?').get(migrationTable) !== undefined;
  const done = isMade ? source.prepare(`select name from ${migrationTable}`).all() : [];
  const isDone = (step: string) => done.some(({ name }) => name === step);
  if (done.length === 0 || Object.keys(migrations).every(isDone)) return undefined;
  const kept = prefix + isoInstant(now).replaceAll(/[-:.]/g, '');
  await copyOf(source, kept);
  // Only those before it: of two processes that do this at once, one copy remains.
  const directory = dirname(path);
  const own = basename(kept);
  const former = readdirSync(directory).filter((name) => name.startsWith(basename(prefix)) && name < own);
  for (const name of former) rmSync(join(directory, name));
  return kept;
}

/** Copies a database to a file of its owner's. Throws `StoreError`, and leaves nothing, where that fails. */
export async function copyOf(source: DatabaseSync, to: string): Promise<void> {
  const part = `${to}.part-${process.pid}`;
  try {
    createIfMissing(part);
    await backup(source, part, { rate: pagesAtOnce });
    // One file: nothing has to be beside it.
    using copy = new DatabaseSync(part);
    copy.exec('pragma journal_mode = delete');
    renameSync(part, to);
  } catch (error) {
    rmSync(part, { force: true });
    throw asStoreError(error, to);
  }
}
