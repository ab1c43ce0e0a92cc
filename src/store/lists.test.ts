import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { ListPosition } from './paging.ts';
import { digestNumber, openEngine, storeTest } from './store.testing.ts';

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
    let after: ListPosition | undefined;
    do {
      const page = await store.accounts.page({ limit: 5, after });
      seen.push(...page.items.map(({ email }) => email));
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
          assert.ok(page.items.length <= 2);
          seen.push(...page.items.map(({ id }) => ids.indexOf(id)));
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
      const { items: accounts } = await store.accounts.page({ query: 'EXAMPLE', limit: 10 });
      assert.deepEqual(
        accounts.map(({ keys }) => keys),
        [
          { active: 2, disabled: 1, revoked: 0 },
          { active: 3, disabled: 3, revoked: 0 },
        ],
      );
      assert.deepEqual(
        (await store.accounts.page({ query: one, limit: 10 })).items.map(({ id }) => id),
        [one],
      );
    },
  );
});
