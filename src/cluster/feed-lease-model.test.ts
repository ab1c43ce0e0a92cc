import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { Clock, EpochMs, Timer } from '../ground/clock.ts';
import { FeedLease } from './feed-lease.ts';
import type { LeaseStore } from './redis-lease.ts';

/** The rules of the server's scripts, with the server's own clock. */
class ModelServer {
  readonly #clock: Clock;
  #holder: string | undefined;
  #endsMs = 0;
  #fence = 0;
  isReachable = true;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get #held(): string | undefined {
    return this.#clock.monotonicMs() < this.#endsMs ? this.#holder : undefined;
  }

  acquire(holder: string, forMs: number): number | undefined {
    if (this.#held !== undefined) return undefined;
    this.#fence++;
    this.#hold(`${holder}:${this.#fence}`, forMs);
    return this.#fence;
  }

  renew(holder: string, fence: number, forMs: number): boolean {
    if (this.#held !== `${holder}:${fence}`) return false;
    this.#hold(`${holder}:${fence}`, forMs);
    return true;
  }

  release(holder: string, fence: number): void {
    if (this.#held === `${holder}:${fence}`) this.#endsMs = 0;
  }

  /** Decides as the script that publishes does. */
  accepts(fence: number): boolean {
    return fence === this.#fence;
  }

  #hold(holder: string, forMs: number): void {
    this.#holder = holder;
    this.#endsMs = this.#clock.monotonicMs() + forMs;
  }
}

/**
 * A process's clock: time goes on while it is frozen, but its timers run only once it wakes. Its wall clock is off, and
 * its monotonic one runs at a speed of its own.
 */
class ProcessClock implements Clock {
  readonly #clock: FakeClock;
  readonly #skewMs: number;
  readonly #speed: number;
  readonly #due: (() => void)[] = [];
  isFrozen = false;

  constructor(clock: FakeClock, skewMs: number, speed: number) {
    this.#clock = clock;
    this.#skewMs = skewMs;
    this.#speed = speed;
  }

  now(): EpochMs {
    return (this.#clock.now() + this.#skewMs) as EpochMs;
  }

  monotonicMs(): number {
    return this.#clock.monotonicMs() * this.#speed;
  }

  after(delayMs: number, run: () => void): Timer {
    return this.#clock.after(delayMs / this.#speed, () => this.runOnceAwake(run));
  }

  every(periodMs: number, run: () => void): Timer {
    return this.#clock.every(periodMs / this.#speed, () => this.runOnceAwake(run));
  }

  runOnceAwake(run: () => void): void {
    if (this.isFrozen) this.#due.push(run);
    else run();
  }

  wake(): void {
    this.isFrozen = false;
    for (const run of this.#due.splice(0)) run();
  }
}

class ModelNode {
  readonly clock: ProcessClock;
  readonly lease: FeedLease;
  readonly fences: number[] = [];
  isAlive = true;
  /** It alone cannot reach the server. */
  isCutOff = false;

  constructor(
    clock: FakeClock,
    server: ModelServer,
    name: string,
    { skewMs, speed }: Readonly<Record<'skewMs' | 'speed', number>>,
    delays: () => number,
  ) {
    this.clock = new ProcessClock(clock, skewMs, speed);
    const reach = <Answer>(ask: () => Answer): Promise<Answer> =>
      new Promise((resolve, reject) => {
        clock.after(delays(), () => {
          if (!server.isReachable || !this.isAlive || this.isCutOff) return reject(new Error('lost'));
          const answer = ask();
          clock.after(delays(), () => this.clock.runOnceAwake(() => resolve(answer)));
        });
      });
    const store: LeaseStore = {
      acquire: (holder, forMs) => reach(() => server.acquire(holder, forMs)),
      renew: (holder, fence, forMs) => reach(() => server.renew(holder, fence, forMs)),
      release: (holder, fence) => reach(() => server.release(holder, fence)),
    };
    const gained = (fence: number) => this.fences.push(fence);
    this.lease = new FeedLease(store, this.clock, name, { gained, elsewhere() {}, unreachable() {}, failed() {} });
    this.lease.start();
  }

  /** The fencing number it would act with. A frozen or dead process does nothing. */
  get acts(): number | undefined {
    return this.isAlive && !this.clock.isFrozen ? this.lease.fence : undefined;
  }
}

const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 4_000 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('freeze' as const, 'wake' as const, 'kill' as const),
        node: fc.nat({ max: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('cut' as const, 'restore' as const) }) },
  ),
  { maxLength: 40 },
);

