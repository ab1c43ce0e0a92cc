import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { systemClock } from '../../src/clock.ts';
import { eventually } from '../support/eventually.ts';
import { PoolHarness } from '../support/pool-harness.ts';
import { Wire } from '../support/wire.ts';

/** Longer than a worker takes to start on a machine with other work. */
const patienceMs = 60_000;

/** What clients that connect again whenever they are cut off were told. */
class Clients {
  readonly admitted = new Map<string, number>();
  readonly faults: string[] = [];
  answered = 0;
  lost = 0;
  #isOver = false;
  readonly #running: Promise<unknown>;

  constructor(t: TestContext, service: PoolHarness, key: string, count: number) {
    t.after(() => this.stop());
    this.#running = Promise.all(Array.from({ length: count }, () => this.#ask(service, key)));
  }

  stop(): Promise<unknown> {
    this.#isOver = true;
    return this.#running;
  }

  async #ask(service: PoolHarness, key: string): Promise<void> {
    while (!this.#isOver) {
      try {
        const wire = await Wire.open(service.port);
        while (!this.#isOver) this.#note(await wire.ask(service.requestText('/v1/time', key)));
        wire.close();
      } catch {
        this.lost++;
      }
    }
  }

  #note({ status, headers }: Awaited<ReturnType<Wire['ask']>>): void {
    this.answered++;
    if (status !== 200 && status !== 429) this.faults.push(`${status}`);
    const place = `${headers['x-ratelimit-reset']}: ${headers['x-ratelimit-remaining']}`;
    if (status === 200) this.admitted.set(place, (this.admitted.get(place) ?? 0) + 1);
  }
}

function answeredIn({ pool }: PoolHarness): number {
  let sum = 0;
  for (const statuses of pool.counts.byRouteAndStatus.values()) for (const count of statuses.values()) sum += count;
  return sum;
}

const all = (service: PoolHarness, count = 3) =>
  eventually(`${count} workers serve`, () => service.pool.figures().serving === count, patienceMs);

test('a worker that ends under load takes neither the port nor the counts with it, and is replaced', async (t) => {
  const service = await PoolHarness.start(t);
  const clients = new Clients(t, service, service.addKey({ limitPerMinute: 5_000 }), 12);
  let last = 0;
  const watched = setInterval(() => {
    const sum = answeredIn(service);
    if (sum < last) clients.faults.push(`counts went down from ${last} to ${sum}`);
    last = sum;
  }, 50);
  t.after(() => clearInterval(watched));
  for (let end = 0; end < 4; end++) {
    const before = clients.answered;
    await eventually('answers', () => clients.answered > before + 200, patienceMs);
    await all(service);
    await service.pool.end(end % 3);
    const { status } = await service.api.get('/v1/time');
    assert.equal(status, 200, 'the others serve the port');
  }
  await all(service);
  await clients.stop();
  assert.deepEqual(clients.faults, []);
  assert.deepEqual(
    [...clients.admitted].filter(([, times]) => times > 1),
    [],
    'no place was given twice',
  );
  assert.equal(service.pool.figures().restarts, 4);
  assert.ok(service.logged.some((line) => line.includes('the new worker serves')));
});

test('a key that used up its minute stays refused when all workers are replaced one by one', async (t) => {
  const service = await PoolHarness.start(t);
  service.list('BTC');
  service.tick('BTC', '100.00', '100.10');
  const key = service.addKey({ limitPerMinute: 20 });
  const api = service.api.with(key);
  const minuteOf = () => Math.floor(systemClock.now() / 60_000);
  const before = await service.api.get('/v1/tickers');
  // Begun anew should the minute turn meanwhile: the next one is a fresh one.
  for (let isDone = false; !isDone; ) {
    const minute = minuteOf();
    for (let asked = 0; asked < 20; asked++) await api.get('/v1/time');
    for (let index = 0; index < 3; index++) {
      await service.pool.end(index);
      await eventually('it ended', () => service.pool.figures().serving < 3);
      await all(service);
    }
    const outcome = await api.outcome('/v1/time');
    isDone = minute === minuteOf();
    if (isDone) assert.equal(outcome, '429 RATE_LIMIT_EXCEEDED');
  }
  const after = await service.api.get('/v1/tickers');
  assert.deepEqual([after.body.toString(), after.headers.etag], [before.body.toString(), before.headers.etag]);
});

test('what all workers answered and refused is told in sums', async (t) => {
  const service = await PoolHarness.start(t);
  const key = service.addKey({ limitPerMinute: 1 });
  const wires = await Promise.all(Array.from({ length: 12 }, () => Wire.open(service.port)));
  const answers = await Promise.all(wires.map((wire) => wire.ask(service.requestText('/v1/time', key))));
  const refused = answers.filter(({ status }) => status === 429).length;
  await eventually('all are counted', () => answeredIn(service) === 13);
  assert.equal(service.pool.counts.limitedByCategory.get('key'), refused);
  await eventually('the open connections are told', () => service.pool.connectionFigures().open === 12);
  const told = service.breaches.drain(systemClock.now());
  assert.equal(
    told.reduce((sum, minute) => sum + minute.refused, 0),
    refused,
  );
  assert.deepEqual([...new Set(told.map(({ keyId }) => keyId))], [`key_${key.slice(4, 20)}`]);
  assert.ok(service.breaches.minutesSeen <= 2, 'one minute, or two at its turn, and not one for each worker');
  assert.equal(service.pool.figures().eventLoopDelaysMs.size, 3);
});

test('a port that is taken is refused, whether by one program or by workers of another service', async (t) => {
  const refusal = { code: 'EADDRINUSE', syscall: 'listen' };
  const other = createServer();
  await new Promise<void>((resolve) => other.listen({ host: '127.0.0.1', port: 0 }, resolve));
  t.after(() => other.close());
  const { port } = other.address() as { port: number };
  await assert.rejects(PoolHarness.start(t, { MDAPI_SERVER_PORT: `${port}` }), { ...refusal, port });
  const service = await PoolHarness.start(t, { MDAPI_SERVER_WORKERS: '2' });
  await assert.rejects(PoolHarness.start(t, { MDAPI_SERVER_PORT: `${service.port}` }), refusal);
  assert.equal((await service.api.get('/v1/time')).status, 200);
});

test('an address that this machine does not have is refused, and no thread is left', async (t) => {
  await assert.rejects(PoolHarness.start(t, { MDAPI_SERVER_HOST: '203.0.113.1' }), {
    code: 'EADDRNOTAVAIL',
    address: '203.0.113.1',
  });
});
