import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { History, observationOf } from '../support/history.ts';
import { PoolHarness } from '../support/pool-harness.ts';
import { Wire } from '../support/wire.ts';

const bases = ['BTC', 'ETH', 'XRP', 'ADA'];
const paths = ['/v1/tickers', '/v1/ticker?symbol=BTCEUR', '/v1/time', '/v1/status', '/v1/markets', '/v1/nothing'];
/** Long enough over the turn for every key to use up its limit on both sides of it. */
const afterTurnMs = 4_000;

test('what many connections see of three workers, over the turn of a minute, is one consistent history', async (t) => {
  const service = await PoolHarness.start(t, { MDAPI_LIMITS_FAILED_AUTHENTICATION: '40' });
  service.list(...bases);
  for (const base of bases) service.tick(base, '100.00', '100.10');
  const keys = [
    service.addKey(),
    service.addKey({ limitPerMinute: 7 }),
    service.addKey({ limitPerMinute: 500 }),
    'wrong',
  ];
  const history = new History();
  const startMs = systemClock.now();
  const turnMs = Math.ceil((startMs + 2_000) / 60_000) * 60_000;
  let price = 100;
  const feed = setInterval(() => service.tick(bases[price % 4]!, `${price++}.00`, `${price}.10`), 2);
  t.after(() => clearInterval(feed));

  const client = async (number: number) => {
    const key = keys[number % keys.length]!;
    // Two connections a client, asked in turn: in all likelihood they end at different workers.
    const wires = [await Wire.open(service.port), await Wire.open(service.port), await Wire.open(service.port)];
    for (let asked = 0; systemClock.now() < turnMs + afterTurnMs; asked++) {
      const path = paths[(asked + number) % paths.length]!;
      const sentAtMs = systemClock.now();
      const response = await wires[asked % wires.length]!.ask(service.requestText(path, key));
      const who = { client: `client ${number}`, key: `key ${number % keys.length}`, path: path.split('?')[0]! };
      if (asked % 16 === 0) service.api.validate('GET', path, response);
      history.observe(observationOf({ ...who, sentAtMs, answeredAtMs: systemClock.now() }, response));
      await new Promise((resolve) => setTimeout(resolve, systemClock.now() < turnMs - 2_000 ? 50 : 1));
    }
    for (const wire of wires) wire.close();
  };
  await Promise.all(Array.from({ length: 12 }, (_, number) => client(number)));
  assert.deepEqual(history.finish(), []);
  assert.ok(history.observed > 500, `${history.observed} answers`);
  t.diagnostic(`${history.observed} answers`);
});
