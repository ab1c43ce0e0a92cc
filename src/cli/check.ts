import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Timer } from '../clock.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { didYouMean } from '../configuration/spelling.ts';
import type { ConnectorUrls, ExchangeConnector } from '../feed/connector.ts';
import { type MarketSymbol, symbolOf } from '../market/symbol.ts';
import type { UpstreamMarket } from '../market/upstream.ts';
import type { Command, Context } from './command.ts';
import { type ExitCode, exitCodes, failureOf } from './failure.ts';
import { askServer, withTimeout } from './private-listener.ts';
import { listenFailure, tlsFailure } from './serve.ts';
import { configurationFor } from './store-command.ts';
import { paintFor, table } from './style.ts';

export const check: Command = {
  name: 'check',
  summary: 'find what would keep `serve` from working, and say what to do about it',
  details: [
    'Checks configuration, database, certificate, ports, Redis, mail server, exchange and rate source, and changes nothing. A service that runs here may keep its ports.',
    'Exits with 0 when all works, with 1 for what `serve` would wait for, else with the exit code of `serve`.',
  ],
  examples: [
    { line: 'mdapi check --config /etc/mdapi/mdapi.yaml', note: 'before the first start, or when something is wrong' },
  ],
  async run(input, context) {
    const { configuration, file } = await configurationFor(input, context);
    const detail = file ?? 'defaults and environment, no file';
    const results = [good('configuration', detail), ...(await checkAll(configuration, context))];
    const paint = paintFor(context);
    const rows = results.map(({ finding: { name, works, detail } }) => [
      name,
      works ? { text: 'works', paint: paint.good } : { text: 'does not work', paint: paint.bad },
      detail,
    ]);
    const findings = results.map(({ finding }) => finding);
    return {
      json: { works: findings.every(({ works }) => works), findings },
      text: table(['CHECK', 'RESULT', 'DETAIL'], rows, paint, ''),
      exitCode: results.find(({ exitCode }) => exitCode !== exitCodes.ok)?.exitCode ?? exitCodes.ok,
    };
  },
};

/** One check, as it is shown. */
interface Finding {
  readonly name: string;
  readonly works: boolean;
  /** What was found; or why it does not work, and what to do. Holds no secret. */
  readonly detail: string;
}

interface CheckResult {
  readonly finding: Finding;
  readonly exitCode: ExitCode;
}

const timeoutMs = 20_000;
const skippedShown = 5;

/** In the order in which `serve` would meet them. They run at the same time, for one that hangs takes its whole timeout. */
async function checkAll(configuration: Configuration, context: Context): Promise<readonly CheckResult[]> {
  const isRunning = await isServing(configuration.admin, context);
  const results = await Promise.all([
    checkDatabase(configuration, context, isRunning),
    checkRecord(configuration, context),
    checkCertificate(configuration, context),
    checkLogo(configuration),
    checkPort('private listener', configuration.admin, isRunning, configuration),
    checkPort('public listener', configuration.server, isRunning, configuration),
    checkRedis(configuration, context),
    checkMail(configuration, context),
    checkUpstream(configuration, context),
  ]);
  return results.flat();
}

function checkDatabase({ store, redis }: Configuration, { clock }: Context, isRunning: boolean): Promise<CheckResult> {
  return attempt('database', async () => {
    const { inspectStore } = await import('../store/open-database.ts');
    const { assertWritable } = await import('../store/sqlite/open.ts');
    if (store.kind === 'sqlite' && !(await assertWritable(store.path, clock)))
      return `${store.path} does not exist yet; the server creates it`;
    if (store.kind === 'sqlite' && redis === undefined && !isRunning) {
      const { lockForService } = await import('../store/sqlite/service-lock.ts');
      lockForService(store.path)();
    }
    const { name, state, accounts, keys, markets } = await inspectStore(store.url, clock);
    if (state === 'empty') return `${name}: empty; the server creates its tables`;
    const { quickCheck } = await import('../store/sqlite/quick-check.ts');
    const finding = store.kind === 'sqlite' ? await quickCheck(store.path) : undefined;
    if (finding !== undefined) throw new Error(`${name} is damaged, restore a backup: ${finding}`);
    const age = state === 'older' ? '; of an older version, which the server migrates' : '';
    return `${name}: ${accounts} accounts, ${keys} keys, ${markets} markets${age}`;
  });
}

