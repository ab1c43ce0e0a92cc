import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { type Log, silentLog } from '../ground/log.ts';
import { RunningParts, StopOverdue } from './running-parts.ts';

function rig() {
  const clock = new FakeClock();
  const logged: object[] = [];
  const log: Log = { ...silentLog, error: (fields) => logged.push(fields) };
  const stopped: string[] = [];
  const running = new RunningParts(clock, log);
  const part = (name: string, stop: () => unknown = () => {}) =>
    running.defer(name, () => {
      stopped.push(name);
      return stop();
    });
  return { clock, logged, stopped, running, part };
}

const never = () => new Promise<void>(() => {});

describe('parts that run', () => {
  it('stop in reverse, one after the other, and once', async () => {
    const { clock, stopped, running, part } = rig();
    part('store', () => stopped.push('closed'));
    part('feed', async () => {
      await null;
      stopped.push('silent');
    });
    await running.stop(1_000);
    await running.stop(1_000);
    assert.deepEqual(stopped, ['feed', 'silent', 'store', 'closed']);
    assert.equal(clock.pendingTimers, 0);
  });

  it('one that never stops is named at the deadline, and those before it in the order still stop', async () => {
    const { clock, logged, stopped, running, part } = rig();
    part('store');
    part('market', () => new Promise<void>((resolve) => void clock.after(900, resolve)));
    part('recording', never);
    part('feed');
    const outcome = running.stop(15_000).then(
      () => 'stopped',
      (error: unknown) => error,
    );
    await clock.advance(14_999);
    assert.deepEqual([logged, stopped], [[], ['feed', 'recording']]);
    await clock.advance(1);
    assert.deepEqual(logged, [{ part: 'recording', withinMs: 15_000 }]);
    await clock.advance(1_000);
    const error = await outcome;
    assert.ok(error instanceof StopOverdue);
    assert.equal(error.message, 'not stopped in time: recording');
    assert.deepEqual(stopped, ['feed', 'recording', 'market', 'store']);
    assert.equal(clock.pendingTimers, 0);
  });

  it('several that never stop have a second in all beyond the deadline', async () => {
    const { clock, stopped, running, part } = rig();
    for (const name of ['store', 'market', 'recording', 'feed']) part(name, never);
    const outcome = assert.rejects(running.stop(10_000), /^StopOverdue: .*: feed, recording, market, store$/);
    await clock.advance(11_000);
    for (let turn = 0; turn < 3; turn++) await clock.advance(0);
    await outcome;
    assert.equal(stopped.length, 4);
  });

  it('one that fails to stop is logged by its name and holds no other; the first error is thrown', async () => {
    const { logged, stopped, running, part } = rig();
    const err = new Error('disk full');
    part('store', () => Promise.reject(new Error('closed already')));
    part('market', () => {
      throw err;
    });
    await assert.rejects(running.stop(1_000), err);
    assert.deepEqual(stopped, ['market', 'store']);
    assert.equal(logged.length, 2);
    assert.deepEqual(logged[0], { part: 'market', err });
  });
});
