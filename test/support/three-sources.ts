import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { ServiceHarness } from '../support/service-harness.ts';

export const returnAfterS = 3;

/** A service on Kraken, Bitvavo and Coinbase, each a stand-in with the same markets. */
export async function threeSources(
  t: Parameters<typeof ServiceHarness.start>[0],
  settings: Readonly<Record<string, string>> = {},
) {
  const others = await Promise.all(
    (['bitvavo', 'coinbase'] as const).map(async (dialect) => {
      return startExchangeSimulator({ dialect, quotes: ['EUR'], updatesPerSecond: 50, port: await fixedPort() });
    }),
  );
  t.after(() => Promise.all(others.map((each) => each.stop())));
  const service = await ServiceHarness.start(t, {
    settingsFrom: (kraken: ExchangeSimulator) => ({
      sources: JSON.stringify(
        [kraken, ...others].map(({ dialect, restUrl, wsUrl }) => ({ id: dialect, urls: { rest: restUrl, ws: wsUrl } })),
      ),
      'pricing.returnAfter': `${returnAfterS}s`,
      ...settings,
    }),
    timing: { staleAfterMs: 10_000, transportTimeoutMs: 10_000, pingEveryMs: 1_500 },
  });
  const states = async (symbol = 'BTCEUR') => {
    const body = (await (await service.admin(`/prices/${symbol}`)).json()) as {
      sources: { id: string; state: string; reach: string; reason: string | null; deviationPercent: string | null }[];
    };
    return body.sources;
  };
  await eventually('every source has the market', async () => {
    return (await states()).map(({ state }) => state).join() === 'used,standby,standby';
  });
  return { service, states, others };
}
