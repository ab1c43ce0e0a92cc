import { connectorKinds } from '../feed/connectors.ts';
import { isOfOwnNetwork, parseSmtpUrl } from './addresses.ts';
import { type Duration, milliseconds } from './duration.ts';
import { sourceKind, webhookSecret } from './kinds.ts';
import { type Settings, valueAt } from './schema.ts';

/** Values that are each valid by themselves but do not fit together. */
export interface Conflict {
  readonly key: string;
  readonly what: string;
}

/** The first is not longer than the second. */
const ordered = [
  ['server.headersTimeout', 'server.requestTimeout'],
  ['rates.refresh', 'rates.validFor'],
  ['feed.reconnectMin', 'feed.reconnectMax'],
  ['feed.pingEvery', 'feed.transportTimeout'],
] as const;

/** Both are set, or neither. */
const pairs = [
  ['server.tls.certFile', 'server.tls.keyFile'],
  ['mail.smtp', 'mail.from'],
  ['admin.oidc.issuer', 'admin.oidc.clientId'],
  ['admin.oidc.clientId', 'admin.oidc.clientSecret'],
] as const;

type RateSettings = 'url' | 'pointer' | 'market';
type DestinationSettings = 'url' | 'secret' | 'chat' | 'to';

/** Settings that a choice needs, and others that it takes. */
interface Choice<Name extends string> {
  readonly needs: readonly Name[];
  readonly takes: readonly Name[];
}

const rateChoices: Readonly<Record<Settings['rates']['source'], Choice<RateSettings>>> = {
  cnb: { needs: [], takes: ['url'] },
  ecb: { needs: [], takes: ['url'] },
  json: { needs: ['url', 'pointer'], takes: [] },
  exchange: { needs: ['market'], takes: [] },
};

type DestinationKind = Settings['alerts']['destinations'][number]['kind'];

const destinationChoices: Readonly<Record<DestinationKind, Choice<DestinationSettings>>> = {
  webhook: { needs: ['url', 'secret'], takes: [] },
  slack: { needs: ['url'], takes: [] },
  telegram: { needs: ['url', 'chat'], takes: [] },
  pagerduty: { needs: ['secret'], takes: ['url'] },
  mail: { needs: ['to'], takes: [] },
};

/** Finds what does not fit together in settings that are each valid by themselves. */
export function* findConflicts(settings: Settings): Generator<Conflict> {
  const { server, admin, redis, notices, logs } = settings;
  if (server.port === admin.port && server.port !== 0 && server.host === admin.host) {
    yield { key: 'admin.port', what: `${admin.port} is also the port of the public listener` };
  }
  if (server.reusePort && redis === undefined) {
    yield { key: 'server.reusePort', what: 'needs redis, where the processes count limits together' };
  }
  for (const [lesser, greater] of ordered) {
    const [low, high] = [get(settings, lesser) as Duration, get(settings, greater) as Duration];
    if (milliseconds(low) <= milliseconds(high)) continue;
    yield { key: lesser, what: `${low} is longer than ${greater}, which is ${high}` };
  }
  if (logs.access !== 'off' && !['trace', 'debug', 'info'].includes(logs.level)) {
    yield { key: 'logs.access', what: `is written at level info, which logs.level "${logs.level}" leaves out` };
  }
  if (notices.breachedMinutes * 60_000 > milliseconds(notices.within)) {
    const what = `${notices.breachedMinutes} minutes are longer than notices.within, which is ${notices.within}`;
    yield { key: 'notices.breachedMinutes', what };
  }
  if (settings.history.sealTo !== undefined && settings.mail.smtp === undefined) {
    yield { key: 'history.sealTo', what: 'needs mail.smtp as well' };
  }
  if (settings.console.colour !== undefined && settings.console.title === undefined) {
    yield { key: 'console.colour', what: 'needs console.title as well' };
  }
  for (const [one, other] of [...pairs, ...pairs.map(([one, other]) => [other, one] as const)]) {
    if (get(settings, one) === undefined || get(settings, other) !== undefined) continue;
    yield { key: one, what: `needs ${other} as well` };
  }
  if (admin.oidc.issuer !== undefined && Object.keys(admin.oidc.roles).length === 0) {
    yield { key: 'admin.oidc.issuer', what: 'needs admin.oidc.roles as well: without a role nobody can sign in' };
  }
  yield* mailConflicts(settings);
  yield* sourceConflicts(settings);
  yield* marketConflicts(settings);
  yield* rateConflicts(settings);
  yield* alertConflicts(settings);
}

