import { type Static, Type } from 'typebox';
import { Default } from 'typebox/value';
import { configuredLimitMax, contractLimits } from '../contract/limits.ts';
import { languages } from '../ground/languages.ts';
import { alertEvents, destinationKinds } from '../operator/alert-event.ts';
import { personalRoles } from '../operator/role.ts';
import * as kind from './kinds.ts';
import {
  type AnnotatedSchema,
  duration,
  list,
  listOr,
  map,
  oneOf,
  optionalText,
  section,
  text,
  wholeNumber,
} from './kinds.ts';

const truth = () => Type.Boolean({ allowed: 'true or false', default: false });
const perMinute = (fallback: number) => wholeNumber(fallback, [1, configuredLimitMax]);

/** The whole configuration as it is written: what is accepted, and its defaults. `settings.yaml` says what each means. */
export const configurationSchema = section({
  server: section({
    host: text(kind.host, { default: '127.0.0.1' }),
    port: wholeNumber(8_080, [0, 65_535]),
    baseUrl: optionalText(kind.httpUrl),
    errorsUrl: optionalText(kind.httpUrl),
    trustedProxies: list(text(kind.ipRange), { default: [] }),
    tls: section({ certFile: optionalText(kind.path), keyFile: optionalText(kind.path) }),
    reusePort: truth(),
    maxConnections: wholeNumber(5_000, [1, 1_000_000]),
    maxConnectionsPerAddress: wholeNumber(200, [1, 1_000_000]),
    maxHeaderBytes: wholeNumber(8_192, [1_024, 65_536]),
    headersTimeout: duration('10s', ['1s', '5m']),
    requestTimeout: duration('15s', ['1s', '5m']),
    connectionsCheckInterval: duration('1s', ['100ms', '30s']),
    keepAliveTimeout: duration('75s', ['1s', '10m']),
    writeTimeout: duration('30s', ['1s', '10m']),
    overloadDelay: duration('200ms', ['20ms', '10s']),
    overloadHeapPercent: wholeNumber(90, [10, 99]),
    drainDelay: duration('0s', ['0s', '5m']),
    shutdownDeadline: duration('10s', ['100ms', '5m']),
  }),
  admin: section({
    host: text(kind.host, { default: '127.0.0.1' }),
    port: wholeNumber(9_090, [0, 65_535]),
    hosts: list(text(kind.host), { default: [] }),
    token: optionalText(kind.operatorToken, { secret: true }),
    sessionFor: duration('12h', ['1m', '30d']),
    oidc: section({
      issuer: optionalText(kind.issuer),
      clientId: optionalText(kind.word),
      clientSecret: optionalText(kind.word, { secret: true }),
      scope: text(kind.scope, { default: 'openid email profile' }),
      rolesClaim: text(kind.word, { default: 'roles' }),
      roles: map(text(kind.word), oneOf([...personalRoles], 'read-only')),
    }),
    auditFor: duration('400d', ['1d', '3650d']),
  }),
  portal: section({
    name: optionalText(kind.shortName),
    logo: optionalText(kind.path),
    contact: optionalText(kind.reachable),
    terms: optionalText(kind.httpUrl),
    subscriptions: list(oneOf(['mail', 'webhook'], 'mail'), { default: ['mail'] }),
    colours: section({ light: optionalText(kind.accent('light')), dark: optionalText(kind.accent('dark')) }),
  }),
  store: text(kind.storeUrl, { default: 'sqlite:./mdapi.sqlite', secret: true }),
  redis: optionalText(kind.redisUrl, { secret: true }),
  markets: section({
    quotes: list(text(kind.currency), { default: ['EUR'], minItems: 1 }),
    symbols: listOr('all', text(kind.symbol)),
    delistAfter: duration('24h', ['1h', '365d']),
  }),
  sources: list(
    section(
      {
        id: text(kind.sourceId),
        kind: Type.Optional(text(kind.sourceKind)),
        urls: section({ rest: optionalText(kind.httpUrl), ws: optionalText(kind.webSocketUrl) }),
        not: list(text(kind.currency), { default: [] }),
        assets: map(text(kind.currency), text(kind.currency)),
        paused: truth(),
      },
      { bareKey: 'id' },
    ),
    { default: ['kraken'], minItems: 1 },
  ),
  pricing: section({
    source: oneOf(['primary', 'median'], 'primary'),
    sources: map(text(kind.symbol), list(text(kind.sourceId), { default: [], minItems: 1 })),
    returnAfter: duration('60s', ['1s', '1h']),
    feePercent: text(kind.percent, { default: '0.5' }),
    converted: map(text(kind.currency), section({ via: text(kind.currency), marginPercent: text(kind.percent) }), {
      CZK: { via: 'EUR', marginPercent: '1' },
    }),
    pricePrecision: map(text(kind.symbol), wholeNumber(undefined, [0, 18])),
  }),
  rates: section({
    source: oneOf(['cnb', 'ecb', 'json', 'exchange'], 'cnb'),
    url: optionalText(kind.httpUrl),
    pointer: optionalText(kind.pointer),
    market: optionalText(kind.symbol),
    refresh: duration('5m', ['1s', '24h']),
    validFor: duration('96h', ['10s', '240h']),
  }),
  guard: section({
    jumpPercent: text(kind.threshold, { default: '10' }),
    disagreePercent: text(kind.threshold, { default: '2' }),
    ceilingPercent: text(kind.threshold, { default: '100' }),
    spreadPercent: text(kind.threshold, { default: '10' }),
    ratePercent: text(kind.threshold, { default: '3' }),
    confirmAfter: duration('10s', ['1s', '5m']),
  }),
  history: section({
    url: optionalText(kind.recordUrl, { secret: true }),
    journal: text(kind.path, { default: './history' }),
    keepFor: duration('30d', ['1h', '3650d']),
    sealTo: optionalText(kind.mailbox),
    timestamp: section({ url: optionalText(kind.httpUrl) }),
    clickhouse: section({
      url: optionalText(kind.clickHouseUrl, { secret: true }),
      keepFor: duration('1830d', ['1d', '3650d']),
    }),
  }),
  limits: section({
    key: perMinute(contractLimits.key),
    address: perMinute(contractLimits.address),
    failedAuthentication: perMinute(contractLimits.failedAuthentication),
  }),
  mail: section({ smtp: optionalText(kind.smtpUrl, { secret: true }), from: optionalText(kind.mailbox) }),
  notices: section({
    breachedMinutes: wholeNumber(3, [1, 60]),
    within: duration('1h', ['1m', '7d']),
    atMostEvery: duration('24h', ['1m', '90d']),
    language: oneOf([...languages], 'en'),
  }),
  alerts: section({
    destinations: list(
      section({
        name: text(kind.destinationName),
        kind: oneOf([...destinationKinds], 'webhook'),
        url: optionalText(kind.httpUrl, { secret: true }),
        allowHttp: truth(),
        secret: optionalText(kind.word, { secret: true }),
        chat: optionalText(kind.word),
        to: optionalText(kind.mailbox),
        events: listOr('all', oneOf([...alertEvents], 'source')),
      }),
      { default: [] },
    ),
    raiseAfter: duration('15s', ['0s', '1h']),
    endAfter: duration('2m', ['15s', '24h']),
  }),
  feed: section({
    staleAfter: duration('10s', ['1s', '5m']),
    pingEvery: duration('1500ms', ['500ms', '1m']),
    transportTimeout: duration('10s', ['1s', '1m']),
    reconnectMin: duration('500ms', ['50ms', '1m']),
    reconnectMax: duration('30s', ['1s', '10m']),
    healthyAfter: duration('30s', ['1s', '10m']),
    fallbackPoll: duration('1s', ['500ms', '1m']),
    catalogueReload: duration('10m', ['10s', '24h']),
    requestTimeout: duration('5s', ['500ms', '1m']),
    frameBytesMax: wholeNumber(16_777_216, [65_536, 67_108_864]),
  }),
  logs: section({
    access: oneOf(['off', 'refused', 'all'], 'off'),
    level: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'info'),
  }),
  telemetry: section({
    otlp: optionalText(kind.httpUrl),
    authorization: optionalText(kind.word, { secret: true }),
    every: duration('15s', ['1s', '5m']),
    tracesPercent: wholeNumber(1, [0, 100]),
  }),
  timeZone: optionalText(kind.timeZone),
});

