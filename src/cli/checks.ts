import { existsSync } from 'node:fs';
import type { Clock } from '../clock.ts';
import { checkRedis } from '../cluster/redis-check.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { ExchangeConnector } from '../feed/connector.ts';
import { judgeRate } from '../feed/rates/rate-keeper.ts';
import { inspectStore } from '../store/open-database.ts';
import { connectorFor, rateSource } from '../wiring/feed.ts';
import type { Context } from './context.ts';

/** What one check found. */
export interface Finding {
  readonly name: string;
  readonly works: boolean;
  /** What there is, or why it does not work. Holds no secret. */
  readonly detail: string;
}

const patienceMs = 20_000;

/** Tries the database, Redis where there is one, the upstream and the rate sources. Never rejects: what fails is a finding. */
export async function checkAll(configuration: Configuration, context: Context): Promise<readonly Finding[]> {
  const database = await attempt('database', () => checkDatabase(configuration, context.clock));
  const redis = await checkSharing(configuration, context);
  return [database, ...redis, ...(await checkUpstream(configuration, context.clock))];
}

async function checkDatabase({ store }: Configuration, clock: Clock): Promise<string> {
  if (store.kind === 'sqlite' && !existsSync(store.path))
    return `${store.path} does not exist yet; the server makes it`;
  const { name, state, accounts, keys, markets } = await inspectStore(store.url, clock);
  if (state === 'empty') return `${name}: empty; the server makes its tables`;
  const age = state === 'older' ? '; of an older version, which the server brings up to date' : '';
  return `${name}: ${accounts} accounts, ${keys} keys, ${markets} markets${age}`;
}

async function checkSharing({ redis }: Configuration, { clock, randomness }: Context): Promise<Finding[]> {
  if (redis === undefined) return [];
  return [await attemptInTime('Redis', clock, (signal) => checkRedis(redis, clock, randomness, signal))];
}

async function checkUpstream(configuration: Configuration, clock: Clock): Promise<Finding[]> {
  const connector = connectorFor(configuration, clock);
  const upstream = await attemptInTime('upstream REST', clock, async (signal) => {
    const { markets, skipped } = await connector.loadCatalogue(signal);
    return `${markets.length} markets${skipped.length === 0 ? '' : `, ${skipped.length} pairs left out`}`;
  });
  const live = await attemptInTime('upstream live', clock, (signal) => openOnce(connector, signal));
  const rates: Finding[] = [];
  for (const [quote, { via }] of configuration.pricing.converted) {
    const source = rateSource(configuration.rates, connector, clock, via, quote);
    rates.push(
      await attemptInTime(`rate ${via}/${quote}`, clock, async (signal) => {
        const rate = await source.load(signal);
        judgeRate(rate, clock.now());
        return `${rate.mid} from ${source.id}${rate.fixingDate === undefined ? '' : `, fixing of ${rate.fixingDate}`}`;
      }),
    );
  }
  return [upstream, live, ...rates];
}

/** Opens the live connection, waits for its first frame and ends it. */
function openOnce(connector: ExchangeConnector, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const connection = connector.openLive((event) => {
      if (event.type === 'closed') reject(new Error(event.detail));
      if (event.type !== 'frame') return;
      connection.terminate();
      resolve('connected');
    });
    signal.addEventListener('abort', () => {
      connection.terminate();
      reject(new Error('nothing was received in time'));
    });
  });
}

/** Each has its own time, so that one that hangs makes no other look broken. */
async function attemptInTime(
  name: string,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<string>,
): Promise<Finding> {
  const abort = new AbortController();
  const patience = clock.after(patienceMs, () => abort.abort());
  try {
    return await attempt(name, () => work(abort.signal));
  } finally {
    patience.cancel();
  }
}

async function attempt(name: string, work: () => Promise<string>): Promise<Finding> {
  try {
    return { name, works: true, detail: await work() };
  } catch (error) {
    return { name, works: false, detail: error instanceof Error ? error.message : 'failed' };
  }
}
