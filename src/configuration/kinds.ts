import { isIP } from 'node:net';
import type { Static, TObject, TProperties, TSchema } from 'typebox';
import { Type } from '../contract/schema-builder.ts';
import { connectorKinds } from '../feed/connectors.ts';
import { contrastMin, leastContrast, type Scheme } from '../ground/colour.ts';
import { type DecimalString, parseDecimal } from '../market/decimal.ts';
import { type CurrencyCode, type MarketSymbol, parseCurrency, parseSymbol } from '../market/symbol.ts';
import { credentialsFault, parseClickHouseUrl, parseMailbox, parseRedisUrl, parseSmtpUrl } from './addresses.ts';
import { type Duration, parseDuration } from './duration.ts';
import { nearest } from './spelling.ts';

/** A schema as plain data: JSON Schema, what its values look like, and what the reference says of them. */
export interface AnnotatedSchema extends Partial<OptionalNotes> {
  readonly type?: string;
  readonly default?: unknown;
  /** Never printed, not even in a message about it being wrong. */
  readonly secret?: boolean;
  /** Completes "… is not": `a whole number from 0 to 65535`. */
  readonly allowed?: string;
  /** Added to the message about a wrong value when it helps. */
  readonly hint?: (written: string, value: unknown) => string | undefined;
  readonly properties?: Readonly<Record<string, AnnotatedSchema>>;
  /** Texts only: whether one is spelt as it must be. */
  readonly fits?: (text: string) => boolean;
  /** Whole numbers only. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** One of some words only. */
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  /** Lists only. */
  readonly items?: AnnotatedSchema;
  readonly minItems?: number;
  /** Sections and items: the keys that must be there. */
  readonly required?: readonly string[];
  /** Maps whose names the operator chooses: what these look like. */
  readonly propertyNames?: AnnotatedSchema;
  /** Items of lists, and maps that are one setting: a value that is no map stands for a map with this key. */
  readonly bareKey?: string;
  /** A word or a list only. */
  readonly anyOf?: readonly AnnotatedSchema[];
  /** Maps only: what the values look like. `false` for sections. */
  readonly additionalProperties?: AnnotatedSchema | false;
}

/** A spelling that a text value can be required to have. */
export interface TextKind<Text extends string> {
  readonly allowed: string;
  readonly fits: (text: string) => boolean;
  readonly hint?: AnnotatedSchema['hint'];
  /** The type its values have after the check; never set. */
  readonly type?: Text;
}

function kind<Text extends string = string>(
  allowed: string,
  fits: RegExp | ((text: string) => boolean),
  hint?: AnnotatedSchema['hint'],
): TextKind<Text> {
  return { allowed, fits: fits instanceof RegExp ? (text) => fits.test(text) : fits, hint };
}

/** A text that a function reads. */
function readBy(allowed: string, parse: (text: string) => unknown, hint?: AnnotatedSchema['hint']): TextKind<string> {
  return kind(allowed, (text) => parse(text) !== undefined, hint);
}

/** Names the kind of character that is wrong in a URL that holds a password, and nothing of the password. */
const credentialsHint: AnnotatedSchema['hint'] = (_, value) =>
  typeof value === 'string' ? credentialsFault(value) : undefined;

