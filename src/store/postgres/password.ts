import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { StoreError } from '../store-error.ts';
import type { PostgresLocation } from './url.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The password to connect with: the URL's own, else `PGPASSWORD`, else the first line that fits in the password file
 * (`PGPASSFILE`, or `.pgpass` in the home directory), in the form PostgreSQL's own programs use. Looked up for each
 * connection, so that a password that is changed in the file needs no restart. Empty when there is none.
 *
 * Throws `StoreError` with reason `access_denied` when the file is open to others or cannot be read.
 */
export async function passwordFor(location: PostgresLocation, env: Environment = process.env): Promise<string> {
  const given = location.password ?? env.PGPASSWORD;
  if (given !== undefined) return given;
  const path = env.PGPASSFILE ?? join(homedir(), '.pgpass');
  const text = await readPasswordFile(path, env.PGPASSFILE !== undefined);
  return text === undefined ? '' : (passwordIn(text, location) ?? '');
}

async function readPasswordFile(path: string, isNamed: boolean): Promise<string | undefined> {
  try {
    const { mode } = await stat(path);
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new StoreError('access_denied', `The password file ${path} is open to others. Set its mode to 0600.`);
    }
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof StoreError) throw error;
    if (!isNamed) return undefined;
    throw new StoreError('access_denied', `The password file ${path} (PGPASSFILE) cannot be read. Make it readable.`);
  }
}

/** `host:port:database:user:password` a line; `*` fits anything, and `\` takes the meaning from `:` and `\`. */
function passwordIn(text: string, { host, port, database, user }: PostgresLocation): string | undefined {
  const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = [...line.matchAll(/((?:\\.|[^\\:])*)(?::|$)/g)].map(([, field = '']) =>
      field.replaceAll(/\\(.)/g, '$1'),
    );
    if (fields.length > wanted.length && wanted.every((value, index) => ['*', value].includes(fields[index]!))) {
      return fields[wanted.length];
    }
  }
  return undefined;
}