/** Every value as written, defaults filled in, each valid by itself. */
export type Settings = Static<typeof configurationSchema>;

/** The same schema as plain data. */
export const annotatedSchema = configurationSchema as unknown as AnnotatedSchema;

/** One value of the configuration that can be set by itself: everything but the sections. */
export interface Field {
  /** The path in the file: `server.baseUrl`. */
  readonly key: string;
  readonly path: readonly string[];
  /** `MDAPI_SERVER_BASE_URL`. With `_FILE` after it, the variable names a file that holds the value. */
  readonly variable: string;
  readonly schema: AnnotatedSchema;
}

export const variablePrefix = 'MDAPI_';

/** `baseUrl` under `server` is `MDAPI_SERVER_BASE_URL`: upper case, words and levels separated by `_`. */
function variableOf(path: readonly string[]): string {
  const words = path.map((name) => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase());
  return variablePrefix + words.join('_');
}

/** A section groups values and cannot be set as a whole from the environment. */
export function isSection(schema: AnnotatedSchema): boolean {
  return schema.properties !== undefined;
}

function fieldsUnder(schema: AnnotatedSchema, path: readonly string[]): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const innerPath = [...path, name];
    if (isSection(inner)) return fieldsUnder(inner, innerPath);
    return [{ key: innerPath.join('.'), path: innerPath, variable: variableOf(innerPath), schema: inner }];
  });
}

/** Every field, in the order of the reference. */
export const fields: readonly Field[] = fieldsUnder(annotatedSchema, []);

/** The values with defaults for what is left out, and with a map wherever a bare value stands for one. Changes `data`. */
export function withDefaults(data: unknown): unknown {
  const filled = Default(configurationSchema, data);
  if (typeof filled !== 'object' || filled === null) return filled;
  for (const { path, schema } of fields) {
    const key = schema.items?.bareKey;
    const items = valueAt(filled, path);
    if (key === undefined || !Array.isArray(items)) continue;
    const maps = items.map((item) => (typeof item === 'object' && item !== null ? item : { [key]: item }));
    setAt(filled, path, maps);
  }
  return Default(configurationSchema, filled);
}

export function valueAt(data: unknown, path: readonly string[]): unknown {
  return path.reduce((section, name) => (section as Record<string, unknown> | null | undefined)?.[name], data);
}

export function setAt(data: object, path: readonly string[], value: unknown): void {
  let section = data as Record<string, unknown>;
  for (const name of path.slice(0, -1)) {
    section[name] ??= {};
    section = section[name] as Record<string, unknown>;
  }
  section[path.at(-1)!] = value;
}