export const currency = kind<CurrencyCode>('a currency code such as EUR', (text) => parseCurrency(text) !== undefined);
export const symbol = kind<MarketSymbol>('a market symbol such as BTCEUR', (text) => parseSymbol(text) === text);
export const sourceId = kind(
  'the id of a source: up to 32 lower-case letters, digits and hyphens',
  /^[a-z][a-z0-9-]{0,31}$/,
);
export const destinationName = kind(
  'up to 32 lower-case letters, digits and hyphens, such as ops',
  /^[a-z][a-z0-9-]{0,31}$/,
);
/** The form of the Standard Webhooks. */
export const webhookSecret = kind('whsec_ and 24 to 64 bytes in base64', /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/);
export const sourceKind = kind(
  `one of ${Object.keys(connectorKinds).join(', ')}`,
  (text) => Object.hasOwn(connectorKinds, text),
  (written) => meant(written, Object.keys(connectorKinds)),
);
const quotesHint: AnnotatedSchema['hint'] = (written, value) => {
  if (typeof value === 'number') return `put it in quotes, "${written}", so that no digit is lost`;
  return /^\d+,\d+$/.test(String(value)) ? `write it with a point, "${String(value).replace(',', '.')}"` : undefined;
};
export const percent = kind<DecimalString>(
  'a decimal from 0 to under 100',
  (text) => /^\d+(\.\d+)?$/.test(text) && parseDecimal(text) !== undefined && BigInt(text.split('.')[0]!) < 100n,
  quotesHint,
);
/** Under 1 every tick would exceed it; nothing exceeds 1000. */
export const threshold = kind<DecimalString>(
  'a decimal from 1 to 1000',
  /^([1-9]\d{0,2}(\.\d{1,9})?|1000)$/,
  quotesHint,
);
const hostName = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)(\.(?!-)[A-Za-z0-9-]{1,63}(?<!-))*$/;
export const host = kind(
  'an IP address or a host name',
  (text) => isIP(text) !== 0 || (text.length <= 253 && hostName.test(text)),
);
export const httpUrl = kind('an http:// or https:// URL without credentials or fragment', (text) =>
  isUrl(text, ['http:', 'https:']),
);
export const proxyUrl = kind('http://[user:password@]host:port, the proxy alone', isProxyUrl, credentialsHint);
export const directHost = kind(
  'a host name or IP address, with a port where only that is meant, or *',
  /^(\*|\.?[A-Za-z0-9*.:[\]-]{1,253})$/,
);
export const webSocketUrl = kind('a ws:// or wss:// URL without credentials or fragment', (text) =>
  isUrl(text, ['ws:', 'wss:']),
);
/** A /0 would let every client name its own address, and limits count by address. */
export const ipRange = kind('an IP address or a range such as 10.0.0.0/8, but not /0', isIpRange);
export const pointer = kind('a JSON pointer such as /rates/CZK', /^(\/([^/~]|~[01])*)+$/);
export const mailbox = readBy('name@example.com or Name <name@example.com>', parseMailbox);
export const operatorToken = kind('24 to 200 printable ASCII characters without spaces', /^[\x21-\x7e]{24,200}$/);
export const issuer = kind(
  'an https:// URL, or http:// on loopback, without credentials or fragment',
  (text) => isUrl(text, ['https:']) || (isUrl(text, ['http:']) && isLoopback(new URL(text).hostname)),
);
export const word = kind(
  '1 to 300 printable characters without spaces at the ends',
  (text) => text.length <= 300 && /^[^\s\p{C}](?:[^\p{C}]*[^\s\p{C}])?$/u.test(text),
);
export const scope = kind(
  'openid and further words, separated by spaces',
  (text) => /^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(text) && text.split(' ').includes('openid'),
);
export const timeZone = kind('the name of a time zone, such as Europe/Prague', (text) =>
  ['UTC', ...Intl.supportedValuesOf('timeZone')].includes(text),
);
export const path = kind('a path', /^[^\0]+$/);
export const redisUrl = readBy(
  'redis:// or rediss://, [user:password@]host[:port][/database], the latter with ?sslrootcert=, sslcert= and sslkey= (absolute paths)',
  parseRedisUrl,
  credentialsHint,
);
export const clickHouseUrl = readBy(
  'http:// or https://, [user[:password]@]host[:port][/database]',
  parseClickHouseUrl,
  credentialsHint,
);
export const smtpUrl = readBy('smtp:// or smtps://, [user:password@]host[:port]', parseSmtpUrl, credentialsHint);
export const storeUrl = kind(
  'sqlite:path or postgres://user@host[:port]/database',
  (text) => (/^postgres(ql)?:/.test(text) ? isPostgresUrl(text) : isSqliteUrl(text)),
  credentialsHint,
);
export const recordUrl = kind(
  'sqlite:path, postgres://user@host[:port]/database or off',
  (text) => text === 'off' || storeUrl.fits(text),
  credentialsHint,
);
const hexColour = /^#[0-9a-f]{6}$/i;