const clocks = fc.record({
  skewMs: fc.integer({ min: -90_000, max: 90_000 }),
  speed: fc.integer({ min: 92, max: 108 }).map((percent) => percent / 100),
});

const plans = fc.record({
  steps,
  clocks: fc.array(clocks, { minLength: 4, maxLength: 4 }),
  delaysMs: fc.array(fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 4_000 })), { minLength: 1 }),
});

test('whatever freezes, dies or is delayed, two nodes never act at once, an old holder is refused, and in the end one acts', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async ({ steps, clocks, delaysMs }) => {
      const clock = new FakeClock();
      const server = new ModelServer(clock);
      let asked = 0;
      let isCalm = false;
      const delay = () => (isCalm ? 10 : delaysMs[asked++ % delaysMs.length]!);
      // The last one only comes when all is calm, so that somebody is alive then.
      const nodes = clocks.slice(0, 3).map((own, index) => new ModelNode(clock, server, `${index}`, own, delay));
      const holdings = new Set<number>();
      let ordered = 0;
      const look = () => {
        const acting = nodes.map(({ acts }) => acts).filter((fence) => fence !== undefined);
        assert.ok(acting.length <= 1, `${acting.length} nodes act at once`);
        for (const fence of acting) {
          assert.ok(server.accepts(fence), 'whoever acts holds the newest number');
          assert.ok(fence >= ordered, 'the numbers of those who act only grow');
          ordered = fence;
          holdings.add(fence);
        }
        // A frozen process assumes what it did when it froze: what it would do on waking is refused if another took
        // over.
        for (const { lease, clock: own } of nodes) {
          const assumed = own.isFrozen ? lease.fence : undefined;
          if (assumed !== undefined && acting.some((fence) => fence !== assumed)) assert.ok(!server.accepts(assumed));
        }
      };
      const pass = async (ms: number) => {
        for (let left = ms; left > 0; left -= 100) {
          await clock.advance(Math.min(100, left));
          look();
        }
      };
      for (const step of steps) {
        if (step.kind === 'pass') await pass(step.ms);
        else if (!('node' in step)) server.isReachable = step.kind === 'restore';
        else {
          const node = nodes[step.node % nodes.length]!;
          if (step.kind === 'freeze') node.clock.isFrozen = true;
          else if (step.kind === 'wake') node.clock.wake();
          else node.isAlive = false;
        }
        look();
      }
      isCalm = true;
      server.isReachable = true;
      nodes.push(new ModelNode(clock, server, 'last', clocks[3]!, delay));
      for (const node of nodes) node.clock.wake();
      // Answers that were delayed before the calm come first.
      await pass(8_000);
      await pass(5_000);
      assert.equal(nodes.filter(({ acts }) => acts !== undefined).length, 1, 'one acts once all is calm');
      // A node that could not ask for a while and still holds its lease gains it again.
      const fences = nodes.flatMap((node) => [...new Set(node.fences)]);
      assert.equal(new Set(fences).size, fences.length, 'no number was given twice');
    }),
    { numRuns: 60, seed: 20_261_121 },
  );
});

test('a holder whose clock is slow, and who can ask nobody, has stopped before the server gives the lease to another', async () => {
  const clock = new FakeClock();
  const server = new ModelServer(clock);
  const slow = new ModelNode(clock, server, 'slow', { skewMs: 0, speed: 0.92 }, () => 1);
  await clock.advance(100);
  assert.notEqual(slow.acts, undefined);
  const other = new ModelNode(clock, server, 'other', { skewMs: 0, speed: 1 }, () => 1);
  slow.isCutOff = true;
  let handedOverMs: number | undefined;
  for (let passedMs = 0; passedMs < 5_000; passedMs += 10) {
    await clock.advance(10);
    assert.ok(slow.acts === undefined || other.acts === undefined, `both act after ${passedMs} ms`);
    if (other.acts !== undefined) handedOverMs ??= passedMs;
  }
  assert.ok(handedOverMs! < 4_000, `the other acts after ${handedOverMs} ms`);
});

test('a lease whose answer comes so late that it must not be used any more is not gained, and is given back', async () => {
  const clock = new FakeClock();
  const server = new ModelServer(clock);
  const delaysMs = [1_400, 1_400];
  const node = new ModelNode(clock, server, 'far', { skewMs: 0, speed: 1 }, () => delaysMs.shift() ?? 1);
  await clock.advance(2_800);
  assert.deepEqual([node.fences, node.acts, server.accepts(1)], [[], undefined, true]);
  await clock.advance(600);
  assert.deepEqual(
    [node.fences, node.acts],
    [[2], 2],
    'it had been given back, and is gained when it is asked for again',
  );
});
