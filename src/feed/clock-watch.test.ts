import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { silentLog } from '../ground/log.ts';
import { clockWatch } from './clock-watch.ts';

function rig(...offsets: readonly (number | undefined)[]) {
  const clock = new FakeClock();
  const told = new Map(offsets.map((offsetMs, index) => [`s${index}`, offsetMs] as const));
  const logged: unknown[] = [];
  const log = {
    ...silentLog,
    warn: (fields: object) => logged.push({ level: 'warn', ...fields }),
    info: (fields: object) => logged.push({ level: 'info', ...fields }),
  };
  const watch = clockWatch({ clock, log }, () => told);
  watch.start();
  return { clock, told, logged, watch };
}

describe('the watch over the clock', () => {
  for (const [offsets, expected] of [
    [[], undefined],
    [[undefined], undefined],
    [[7_200_000], 7_200_000],
    [[7_200_050, undefined, 7_200_010, 7_200_400], 7_200_050],
    [[-7_200_000, -7_199_000], -7_199_000],
    [[7_200_000, 90], 90],
    [[-5_000, 5_000], 0],
  ] as const) {
    it(`with ${JSON.stringify(offsets)} from its sources the clock is ${expected} ms off`, () => {
      const { watch } = rig(...offsets);
      const { offsetMs, bySource } = watch.read();
      assert.equal(offsetMs, expected);
      assert.equal(bySource.size, offsets.filter((each) => each !== undefined).length);
    });
  }

  for (const [offsetMs, isWrong] of [
    [7_200_000, true],
    [-7_200_000, true],
    [2_001, true],
    [1_000, false],
    [-1_900, false],
  ] as const) {
    it(`${isWrong ? 'says once' : 'does not say'} that it is wrong when it stays ${offsetMs} ms off (fault row 86)`, async () => {
      const { clock, logged, watch } = rig(offsetMs);
      await clock.advance(29_999);
      assert.deepEqual([watch.read().isWrong, logged], [false, []]);
      await clock.advance(600_000);
      assert.equal(watch.read().isWrong, isWrong);
      assert.deepEqual(logged, isWrong ? [{ level: 'warn', offsetMs, sources: ['s0'] }] : []);
    });
  }

  it('does not follow what comes and goes, nor a clock near the border', async () => {
    const { clock, told, logged, watch } = rig(50);
    for (let turn = 0; turn < 10; turn++) {
      told.set('s0', 3_600_000);
      await clock.advance(25_000);
      told.set('s0', 50);
      await clock.advance(5_000);
    }
    assert.deepEqual([watch.read().isWrong, logged], [false, []]);
    told.set('s0', 2_100);
    await clock.advance(30_000);
    told.set('s0', 1_900);
    await clock.advance(300_000);
    assert.equal(watch.read().isWrong, true);
    assert.equal(logged.length, 1);
  });

  it('says once that it is right again, and forgets nothing while no source tells', async () => {
    const { clock, told, logged, watch } = rig(-7_200_000);
    await clock.advance(30_000);
    told.set('s0', undefined);
    await clock.advance(300_000);
    assert.equal(watch.read().isWrong, true);
    told.set('s0', 60);
    await clock.advance(30_000);
    assert.equal(watch.read().isWrong, false);
    assert.deepEqual(logged.at(-1), { level: 'info', offsetMs: 60, sources: ['s0'] });
    assert.equal(logged.length, 2);
  });
});
