import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type EpochMs, systemClock } from '../../src/clock.ts';
import type { ErrorBody, TickerBody } from '../../src/contract/schemas.ts';
import { eventually } from '../support/eventually.ts';
import { PoolHarness } from '../support/pool-harness.ts';
import { Wire } from '../support/wire.ts';

const connectionsOpened = 12;

/** Connections of which the system gives each worker some. */
function connections(service: PoolHarness): Promise<Wire[]> {
  return Promise.all(Array.from({ length: connectionsOpened }, () => Wire.open(service.port)));
}

/** Asks on every connection at once. */
async function askAll(service: PoolHarness, wires: readonly Wire[], target: string, key?: string): Promise<string[]> {
  const answers = await Promise.all(wires.map((wire) => wire.ask(service.requestText(target, key))));
  return answers.map(({ status, body }) => {
    return status === 200 ? '200' : `${status} ${(JSON.parse(body.toString()) as ErrorBody).code}`;
  });
}

async function started(t: TestContext, settings: Record<string, string> = {}) {
  const service = await PoolHarness.start(t, settings);
  service.list('BTC');
  service.tick('BTC', '100.00', '100.10');
  return { service, wires: await connections(service) };
}

test('a client that goes from one worker to another is never told an older price than before', async (t) => {
  const { service, wires } = await started(t);
  let price = 100;
  let isOver = false;
  t.after(() => {
    isOver = true;
  });
  const tick = () => {
    for (let time = 0; time < 5; time++) service.tick('BTC', `${price++}.00`, `${price}.10`);
    if (!isOver) setImmediate(tick);
  };
  tick();
  const request = service.requestText('/v1/ticker?symbol=BTCEUR');
  let last = 0;
  let changes = 0;
  for (let asked = 0; asked < 4_000; asked++) {
    const { body } = await wires[asked % wires.length]!.ask(request);
    const shown = Number((JSON.parse(body.toString()) as TickerBody).sellPrice);
    assert.ok(shown >= last, `answer ${asked}: ${shown} after ${last}`);
    if (shown > last) changes++;
    last = shown;
  }
  isOver = true;
  assert.ok(changes > 1_000, `${changes} prices seen`);
});

test('what happened before a request is in its answer, whichever worker gives it', async (t) => {
  const { service, wires } = await started(t);
  for (let round = 0; round < 100; round++) {
    service.tick('BTC', `${200 + round}.00`, `${300 + round}.00`);
    const key = service.addKey();
    await new Promise((resolve) => setImmediate(resolve));
    const answers = await Promise.all(
      wires.map((wire) => wire.ask(service.requestText('/v1/ticker?symbol=BTCEUR', key))),
    );
    const tags = new Set(answers.map(({ headers }) => headers.etag));
    const bodies = new Set(answers.map(({ body }) => body.toString()));
    assert.deepEqual([tags.size, bodies.size], [1, 1], `round ${round}`);
    // 0.5 percent off 200, 201 and so on.
    const expected = ((200 + round) * 0.995).toFixed(3).slice(0, -1);
    assert.equal((JSON.parse([...bodies][0]!) as TickerBody).sellPrice, expected);
  }
});

test('a maintenance window holds on all workers at once, and so does its end', async (t) => {
  const { service, wires } = await started(t);
  const now = systemClock.now();
  const window = { from: (now - 1_000) as EpochMs, to: (now + 600_000) as EpochMs, description: 'An upgrade' };
  for (let round = 0; round < 20; round++) {
    service.inputs.setWindows([window]);
    await new Promise((resolve) => setImmediate(resolve));
    const during = await askAll(service, wires, '/v1/tickers');
    assert.deepEqual([...new Set(during)], ['503 SERVICE_MAINTENANCE']);
    service.inputs.setWindows([]);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual([...new Set(await askAll(service, wires, '/v1/tickers'))], ['200']);
  }
});

test('a key that is revoked is refused by all workers from then on, and a valid one never while others come and go', async (t) => {
  const { service, wires } = await started(t, { MDAPI_LIMITS_FAILED_AUTHENTICATION: '1000000' });
  let isOver = false;
  t.after(() => {
    isOver = true;
  });
  let storms = 0;
  /** Keys of others come and go by the hundred, between any two requests. */
  const storm = () => {
    const keys = Array.from({ length: 200 }, () => service.addKey());
    for (const key of keys.slice(storms % 20)) service.removeKey(key);
    storms++;
    if (!isOver) setImmediate(storm);
  };
  storm();
  const valid = Array.from({ length: 4 }, () => service.addKey({ limitPerMinute: 1_000_000 }));
  const hammering = wires.slice(0, 8).map(async (wire, number) => {
    for (let asked = 0; !isOver; asked++) {
      const { status } = await wire.ask(service.requestText('/v1/time', valid[number % valid.length]!));
      assert.equal(status, 200, `request ${asked} with a valid key`);
    }
  });
  for (let round = 0; round < 60; round++) {
    const key = service.addKey();
    assert.deepEqual([...new Set(await askAll(service, wires.slice(8), '/v1/time', key))], ['200']);
    service.removeKey(key);
    const refused = await askAll(service, wires.slice(8), '/v1/time', key);
    assert.deepEqual([...new Set(refused)], ['401 INVALID_API_KEY']);
  }
  await eventually('a storm', () => storms > 100);
  isOver = true;
  await Promise.all(hammering);
});
