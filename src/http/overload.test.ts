import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { heapShare, memoryBytes, nextShedding, Overload, type Pressure, type Shedding } from './overload.ts';

const calm: Pressure = { busyShare: 0.2, eventLoopDelayMs: 1, heapShare: 0.3, unsentBytes: 0 };
const bounds: Pressure = { busyShare: 0.9, eventLoopDelayMs: 200, heapShare: 0.9, unsentBytes: 1_000 };
const none: Shedding = { step: 0, signal: undefined, sinceMs: 0, pressure: calm };
const load = { busyShare: 0.95, eventLoopDelayMs: 300 };

/** Signal and step after each look, a second apart. */
function stepsOf(...looks: readonly Partial<Pressure>[]): (readonly [string | undefined, number])[] {
  let shedding = none;
  return looks.map((pressure, index) => {
    shedding = nextShedding(shedding, { ...calm, ...pressure }, bounds, index * 1_000);
    return [shedding.signal, shedding.step];
  });
}

describe('what is shed', () => {
  test('is nothing while the loop is late and the thread is not busy: the machine gives it no time (fault row 67)', () => {
    assert.deepEqual(stepsOf({ eventLoopDelayMs: 5_000 }, { ...load, busyShare: 0.9 }), [
      [undefined, 0],
      [undefined, 0],
    ]);
  });

  test('is nothing while the thread is busy and the loop is in time', () => {
    assert.deepEqual(stepsOf({ ...load, eventLoopDelayMs: 200 }, { busyShare: 1 }), [
      [undefined, 0],
      [undefined, 0],
    ]);
  });

  test('begins with requests without a key, and goes on to new connections when that did not help, and no further under load', () => {
    const looks = Array.from({ length: 14 }, () => load);
    assert.deepEqual(
      stepsOf(...looks).map(([, step]) => step),
      [1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2],
    );
  });

  for (const [signal, pressure] of [
    ['heap', { heapShare: 0.91 }],
    ['unsent', { unsentBytes: 1_001 }],
  ] as const) {
    test(`comes to connections that are being served last, and only for memory (${signal})`, () => {
      const looks = Array.from({ length: 13 }, () => pressure);
      assert.deepEqual(
        stepsOf(...looks).map(([of, step]) => (of === signal ? step : of)),
        [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3],
      );
    });
  }

  test('is given back to established clients when memory is free again and only load is left', () => {
    const looks = Array.from({ length: 9 }, () => ({ heapShare: 0.91 }));
    assert.deepEqual(stepsOf(...looks, load).slice(-2), [
      ['heap', 3],
      ['load', 2],
    ]);
  });

  for (const [name, begins, goesOn, ends] of [
    ['lateness at half of it', load, { ...load, eventLoopDelayMs: 101 }, { ...load, eventLoopDelayMs: 100 }],
    ['the busy share at nine tenths of it', load, { ...load, busyShare: 0.82 }, { ...load, busyShare: 0.81 }],
    ['the heap at nine tenths of it', { heapShare: 0.91 }, { heapShare: 0.82 }, { heapShare: 0.81 }],
    ['unsent bytes at half of it', { unsentBytes: 1_001 }, { unsentBytes: 501 }, { unsentBytes: 500 }],
  ] as const) {
    test(`begins above its bound and ends below it: ${name}`, () => {
      const steps = stepsOf(goesOn, begins, goesOn, ends, goesOn).map(([, step]) => step);
      assert.deepEqual(steps, [0, 1, 1, 0, 0]);
    });
  }
});

test('an overload says which signal it is, its value, its bound, and who is refused', async () => {
  const clock = new FakeClock();
  let pressure: Partial<Pressure> = {};
  const logged: string[] = [];
  const overload = new Overload(clock, {
    pressure: () => ({ ...calm, ...pressure }),
    bounds,
    log: { warn: (_, message) => void logged.push(message) },
    markEstablished() {},
  });
  for (const next of [load, { heapShare: 0.934 }, { unsentBytes: 3 * 2 ** 20 }, {}]) {
    pressure = next;
    await clock.advance(250);
    if (overload.note !== undefined) logged.push(overload.note);
  }
  overload.stop();
  const refused = 'requests without a key are refused';
  const late = `overloaded: the serving thread is busy 95 % (bound 90 %) and late by 300 ms (bound 200 ms); ${refused}`;
  assert.deepEqual(logged, [
    late,
    late,
    `overloaded: 93 % (bound 90 %) of the heap is in use; ${refused}`,
    `overloaded: 3 MiB (bound 0 MiB) of answers wait for their clients; ${refused}`,
    'no longer overloaded',
  ]);
});

test('who is refused follows the steps; the clients that are served are marked once, before new ones are refused', async () => {
  const clock = new FakeClock();
  let pressure: Partial<Pressure> = {};
  let marked = 0;
  const logged: object[] = [];
  const overload = new Overload(clock, {
    pressure: () => ({ ...calm, ...pressure }),
    bounds,
    log: { warn: (fields) => void logged.push(fields) },
    markEstablished: () => void marked++,
  });
  const shed = () => [overload.step, overload.signal, overload.shed(true), overload.shed(false), marked];
  assert.deepEqual(shed(), [0, undefined, 'none', 'none', 0]);
  const seen: unknown[][] = [];
  pressure = { heapShare: 0.95 };
  for (let look = 0; look < 60; look++) {
    await clock.advance(250);
    if (seen.at(-1)?.[0] !== overload.step) seen.push(shed());
  }
  assert.deepEqual(seen, [
    [1, 'heap', 'keyless', 'keyless', 0],
    [2, 'heap', 'keyless', 'all', 1],
    [3, 'heap', 'all', 'all', 1],
  ]);
  assert.deepEqual(logged.at(-1), { signal: 'heap', step: 3, ...calm, ...pressure });
  pressure = {};
  await clock.advance(250);
  assert.deepEqual(shed(), [0, undefined, 'none', 'none', 1]);
  assert.deepEqual(logged.at(-1), { signal: 'heap', step: 0, ...calm });
  assert.equal(logged.length, 4);
  overload.stop();
  pressure = { heapShare: 0.95 };
  await clock.advance(60_000);
  assert.equal(overload.step, 0);
});

test('the heap and the memory of this process are shares and sizes that can be', () => {
  assert.ok(heapShare() > 0 && heapShare() < 1);
  assert.ok(memoryBytes() > 2 ** 26 && Number.isFinite(memoryBytes()));
});
