import type { TestContext } from 'node:test';
import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { eventually } from './eventually.ts';
import { fixedPort } from './fixed-port.ts';
import { ServiceHarness, type ServiceHarnessOptions } from './service-harness.ts';

export const returnAfterS = 3;

/**
 * What makes a service use Kraken, Bitvavo and Coinbase, each a stand-in with the same markets; the first is the
 * harness's own.
 */
export async function withOthers(
  t: Pick<TestContext, 'after'>,
  settings: Readonly<Record<string, string>> = {},
  more: ServiceHarnessOptions = {},
) {
  const others = await Promise.all(
    (['bitvavo', 'coinbase'] as const).map(async (dialect) => {
      return startExchangeSimulator({ dialect, quotes: ['EUR'], updatesPerSecond: 50, port: await fixedPort() });
    }),
  );
  t.after(() => Promise.all(others.map((each) => each.stop())));
  const options: ServiceHarnessOptions = {
    settingsFrom: (kraken: ExchangeSimulator) => ({
      sources: JSON.stringify(
        [kraken, ...others].map(({ dialect, restUrl, wsUrl }) => ({ id: dialect, urls: { rest: restUrl, ws: wsUrl } })),
      ),
      'pricing.returnAfter': `${returnAfterS}s`,
      ...settings,
    }),
    timing: { staleAfterMs: 10_000, transportTimeoutMs: 10_000, pingEveryMs: 1_500 },
    ...more,
  };
  return { others, options };
}

/** A service on them, once every source has its markets. */
export async function threeSources(t: Pick<TestContext, 'after'>, settings: Readonly<Record<string, string>> = {}) {
  const { others, options } = await withOthers(t, settings);
  const service = await ServiceHarness.start(t, options);
  const states = statesOf(service);
  await eventually('every source has the market', async () => {
    return (await states()).map(({ state }) => state).join() === 'used,standby,standby';
  });
  return { service, states, others };
}

/** A service on them that starts after `before`, whatever prices it then has. */
export async function threeFrom(
  t: Pick<TestContext, 'after'>,
  settings: Readonly<Record<string, string>>,
  before: (simulators: readonly ExchangeSimulator[]) => void,
) {
  const { others, options } = await withOthers(t, settings, { untilLive: false });
  const service = await ServiceHarness.start(t, { ...options, before: (first) => before([first, ...others]) });
  return { service, states: statesOf(service), others, all: [service.simulator, ...others] };
}

/** Gives what each source is to a market. */
function statesOf(service: ServiceHarness) {
  return async (symbol = 'BTCEUR') => {
    const body = (await (await service.admin(`/prices/${symbol}`)).json()) as {
      sources: { id: string; state: string; reach: string; reason: string | null; deviationPercent: string | null }[];
    };
    return body.sources;
  };
}

/** Makes all of them agree on BTCEUR, and then the first say a thousand times that. */
export async function firstLies(service: ServiceHarness, others: readonly ExchangeSimulator[]): Promise<void> {
  const states = statesOf(service);
  for (const each of [service.simulator, ...others])
    each.setPrice({ symbol: 'BTC/EUR', bid: '50000.0', ask: '50000.1' });
  await eventually('one level, over the live path', async () => {
    const all = await states();
    return (
      all.length === 3 && all.every(({ reach, deviationPercent }) => reach === 'live' && Number(deviationPercent) === 0)
    );
  });
  service.simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000000.0', ask: '50000000.1' });
  await eventually('it is contradicted', async () => (await states())[0]?.reason === 'contradicted');
}
