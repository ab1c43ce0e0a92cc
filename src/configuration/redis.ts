/** A Redis or Valkey server that several processes share. */
export interface RedisConfiguration {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte, for `rediss://`. */
  readonly tls: boolean;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
}

const defaultPort = 6_379;

/**
 * Reads `redis://host`, `rediss://user:password@host:port/database`. User and password are percent-encoded where they
 * hold `:`, `/`, `@` or the like; a password may stand alone, as `:password@`. `undefined` for anything else,
 * a query too: it would mean nothing here.
 */
export function parseRedisUrl(text: string): RedisConfiguration | undefined {
  const url = /^rediss?:\/\/[^\s?#]+$/.test(text) ? URL.parse(text) : null;
  const database = /^\/?(\d{0,5})$/.exec(url?.pathname ?? 'none')?.[1];
  if (url === null || url.hostname === '' || url.port === '0' || database === undefined) return undefined;
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === undefined || password === undefined || (password === '' && user !== '')) return undefined;
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? defaultPort : Number(url.port),
    tls: url.protocol === 'rediss:',
    user: user === '' ? undefined : user,
    password: password === '' ? undefined : password,
    database: Number(database),
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
