import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { dialectNames } from '../../exchange-simulator/dialects.ts';
import type { FaultRequest } from '../../exchange-simulator/fault-request.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import type { AssetNames } from './connector.ts';
import { connectorKinds } from './connectors.ts';
import { rateSource } from './rates/rate-sources.ts';
import { SimulatorRig } from './simulator-rig.testing.ts';

let rig: SimulatorRig;

async function startLive(symbols?: readonly string[]): Promise<void> {
  const timing = { catalogueRecheckMs: 5_000, catalogueSpacingMs: 1_000 };
  rig = await SimulatorRig.startLive({ timing, ...(symbols && { symbols: symbols as readonly MarketSymbol[] }) });
}

afterEach(() => rig.stop());

test('all 56 EUR markets of the stand-in exchange are live, and a price set there arrives digit for digit', async () => {
  await startLive();
  assert.equal(rig.sink.catalogues[0]?.length, 56);
  assert.equal(rig.health.symbolsSubscribed, 56);
  assert.deepEqual(rig.health.framesDropped, {});
  rig.simulator.setPrice({ symbol: 'DOGE/EUR', bid: '0.3133700', ask: '0.3133800', volume: '270638277.50461281' });
  await rig.pass('the price', () => rig.sink.bid('DOGEEUR') === '0.3133700');
  const ticker = rig.sink.taken.findLast(({ symbol }) => symbol === ('DOGEEUR' as MarketSymbol));
  assert.deepEqual([ticker?.ask, ticker?.volume24h, ticker?.path], ['0.3133800', '270638277.50461281', 'live']);
});

test('a rejected, a mute and a crossed symbol are served over REST while the rest stays live', async () => {
  await startLive();
  await rig.simulator.faults.set({ fault: 'reject', symbol: 'ADA/EUR' });
  await rig.simulator.faults.set({ fault: 'mute-symbol', symbol: 'BTC/EUR' });
  await rig.simulator.faults.set({ fault: 'crossed', symbol: 'ETH/EUR', over: 'ws' });
  await rig.simulator.faults.set({ fault: 'close' });
  await rig.pass('the fallback', () => rig.health.path === 'fallback');
  await rig.pass('live again', () => rig.health.path === 'live');
  // A poll that began on the fallback is over by then.
  await rig.passFor(3_000);
  const before = rig.clock.monotonicMs();
  rig.simulator.setPrice({ symbol: 'ADA/EUR', bid: '1.111111', ask: '1.111112' });
  rig.simulator.setPrice({ symbol: 'BTC/EUR', bid: '50000.1', ask: '50000.2' });
  rig.simulator.setPrice({ symbol: 'ETH/EUR', bid: '2000.11', ask: '2000.12' });
  const served = () => ['ADAEUR', 'BTCEUR', 'ETHEUR'].map((symbol) => rig.sink.bid(symbol)).join();
  await rig.pass('all three', () => served() === '1.111111,50000.1,2000.11');
  assert.ok(rig.clock.monotonicMs() - before <= 16_000);
  assert.equal(rig.health.path, 'live');
  assert.deepEqual(rig.health.symbolsRejected, ['ADAEUR']);
  const quiet = (symbol: string) => rig.supervisor.isQuiet(symbol as MarketSymbol);
  assert.deepEqual(['ADAEUR', 'BTCEUR', 'ETHEUR', 'XRPEUR'].map(quiet), [false, false, false, false]);
});

test('a pair that is new, pauses or goes is known as it happens', async () => {
  await startLive();
  await rig.passFor(1_000);
  await rig.simulator.faults.set({ fault: 'pair-new', symbol: 'NEWCOIN/EUR' });
  await rig.pass('the new market has a price', () => rig.sink.bid('NEWCOINEUR') !== undefined);
  await rig.simulator.faults.set({ fault: 'pair-status', symbol: 'ADA/EUR', status: 'post_only' });
  await rig.pass('the pause', () =>
    rig.sink.statuses.some(([symbol, status]) => symbol === 'ADAEUR' && status === 'paused'),
  );
  await rig.simulator.faults.set({ fault: 'pair-delist', symbol: 'BTC/EUR' });
  const missing = () => rig.sink.markets.catalogue.absences(0).missing;
  await rig.pass('two loads without it', () => missing().length > 0);
  assert.deepEqual(missing(), ['BTCEUR']);
  assert.equal(rig.sink.markets.catalogue.find('BTCEUR' as MarketSymbol)?.status, 'paused');
  assert.equal(rig.health.path, 'live');
});

test('the reference prices of every market come from its candles', async () => {
  await startLive(['ADAEUR', 'BTCEUR', 'DOGEEUR', 'ETHEUR']);
  const complete = () =>
    [...rig.sink.markets.contents().references.values()].filter((prices) => prices.price1hAgo !== undefined);
  await rig.pass('all references', () => complete().length === 4);
  assert.ok(complete().every((prices) => prices.price24hAgo !== undefined && prices.price7dAgo !== undefined));
  assert.equal(rig.health.path, 'live');
});

