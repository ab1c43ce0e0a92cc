import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DialectName } from '../../exchange-simulator/dialects.ts';
import { turns } from '../../test/support/eventually.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import { BinanceConnector } from './binance/connector.ts';
import { BitstampConnector } from './bitstamp/connector.ts';
import { CoinmateConnector } from './coinmate/connector.ts';
import type { ConnectorClass } from './connectors.ts';
import { OkxConnector } from './okx/connector.ts';
import { SimulatorRig } from './simulator-rig.testing.ts';

interface Limit {
  readonly dialect: DialectName;
  readonly connector: ConnectorClass;
  readonly markets: number;
  /** The exchange's limit of an address in a minute. */
  readonly perMinute: number;
  /** The cost of each call; 1 where left out. */
  readonly weights?: Readonly<Record<string, number>>;
}

const limits: readonly Limit[] = [
  // Beyond 100 markets the tickers of all are polled, at the highest price.
  {
    dialect: 'binance',
    connector: BinanceConnector,
    markets: 120,
    perMinute: 6_000,
    weights: { exchangeInfo: 20, 'ticker/24hr': 80, klines: 2 },
  },
  { dialect: 'okx', connector: OkxConnector, markets: 20, perMinute: 600 },
  { dialect: 'bitstamp', connector: BitstampConnector, markets: 20, perMinute: 1_000 },
  { dialect: 'coinmate', connector: CoinmateConnector, markets: 20, perMinute: 100 },
];

describe('six tenths of what an exchange allows an address is the most that is asked, over a third of a minute', () => {
  for (const { dialect, connector, markets, perMinute, weights = {} } of limits) {
    it(`${dialect}, by a feed and by callers that ask without end`, async () => {
      const simulator = { markets, quotes: ['EUR'], updatesPerSecond: 2 };
      const rig = await SimulatorRig.open({ dialect, connector, simulator });
      const cost = ([call, count]: [string, number]) => count * (weights[call] ?? 1);
      const spent = () =>
        Object.entries(rig.simulator.state().requests)
          .map(cost)
          .reduce((sum, one) => sum + one, 0);
      const { signal } = new AbortController();
      let isOver = false;
      const askWithoutEnd = async (symbols: readonly MarketSymbol[]) => {
        while (!isOver) {
          await rig.connector.pollTickers(symbols, signal).catch(() => undefined);
          await turns(1);
        }
      };
      try {
        await rig.becomeLive();
        const symbols = rig.sink.catalogues.at(-1) ?? [];
        const before = spent();
        const callers = [askWithoutEnd(symbols), askWithoutEnd(symbols), askWithoutEnd(symbols)];
        await rig.passFor(20_000);
        isOver = true;
        const asked = 3 * (spent() - before);
        assert.ok(asked <= perMinute * 0.6, `${asked} of ${perMinute}`);
        assert.ok(asked > perMinute * 0.2, `${asked} of ${perMinute}: the callers were not served`);
        await rig.passFor(10_000);
        await Promise.all(callers);
      } finally {
        await rig.stop();
      }
    });
  }
});
