import assert from 'node:assert/strict';
import { openEngine, refusal, storeTest } from './store.testing.ts';

storeTest('a new account is active, has an id of its own kind and the instant it was made', async (t) => {
  const { store, clock } = await openEngine(t);
  const account = await store.accounts.create({ email: 'Ann@Example.com' });
  assert.match(account.id, /^acc_[0-9A-Za-z]{16}$/);
  assert.deepEqual(account, { id: account.id, email: 'Ann@Example.com', active: true, createdAt: clock.now() });
  assert.deepEqual(await store.accounts.get(account.id), account);
});

storeTest('an e-mail address is taken whatever the case of its letters', async (t) => {
  const { store } = await openEngine(t);
  await store.accounts.create({ email: 'Ann@Example.com' });
  await assert.rejects(store.accounts.create({ email: 'ann@eXample.com' }), refusal('email_taken'));
});

storeTest('an e-mail address must look like one', async (t) => {
  const { store } = await openEngine(t);
  const wrong = ['', 'ann', '@example.com', 'ann@', 'a b@c.d', 'a@b@c', 'a@b\n', `${'a'.repeat(250)}@b.cz`];
  for (const email of wrong) await assert.rejects(store.accounts.create({ email }), refusal('email_invalid'), email);
});

storeTest('an e-mail address takes no character that makes a reader see another one', async (t) => {
  const { store } = await openEngine(t);
  for (const mark of ['\0', '\x1b', '\x7f', '\x9b', '\u061c', '\u200b', '\u200f', '\u202e', '\u2066', '\ud800']) {
    for (const email of [`a${mark}nn@example.com`, `ann@exam${mark}ple.com`])
      await assert.rejects(store.accounts.create({ email }), refusal('email_invalid'), JSON.stringify(email));
  }
  assert.equal((await store.accounts.create({ email: 'jiří@příklad.cz' })).email, 'jiří@příklad.cz');
});

storeTest('accounts are listed oldest first and can be switched off and on', async (t) => {
  const { store, clock } = await openEngine(t);
  const first = await store.accounts.create({ email: 'z@example.com' });
  clock.jump(1);
  const second = await store.accounts.create({ email: 'a@example.com' });
  const keys = { active: 0, disabled: 0, revoked: 0 };
  assert.deepEqual(await store.accounts.list(), [
    { ...first, keys },
    { ...second, keys },
  ]);
  assert.equal((await store.accounts.setActive(first.id, false)).active, false);
  assert.equal((await store.accounts.setActive(first.id, false)).active, false);
  assert.equal((await store.accounts.setActive(first.id, true)).active, true);
});

storeTest('an unknown account is not found and cannot be changed', async (t) => {
  const { store } = await openEngine(t);
  assert.equal(await store.accounts.get('acc_none'), undefined);
  await assert.rejects(store.accounts.setActive('acc_none', true), refusal('account_unknown'));
});
