import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import type { CurrencyCode, MarketSymbol } from '../../market/symbol.ts';
import { SimulatorRig } from '../simulator-rig.testing.ts';
import { cnbSource } from './cnb.ts';
import { ecbSource } from './ecb.ts';
import { exchangeSource } from './exchange.ts';
import { jsonSource } from './json.ts';

const eur = 'EUR' as CurrencyCode;
const czk = 'CZK' as CurrencyCode;
const never = new AbortController().signal;

let rig: SimulatorRig;

beforeEach(async () => {
  rig = await SimulatorRig.startLive();
});

afterEach(() => rig.stop());

test('all four rate sources read the same rate digit for digit', async () => {
  rig.simulator.setRate('24.310');
  const options = { clock: rig.clock, base: eur, quote: czk };
  const sources = [
    cnbSource({ ...options, url: rig.simulator.cnbUrl }),
    ecbSource({ ...options, url: rig.simulator.ecbUrl }),
    jsonSource({ ...options, url: rig.simulator.jsonRateUrl, pointer: '/data/EURCZK' }),
  ];
  for (const source of sources) assert.equal((await source.load(never)).mid, '24.310', source.id);
  rig.simulator.setPrice({ symbol: 'EUR/CZK', bid: '24.30', ask: '24.33' });
  const loading = exchangeSource({ connector: rig.connector, symbol: 'EURCZK' as MarketSymbol }).load(never);
  await rig.passFor(3_000);
  assert.equal((await loading).mid, '24.315');
});
