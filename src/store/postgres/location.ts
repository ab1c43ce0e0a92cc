import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { StoreError, type StoreErrorValues } from '../store-error.ts';

/** Where a PostgreSQL database is and how it is reached, taken from its URL. */
export interface PostgresLocation {
  /** Host name or address, or the directory of a Unix socket (begins with `/`). */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** From the URL; if it has none, see `passwordFor`. */
  readonly password: string | undefined;
  readonly tls: TlsMode;
  /** PEM files: the authority to trust, and what this side shows. */
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  /** The URL without its password and parameters: the database's name in messages. */
  readonly name: string;
}

/**
 * The modes of libpq's `sslmode`. `require` encrypts and trusts any server; `verify-ca` wants a certificate of the
 * authority; `verify-full` wants it to be this host's as well.
 */
const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type TlsMode = (typeof tlsModes)[number];
const parameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'];
const defaultPort = 5432;

/**
 * Reads `postgres://user@host:port/database?sslmode=…`. Throws `StoreError` with reason `url_invalid`; no message holds
 * the URL.
 */
export function postgresLocationOf(url: string): PostgresLocation {
  const parsed = URL.parse(url);
  if (parsed === null || /\s/.test(url) || parsed.hash !== '') throw refused('is not readable as an address');
  const host = decoded(parsed.hostname).replace(/^\[(.*)\]$/, '$1');
  const database = decoded(parsed.pathname.slice(1));
  const user = decoded(parsed.username);
  if (host === '' || database === '' || database.includes('/') || user === '' || parsed.port === '0') {
    throw refused('does not name a user, a host and a database');
  }
  const given = givenParameters(parsed.searchParams);
  const password = decoded(parsed.password);
  const tls = tlsModeOf(given.get('sslmode'), host);
  const port = parsed.port === '' ? defaultPort : Number(parsed.port);
  const shownHost = host.startsWith('/') ? parsed.hostname : host.includes(':') ? `[${host}]` : host;
  return {
    host,
    port,
    database,
    user,
    password: password === '' ? undefined : password,
    tls,
    caFile: given.get('sslrootcert'),
    certFile: given.get('sslcert'),
    keyFile: given.get('sslkey'),
    name: `postgres://${parsed.username}@${shownHost}:${port}${parsed.pathname}`,
  };
}

function givenParameters(searchParams: URLSearchParams): ReadonlyMap<string, string> {
  const unknown = [...searchParams.keys()].find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    throw refused(`has a parameter that is not known; known are ${parameters.join(', ')}`);
  }
  return new Map(searchParams);
}

/** Unless the URL says otherwise, only a connection that leaves this machine is verified. */
function tlsModeOf(given: string | undefined, host: string): TlsMode {
  const isLocal = ['localhost', '127.0.0.1', '::1'].includes(host) || host.startsWith('/');
  const wanted = given ?? (isLocal ? 'disable' : 'verify-full');
  const mode = tlsModes.find((known) => known === wanted);
  if (mode === undefined) throw refused(`has an sslmode that is not supported; use one of ${tlsModes.join(', ')}`);
  if (mode !== 'disable' && host.startsWith('/')) throw refused('asks for TLS on a Unix socket, which has none');
  return mode;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refused('has a percent sign that does not encode a character');
  }
}

/** @param what is wrong with the URL, as the rest of a sentence that begins with it */
export function refused(what: string) {
  const message = `The store URL ${what}. Use the form postgres://user@host:port/database?sslmode=verify-full.`;
  return new StoreError('url_invalid.postgres', { what }, message);
}

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
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) throw passwordFileOpen({ path });
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof StoreError) throw error;
    if (isNamed) throw passwordFileUnreadable({ path });
    return undefined;
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

export function passwordFileOpen(values: StoreErrorValues['access_denied.password_file_open']) {
  const message = `The password file ${values.path} is open to others. Set its mode to 0600.`;
  return new StoreError('access_denied.password_file_open', values, message);
}

export function passwordFileUnreadable(values: StoreErrorValues['access_denied.password_file_unreadable']) {
  const message = `The password file ${values.path} (PGPASSFILE) cannot be read. Make it readable.`;
  return new StoreError('access_denied.password_file_unreadable', values, message);
}
