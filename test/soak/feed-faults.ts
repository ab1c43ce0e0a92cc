import { type FaultName, type FaultRule, faultNames, faultRules } from '../../exchange-simulator/fault-catalogue.ts';
import { type Randomness, sleep, systemClock } from '../../src/clock.ts';
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

/** Every kind of fault the stand-in exchange knows and every kind the network has, in a shuffled order, for ever. */
export function* faultPlan(controlUrl: string, proxies: Proxies, randomness: Randomness): Generator<PlannedFault> {
  const all = [...faultNames.map((name) => exchangeFault(controlUrl, name)), ...networkFaults(proxies)];
  for (;;) {
    const round = [...all];
    for (let left = round.length; left > 0; left--) {
      const [fault] = round.splice(Math.floor(randomness.fraction() * left), 1);
      yield fault!;
    }
  }
}

export interface Proxies {
  readonly live: TcpProxy;
  readonly rest: TcpProxy;
}

/** Lets one thing go wrong every thirty seconds, and waits each time for the feed to be operational again. */
export async function runFaults(
  plan: Iterator<PlannedFault>,
  record: SoakRecord,
  operationalSince: (ms: number) => Promise<boolean>,
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
    const tookMs = await recovery(band.toMs, operationalSince);
    record.recoveries.push({ what: fault.what, clearedAtMs: band.toMs, tookMs });
    await sleep(systemClock, Math.max(2_000, startedMs + everyMs - Date.now()), signal);
  }
}

async function recovery(
  sinceMs: number,
  operationalSince: (ms: number) => Promise<boolean>,
): Promise<number | undefined> {
  while (Date.now() - sinceMs < recoveryBoundMs) {
    if (await operationalSince(sinceMs)) return Date.now() - sinceMs;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return undefined;
}

/** What a fault needs to be of consequence, where the defaults are not enough. */
const particulars: Partial<Record<FaultName, Readonly<Record<string, unknown>>>> = {
  'pair-new': { symbol: 'NEWCOIN/EUR' },
  'pair-delist': { symbol: 'SC/EUR' },
  'pair-status': { symbol: 'SC/EUR' },
  oversized: { bytes: 8_000_000 },
};

function exchangeFault(controlUrl: string, name: FaultName): PlannedFault {
  const rule: FaultRule = faultRules[name];
  const symbol = rule.symbols === 'required' ? { symbol: 'ETH/EUR' } : {};
  const body = { fault: name, ...symbol, ...particulars[name] };
  return {
    what: name,
    holdMs: rule.kind === 'event' ? 500 : holdMs,
    begin: () => control(`${controlUrl}/faults`, 'POST', body),
    end: () => control(`${controlUrl}/faults`, 'DELETE'),
  };
}

async function control(url: string, method: string, body?: object): Promise<void> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url, { method, headers: { Connection: 'close' }, ...sent });
  if (!response.ok) throw new Error(`${method} ${url}: ${await response.text()}`);
}

function networkFaults({ live, rest }: Proxies): PlannedFault[] {
  const both = [live, rest];
  const fault = (what: string, begin: (proxy: TcpProxy) => void, proxies = both): PlannedFault => ({
    what: `network: ${what}`,
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