export const colour = kind('a colour such as #b3261e: # and six digits 0-9, a-f', hexColour);

/** A colour of links and buttons that can be read on the pages of the scheme. */
export function accent(scheme: Scheme): TextKind<string> {
  const remedy = scheme === 'light' ? 'a darker one' : 'a lighter one';
  return {
    allowed: `a colour such as #2448c5, with a contrast of at least ${contrastMin} to the ${scheme} pages (WCAG AA)`,
    fits: (text) => hexColour.test(text) && leastContrast(text, scheme) >= contrastMin,
    hint: (written) =>
      hexColour.test(written)
        ? `its contrast is ${(Math.floor(leastContrast(written, scheme) * 100) / 100).toFixed(2)}: choose ${remedy}`
        : undefined,
  };
}

export const reachable = kind(
  'mailto: and an address, or an http(s) URL',
  (text) => /^mailto:[^\s@?]+@[^\s@?]+$/.test(text) || httpUrl.fits(text),
);
export const shortName = kind('1 to 40 printable characters', (text) => text.length <= 40 && word.fits(text));

export function text<Text extends string>(kind: TextKind<Text>, options: Partial<AnnotatedSchema> = {}) {
  const { allowed, fits, hint } = kind;
  const isBare = (text: string) => text === text.trim() && fits(text);
  return Type.Unsafe<Text>(Type.String({ allowed, hint, fits: isBare, ...options }));
}

/** A span of time, written with its unit; the range is inclusive. */
export function duration(fallback: string, [from, to]: [string, string]) {
  const [fromMs, toMs] = [parseDuration(from)!, parseDuration(to)!];
  const kind: TextKind<Duration> = {
    allowed: `a duration from ${from} to ${to}`,
    fits: (written) => {
      const spanMs = parseDuration(written) ?? Number.NaN;
      return spanMs >= fromMs && spanMs <= toMs;
    },
    hint: (written, value) =>
      typeof value === 'number' ? `add a unit, as in ${written}s` : 'its units are ms, s, m, h and d',
  };
  return text(kind, { default: fallback });
}

/** The range is inclusive. */
export function wholeNumber(fallback: number | undefined, [minimum, maximum]: [number, number]) {
  const allowed = `a whole number from ${minimum} to ${maximum}`;
  const hint: AnnotatedSchema['hint'] = (_, value) =>
    typeof value === 'string' && /^\d+$/.test(value) ? `write it without quotes: ${value}` : undefined;
  const initial = fallback === undefined ? {} : { default: fallback };
  return Type.Integer({ minimum, maximum, allowed, hint, ...initial });
}

export function truth() {
  return Type.Boolean({ allowed: 'true or false', default: false });
}

/** @param fallback without one it has to be given */
export function oneOf<const Words extends string[]>(words: Words, fallback?: Words[number]) {
  const hint: AnnotatedSchema['hint'] = (_, value) => meant(String(value), words);
  const initial = fallback === undefined ? {} : { default: fallback };
  return Type.Unsafe<Words[number]>(Type.Enum(words, { allowed: `one of ${words.join(', ')}`, hint, ...initial }));
}

export function list<Item extends TSchema>(
  items: Item,
  options: { default?: readonly unknown[]; minItems?: number } = {},
) {
  return Type.Array(items, { allowed: `a list, each ${allowedBy(items)}`, ...options });
}

/** A list, or one word in its place that stands for every possible item, the default. */
export function listOr<const Word extends string, Item extends TSchema>(word: Word, items: Item) {
  const allowed = `${word} or a list, each ${allowedBy(items)}`;
  return Type.Union([Type.Literal(word), Type.Array(items, { minItems: 1 })], { allowed, default: word });
}

