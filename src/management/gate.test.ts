import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import type { AuditChange } from '../store/store-context.ts';
import { RefusalLog } from './gate.ts';

test('refused tokens are recorded at most sixty times an hour, and the next entry counts those left out', async () => {
  const clock = new FakeClock();
  const entries: AuditChange[] = [];
  const log = new RefusalLog({ record: async (change) => void entries.push(change) }, clock);
  const refuse = (number: number, tokenId?: string) => log.record(`192.0.2.${number}`, 'sign-in', tokenId);
  for (let number = 0; number < 100; number++) await refuse(number);
  assert.equal(entries.length, 60);
  clock.jump(3_600_000);
  await refuse(1);
  assert.equal(entries.length, 60, 'a wall clock that was set makes no new hour');
  await clock.advance(3_600_000);
  await refuse(2, 'tok_1');
  assert.equal(entries.length, 61);
  assert.deepEqual(entries.at(-1)?.subject, { kind: 'token', id: 'tok_1' });
  assert.deepEqual(entries.at(-1)?.details, { address: '192.0.2.2', purpose: 'sign-in', leftOutBefore: 41 });
  await refuse(3);
  assert.equal(entries.at(-1)?.details?.leftOutBefore, 0);
});
