import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AccountPosition } from './account-pages.ts';
import { digestNumber, openEngine, openFixture, storeTest } from './store.testing.ts';

describe('lists in pages', () => {
  storeTest('of accounts skip and repeat nothing while accounts are made, whatever their instants', async (t) => {
    const { store, clock } = await openEngine(t);
    const emails: string[] = [];
    const make = async (name: string) => {
      await store.accounts.create({ email: `${name}@example.com` });
      if (emails.length % 3 === 0) clock.jump(1);
    };
    for (let number = 0; number < 23; number++) {
      emails.push(`a${number}@example.com`);
      await make(`a${number}`);
    }
    const seen: string[] = [];
    let after: AccountPosition | undefined;
    do {
      const page = await store.accounts.page({ limit: 5, after });
      seen.push(...page.accounts.map(({ email }) => email));
      after = page.next;
      clock.jump(1);
      await make(`late${seen.length}`);
    } while (after !== undefined);
    assert.deepEqual(seen.toSorted(), emails.toSorted());
  });

  storeTest(
    'of keys are latest first, by account, by status and by both, with the counts of each account',
    async (t) => {
      const { store } = await openEngine(t);
      const { id: one } = await store.accounts.create({ email: 'one@example.com' });
      const { id: two } = await store.accounts.create({ email: 'Two@Example.com' });
      const ids: string[] = [];
      for (let number = 0; number < 9; number++) {
        const accountId = number % 3 === 0 ? two : one;
        const { id } = await store.keys.insert({
          accountId,
          digest: digestNumber(number),
          lastFour: `000${number}`,
          label: `Bot ${number}`,
        });
        ids.push(id);
        if (number % 2 === 1) await store.keys.setStatus(id, 'disabled');
      }
      const numbers = async (filter: object) => {
        const seen: number[] = [];
        let after: number | undefined;
        do {
          const page = await store.keys.page({ ...filter, limit: 2, after });
          assert.ok(page.keys.length <= 2);
          seen.push(...page.keys.map(({ id }) => ids.indexOf(id)));
          after = page.next;
        } while (after !== undefined);
        return seen;
      };
      assert.deepEqual(await numbers({}), [8, 7, 6, 5, 4, 3, 2, 1, 0]);
      assert.deepEqual(await numbers({ accountId: two }), [6, 3, 0]);
      assert.deepEqual(await numbers({ status: 'disabled' }), [7, 5, 3, 1]);
      assert.deepEqual(await numbers({ accountId: one, status: 'disabled' }), [7, 5, 1]);
      assert.deepEqual(await numbers({ query: 'two@' }), [6, 3, 0]);
      assert.deepEqual(await numbers({ query: 'BOT 4' }), [4]);
      assert.deepEqual(await numbers({ query: '0008' }), [8]);
      assert.deepEqual(await numbers({ query: ids[2] }), [2]);
      assert.deepEqual(await numbers({ query: '%' }), []);
      assert.deepEqual(await store.accounts.countKeys(two), { active: 2, disabled: 1, revoked: 0 });
      const { accounts } = await store.accounts.page({ query: 'EXAMPLE', limit: 10 });
      assert.deepEqual(
        accounts.map(({ keys }) => keys),
        [
          { active: 2, disabled: 1, revoked: 0 },
          { active: 3, disabled: 3, revoked: 0 },
        ],
      );
      assert.deepEqual(
        (await store.accounts.page({ query: one, limit: 10 })).accounts.map(({ id }) => id),
        [one],
      );
    },
  );

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
  for (const [sql, index] of queries) {
    test(`use an index and sort nothing: ${sql}`, async (t) => {
      const { outside } = await openFixture(t);
      const plan = outside.prepare(`explain query plan ${sql}`).all('x') as { detail: string }[];
      const text = plan.map(({ detail }) => detail).join('; ');
      assert.match(text, index);
      assert.doesNotMatch(text, /FOR ORDER BY|^SCAN/);
    });
  }
});