/** Names chosen by the operator, each with a value of the same form. */
export function map<Key extends TSchema, Value extends TSchema>(
  keys: Key,
  values: Value,
  fallback: Readonly<Record<string, unknown>> = {},
) {
  return Type.Unsafe<Readonly<Record<Static<Key> & string, Static<Value>>>>({
    type: 'object',
    propertyNames: keys,
    additionalProperties: values,
    allowed: `a map from ${allowedBy(keys)} to ${allowedBy(values)}`,
    default: fallback,
  });
}

/** Notes of the reference on a setting. */
export interface Notes {
  readonly description: string;
  /** Why a careless value is dangerous. */
  readonly security?: string;
  readonly example?: unknown;
}

/** Notes on a setting that has no default. */
interface OptionalNotes extends Notes {
  /** Says what holds when none is given. */
  readonly whenAbsent: string;
  readonly example: unknown;
}

/** A schema that {@link setting} or {@link optional} made: a section takes no other. */
type Noted<Schema extends TSchema> = Schema & Pick<Notes, 'description'>;

/** A setting with a default. A text as notes is its description. */
export function setting<Schema extends TSchema>(schema: Schema, notes: string | Notes): Noted<Schema> {
  return Object.assign(schema, typeof notes === 'string' ? { description: notes } : notes);
}

/** A setting that may be left out and has no default. */
export function optional<Schema extends TSchema>(schema: Schema, notes: OptionalNotes) {
  return Object.assign(Type.Optional(schema), notes);
}

type Settings = Readonly<Record<string, Noted<TSchema> | TObject>>;

/** A section of the file, with the settings in it and no others. */
export function section<Properties extends Settings>(description: string, properties: Properties) {
  return Object.assign(subsection(properties), { description });
}

/** Settings of a section under a name of their own. The reference says nothing of it as a whole. */
export function subsection<Properties extends Settings>(properties: Properties) {
  return item(properties, { default: {} });
}

/**
 * A map in a list, in another map or as one setting, with these keys and no others, or only the value of its bare key.
 * What its keys mean is in the notes of the setting that holds it.
 */
export function item<Properties extends TProperties>(
  properties: Properties,
  options: Pick<AnnotatedSchema, 'default' | 'bareKey'> = {},
) {
  const allowed = `a map with the keys ${Object.keys(properties).join(', ')}`;
  return Type.Object(properties, { additionalProperties: false, allowed, ...options });
}

function meant(written: string, words: readonly string[]): string | undefined {
  const word = nearest(written, words);
  return word === undefined ? undefined : `did you mean "${word}"?`;
}

function allowedBy(schema: TSchema): string {
  return (schema as AnnotatedSchema).allowed ?? 'a value';
}

/** A proxy has no path, and credentials where it wants them. */
function isProxyUrl(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'http:' && url.hostname !== '' && `${url.pathname}${url.search}${url.hash}` === '/';
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  if (!/^[a-z]+:\/\//.test(text) || /\s/.test(text)) return false;
  const url = URL.parse(text);
  if (url === null || !protocols.includes(url.protocol)) return false;
  return url.hostname !== '' && url.username === '' && url.password === '' && !text.includes('#');
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function isSqliteUrl(text: string): boolean {
  return /^sqlite:(?!\/\/)[^\0?#]*[^\0?#/\\]$/.test(text) && text !== 'sqlite::memory:';
}

/** Checks the form alone: the store judges the parts and reports what is wrong with them. */
function isPostgresUrl(text: string): boolean {
  const url = /^postgres(ql)?:\/\/[^\s#]+$/.test(text) ? URL.parse(text) : null;
  return url !== null && url.hostname !== '' && url.username !== '' && url.pathname.length > 1;
}

function isIpRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || address.includes('%') || rest.length > 0) return false;
  if (prefix === undefined) return true;
  return /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}
