import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Configuration } from '../configuration/configuration.ts';
import { connectionsWithin, openFilesFor } from '../http/open-files.ts';

type Places = Pick<Configuration, 'store' | 'history' | 'dataDir'>;

/** The files of the store and the record on this machine, as their paths begin. */
function beginningsOf({ store, history }: Places): readonly string[] {
  const record = history?.location;
  const paths = [
    store.kind === 'sqlite' ? store.path : undefined,
    record?.kind === 'sqlite' ? record.path : record?.journalPath,
  ];
  return paths.filter((path) => path !== undefined);
}

/**
 * Says where data lies. Throws where a file of it belongs to another user than the service's: whoever ran a command as
 * root left it, and the service cannot write it.
 *
 * @param uid the user who asks; for root the owner of the folder is the service's user. `undefined` where the system
 * has no such owners
 */
export async function dataFolderState(places: Places, uid = process.getuid?.()): Promise<string> {
  const beginnings = beginningsOf(places);
  const folders = [...new Set([places.dataDir, ...beginnings.map((path) => dirname(path))])];
  const shown = folders.join(', ');
  if (uid === undefined || !existsSync(places.dataDir)) return shown;
  const owner = uid === 0 ? statSync(places.dataDir).uid : uid;
  const strangers = beginnings.flatMap((path) => filesAt(path)).filter((file) => statSync(file).uid !== owner);
  if (strangers.length === 0) return shown;
  const whose = [...new Set(strangers.map((file) => nameOf(statSync(file).uid)))].join(', ');
  const remedy = `Run \`chown ${owner} ${strangers.join(' ')}\` as root, and commands as the service's user.`;
  throw new Error(`${strangers.join(', ')}: of ${whose}, not of the service's ${nameOf(owner)}. ${remedy}`);
}

/** A database with what SQLite and the record have beside it. */
function filesAt(path: string): readonly string[] {
  const folder = dirname(path);
  if (!existsSync(folder)) return [];
  const name = basename(path);
  const isOf = (file: string) => file === name || file.startsWith(`${name}-`) || file.startsWith(`${name}.`);
  return readdirSync(folder)
    .filter(isOf)
    .sort()
    .map((file) => join(folder, file));
}

function nameOf(uid: number): string {
  return uid === 0 ? 'user 0 (root)' : `user ${uid}`;
}

/**
 * Throws where the system lets the process open fewer files than it may need: some clients would be refused earlier.
 *
 * @param limit of the shell that asks, which the service need not share; see `openFilesLimit`
 */
export async function openFilesState(maxConnections: number, limit: number | undefined): Promise<string> {
  const needed = openFilesFor(maxConnections);
  if (limit === undefined || limit >= needed) return `${limit ?? 'any number'}, ${needed} may be needed`;
  const taken = connectionsWithin(maxConnections, limit);
  const remedy = 'Raise it (`LimitNOFILE=` of the unit, `ulimit -n`), or lower server.maxConnections.';
  throw new Error(
    `${limit} may be open here and ${needed} may be needed: a service started here takes ${taken} connections, not ${maxConnections}. ${remedy}`,
  );
}
