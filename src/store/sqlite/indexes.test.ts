import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openFixture } from '../store.testing.ts';

const queries: readonly (readonly [sql: string, index: RegExp])[] = [
  ['select * from audit_log where (at_ms, id) < (5, ?) order by at_ms desc, id desc limit 50', /INDEX audit_log_at/],
  ['select * from audit_log where subject_id = ? order by at_ms desc, id desc limit 50', /INDEX audit_log_subject/],
  [
    'select * from accounts where (created_at_ms, id) < (5, ?) order by created_at_ms desc, id desc limit 50',
    /INDEX accounts_created/,
  ],
  ['select * from api_keys where seq < ? order by seq desc limit 50', /PRIMARY KEY/],
  ['select * from api_keys where account_id = ? and seq < 9 order by seq desc limit 50', /INDEX api_keys_account/],
  [
    `select * from api_keys where account_id = ? and status = 'active' and seq < 9 order by seq desc`,
    /INDEX api_keys_account_status/,
  ],
  [`select * from api_keys where status = ? and seq < 9 order by seq desc limit 50`, /INDEX api_keys_status_seq/],
  [
    'select account_id, status, count(*) from api_keys where account_id in (?) group by account_id, status',
    /COVERING INDEX api_keys_account_status/,
  ],
  [
    `select key_id || '', sum(refused) from breaches where minute_start_ms > ? group by key_id || ''`,
    /COVERING INDEX breaches_minute_key/,
  ],
  ['select * from operator_tokens where digest = ?', /INDEX/],
];

test('lists in pages use an index and sort nothing', async (t) => {
  const { outside } = await openFixture(t);
  for (const [sql, index] of queries) {
    const plan = outside.prepare(`explain query plan ${sql}`).all('x') as { detail: string }[];
    const text = plan.map(({ detail }) => detail).join('; ');
    assert.match(text, index, sql);
    assert.doesNotMatch(text, /FOR ORDER BY|^SCAN/, sql);
  }
});
