import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { runsOf, seed } from '../market/seeded.testing.ts';
import { BoardPosition, furtherOf, isBefore, noPosition, type Position } from './board-position.ts';

const at = (fence: number, number: number): Position => ({ fence, number });

test('a later leader is further, whatever the numbers', () => {
  assert.ok(isBefore(at(1, 9), at(2, 1)) && !isBefore(at(2, 1), at(1, 9)));
  assert.ok(isBefore(at(1, 1), at(1, 2)) && !isBefore(at(1, 1), at(1, 1)));
  assert.deepEqual([furtherOf(noPosition, at(1, 1)), furtherOf(at(1, 2), at(1, 1))], [at(1, 1), at(1, 2)]);
});

test('an answer waits until its board is there, and a quarter of a second at most', async () => {
  const clock = new FakeClock();
  const position = new BoardPosition(clock);
  position.follow(at(1, 1));
  assert.equal(position.reach(at(1, 1)), true);
  const waits = [position.reach(at(1, 2)), position.reach(at(1, 3))];
  await clock.advance(100);
  position.follow(at(1, 2));
  assert.equal(await waits[0], true);
  await clock.advance(150);
  assert.equal(await waits[1], false);
  assert.deepEqual(position.waits, { reached: 1, in_vain: 1 });
  assert.equal(clock.pendingTimers, 0);
});

test('what a dead leader served and never published delays one answer, and the next leader’s is waited for again', async () => {
  const clock = new FakeClock();
  const position = new BoardPosition(clock);
  position.follow(at(1, 4));
  const first = position.reach(at(1, 5));
  await clock.advance(250);
  assert.equal(await first, false);
  assert.equal(position.reach(at(1, 5)), false, 'at once');
  assert.equal(position.reach(at(1, 6)), false, 'at once');
  const next = position.reach(at(2, 1));
  position.follow(at(2, 1));
  assert.equal(await next, true);
  assert.ok(position.reach(at(2, 2)) instanceof Promise);
  await clock.advance(250);
});

test('while changes come, however late, each answer waits', async () => {
  const clock = new FakeClock();
  const position = new BoardPosition(clock);
  position.follow(at(1, 1));
  const first = position.reach(at(1, 9));
  await clock.advance(200);
  position.follow(at(1, 2));
  await clock.advance(50);
  assert.equal(await first, false);
  const next = position.reach(at(1, 9));
  assert.ok(next instanceof Promise);
  position.follow(at(1, 9));
  assert.equal(await next, true);
});

test('a leader that stops stays where it is, and goes on with what it follows', () => {
  const position = new BoardPosition(new FakeClock());
  let number = 1;
  position.follow(at(1, 7));
  position.lead(() => at(2, number));
  number = 3;
  assert.deepEqual(position.current, at(2, 3));
  position.resign();
  number = 9;
  assert.deepEqual(position.current, at(2, 3));
  position.follow(at(3, 1));
  assert.deepEqual(position.current, at(3, 1));
});

/** Publications of one leader after the other, and what each of three processes has applied of them. */
class Model {
  readonly clock = new FakeClock();
  readonly published: Position[] = [at(1, 1)];
  readonly nodes = [0, 1, 2].map(() => ({ position: new BoardPosition(this.clock), applied: 0 }));
  /** The position kept with the key, and the newest that an answer showed. */
  kept = noPosition;
  shown = noPosition;

  publish(isNewLeader: boolean): void {
    const last = this.published.at(-1)!;
    this.published.push(isNewLeader ? at(last.fence + 1, 1) : at(last.fence, last.number + 1));
  }

  apply(index: number): void {
    const node = this.nodes[index]!;
    const next = this.published[node.applied];
    if (next === undefined) return;
    node.applied++;
    node.position.follow(next);
  }

  /** Does what answering a request does: count, wait, keep what came meanwhile, answer. */
  async ask(index: number, meanwhile: readonly number[]): Promise<void> {
    const { position } = this.nodes[index]!;
    const claimed = position.current;
    for (const each of meanwhile) this.apply(each);
    this.kept = furtherOf(this.kept, claimed);
    for (let stores = 0; stores < 4; stores++) {
      const reached = position.reach(this.kept);
      if (reached instanceof Promise) while (position.isBehind(this.kept)) this.apply(index);
      if (!(await reached)) return;
      if (!isBefore(this.kept, position.current)) break;
      this.kept = furtherOf(this.kept, position.current);
    }
    const answered = position.current;
    assert.ok(!isBefore(answered, this.shown), 'an older board was shown');
    this.shown = furtherOf(this.shown, answered);
    assert.ok(!isBefore(this.kept, this.shown), 'a board was shown that is not kept');
  }
}

