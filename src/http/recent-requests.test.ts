import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EpochMs } from '../clock.ts';
import type { AnsweredRequest } from './public-listener.ts';
import { RecentRequests } from './recent-requests.ts';

function answered(requestId: string, keyId?: string): AnsweredRequest {
  const rest = { at: 0 as EpochMs, durationMs: 1, status: 200, code: undefined, bytes: 2 };
  return { requestId, route: '/v1/time', keyId, ...rest };
}

test('the latest 10,000 answers to keys are found by their id, whatever else is asked meanwhile', () => {
  const recent = new RecentRequests();
  for (let n = 0; n < 10_001; n++) recent.keep(answered(`keyed-${n}`, 'key_1'));
  for (let n = 0; n < 30_000; n++) recent.keep(answered(`keyless-${n}`));
  assert.equal(recent.find('keyed-0'), undefined);
  assert.deepEqual(recent.find('keyed-1'), answered('keyed-1', 'key_1'));
  assert.deepEqual(recent.find('keyed-10000'), answered('keyed-10000', 'key_1'));
  assert.equal(recent.find('keyless-19999'), undefined);
  assert.equal(recent.find('keyless-20000')?.requestId, 'keyless-20000');
  assert.equal(recent.find('never'), undefined);
});
