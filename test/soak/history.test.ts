import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { type Counted, History } from './history.ts';

let history: History;
beforeEach(() => {
  history = new History();
});

const minuteS = 1_795_255_260;

function answer(remaining: number, status = 200, more: Partial<Counted> = {}): void {
  const atMs = (minuteS - 30) * 1000;
  const counted = { who: 'k', status, limit: 3, remaining, resetSeconds: minuteS, atMs, isSequential: true };
  history.counted({ ...counted, ...more });
}

function faults(): readonly string[] {
  history.finish();
  return history.faults;
}

test('a window used up to the last request and then refused is in order', () => {
  for (const remaining of [2, 1, 0]) answer(remaining);
  answer(0, 429);
  assert.deepEqual([faults(), history.fullWindows, history.checkedWindows], [[], 1, 1]);
});

test('one more than the limit is found', () => {
  for (let turn = 0; turn < 4; turn++) answer(0, 200, { isSequential: false });
  assert.match(faults()[0]!, /4 admitted at a limit of 3/);
});

test('a refusal before the limit is found', () => {
  answer(2);
  answer(0, 429);
  assert.match(faults()[0]!, /refused after 1 of 3/);
});

test('a Remaining that does not fall by one is found', () => {
  answer(2);
  answer(2);
  assert.match(faults()[0]!, /Remaining 2 after 2, not 1/);
});

test('a Reset off the minute, or of another one, is found', () => {
  answer(2, 200, { resetSeconds: minuteS + 1 });
  answer(2, 200, { resetSeconds: minuteS + 60 });
  assert.equal(faults().length, 2);
});

test('after a lost answer its window is no longer held to be exact', () => {
  answer(2);
  history.lost('k');
  answer(0);
  answer(0, 429);
  assert.deepEqual(faults(), []);
});

test('a ticker time that goes back for a client is found, and not between clients', () => {
  const ticker = (timestampMs: number) => [{ symbol: 'BTCEUR', timestampMs }] as never;
  history.tickers('a', ticker(10));
  history.tickers('b', ticker(9));
  history.tickers('a', ticker(10));
  assert.deepEqual(history.faults, []);
  history.tickers('a', ticker(9));
  assert.equal(faults().length, 1);
});
