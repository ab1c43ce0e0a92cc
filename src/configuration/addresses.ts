/** An address and the name shown beside it. */
export interface Mailbox {
  /** Empty for none. */
  readonly name: string;
  readonly address: string;
}

/** A mail server to hand mail to. */
export interface SmtpConfiguration {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte, for `smtps://`. */
  readonly implicitTls: boolean;
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
}

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

/** The HTTP interface of a ClickHouse server, and a database there. */
export interface ClickHouseConfiguration {
  /** Without credentials and path. */
  readonly url: string;
  readonly user: string;
  /** Empty for none. */
  readonly password: string;
  readonly database: string;
}

const address = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?=[^@]{1,253}$)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})*$/;
const named = /^([^<>"\p{C}]{1,100}) <([^<>]+)>$/u;
const submissionPort = 587;
const submissionsPort = 465;
const redisPort = 6_379;

/** Reads `name@example.com` or `Name <name@example.com>`. `undefined` for anything else. */
export function parseMailbox(text: string): Mailbox | undefined {
  const [, name = '', inBrackets] = named.exec(text) ?? [];
  const mailbox = { name: name.trim(), address: inBrackets ?? text };
  return address.test(mailbox.address) ? mailbox : undefined;
}

/**
 * Reads `smtp://host`, `smtps://user:password@host:port`. User and password are percent-encoded where they hold
 * `:`, `/`, `@` or the like. `undefined` for anything else, a path and a query included: they would have no meaning.
 */
export function parseSmtpUrl(text: string): SmtpConfiguration | undefined {
  const url = /^smtps?:\/\/[^\s?#]+$/.test(text) ? URL.parse(text) : null;
  if (url === null || url.hostname === '' || !['', '/'].includes(url.pathname) || url.port === '0') return undefined;
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === undefined || password === undefined || (user === '') !== (password === '')) return undefined;
  const implicitTls = url.protocol === 'smtps:';
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (implicitTls ? submissionsPort : submissionPort) : Number(url.port),
    implicitTls,
    credentials: user === '' ? undefined : { user, password },
  };
}

/**
 * Reads `redis://host`, `rediss://user:password@host:port/database`. User and password are percent-encoded where they
 * hold `:`, `/`, `@` or the like; a password may stand alone, as `:password@`. `undefined` for anything else,
 * a query included: it would have no meaning.
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
    port: url.port === '' ? redisPort : Number(url.port),
    tls: url.protocol === 'rediss:',
    user: user === '' ? undefined : user,
    password: password === '' ? undefined : password,
    database: Number(database),
  };
}

/**
 * Reads `https://user:password@host:port/database`. User and password are percent-encoded where they hold `:`, `/`, `@`
 * or the like; without a user it is `default`, and so is the database. `undefined` for anything else.
 */
export function parseClickHouseUrl(text: string): ClickHouseConfiguration | undefined {
  const url = /^https?:\/\/[^\s?#]+$/.test(text) ? URL.parse(text) : null;
  const database = /^\/?([A-Za-z_][A-Za-z0-9_]{0,62})?$/.exec(url?.pathname ?? 'no path');
  if (url === null || url.hostname === '' || url.port === '0' || database === null) return undefined;
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === undefined || password === undefined || (user === '' && password !== '')) return undefined;
  return { url: url.origin, user: user || 'default', password, database: database[1] ?? 'default' };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
