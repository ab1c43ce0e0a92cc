import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { needsRedis, RedisServer } from '../../test/support/redis.ts';
import { systemClock } from '../ground/clock.ts';
import { RedisEngineStream, streamKey } from './engine-stream.ts';

const key = streamKey('engine');

async function connected(t: TestContext) {
  const redis = await RedisServer.start(t);
  const stream = new RedisEngineStream('engine', redis.address, systemClock, seededRandomness(1));
  stream.start();
  t.after(() => stream.stop());
  await eventually('the connection', () =>
    stream.lastId().then(
      () => true,
      () => false,
    ),
  );
  const write = (...fields: readonly string[]) => redis.ask('XADD', key, '*', ...fields) as Promise<string>;
  return { redis, stream, write };
}

test(
  'entries are read after a position, oldest first, and an epoch that is no whole number from 1 is none',
  needsRedis,
  async (t) => {
    const { redis, stream, write } = await connected(t);
    assert.equal(await stream.lastId(), undefined);
    const first = await write('epoch', '7', 'message', 'one');
    const ids = [first, await write('message', 'two'), await write('epoch', '0', 'message', 'three')];
    for (const epoch of ['-1', '1.5', '1e3', ' 1']) ids.push(await write('epoch', epoch, 'message', 'more'));
    const read = await stream.read('0-0');
    assert.deepEqual(
      read.map(({ id }) => id),
      ids,
    );
    assert.deepEqual(read[0], { id: first, epoch: 7, message: 'one' });
    assert.ok(read.slice(1).every(({ epoch }) => Number.isNaN(epoch)));
    assert.deepEqual((await stream.read(first)).map(({ message }) => message).slice(0, 2), ['two', 'three']);
    assert.deepEqual([await stream.has(first), await stream.lastId()], [true, ids.at(-1)]);
    await redis.ask('XDEL', key, first);
    assert.equal(await stream.has(first), false);
  },
);

test('a read waits for an entry, and gives nothing when none comes', needsRedis, async (t) => {
  const { stream, write } = await connected(t);
  assert.deepEqual(await stream.read('0-0'), []);
  const reading = stream.read('0-0');
  // Asking is not held up by a read that waits.
  assert.ok(Math.abs((await stream.now()) - systemClock.now()) < 2_000);
  await write('epoch', '1', 'message', 'late');
  assert.deepEqual(
    (await reading).map(({ message }) => message),
    ['late'],
  );
});

test('what is kept of a position is found again, and what is not given stays as it is', needsRedis, async (t) => {
  const { stream } = await connected(t);
  assert.equal(await stream.position(), undefined);
  await stream.keep({ id: '5-0' });
  assert.deepEqual(await stream.position(), { id: '5-0', epoch: 0, catalogue: '' });
  await stream.keep({ epoch: 3, catalogue: '{"type":"catalogue"}' });
  await stream.keep({ id: '6-0' });
  assert.deepEqual(await stream.position(), { id: '6-0', epoch: 3, catalogue: '{"type":"catalogue"}' });
});

test(
  'the engine reads its answers in a stream of their own, which does not grow without end',
  needsRedis,
  async (t) => {
    const { redis, stream } = await connected(t);
    await stream.answer(4, { type: 'ack', seq: 9 });
    const [[, fields]] = (await redis.ask('XRANGE', `${key}:answers`, '-', '+')) as [[string, string[]]];
    assert.deepEqual(fields, ['epoch', '4', 'message', '{"type":"ack","seq":9}']);
    for (let seq = 0; seq < 2_500; seq++) await stream.answer(4, { type: 'ack', seq });
    assert.ok(Number(await redis.ask('XLEN', `${key}:answers`)) < 1_500);
  },
);

test('while the server is away everything rejects, and after its return everything works', needsRedis, async (t) => {
  const { redis, stream } = await connected(t);
  await redis.kill();
  await assert.rejects(stream.read('0-0'));
  await assert.rejects(stream.position());
  await redis.restart();
  await eventually('the connection', () =>
    stream.keep({ id: '1-0' }).then(
      () => true,
      () => false,
    ),
  );
  assert.equal((await stream.position())?.id, '1-0');
});