test('after each fault of the connection the feed is on the fallback, and live again once it is over (fault row 43)', async () => {
  await startLive();
  const faults: FaultRequest[] = [
    { fault: 'close' },
    { fault: 'reset' },
    { fault: 'freeze' },
    { fault: 'mute' },
    { fault: 'oversized' },
    { fault: 'garbage', kind: 'frame' },
    { fault: 'accept-then-close' },
    { fault: 'one-message-then-close' },
  ];
  for (const fault of faults) {
    const { length } = rig.sink.paths;
    await rig.simulator.faults.set(fault);
    if (fault.fault.endsWith('then-close')) await rig.simulator.faults.set({ fault: 'close' });
    await rig.pass(`the fallback after ${fault.fault}`, () => rig.sink.paths[length] === 'fallback');
    await rig.simulator.faults.clear();
    await rig.pass(`live after ${fault.fault}`, () => rig.health.path === 'live');
  }
  assert.ok(rig.simulator.state().connectsLastMinute <= 10);
});

test('bad frames of every kind cost nothing but themselves (fault row 45)', async () => {
  await startLive();
  for (const kind of ['json', 'binary', 'utf8', 'nested', 'channel', 'symbol']) {
    await rig.simulator.faults.set({ fault: 'garbage', kind });
  }
  const { framesReceived } = rig.health;
  await rig.pass('the frames', () => rig.health.framesReceived >= framesReceived + 10);
  const { framesDropped, connectionsEnded, path } = rig.health;
  const dropped = { malformed: 2, binary: 1, not_utf8: 1, unknown_kind: 1, unknown_symbol: 1 };
  assert.deepEqual(
    { framesDropped, connectionsEnded, path },
    { framesDropped: dropped, connectionsEnded: {}, path: 'live' },
  );
});

test('with the whole exchange gone for six minutes the last prices stay, and everything comes back by itself (fault row 43)', async () => {
  await startLive(['ADAEUR', 'BTCEUR', 'DOGEEUR', 'ETHEUR']);
  const held = rig.sink.bid('BTCEUR');
  await rig.simulator.faults.set({ fault: 'down' });
  await rig.pass('the fallback', () => rig.health.path === 'fallback');
  const { length } = rig.sink.current;
  await rig.passFor(360_000, 2_000);
  assert.equal(rig.sink.current.length, length);
  assert.ok(held !== undefined && rig.sink.bid('BTCEUR') !== undefined);
  await rig.simulator.faults.clear();
  await rig.pass('live again', () => rig.health.path === 'live');
});

test('all four rate sources read the same rate digit for digit', async () => {
  await startLive();
  const never = new AbortController().signal;
  rig.simulator.setRate('24.310');
  const sourceOf = (origin: Parameters<typeof rateSource>[0]) =>
    rateSource(origin, [rig.connector], rig.clock, 'EUR' as CurrencyCode, 'CZK' as CurrencyCode);
  const sources = [
    sourceOf({ source: 'cnb', url: rig.simulator.cnbUrl }),
    sourceOf({ source: 'ecb', url: rig.simulator.ecbUrl }),
    sourceOf({ source: 'json', url: rig.simulator.jsonRateUrl, pointer: '/data/EURCZK' }),
  ];
  for (const source of sources) assert.equal((await source.load(never)).mid, '24.310', source.id);
  rig.simulator.setPrice({ symbol: 'EUR/CZK', bid: '24.30', ask: '24.33' });
  const loading = sourceOf({ source: 'exchange', market: 'EURCZK' as MarketSymbol }).load(never);
  await rig.passFor(3_000);
  assert.equal((await loading).mid, '24.315');
});

for (const dialect of dialectNames) {
  test(`an asset of ${dialect} has the operator’s name, live and over REST, and one that is left out has no market`, async () => {
    const names = Object.entries({ XRP: 'RIPPLE', LTC: undefined });
    const assets = new Map(names) as ReadonlyMap<string, string | undefined> as AssetNames;
    const connector = await connectorKinds[dialect]!.load();
    const symbols = ['BTCEUR', 'RIPPLEEUR', 'LTCEUR'] as readonly string[] as readonly MarketSymbol[];
    rig = await SimulatorRig.startLive({ dialect, connector, assets, symbols });
    assert.deepEqual(rig.sink.catalogues[0]?.toSorted(), ['BTCEUR', 'RIPPLEEUR']);
    rig.simulator.setPrice({ symbol: 'XRP/EUR', bid: '1.2345', ask: '1.2346' });
    await rig.pass('the price', () => rig.sink.bid('RIPPLEEUR') === '1.2345');
    const polled: string[] = [];
    const asked = rig.connector.pollTickers(['RIPPLEEUR' as MarketSymbol], new AbortController().signal);
    void asked.then((tickers) => polled.push(...tickers.map(({ symbol, bid }) => `${symbol} ${bid}`)));
    await rig.pass('the answer', () => polled.length > 0);
    assert.deepEqual(polled, ['RIPPLEEUR 1.2345']);
  });
}
