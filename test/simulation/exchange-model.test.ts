import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExchangeModel, type Told } from './exchange-model.ts';
import { enter, World } from './world.ts';

function exchange(dialect: 'bitvavo' | 'bitstamp' = 'bitvavo', isMoving = false) {
  const world = enter(new World(1));
  const told: Told[] = [];
  const model = new ExchangeModel({
    dialect,
    deviation: 0,
    markets: 2,
    hasDead: dialect !== 'bitvavo',
    levelOf: () => ({ now: 1, low: 1, high: 1 }),
    isMoving: () => isMoving,
    quoted: (symbol, each) => symbol === 'BTC/EUR' && told.push(each),
    askedInBan: () => {},
  });
  const lane = world.scheduler.lane('process-1');
  const fetched = async (path: string) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    model.fetch(lane, new URL(`http://${dialect}${path}`), (_, reply) =>
      resolve(Buffer.concat(reply!.body).toString()),
    );
    await world.scheduler.runTo(world.nowMs + 1_000);
    return promise;
  };
  const listed = async () =>
    (JSON.parse(await fetched('/v2/markets')) as { market: string; status: string }[]).map(
      ({ market, status }) => `${market} ${status}`,
    );
  return { world, model, told, fetched, listed };
}

test('a market that moves changes over ten times in ten seconds, and any other every six', async () => {
  for (const [isMoving, least, most] of [
    [true, 10, 20],
    [false, 1, 4],
  ] as const) {
    const { world, told } = exchange('bitvavo', isMoving);
    await world.scheduler.runTo(10_000);
    const before = new Set(told.map(({ bid, ask }) => `${bid} ${ask}`));
    await world.scheduler.runTo(20_000);
    const quotes = new Set(told.map(({ bid, ask }) => `${bid} ${ask}`));
    const changes = quotes.size - before.size;
    assert.ok(changes >= least && changes <= most, `${changes}`);
  }
});

test('a flood is listed and gone again, others the next time, and is none of its markets', async () => {
  const { model, listed } = exchange();
  const before = await listed();
  model.flood(3);
  const first = (await listed()).filter((market) => !before.includes(market));
  assert.equal(first.length, 3);
  model.endFloods();
  assert.deepEqual(await listed(), before);
  model.flood(3);
  const second = (await listed()).filter((market) => !before.includes(market));
  assert.equal(second.length, 3);
  assert.equal(new Set([...first, ...second]).size, 6);
  assert.ok(model.symbols.every((symbol) => !symbol.startsWith('FLOOD')));
});

test('what is dead from the start is listed as what has ended, and without a price', async () => {
  const { fetched } = exchange('bitstamp');
  const listed = JSON.parse(await fetched('/api/v2/markets/')) as { base_currency: string; trading: string }[];
  const isDead = (base: string) => base.startsWith('DEAD');
  const dead = listed.filter(({ base_currency: base }) => isDead(base)).map(({ trading }) => trading);
  assert.deepEqual(dead, ['Disabled', 'Disabled', 'Disabled', 'Disabled', 'Disabled']);
  const tickers = JSON.parse(await fetched('/api/v2/ticker/')) as { pair: string; bid: string }[];
  assert.ok(tickers.every(({ pair, bid }) => Number(bid) > 0 !== isDead(pair)));
});

test('other statistics, each quarter of an hour, are told before anybody asks', async () => {
  const { world, told, fetched } = exchange();
  await world.scheduler.runTo(900_000);
  const { volume } = told.at(-1)!;
  const asked = JSON.parse(await fetched('/v2/ticker/24h?market=BTC-EUR')) as { volume: string };
  assert.equal(asked.volume, volume);
});

test('whoever learns its quotes learns what is true besides what it says', async () => {
  const { world, model, told, fetched } = exchange();
  await world.scheduler.runTo(30_000);
  const last = () => told.at(-1)!;
  assert.equal(last().bid, last().truth.bid);
  model.deceive('BTC/EUR', { how: 'scaled', factor: 2 });
  assert.deepEqual(model.faultsOf('BTC/EUR'), ['deceit']);
  assert.deepEqual(model.faultsOf('ETH/EUR'), []);
  await world.scheduler.runTo(60_000);
  assert.equal((Number(last().bid) / Number(last().truth.bid)).toFixed(3), '2.000');
  assert.equal(model.factorOf('BTC/EUR').toFixed(3), '2.000');
  const { bid } = JSON.parse(await fetched('/v2/ticker/24h?market=BTC-EUR')) as { bid: string };
  assert.equal(bid, last().bid);
  model.deceive('BTC/EUR', undefined);
  await world.scheduler.runTo(90_000);
  assert.equal(last().bid, last().truth.bid);
});
