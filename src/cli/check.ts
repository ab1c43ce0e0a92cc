import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { Configuration, HistoryConfiguration } from '../configuration/configuration.ts';
import type { LoadedConfiguration } from '../configuration/load.ts';
import { didYouMean } from '../configuration/spelling.ts';
import { Ban } from '../feed/ban.ts';
import type { ConnectorUrls, ExchangeConnector } from '../feed/connector.ts';
import type { Clock, EpochMs, Timer } from '../ground/clock.ts';
import { openFilesLimit } from '../http/open-files.ts';
import { type MarketSymbol, symbolOf } from '../market/symbol.ts';
import type { ListedMarket } from '../market/upstream.ts';
import { ratesOf, unusualRates, unusualText } from '../operator/unusual-rates.ts';
import { bansIn, bansSnapshotName } from '../persistence/source-bans.ts';
import { dataFolderState, openFilesState } from './check-files.ts';
import type { Finding } from './check-levels.ts';
import { type Check, programChecks, reached } from './check-programs.ts';
import { type Context, command } from './command.ts';
import { type ExitCode, exitCodes, failureOf } from './failure.ts';
import { askServer } from './private-listener.ts';
import { listenFailure, tlsFailure } from './serve.ts';
import { configurationFor } from './store-command.ts';
import { paintFor, sizeText, table } from './style.ts';

const check = command({
  name: 'check',
  summary: 'find what would keep `serve` from working, and say what to do about it',
  details: [
    'Checks configuration, database, certificate, ports, Redis, mail server, sign-in provider, exchange and rate source, and changes nothing; a heartbeat is sent once. A service that runs here may keep its ports.',
    'Compares the prices that several sources have of a market, once: those further apart than `guard.disagreePercent` are a warning.',
    'Exits with 0 when all works, with 1 for what `serve` would wait for, else with the exit code of `serve`.',
  ],
  examples: {
    'mdapi check --config /etc/mdapi/mdapi.yaml': 'before the first start, or when something is wrong',
  },
  run: async ({ options }, context) => checkAll(await configurationFor(options, context), context),
});

export const commands = [check];

/** Checks all that a configuration names. */
export async function checkAll(loaded: LoadedConfiguration, context: Context) {
  const { takeWayOut } = await import('../feed/ways-out.ts');
  const { restore } = takeWayOut(loaded.configuration.network, context.env);
  try {
    return await checkEverything(loaded, context);
  } finally {
    restore();
  }
}

async function checkEverything({ configuration, file, settings }: LoadedConfiguration, context: Context) {
  const { assertRecordNamed } = await import('../configuration/load.ts');
  const look = async () => {
    assertRecordNamed(settings);
    return file ?? 'defaults and environment, no file';
  };
  const loaded: Check = ['configuration', look];
  const isRunning = await isServing(configuration.admin, context);
  // At the same time, for one that hangs takes its whole timeout.
  const [own, upstream] = await Promise.all([
    Promise.all([loaded, ...checksOf(configuration, context, isRunning)].map(attempt)),
    checkUpstream(configuration, context),
  ]);
  const unusual = unusualRates(ratesOf(configuration.pricing)).map((rate) => {
    const detail = unusualText(rate);
    return { finding: { name: 'pricing', works: true, isWarning: true, detail }, exitCode: exitCodes.ok };
  });
  const files = asWarning(
    await attempt(['open files', () => openFilesState(configuration.server.maxConnections, openFilesLimit())]),
  );
  const { approvalsFinding } = await import('./check-approvals.ts');
  const approvals = [await approvalsFinding(configuration, context.clock)].flatMap((finding) =>
    finding === undefined ? [] : { finding, exitCode: exitCodes.ok },
  );
  const results: readonly CheckResult[] = [...own, files, ...approvals, ...unusual, ...upstream];
  const paint = paintFor(context);
  const rows = results.map(({ finding: { name, works, isWarning, detail } }) => {
    const good = isWarning ? { text: 'warning', paint: paint.attention } : { text: 'works', paint: paint.good };
    return [name, works ? good : { text: 'does not work', paint: paint.bad }, detail];
  });
  const findings = results.map(({ finding }) => finding);
  return {
    json: { works: findings.every(({ works }) => works), findings },
    text: table(['CHECK', 'RESULT', 'DETAIL'], rows, paint, ''),
    exitCode: results.find(({ exitCode }) => exitCode !== exitCodes.ok)?.exitCode ?? exitCodes.ok,
  };
}