async function checkRecord({ history }: Configuration, { clock }: Context): Promise<readonly CheckResult[]> {
  if (history === undefined) return [];
  const result = await attempt('record', async () => {
    const { location } = history;
    if (location.kind === 'postgres') {
      const { openSegmentsToRead } = await import('../history/open-segments.ts');
      const store = await openSegmentsToRead(location);
      await store?.close();
      return store === undefined ? 'in PostgreSQL: empty; the server creates its tables' : 'in PostgreSQL';
    }
    const { assertWritable } = await import('../store/sqlite/open.ts');
    const isThere = await assertWritable(location.path, clock);
    return isThere ? location.path : `${location.path} does not exist yet; the server creates it`;
  });
  return [result];
}

async function checkCertificate(configuration: Configuration, { clock }: Context): Promise<readonly CheckResult[]> {
  const { tls } = configuration.server;
  if (tls === undefined) return [];
  const result = await attempt('certificate', async () => {
    const { readCertificate } = await import('../wiring/certificate.ts');
    try {
      const files = await readCertificate(tls);
      createSecureContext(files);
      const { validToDate } = new X509Certificate(files.cert);
      if (validToDate.getTime() > clock.now()) return `${tls.certFile}, valid until ${validToDate.toISOString()}`;
      throw new Error(`${tls.certFile} expired at ${validToDate.toISOString()}: clients refuse it. Renew it.`);
    } catch (error) {
      throw tlsFailure(error, configuration) ?? error;
    }
  });
  return [result];
}

async function checkLogo({ portal }: Configuration): Promise<readonly CheckResult[]> {
  if (portal.logo === undefined) return [];
  const { portalBrand } = await import('../wiring/portal-brand.ts');
  return [await attempt('logo', async () => `${portal.logo}, ${portalBrand(portal).logo?.bytes.length} bytes`)];
}

/** Whether a service with this configuration runs on this machine: what it has taken is in nobody's way. */
async function isServing(admin: Configuration['admin'], { clock }: Context): Promise<boolean> {
  const answer = (await askServer(admin, clock, '/readyz')) as { phase?: unknown } | null | undefined;
  return typeof answer?.phase === 'string';
}

function checkPort(
  name: string,
  { host, port, ...server }: { readonly host: string; readonly port: number; readonly reusePort?: boolean },
  isRunning: boolean,
  configuration: Configuration,
): Promise<CheckResult> {
  return attempt(name, async () => {
    const probe = createServer();
    try {
      probe.listen({ host, port, ...server });
      await once(probe, 'listening');
      probe.close();
      return port === 0 ? `${host}, any free port` : `${host}, port ${port}`;
    } catch (error) {
      const isInUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
      if (isInUse && isRunning) return `${host}, port ${port}, in use by the service that runs here now`;
      throw listenFailure(error, configuration) ?? error;
    }
  });
}

async function checkRedis({ redis }: Configuration, { clock, randomness }: Context): Promise<readonly CheckResult[]> {
  if (redis === undefined) return [];
  const { checkRedis: tryRedis } = await import('../cluster/redis-check.ts');
  const server = { subject: `${redis.host}:${redis.port}`, key: 'redis' };
  return [await attemptInTime('Redis', clock, (signal) => tryRedis(redis, clock, randomness, signal), server)];
}

