import { type ExchangeSimulator, startExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { ServiceHarness } from '../support/service-harness.ts';

export const returnAfterS = 3;

/** As the management API shows it. */
interface SourceOfMarket {
  readonly id: string;
  readonly state: string;
  readonly reach: string;
  readonly reason: string | null;
  readonly deviationPercent: string | null;
}

/** A service on Kraken, Bitvavo and Coinbase, each a stand-in with the same markets. */
export async function threeSources(
  t: Parameters<typeof ServiceHarness.start>[0],
  settings: Readonly<Record<string, string>> = {},
  before: (simulators: readonly ExchangeSimulator[]) => void = () => {},
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
    before: (kraken) => before([kraken, ...others]),
    untilLive: false,
    timing: { staleAfterMs: 10_000, transportTimeoutMs: 10_000, pingEveryMs: 1_500 },
  });
  const states = async (symbol = 'BTCEUR') => {
    const body = (await (await service.admin(`/prices/${symbol}`)).json()) as { sources: SourceOfMarket[] };
    return body.sources;
  };
  return { service, states, others, all: [service.simulator, ...others] };
}
