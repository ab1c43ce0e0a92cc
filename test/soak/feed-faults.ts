import { type FaultName, type FaultRule, faultNames, faultRules } from '../../exchange-simulator/fault-catalogue.ts';
import { type Randomness, sleep, systemClock } from '../../src/ground/clock.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import type { SoakRecord } from './record.ts';

/** One thing that goes wrong between the service and the exchange. */
export interface PlannedFault {
  readonly what: string;
  readonly holdMs: number;
  begin(): unknown;
  end(): unknown;
}

/** After a fault the feed is operational again within this. A minute is what ten connects a minute can cost. */
export const recoveryBoundMs = 75_000;

const everyMs = 30_000;
/** Longer than it takes to find out about silence. */
const holdMs = 9_000;

/** One exchange, and the network between it and the service. */
export interface FaultySource {
  readonly id: string;
  readonly controlUrl: string;
  readonly live: TcpProxy;
  readonly rest: TcpProxy;
}

/**
 * Faults of each source in turn, for ever: of each, every kind the stand-in exchange and the network have, in a
 * shuffled order.
 */
export function* faultPlan(sources: readonly FaultySource[], randomness: Randomness): Generator<PlannedFault> {
  const rounds = sources.map((source, index) => shuffled(faultsOf(source, index === 0), randomness));
  for (;;) for (const round of rounds) yield round.next().value!;
}

function faultsOf(source: FaultySource, hasRates: boolean): PlannedFault[] {
  const isKnown = (name: FaultName) => {
    if (name === 'reconnect-notice') return announcesEnd.has(source.id);
    // The rates come from the first exchange's process.
    return hasRates || !name.startsWith('rate-');
  };
  return [...faultNames.filter(isKnown).map((name) => exchangeFault(source, name)), ...networkFaults(source)];
}

function* shuffled<T>(all: readonly T[], randomness: Randomness): Generator<T, undefined> {
  for (;;) {
    const round = [...all];
    for (let left = round.length; left > 0; left--) {
      yield round.splice(Math.floor(randomness.fraction() * left), 1)[0]!;
    }
  }
}

/**
 * Lets one thing go wrong every thirty seconds, and waits each time for the feed to be operational and every source to
 * deliver again.
 */
export async function runFaults(
  plan: Iterator<PlannedFault>,
  record: SoakRecord,
  recoveredSince: (ms: number) => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  await sleep(systemClock, 10_000, signal);
  while (!signal.aborted) {
    const startedMs = Date.now();
    const fault = plan.next().value as PlannedFault;
    const band = record.begin('fault', fault.what);
    await fault.begin();
    await sleep(systemClock, fault.holdMs, signal);
    await fault.end();
    band.toMs = Date.now();
    const tookMs = await recovery(band.toMs, recoveredSince);
    record.recoveries.push({ what: fault.what, clearedAtMs: band.toMs, tookMs });
    await sleep(systemClock, Math.max(2_000, startedMs + everyMs - Date.now()), signal);
  }
}

async function recovery(
  sinceMs: number,
  recoveredSince: (ms: number) => Promise<boolean>,
): Promise<number | undefined> {
  while (Date.now() - sinceMs < recoveryBoundMs) {
    if (await recoveredSince(sinceMs)) return Date.now() - sinceMs;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return undefined;
}

/** The dialects in which an exchange says that it will end a connection. */
const announcesEnd: ReadonlySet<string> = new Set(['binance', 'bitstamp', 'okx']);

/** What a fault needs to be of consequence, where the defaults are not enough. */
const particulars: Partial<Record<FaultName, Readonly<Record<string, unknown>>>> = {
  'pair-new': { symbol: 'NEWCOIN/EUR' },
  'pair-delist': { symbol: 'SC/EUR' },
  'pair-status': { symbol: 'SC/EUR' },
  oversized: { bytes: 8_000_000 },
};

function exchangeFault({ id, controlUrl }: FaultySource, name: FaultName): PlannedFault {
  const rule: FaultRule = faultRules[name];
  const symbol = rule.symbols === 'required' ? { symbol: 'ETH/EUR' } : {};
  const body = { fault: name, ...symbol, ...particulars[name] };
  return {
    what: `${id}: ${name}`,
    holdMs: rule.kind === 'event' ? 500 : holdMs,
    begin: () => control(`${controlUrl}/faults`, 'POST', body),
    end: () => control(`${controlUrl}/faults`, 'DELETE'),
  };
}

export async function control(url: string, method: string, body?: object): Promise<void> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, { method, headers: { Connection: 'close' }, ...sent });
  if (!response.ok) throw new Error(`${method} ${url}: ${await response.text()}`);
}

function networkFaults({ id, live, rest }: FaultySource): PlannedFault[] {
  const both = [live, rest];
  const fault = (what: string, begin: (proxy: TcpProxy) => void, proxies = both): PlannedFault => ({
    what: `${id}: network ${what}`,
    holdMs,
    begin: () => proxies.forEach(begin),
    async end() {
      for (const proxy of proxies) await proxy.clear();
    },
  });
  return [
    fault('black hole', (proxy) => proxy.blackHole()),
    fault('black hole of the live connection', (proxy) => proxy.blackHole(), [live]),
    fault('reset', (proxy) => proxy.reset()),
    fault('refused', (proxy) => {
      proxy.refuse();
      proxy.reset();
    }),
    fault('latency and jitter', (proxy) => proxy.set('both', { latencyMs: 800, jitterMs: 700 })),
    fault('narrow', (proxy) => proxy.set('down', { bytesPerSecond: 20_000 })),
    fault('sliced', (proxy) => proxy.set('down', { sliceBytes: 50, sliceDelayMs: 2 })),
    fault('cut after 5 kB', (proxy) => {
      proxy.set('down', { limitBytes: 5_000 });
      proxy.reset();
    }),
    fault('slow close', (proxy) => proxy.set('both', { slowCloseMs: 3_000 })),
  ];
}
