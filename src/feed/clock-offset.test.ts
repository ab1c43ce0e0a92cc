import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DialectName } from '../../exchange-simulator/dialects.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import { ClockOffset } from './clock-offset.ts';
import { connectorKinds } from './connectors.ts';
import { SimulatorRig } from './simulator-rig.testing.ts';

const hourMs = 3_600_000;

/** An exchange whose clock is right, and this machine’s, which may not be. */
function rig() {
  const clock = new FakeClock();
  const startedAt = clock.now() - clock.monotonicMs();
  const offset = new ClockOffset();
  const right = () => startedAt + clock.monotonicMs();
  return {
    clock,
    right,
    /** Something arrives that the exchange dated `lagMs` before. */
    receive: (lagMs: number, time = right() - lagMs) => offset.note(time as EpochMs, clock.monotonicMs()),
    offsetMs: () => offset.offsetMs(clock.now(), clock.monotonicMs()),
  };
}

describe('the offset of the clock from that of an exchange', () => {
  it('is the least delay of many', async () => {
    const { clock, receive, offsetMs } = rig();
    for (let second = 0; second < 60; second++) {
      receive(second % 7 === 3 ? 80 : 100 + 400 * (second % 5));
      await clock.advance(1_000);
    }
    assert.equal(offsetMs(), 80);
  });

  for (const byMs of [2 * hourMs, -2 * hourMs, 1_000]) {
    it(`is ${byMs / 1_000} s more as soon as the clock is set by that`, async () => {
      const { clock, receive, offsetMs } = rig();
      for (let slot = 0; slot < 5; slot++) {
        receive(50);
        await clock.advance(10_000);
      }
      clock.jump(byMs);
      assert.equal(offsetMs(), byMs + 50);
    });
  }

  it('is not told by less than three slots of ten seconds, nor by what is over three minutes old', async () => {
    const { clock, receive, offsetMs } = rig();
    for (let tick = 0; tick < 19; tick++) {
      receive(50);
      await clock.advance(1_000);
    }
    assert.equal(offsetMs(), undefined);
    await clock.advance(1_000);
    receive(50);
    assert.equal(offsetMs(), 50);
    await clock.advance(160_000);
    assert.equal(offsetMs(), undefined);
  });

  it('is not told by an old value that a quiet market sends again and again', async () => {
    const { clock, right, receive, offsetMs } = rig();
    const old = right() - hourMs;
    for (let slot = 0; slot < 30; slot++) {
      receive(0, old);
      await clock.advance(10_000);
    }
    assert.equal(offsetMs(), undefined);
  });

  it('is not changed by a single time from the past or the future', async () => {
    for (const lagMs of [5 * hourMs, -5 * hourMs]) {
      const { clock, receive, offsetMs } = rig();
      for (let slot = 0; slot < 12; slot++) {
        receive(50);
        if (slot === 2) receive(lagMs);
        await clock.advance(10_000);
      }
      assert.equal(offsetMs(), 50);
    }
  });

  it('is found again after the machine slept, without what came before', async () => {
    const { clock, receive, offsetMs } = rig();
    for (let slot = 0; slot < 5; slot++) {
      receive(50);
      await clock.advance(10_000);
    }
    // The monotonic clock stood still.
    clock.jump(hourMs);
    for (let slot = 0; slot < 2; slot++) {
      receive(50 - hourMs);
      await clock.advance(10_000);
    }
    assert.equal(offsetMs(), 50);
  });
});

describe('a machine whose clock is wrong', { concurrency: 2 }, () => {
  const cases: readonly (readonly [DialectName, number])[] = [
    ...[2 * hourMs, -2 * hourMs, 1_000, 0].map((skewMs) => ['kraken', skewMs] as const),
    ...(['binance', 'bitstamp', 'bitvavo', 'coinbase', 'coinmate', 'okx'] as const).map(
      (id) => [id, 2 * hourMs] as const,
    ),
  ];
  for (const [dialect, skewMs] of cases) {
    it(`is ${skewMs / 1_000} s off by the live data of ${dialect} (fault row 86)`, async () => {
      const connector = await connectorKinds[dialect]!.load();
      const exchange = await SimulatorRig.open({ dialect, connector });
      try {
        if (skewMs !== 0) await exchange.simulator.faults.set({ fault: 'clock-skew', ms: -skewMs });
        exchange.supervisor.start();
        await exchange.pass('an offset', () => exchange.supervisor.clockOffsetMs !== undefined, 400);
        // What arrives is up to two of the steps old, in which the fake clock moves.
        const offMs = exchange.supervisor.clockOffsetMs! - skewMs;
        assert.ok(offMs > -1 && offMs <= 1_000, `${offMs} ms beside`);
      } finally {
        await exchange.stop();
      }
    });
  }
});
