import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../ground/clock.ts';
import type { AnsweredRequest } from './answered-request.ts';
import { RecentRequests } from './recent-requests.ts';

function answered(requestId: string, keyId?: string): AnsweredRequest {
  const rest = { at: 0 as EpochMs, durationMs: 1, status: 200, code: undefined, bytes: 2 };
  return { requestId, route: '/v1/time', keyId, ...rest };
}

const id = (kind: 'a' | 'b', number: number) => kind + String(number).padStart(31, '0');

test('the latest 10,000 answers to keys are found by their id, whatever else is asked meanwhile', () => {
  const recent = new RecentRequests();
  for (let n = 0; n < 10_001; n++) recent.keep(answered(id('a', n), 'key_1'));
  for (let n = 0; n < 30_000; n++) recent.keep(answered(id('b', n)));
  assert.equal(recent.find(id('a', 0)), undefined);
  assert.deepEqual(recent.find(id('a', 1)), answered(id('a', 1), 'key_1'));
  assert.deepEqual(recent.find(id('a', 10_000)), answered(id('a', 10_000), 'key_1'));
  assert.equal(recent.find(id('b', 19_999)), undefined);
  assert.equal(recent.find(id('b', 20_000))?.requestId, id('b', 20_000));
  for (const never of [id('a', 20_000), 'a', '', `${id('b', 29_998).slice(16)}${id('b', 29_999).slice(0, 16)}`]) {
    assert.equal(recent.find(never), undefined, never);
  }
});
