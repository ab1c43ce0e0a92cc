import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DialectName } from '../../exchange-simulator/dialects.ts';
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
  /** What the exchange allows an address in a minute. */
  readonly perMinute: number;
  /** What a call costs of it; 1 for each where left out. */
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

describe('half of what an exchange allows an address is the most a feed asks in a minute', () => {
  for (const { dialect, connector, markets, perMinute, weights = {} } of limits) {
    it(`${dialect}, with its live connection and without it`, async () => {
      const rig = await SimulatorRig.open({
        dialect,
        connector,
        simulator: { markets, quotes: ['EUR'], updatesPerSecond: 2 },
      });
      const spent = () =>
        Object.entries(rig.simulator.state().requests).reduce(
          (sum, [call, count]) => sum + count * (weights[call] ?? 1),
          0,
        );
      try {
        rig.supervisor.start();
        for (const faults of [[], ['refuse', 'close'], ['rest-500']] as const) {
          for (const fault of faults) await rig.simulator.faults.set({ fault });
          const before = spent();
          await rig.passFor(60_000, 1_000);
          assert.ok(spent() - before <= perMinute / 2, `${spent() - before} of ${perMinute}`);
          assert.ok(spent() > before);
        }
      } finally {
        await rig.stop();
      }
    });
  }
});