interface CheckResult {
  readonly finding: Finding;
  readonly exitCode: ExitCode;
}

const skippedShown = 5;

/** In the order in which `serve` would meet them. */
function* checksOf(configuration: Configuration, context: Context, isRunning: boolean): Generator<Check> {
  const { history, server, admin, portal } = configuration;
  const { clock } = context;
  yield ['data folder', () => dataFolderState(configuration)];
  yield ['database', () => databaseState(configuration, clock, isRunning)];
  const recorded = async () =>
    history === undefined
      ? 'nothing is recorded: history.url is off'
      : [await recordState(history, clock), ...recordKept(history, configuration)].join('; ');
  yield ['record', recorded];
  if (server.tls !== undefined) yield ['certificate', () => certificateState(configuration, clock)];
  if (portal.logo !== undefined) yield ['logo', () => logoState(portal)];
  yield ['private listener', () => portState(admin, isRunning, configuration)];
  yield ['public listener', () => portState(server, isRunning, configuration)];
  yield* programChecks(configuration, context);
}

async function databaseState({ store, redis }: Configuration, clock: Clock, isRunning: boolean): Promise<string> {
  const { inspectStore } = await import('../store/open-database.ts');
  const { assertWritable } = await import('../store/sqlite/open.ts');
  const { lockForService } = await import('../store/sqlite/file.ts');
  if (store.kind === 'sqlite' && !(await assertWritable(store.path, clock)))
    return `${store.path} does not exist yet; the server creates it`;
  if (store.kind === 'sqlite' && redis === undefined && !isRunning) lockForService(store.path)();
  const { name, state, accounts, keys, markets } = await inspectStore(store.url, clock);
  if (state === 'empty') return `${name}: empty; the server creates its tables`;
  const { quickCheck } = await import('../store/sqlite/quick-check.ts');
  const damage = store.kind === 'sqlite' ? await quickCheck(store.path) : undefined;
  if (damage !== undefined) throw new Error(`${name} is damaged, restore a backup: ${damage}`);
  const age = state === 'older' ? '; of an older version, which the server migrates' : '';
  return `${name}: ${accounts} accounts, ${keys} keys, ${markets} markets${age}`;
}

async function recordState({ location }: HistoryConfiguration, clock: Clock): Promise<string> {
  const { assertWritable } = await import('../store/sqlite/open.ts');
  const { openSegmentsToRead } = await import('../history/segment/open-segments.ts');
  if (location.kind === 'sqlite' && !(await assertWritable(location.path, clock)))
    return `${location.path} does not exist yet; the server creates it`;
  // Refuses one of another version.
  const store = await openSegmentsToRead(location);
  await store?.close();
  if (location.kind === 'sqlite') return location.path;
  return store === undefined ? 'in PostgreSQL: empty; the server creates its tables' : 'in PostgreSQL';
}

/** MiCA asks for records of five years. */
const askedDays = 1_830;
/** A market changes once a second or less often. */
const secondsOfADay = 86_400;
const bytesAPrice = 4;
/** Few exchanges have more markets than this in one currency. */
const marketsUsual = 700;

function recordKept({ keepForMs, sealTo }: HistoryConfiguration, { markets, pricing, mail }: Configuration): string[] {
  const days = keepForMs / (secondsOfADay * 1_000);
  const note = days < askedDays ? ` (MiCA asks for ${askedDays}d: history.keepFor)` : '';
  const count = markets.symbols === 'all' ? marketsUsual * (1 + pricing.converted.size) : markets.symbols.length;
  const size = sizeText(count * secondsOfADay * days * bytesAPrice);
  const prices = `up to ${size} of prices (${count} markets, one change a second)`;
  const seals =
    sealTo === undefined || mail === undefined ? 'the log alone (history.sealTo)' : `${sealTo.address} and the log`;
  return [`kept for ${+days.toFixed(2)} days${note}`, prices, `seals go to ${seals}`];
}

