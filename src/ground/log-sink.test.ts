import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { LogSink, type LogTarget } from './log-sink.ts';

const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' });

/** A target that takes, refuses or leaves waiting what it is given. */
function setUp() {
  const clock = new FakeClock('2026-11-21T10:00:00.000Z');
  const taken: string[] = [];
  const state = { answer: 'take' as 'take' | 'refuse' | 'wait' };
  const waiting: (() => void)[] = [];
  const target: LogTarget = {
    write(text, done) {
      if (state.answer === 'refuse') return done(full);
      const take = () => {
        taken.push(text);
        done();
      };
      if (state.answer === 'wait') waiting.push(take);
      else take();
    },
  };
  return { clock, taken, state, waiting, sink: new LogSink(target, clock) };
}

test('lines of a full disk are counted, and said once there is space again (fault row 102)', async () => {
  const { clock, taken, state, sink } = setUp();
  sink.write('one\n');
  state.answer = 'refuse';
  sink.write('two\n');
  sink.write('three\n');
  await clock.advance(999);
  assert.deepEqual(sink.figures(), { lost: 1, waiting: 6, trouble: 'ENOSPC' });
  state.answer = 'take';
  await clock.advance(1);
  const [first, second] = taken;
  assert.equal(first, 'one\n');
  const [said, rest] = second!.split(/(?<=\n)/);
  assert.deepEqual(JSON.parse(said!), {
    level: 40,
    time: clock.now(),
    lost: 1,
    msg: 'lines of the log were lost, because it could not be written (ENOSPC)',
  });
  assert.equal(rest, 'three\n');
  assert.deepEqual(sink.figures(), { lost: 1, waiting: 0, trouble: undefined });
  sink.write('four\n');
  assert.equal(taken.at(-1), 'four\n');
});

test('a reader that stands still costs lines and no memory, and is named (fault row 102)', async () => {
  const { clock, taken, state, waiting, sink } = setUp();
  state.answer = 'wait';
  const line = `${'x'.repeat(199)}\n`;
  for (let count = 0; count < 130_000; count++) sink.write(line);
  assert.equal(sink.figures().trouble, undefined);
  await clock.advance(5_000);
  const { lost, waiting: characters, trouble } = sink.figures();
  assert.equal(trouble, 'not read');
  assert.ok(characters <= 4 * 1024 * 1024);
  assert.equal(lost, 130_000 - characters / line.length);
  state.answer = 'take';
  waiting.shift()!();
  assert.deepEqual(sink.figures(), { lost, waiting: 0, trouble: undefined });
  assert.ok(taken[1]!.startsWith(`{"level":40,"time":${clock.now()},"lost":${lost},`));
  assert.equal(taken.join('').split(line).length - 1, 130_000 - lost);
});

test('the end waits for what is not written yet, but not for a reader that stands still', async () => {
  const { clock, state, waiting, sink } = setUp();
  state.answer = 'wait';
  sink.write('one\n');
  let ended = false;
  void sink.end(500).then(() => (ended = true));
  await clock.advance(499);
  assert.equal(ended, false);
  await clock.advance(1);
  assert.equal(ended, true);
  ended = false;
  void sink.end(500).then(() => (ended = true));
  waiting.shift()!();
  await clock.advance(0);
  assert.equal(ended, true);
});