async function checkMail({ mail }: Configuration, { clock }: Context): Promise<readonly CheckResult[]> {
  if (mail === undefined) return [];
  const { smtp, from } = mail;
  const { tryMailServer } = await import('../notices/delivery.ts');
  const work = async (signal: AbortSignal) => {
    await tryMailServer(smtp, signal);
    return `${smtp.credentials === undefined ? 'takes connections' : 'takes the login'}; sender ${from.address}`;
  };
  const server = { subject: `${smtp.host}:${smtp.port}`, key: 'mail.smtp' };
  return [await attemptInTime('mail server', clock, work, server)];
}

async function checkUpstream(
  configuration: Configuration,
  { clock, randomness }: Context,
): Promise<readonly CheckResult[]> {
  const { connectorsFor, loadKinds } = await import('../wiring/feed.ts');
  const kinds = await loadKinds(configuration);
  const connectors = connectorsFor(configuration, kinds, clock);
  const sources = await Promise.all(
    connectors.map(async (connector, index) => {
      const { id, kind, urls } = configuration.sources[index]!;
      if (kind !== 'push' && kind !== 'redis-stream') return checkSource(connector, urls, clock);
      const waits = async () => 'your engine connects to /ingest/v1 of the private listener';
      const result = kind === 'push' ? attempt(id, waits) : checkEngineStream(id, configuration, { clock, randomness });
      return { results: [await result], markets: [] };
    }),
  );
  const markets = sources.flatMap((source) => source.markets);
  const symbols = markets.length === 0 ? [] : await checkSymbols(configuration, markets);
  // After the catalogues: a rate can be the price of one of their markets.
  const rates = await checkRates(configuration, connectors, clock);
  return [...sources.flatMap(({ results }) => results), ...symbols, ...rates];
}

/** Whether the stream of an engine is there. */
async function checkEngineStream(
  id: string,
  { redis }: Configuration,
  { clock, randomness }: Pick<Context, 'clock' | 'randomness'>,
): Promise<CheckResult> {
  const { streamKey } = await import('../wiring/engine-stream.ts');
  const { checkStream } = await import('../cluster/redis-check.ts');
  const { host, port } = redis!;
  const look = (signal: AbortSignal) => checkStream(streamKey(id), redis!, clock, randomness, signal);
  return attemptInTime(id, clock, look, { subject: `${host}:${port}`, key: 'redis' });
}

/** What a source answers, over both of its ways. */
async function checkSource(
  connector: ExchangeConnector,
  urls: ConnectorUrls,
  clock: Context['clock'],
): Promise<{ readonly results: readonly CheckResult[]; readonly markets: readonly UpstreamMarket[] }> {
  let markets: readonly UpstreamMarket[] = [];
  const loaded = async (signal: AbortSignal) => {
    const { skipped, ...catalogue } = await connector.loadCatalogue(signal);
    markets = catalogue.markets;
    const reasons = skipped.slice(0, skippedShown).map(({ name, reason }) => `${name} (${reason})`);
    const more = skipped.length > skippedShown ? ` and ${skipped.length - skippedShown} more` : '';
    return `${markets.length} markets${reasons.length === 0 ? '' : `; not offered: ${reasons.join(', ')}${more}`}`;
  };
  const { id } = connector;
  const at = (url: string, name: string) => ({ subject: withoutQuery(url), key: `urls.${name} of ${id} in sources` });
  const results = await Promise.all([
    attemptInTime(`${id} REST`, clock, loaded, at(urls.rest, 'rest')),
    attemptInTime(`${id} live`, clock, (signal) => openOnce(connector, clock, signal), at(urls.ws, 'ws')),
  ]);
  return { results, markets };
}