function get(settings: Settings, key: string): unknown {
  return valueAt(settings, key.split('.'));
}

function* mailConflicts({ mail }: Settings): Generator<Conflict> {
  const { smtp, caFile, anyCertificate } = mail;
  if (caFile !== undefined && smtp === undefined) yield { key: 'mail.caFile', what: 'needs mail.smtp as well' };
  if (!anyCertificate) return;
  const host = parseSmtpUrl(smtp ?? '')?.host;
  if (caFile !== undefined) yield { key: 'mail.anyCertificate', what: 'has no meaning beside mail.caFile' };
  else if (host === undefined) yield { key: 'mail.anyCertificate', what: 'needs mail.smtp as well' };
  else if (!isOfOwnNetwork(host)) {
    const what = `is for relays of this machine or a private network, and ${host} is none by its name: set mail.caFile`;
    yield { key: 'mail.anyCertificate', what };
  }
}

function* sourceConflicts({ sources, markets, pricing, redis }: Settings): Generator<Conflict> {
  const ids = sources.map(({ id }) => id);
  for (const [index, source] of sources.entries()) {
    const { id, kind } = source;
    if (ids.indexOf(id) < index) yield { key: `sources.${index}`, what: `there is another source "${id}"` };
    if ((kind ?? id) === 'redis-stream' && redis === undefined) {
      yield { key: `sources.${index}`, what: '"redis-stream" needs redis, where the stream is' };
    }
    if (connectorKinds[kind ?? id]?.urls.rest === '' && source.streamsPerSession !== undefined) {
      yield {
        key: `sources.${index}`,
        what: 'streamsPerSession has no meaning for an engine, which connects by itself',
      };
    }
    yield* assetConflicts(source, `sources.${index}`);
    if (kind !== undefined || sourceKind.fits(id)) continue;
    const hint = sourceKind.hint?.(id, id) ?? 'name the one it is of with kind';
    yield { key: `sources.${index}`, what: `"${id}" is no kind of source, ${sourceKind.allowed}; ${hint}` };
  }
  if (sources.every(({ paused }) => paused)) yield { key: 'sources', what: 'every one is paused' };
  for (const [symbol, own] of Object.entries(pricing.sources)) {
    const key = `pricing.sources.${symbol}`;
    const unknown = own.filter((id) => !ids.includes(id));
    if (unknown.length > 0) yield { key, what: `${unknown.join(', ')}: not among sources (${ids.join(', ')})` };
    if (new Set(own).size < own.length) yield { key, what: 'names a source twice' };
    if (markets.quotes.some((quote) => symbol.endsWith(quote))) continue;
    yield { key, what: `not quoted in any of markets.quotes (${markets.quotes.join(', ')})` };
  }
}

function* assetConflicts(
  { id, kind = id, not, assets }: Settings['sources'][number],
  key: string,
): Generator<Conflict> {
  const renamed = Object.entries(assets);
  if (connectorKinds[kind]?.urls.rest === '' && not.length + renamed.length > 0) {
    yield { key, what: `not and assets have no meaning with kind "${kind}": the engine names its own assets` };
  }
  for (const [index, [own, name]] of renamed.entries()) {
    const at = `${key}.assets.${own}`;
    const other = renamed.slice(0, index).find(([, another]) => another === name);
    if (own === name) yield { key: at, what: `${own} is its own name` };
    if (other !== undefined) yield { key: at, what: `${other[0]} is ${name} already` };
    if (not.some((asset) => asset === own)) yield { key: at, what: `${own} is left out by not` };
  }
}

function* marketConflicts({ markets, pricing }: Settings): Generator<Conflict> {
  const quotes = markets.quotes.join(', ');
  for (const [currency, { via }] of Object.entries(pricing.converted)) {
    const key = `pricing.converted.${currency}`;
    if (!markets.quotes.includes(via)) {
      yield { key: `${key}.via`, what: `"${via}" is not among markets.quotes (${quotes}), so no market is converted` };
    }
  }
  const converted = Object.keys(pricing.converted);
  for (const symbol of Object.keys(pricing.pricePrecision)) {
    if (converted.some((currency) => symbol.endsWith(currency))) continue;
    const what = `${symbol} is not quoted in any of pricing.converted (${converted.join(', ')}); other markets have the exchange's precision`;
    yield { key: `pricing.pricePrecision.${symbol}`, what };
  }
  const symbols = markets.symbols === 'all' ? [] : markets.symbols;
  const foreign = symbols.filter((symbol) => !markets.quotes.some((quote) => symbol.endsWith(quote)));
  if (foreign.length > 0) {
    yield { key: 'markets.symbols', what: `${foreign.join(', ')}: not quoted in any of markets.quotes (${quotes})` };
  }
}

