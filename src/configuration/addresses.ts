import { BlockList, isIP } from 'node:net';

const address = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?=[^@]{1,253}$)[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63})*$/;
const named = /^([^<>"\p{C}]{1,100}) <([^<>]+)>$/u;
const submissionPort = 587;
const submissionsPort = 465;
const redisPort = 6_379;

/** Reads `name@example.com` or `Name <name@example.com>`, the name empty for none. `undefined` for anything else. */
export function parseMailbox(text: string) {
  const [, name = '', inBrackets] = named.exec(text) ?? [];
  const mailbox = { name: name.trim(), address: inBrackets ?? text };
  return address.test(mailbox.address) ? mailbox : undefined;
}

/**
 * Reads `smtp://host`, `smtps://user:password@host:port`. User and password are percent-encoded where they hold
 * `:`, `/`, `@` or the like. `undefined` for anything else, a path and a query included: they would have no meaning.
 */
export function parseSmtpUrl(text: string) {
  const parts = partsOf(text, ['smtp:', 'smtps:']);
  if (parts === undefined) return undefined;
  const { url, host, user, password } = parts;
  if (!['', '/'].includes(url.pathname) || (user === '') !== (password === '')) return undefined;
  const implicitTls = url.protocol === 'smtps:';
  return {
    host,
    port: Number(url.port || (implicitTls ? submissionsPort : submissionPort)),
    /** TLS from the first byte, for `smtps://`. */
    implicitTls,
    credentials: user === '' ? undefined : { user, password },
  };
}

const ownNetworks = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const)
  ownNetworks.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of [
  ['::1', 128],
  ['fc00::', 7],
  ['fe80::', 10],
] as const)
  ownNetworks.addSubnet(network, prefix, 'ipv6');

/**
 * Whether a host is this machine or of a private network, by its address or its name: one without a dot, or under
 * `.local`, `.internal` or `.home.arpa`, which no authority gives a certificate for.
 */
export function isOfOwnNetwork(host: string): boolean {
  const version = isIP(host);
  if (version !== 0) return ownNetworks.check(host, version === 4 ? 'ipv4' : 'ipv6');
  return /^[^.]+$|\.(local|internal|home\.arpa)$/i.test(host);
}

/**
 * Reads `redis://host`, `rediss://user:password@host:port/database?sslcert=…`. User and password are percent-encoded
 * where they hold `:`, `/`, `@` or the like; a password may stand alone, as `:password@`. The parameters name files of
 * TLS as those of the store’s URL do: `sslrootcert`, and `sslcert` with `sslkey`. `undefined` for anything else.
 */
export function parseRedisUrl(text: string) {
  const [, base = '', , query = ''] = /^([^?]*)(\?([^#]*))?$/.exec(text) ?? [];
  const parts = partsOf(base, ['redis:', 'rediss:']);
  const database = /^\/?(\d{0,5})$/.exec(parts?.url.pathname ?? 'none')?.[1];
  if (parts === undefined || database === undefined) return undefined;
  const { url, host, user, password } = parts;
  if (password === '' && user !== '') return undefined;
  const tlsFiles = tlsFilesOf(new URLSearchParams(query));
  if (tlsFiles === undefined || (query !== '' && url.protocol !== 'rediss:')) return undefined;
  return {
    host,
    port: Number(url.port || redisPort),
    /** TLS from the first byte. */
    tls: url.protocol === 'rediss:',
    tlsFiles,
    user: user || undefined,
    password: password || undefined,
    database: Number(database),
  };
}

/** Absolute paths: a URL has no folder of its own. `undefined` where a parameter is unknown, twice there or alone. */
function tlsFilesOf(given: URLSearchParams) {
  const known = ['sslrootcert', 'sslcert', 'sslkey'];
  const names = [...given.keys()];
  if (names.some((name) => !known.includes(name)) || new Set(names).size < names.length) return undefined;
  if ([...given.values()].some((path) => !path.startsWith('/'))) return undefined;
  if (given.has('sslcert') !== given.has('sslkey')) return undefined;
  return {
    ca: given.get('sslrootcert') ?? undefined,
    cert: given.get('sslcert') ?? undefined,
    key: given.get('sslkey') ?? undefined,
  };
}

/**
 * Reads `https://user:password@host:port/database`. User and password are percent-encoded where they hold `:`, `/`, `@`
 * or the like; without a user it is `default`, and so is the database. `url` has neither credentials nor path.
 * `undefined` for anything else.
 */
export function parseClickHouseUrl(text: string) {
  const parts = partsOf(text, ['http:', 'https:']);
  const path = /^\/?([A-Za-z_][A-Za-z0-9_]{0,62})?$/.exec(parts?.url.pathname ?? 'none');
  if (parts === undefined || path === null || (parts.user === '' && parts.password !== '')) return undefined;
  const { url, user, password } = parts;
  return { url: url.origin, user: user || 'default', password, database: path[1] ?? 'default' };
}

/** A URL of one of these protocols, without query, fragment and port 0. User and password are empty where absent. */
function partsOf(text: string, protocols: readonly string[]) {
  const url = /^[a-z]+:\/\/[^\s?#]+$/.test(text) ? URL.parse(text) : null;
  if (url === null || !protocols.includes(url.protocol) || url.hostname === '' || url.port === '0') return undefined;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  try {
    return { url, host, user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) };
  } catch {
    return undefined;
  }
}

const reserved: readonly (readonly [name: string, character: string, written: string])[] = [
  ['a slash (/)', '/', '%2F'],
  ['a question mark (?)', '?', '%3F'],
  ['a number sign (#)', '#', '%23'],
];

/**
 * Says which kind of character makes a URL with credentials unreadable, and what to write. Quotes nothing of it.
 * `undefined` where it is something else.
 */
export function credentialsFault(text: string): string | undefined {
  if (/^["']|["']$/.test(text)) return 'quotes around it are part of it here: leave them out';
  if (/\s/.test(text)) return 'it holds white space: write %20 for a space in a password';
  const [, authority] = /^[a-z]+:\/\/(.*)@/i.exec(text) ?? [];
  if (authority === undefined) return undefined;
  if (/%(?![0-9a-f]{2})/i.test(authority)) return 'its user or password holds a percent sign (%): write %25';
  const found = reserved.find(([, character]) => authority.includes(character));
  return found && `its user or password holds ${found[0]}: write ${found[2]}`;
}