async function certificateState(configuration: Configuration, clock: Clock): Promise<string> {
  const { certFile } = configuration.server.tls!;
  const { readCertificate } = await import('../http/certificate.ts');
  try {
    const files = await readCertificate(configuration.server.tls!);
    createSecureContext(files);
    const { validToDate } = new X509Certificate(files.cert);
    if (validToDate.getTime() > clock.now()) return `${certFile}, valid until ${validToDate.toISOString()}`;
    throw new Error(`${certFile} expired at ${validToDate.toISOString()}: clients refuse it. Renew it.`);
  } catch (error) {
    throw tlsFailure(error, configuration) ?? error;
  }
}

async function logoState(portal: Configuration['portal']): Promise<string> {
  const { logoRefused } = await import('../configuration/load.ts');
  const { portalBrand } = await import('../portal/portal-brand.ts');
  return `${portal.logo}, ${sizeText(portalBrand(portal, logoRefused).logo!.bytes.length)}`;
}

/** Whether a service with this configuration runs on this machine: its own ports are no obstacle. */
async function isServing(admin: Configuration['admin'], { clock }: Context): Promise<boolean> {
  const answer = (await askServer(admin, clock, '/readyz')) as { phase?: unknown } | null | undefined;
  return typeof answer?.phase === 'string';
}

async function portState(
  { host, port, ...server }: { readonly host: string; readonly port: number; readonly reusePort?: boolean },
  isRunning: boolean,
  configuration: Configuration,
): Promise<string> {
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
}

async function checkUpstream(configuration: Configuration, context: Context): Promise<readonly CheckResult[]> {
  const { clock } = context;
  const { connectorFor, loadKinds } = await import('../feed/connectors.ts');
  const kinds = await loadKinds(configuration.sources);
  const active = configuration.sources.filter(({ isPaused }) => !isPaused);
  const bans = await savedBans(configuration, clock);
  const connected = active.map((config) => {
    const ban = new Ban(clock, bans.get(config.id));
    return { config, ban, connector: connectorFor({ ...config, ban }, configuration, kinds, clock) };
  });
  const catalogues = new Map<string, readonly ListedMarket[]>();
  const sources = connected.flatMap(({ config: { id, kind, urls }, ban, connector }) => {
    if (ban.until !== undefined) return [[id, notBefore(ban.until)] as Check];
    if (kind === 'push') return [[id, engineConnects] as Check];
    if (kind === 'redis-stream') return [streamCheck(id, configuration, context)];
    return sourceChecks(connector, urls, clock, catalogues);
  });
  const results = await Promise.all(sources.map(attempt));
  const markets = [...catalogues.values()].flat();
  const symbols = markets.length === 0 ? [] : symbolChecks(configuration, markets);
  // After the catalogues: a rate can be the price of one of their markets.
  const connectors = connected.map(({ connector }) => connector);
  const rates = await rateChecks(configuration, connectors, clock);
  const { compareLevels } = await import('./check-levels.ts');
  const [levels, others] = await Promise.all([
    catalogues.size < 2 ? [] : compareLevels(configuration, connectors, catalogues, clock),
    Promise.all(symbols.map(attempt)),
  ]);
  return [...results, ...levels.map((finding) => ({ finding, exitCode: exitCodes.ok })), ...others, ...rates];
}

/** The bans that the service saved; none where its database cannot be read, which a check of its own says. */
async function savedBans({ store }: Configuration, clock: Clock): Promise<ReadonlyMap<string, EpochMs>> {
  const { readSnapshot } = await import('../store/open-database.ts');
  const saved = await readSnapshot(store.url, clock, bansSnapshotName).catch(() => undefined);
  return new Map(bansIn(saved ?? '').filter(([, until]) => until > clock.now()));
}

/** Fails without a request: each would make the ban longer. */
function notBefore(until: EpochMs) {
  return async (): Promise<string> => {
    const instant = new Date(until).toISOString();
    throw new Error(`banned until ${instant} by what the exchange told this service: it is not asked before.`);
  };
}

const engineConnects = async () => 'your engine connects to /ingest/v1 of the private listener';

/** Whether the stream of an engine is there. */
function streamCheck(id: string, { redis }: Configuration, { clock, randomness }: Context): Check {
  const { host, port } = redis!;
  return reached(id, { subject: `${host}:${port}`, key: 'redis' }, clock, async (signal) => {
    const { streamKey } = await import('../cluster/engine-stream.ts');
    const { checkStream, onConnection } = await import('../cluster/redis-check.ts');
    return onConnection(redis!, { clock, randomness }, signal, (call) => checkStream(call, streamKey(id)));
  });
}

