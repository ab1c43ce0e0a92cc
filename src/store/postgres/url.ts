import { StoreError } from '../store-error.ts';

/** Where a PostgreSQL database is and how it is reached, taken from its URL. */
export interface PostgresLocation {
  /** Host name or address, or the directory of a Unix socket (begins with `/`). */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  /** From the URL; where it has none, see `passwordFor`. */
  readonly password: string | undefined;
  readonly tls: TlsMode;
  /** PEM files: whom to trust, and what this side shows. */
  readonly caFile: string | undefined;
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  /** The URL without its password and parameters: how messages call the database. */
  readonly name: string;
}

/**
 * As libpq's `sslmode`. `require` encrypts and trusts whoever answers; `verify-ca` wants a certificate of the authority;
 * `verify-full` wants it to be this host's as well.
 */
export type TlsMode = 'disable' | 'require' | 'verify-ca' | 'verify-full';

const tlsModes: readonly TlsMode[] = ['disable', 'require', 'verify-ca', 'verify-full'];
const parameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'];
const defaultPort = 5432;

/** Reads `postgres://user@host:port/database?sslmode=…`. Throws `StoreError` with reason `url_invalid`; no message holds the URL. */
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

/** Without a word about it, only a connection that leaves this machine is verified. */
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

function refused(what: string): StoreError {
  const form = 'postgres://user@host:port/database?sslmode=verify-full';
  return new StoreError('url_invalid', `The store URL ${what}. Use the form ${form}.`);
}