const node = fc.nat({ max: 2 });
const step: fc.Arbitrary<(model: Model) => void | Promise<void>> = fc.oneof(
  fc.integer({ min: 0, max: 9 }).map((number) => (model: Model) => model.publish(number === 0)),
  node.map((index) => (model: Model) => model.apply(index)),
  fc.tuple(node, fc.array(node, { maxLength: 3 })).map(
    ([index, meanwhile]) =>
      (model: Model) =>
        model.ask(index, meanwhile),
  ),
);

test('however publications, processes and requests meet, no answer shows an older board than one before it', async (t) => {
  const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 80 }), async (steps) => {
    const model = new Model();
    for (const run of steps) await run(model);
  });
  t.diagnostic(`TEST_SEED=${seed}`);
  await fc.assert(property, { seed, numRuns: runsOf(1_000) });
});

test('after a standstill an answer waits for what others published meanwhile, whatever its key has seen', async () => {
  const standstills: Record<string, (clock: FakeClock) => void> = {
    'of the process': (clock) => clock.standStill(200_000),
    'of the machine, with its monotonic clock': (clock) => clock.jump(200_000),
    'after which the clock was set back': (clock) => {
      clock.standStill(200_000);
      clock.jump(-200_000);
    },
  };
  for (const [name, standStill] of Object.entries(standstills)) {
    const clock = new FakeClock();
    const position = new BoardPosition(clock);
    const moment = () => [clock.now(), clock.monotonicMs()] as const;
    position.follow(at(1, 1));
    position.heard(moment());
    assert.equal(position.reach(noPosition), true);
    const askedBefore = moment();
    standStill(clock);
    const waits = position.reach(noPosition);
    assert.ok(waits instanceof Promise, name);
    position.follow(at(1, 2));
    position.heard(askedBefore);
    assert.ok(position.isBehind(noPosition), 'an answer to a question of before says nothing of meanwhile');
    position.heard(moment());
    assert.equal(await waits, true);
    assert.equal(position.reach(at(1, 2)), true);
  }
});

test('what a process makes anew after a standstill may take a second', async () => {
  const clock = new FakeClock();
  const position = new BoardPosition(clock);
  position.heard([clock.now(), clock.monotonicMs()]);
  clock.standStill(10_000);
  let reached: boolean | undefined;
  void Promise.resolve(position.reach(noPosition)).then((isReached) => {
    reached = isReached;
  });
  await clock.advance(999);
  assert.equal(reached, undefined);
  await clock.advance(1);
  assert.equal(reached, false);
});

test('a leader that gives way answers once it has what the other has published', async () => {
  const clock = new FakeClock();
  const position = new BoardPosition(clock);
  position.lead(() => at(2, 1));
  position.giveWay();
  const first = position.reach(noPosition);
  assert.ok(first instanceof Promise, 'also what no key has seen');
  position.follow(at(3, 4));
  assert.ok(position.isBehind(at(3, 4)), 'it may be the first of several');
  position.heard([clock.now(), clock.monotonicMs()]);
  assert.equal(await first, true);
});

test('a leader whose lease has run out answers nothing before it knows whether another leads', async () => {
  for (const learns of ['another leads', 'nobody can be asked', 'it leads again'] as const) {
    const clock = new FakeClock();
    const position = new BoardPosition(clock);
    let isSure = true;
    const lead = (fence: number) =>
      position.lead(
        () => at(fence, 1),
        () => isSure,
      );
    lead(2);
    assert.equal(position.reach(noPosition), true);
    isSure = false;
    const first = position.reach(noPosition);
    assert.ok(first instanceof Promise, 'a key that was served by nobody yet waits, too');
    isSure = learns === 'it leads again';
    if (isSure) lead(3);
    else position.resign();
    assert.equal(await first, true);
    assert.equal(position.reach(noPosition), true, learns);
    assert.equal(clock.pendingTimers, 0);
  }
});

test('a process that makes the prices, or follows nobody, waits for nobody', async () => {
  const clock = new FakeClock();
  const position = new BoardPosition(clock);
  position.heard([clock.now(), clock.monotonicMs()]);
  position.lead(() => at(2, 1));
  await clock.advance(60_000);
  assert.equal(position.reach(at(2, 1)), true);
  position.resign();
  assert.equal(position.reach(at(2, 1)), true);
  position.heard([clock.now(), clock.monotonicMs()]);
  position.heard();
  await clock.advance(60_000);
  assert.equal(position.reach(at(2, 1)), true);
});