/** Checks what a source answers, over both of its ways. Its markets are added to `catalogues`. */
function sourceChecks(
  connector: ExchangeConnector,
  urls: ConnectorUrls,
  clock: Clock,
  catalogues: Map<string, readonly ListedMarket[]>,
) {
  const { id } = connector;
  const at = (url: string, name: string) => ({ subject: withoutQuery(url), key: `urls.${name} of ${id} in sources` });
  const rest = reached(`${id} REST`, at(urls.rest, 'rest'), clock, async (signal) => {
    const { skipped, ...catalogue } = await connector.loadCatalogue(signal);
    const markets = catalogue.markets.filter(({ status }) => status !== 'ended');
    catalogues.set(id, markets);
    const reasons = skipped.slice(0, skippedShown).map(({ name, reason }) => `${name} (${reason})`);
    const more = skipped.length > skippedShown ? ` and ${skipped.length - skippedShown} more` : '';
    return `${markets.length} markets${reasons.length === 0 ? '' : `; not offered: ${reasons.join(', ')}${more}`}`;
  });
  return [rest, reached(`${id} live`, at(urls.ws, 'ws'), clock, (signal) => openOnce(connector, clock, signal))];
}

/** A symbol that no source has is never offered, and nothing else would say so. */
function symbolChecks({ markets: { symbols }, pricing }: Configuration, markets: readonly ListedMarket[]): Check[] {
  const wanted = [...(symbols === 'all' ? [] : symbols), ...pricing.pricePrecision.keys()];
  if (wanted.length === 0) return [];
  const offered = new Set<MarketSymbol>(markets.map(({ symbol }) => symbol));
  for (const [currency, { via }] of pricing.converted)
    for (const { base, quote } of markets) if (quote === via) offered.add(symbolOf(base, currency));
  const unknown = wanted.filter((symbol) => !offered.has(symbol));
  const look = async () => {
    if (unknown.length === 0) return `each of the ${wanted.length} that are configured is there`;
    const named = unknown.map((symbol) => `${symbol}.${didYouMean(symbol, offered)}`);
    const remedy = 'Correct markets.symbols and pricing.pricePrecision.';
    throw new Error(`No source has a market for ${named.join(' ')} ${remedy}`);
  };
  return [['symbols', look]];
}

/** Checks each rate at its source, and compares it with the second one and the last stored. */
async function rateChecks(configuration: Configuration, connectors: readonly ExchangeConnector[], clock: Clock) {
  const { checkedRate, compareRate, rateDetail, readRates } = await import('./check-rates.ts');
  const readings = await readRates(configuration, connectors, clock);
  return Promise.all(
    readings.map(async (reading): Promise<CheckResult> => {
      const { pair, origin } = reading;
      const [place, key] =
        origin.source === 'exchange' ? [origin.market, 'rates.market'] : [withoutQuery(origin.url), 'rates.url'];
      const at = { subject: `${origin.source} at ${place}`, key };
      const detail = async () => rateDetail(reading, configuration.guard);
      const { finding, exitCode } = await attempt(reached(`rate ${pair}`, at, clock, detail));
      const rate = checkedRate(reading);
      if (rate === undefined) return { finding, exitCode };
      const { isWarning } = compareRate(reading, configuration.guard);
      return { finding: { ...finding, rate, isWarning }, exitCode };
    }),
  );
}

/** Exchanges that send their catalogue live do it right after the opening: it is the largest frame of all. */
const catalogueWithinMs = 2_000;

/** Opens the live connection, waits for an answer and for a catalogue where one comes, and closes it. */
function openOnce(connector: ExchangeConnector, clock: Clock, signal: AbortSignal): Promise<string> {
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

/** Turns what the service works with all the same into a warning. */
function asWarning({ finding }: CheckResult): CheckResult {
  const { name, works, detail } = finding;
  return { finding: works ? finding : { name, works: true, isWarning: true, detail }, exitCode: exitCodes.ok };
}

async function attempt([name, work]: Check): Promise<CheckResult> {
  try {
    return { finding: { name, works: true, detail: await work() }, exitCode: exitCodes.ok };
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'failed';
    const { exitCode } = await failureOf(error);
    return { finding: { name, works: false, detail }, exitCode };
  }
}
