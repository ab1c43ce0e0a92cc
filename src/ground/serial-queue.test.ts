import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SerialQueue } from './serial-queue.ts';

test('tasks run one after the other in their order, each with its own result, also after one that failed', async () => {
  const queue = new SerialQueue();
  const order: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = queue.run(async () => {
    order.push('first begins');
    await gate.promise;
    order.push('first ends');
    throw new Error('first');
  });
  const second = queue.run(() => order.push('second'));
  const idle = queue.idle().then(() => order.push('idle'));
  await Promise.resolve();
  assert.deepEqual(order, ['first begins']);
  gate.resolve();
  await assert.rejects(first, /first/);
  assert.equal(await second, 3);
  await idle;
  assert.deepEqual(order, ['first begins', 'first ends', 'second', 'idle']);
});