/** A symbol that no source has is never offered, and nothing else would say so. */
async function checkSymbols(
  { markets: { symbols }, pricing }: Configuration,
  markets: readonly UpstreamMarket[],
): Promise<readonly CheckResult[]> {
  const wanted = [...(symbols === 'all' ? [] : symbols), ...pricing.pricePrecision.keys()];
  if (wanted.length === 0) return [];
  const offered = new Set<MarketSymbol>(markets.map(({ symbol }) => symbol));
  for (const [currency, { via }] of pricing.converted)
    for (const { base, quote } of markets) if (quote === via) offered.add(symbolOf(base, currency));
  const unknown = wanted.filter((symbol) => !offered.has(symbol));
  const result = await attempt('symbols', async () => {
    if (unknown.length === 0) return `each of the ${wanted.length} that are configured is there`;
    const named = unknown.map((symbol) => `${symbol}.${didYouMean(symbol, offered)}`);
    const remedy = 'Correct markets.symbols and pricing.pricePrecision.';
    throw new Error(`No source has a market for ${named.join(' ')} ${remedy}`);
  });
  return [result];
}

async function checkRates(
  { rates, pricing }: Configuration,
  connectors: readonly ExchangeConnector[],
  clock: Context['clock'],
): Promise<readonly CheckResult[]> {
  const { rateSource } = await import('../wiring/feed.ts');
  const { judgeRate } = await import('../feed/rates/rate-keeper.ts');
  const place = rates.source === 'exchange' ? rates.market : withoutQuery(rates.url);
  const results = [...pricing.converted].map(([quote, { via }]) => {
    const source = rateSource(rates, connectors, clock, via, quote);
    const load = async (signal: AbortSignal) => {
      const rate = await source.load(signal);
      judgeRate(rate, clock.now());
      return `${rate.mid}${rate.fixingDate === undefined ? '' : `, fixing of ${rate.fixingDate}`}`;
    };
    const at = { subject: `${source.id} at ${place}`, key: rates.source === 'exchange' ? 'rates.market' : 'rates.url' };
    return attemptInTime(`rate ${via}/${quote}`, clock, load, at);
  });
  return Promise.all(results);
}

/** Exchanges that send their catalogue live do it right after the opening: it is the largest frame of all. */
const catalogueWithinMs = 2_000;

/** Opens the live connection, waits for an answer and for a catalogue where one comes, and closes it. */
function openOnce(connector: ExchangeConnector, clock: Context['clock'], signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let wait: Timer | undefined;
    const end = (settle: () => void) => {
      wait?.cancel();
      connection.terminate();
      settle();
    };
    const succeed = () => end(() => resolve('connected'));
    const connection = connector.openLive((event) => {
      if (event.type === 'closed') end(() => reject(new Error(event.detail)));
      else if (event.type === 'instruments') succeed();
      // Most exchanges say nothing until they are asked.
      else if (event.type === 'opened') connection.ping();
      else if (event.type === 'frame') wait ??= clock.after(catalogueWithinMs, succeed);
    });
    signal.addEventListener('abort', () => end(() => reject(new Error('nothing was received in time'))));
  });
}

/** A query may hold a secret of the operator's. */
function withoutQuery(url: string): string {
  return url.replace(/\?.*$/, '');
}

/** Something on the network. */
interface Remote {
  /** Its name and address in messages. */
  readonly subject: string;
  /** The setting they come from. */
  readonly key: string;
}

/** Each check has its own timeout, so that one that hangs does not fail the others. */
function attemptInTime(
  name: string,
  clock: Context['clock'],
  work: (signal: AbortSignal) => Promise<string>,
  { subject, key }: Remote,
): Promise<CheckResult> {
  return attempt(name, async () => {
    try {
      return `${subject}: ${await withTimeout(clock, timeoutMs, work)}`;
    } catch (error) {
      const remedy = `Check ${key}, and whether this machine may reach it (DNS, firewall, proxy).`;
      throw new Error(`${subject}: ${error instanceof Error ? error.message : 'failed'}. ${remedy}`);
    }
  });
}

async function attempt(name: string, work: () => Promise<string>): Promise<CheckResult> {
  try {
    return good(name, await work());
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'failed';
    return { finding: { name, works: false, detail }, exitCode: failureOf(error).exitCode };
  }
}

function good(name: string, detail: string): CheckResult {
  return { finding: { name, works: true, detail }, exitCode: exitCodes.ok };
}