function* rateConflicts({ rates, pricing }: Settings): Generator<Conflict> {
  const { compare } = rates;
  yield* originConflicts('rates', rates, pricing);
  if (compare === undefined || compare.source === 'off') return;
  yield* originConflicts('rates.compare', { ...compare, source: compare.source }, pricing);
  const isSame = (['source', 'url', 'pointer', 'market'] as const).every((name) => rates[name] === compare[name]);
  if (isSame)
    yield { key: 'rates.compare', what: 'is the source of the rate itself, and would agree with any mistake' };
}

type Origin = Pick<Settings['rates'], 'source' | RateSettings>;

/** @param key of the settings that say where a rate comes from */
function* originConflicts(key: string, origin: Origin, pricing: Settings['pricing']): Generator<Conflict> {
  const { source } = origin;
  const { needs, takes } = rateChoices[source];
  for (const name of ['url', 'pointer', 'market'] as const) {
    const isSet = origin[name] !== undefined;
    if (!isSet && needs.includes(name)) yield { key: `${key}.source`, what: `"${source}" needs ${key}.${name}` };
    if (!isSet || needs.includes(name) || takes.includes(name)) continue;
    yield { key: `${key}.${name}`, what: `has no meaning with ${key}.source "${source}"` };
  }
  const pairs = Object.entries(pricing.converted);
  if (source === 'cnb' && pairs.some(([currency]) => currency !== 'CZK')) {
    yield { key: `${key}.source`, what: '"cnb" has rates to CZK only' };
  }
  if (source === 'ecb' && pairs.some(([, { via }]) => via !== 'EUR')) {
    yield { key: `${key}.source`, what: '"ecb" has rates from EUR only' };
  }
  if ((source === 'json' || source === 'exchange') && pairs.length > 1) {
    yield { key: `${key}.source`, what: `"${source}" gives one rate, but pricing.converted has several currencies` };
  }
}

function* alertConflicts({ alerts, mail }: Settings): Generator<Conflict> {
  const names = alerts.destinations.map(({ name }) => name);
  const { escalate, heartbeat } = alerts;
  const unknown = escalate.to.find((name) => !names.includes(name));
  if (unknown !== undefined) yield { key: 'alerts.escalate.to', what: `there is no destination "${unknown}"` };
  if (names.length > 0 && names.every((name) => escalate.to.includes(name))) {
    yield { key: 'alerts.escalate.to', what: 'names every destination: nobody would be told at first' };
  }
  if (heartbeat.url?.startsWith('http:') && !heartbeat.allowHttp) {
    yield { key: 'alerts.heartbeat.url', what: 'is not encrypted: use https://, or set alerts.heartbeat.allowHttp' };
  }
  for (const [index, destination] of alerts.destinations.entries()) {
    const { name, kind, url, allowHttp, secret } = destination;
    const key = `alerts.destinations.${index}`;
    const { needs, takes } = destinationChoices[kind];
    if (names.indexOf(name) < index) yield { key, what: `there is another destination "${name}"` };
    for (const setting of ['url', 'secret', 'chat', 'to'] as const) {
      const isSet = destination[setting] !== undefined;
      if (!isSet && needs.includes(setting)) yield { key, what: `kind "${kind}" needs ${setting}` };
      if (!isSet || needs.includes(setting) || takes.includes(setting)) continue;
      yield { key: `${key}.${setting}`, what: `has no meaning with kind "${kind}"` };
    }
    if (url?.startsWith('http:') && !allowHttp) {
      yield { key: `${key}.url`, what: 'is not encrypted: use https://, or set allowHttp: true' };
    }
    if (kind === 'webhook' && secret !== undefined && !webhookSecret.fits(secret)) {
      yield { key: `${key}.secret`, what: `the value (not shown) is not ${webhookSecret.allowed}` };
    }
    if (kind === 'mail' && mail.smtp === undefined) yield { key, what: 'needs mail.smtp as well' };
  }
}
