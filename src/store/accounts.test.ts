import assert from 'node:assert/strict';
import { digestNumber, openEngine, refusal, storeTest } from './store.testing.ts';

storeTest('a new account is active, has an id of its own kind and the instant it was made', async (t) => {
  const { store, clock } = await openEngine(t);
  const account = await store.accounts.create({ email: 'Ann@Example.com' });
  assert.match(account.id, /^acc_[0-9A-Za-z]{16}$/);
  const made = { email: 'Ann@Example.com', active: true, createdAt: clock.now(), language: undefined };
  assert.deepEqual(account, { id: account.id, ...made });
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

storeTest('the e-mail address of an account can be changed to one that is free', async (t) => {
  const { store } = await openEngine(t);
  const { id } = await store.accounts.create({ email: 'ann@example.com' });
  await store.accounts.create({ email: 'bob@example.com' });
  assert.equal((await store.accounts.update(id, { email: 'Ann@example.com' })).email, 'Ann@example.com');
  await assert.rejects(store.accounts.update(id, { email: 'BOB@example.com' }), refusal('email_taken'));
  await assert.rejects(store.accounts.update(id, { email: 'ann' }), refusal('email_invalid'));
  await assert.rejects(store.accounts.update('acc_none', { email: 'a@b.c' }), refusal('account_unknown'));
  assert.equal((await store.accounts.get(id))?.email, 'Ann@example.com');
});

storeTest('the language of an account can be changed, and stays when its address does', async (t) => {
  const { store } = await openEngine(t);
  const { id } = await store.accounts.create({ email: 'ann@example.com', language: 'cs' });
  assert.equal((await store.accounts.update(id, { email: 'b@example.com' })).language, 'cs');
  assert.equal((await store.accounts.update(id, { language: 'en' })).email, 'b@example.com');
  assert.equal((await store.accounts.get(id))?.language, 'en');
  const summaries = (await store.audit.page({ limit: 3 })).items.map(({ summary }) => summary);
  assert.ok(summaries.includes('Changed the language of notices to b@example.com to en.'), summaries.join());
});

storeTest('an erased account leaves a pseudonym: no table holds its addresses or labels', async (t) => {
  const { store, outside } = await openEngine(t);
  const { id } = await store.accounts.create({ email: 'ann.old@example.com' });
  await store.accounts.update(id, { email: 'ann@example.com' });
  const key = { accountId: id, digest: digestNumber(1), lastFour: 'wxyz', label: "Ann's bot" };
  const { id: keyId } = await store.keys.insert(key);
  await store.keys.rotate(keyId, { digest: digestNumber(2), lastFour: 'abcd', overlapMs: 1_000 });
  await store.keys.update(keyId, { label: "Ann's (old) bot" });
  const figures = JSON.stringify({ label: "Ann's bot", lastFour: 'wxyz' });
  for (const [number, status] of ['pending', 'sent'].entries()) {
    await outside.run(
      `insert into notices (id, key_id, account_id, kind, number, created_at_ms, last_minute_ms, figures, status, next_attempt_at_ms, last_error)
       values (?, ?, ?, 'repeated_breaches', ?, 1, 0, ?, ?, 0, 'refused ann@example.com')`,
      ...[`ntc_${number}`, keyId, id, number, figures, status],
    );
  }
  const erased = await store.accounts.erase(id);
  assert.deepEqual([erased.email, erased.active], [`${id}@erased.invalid`, false]);
  const [account] = await store.accounts.list();
  assert.deepEqual(account?.keys, { active: 0, disabled: 0, revoked: 2 });
  for (const table of ['accounts', 'api_keys', 'audit_log', 'notices']) {
    assert.doesNotMatch(JSON.stringify(await outside.run(`select * from ${table}`)), /ann/i, table);
  }
  const notices = await outside.run('select status from notices order by number');
  assert.deepEqual(
    notices.map(({ status }) => status),
    ['failed', 'sent'],
  );
  const entries = (await store.audit.page({ limit: 10 })).items;
  assert.equal(entries.length, 6);
  assert.ok(entries.some(({ action, summary }) => action === 'account.erase' && summary.includes(id)));
  assert.ok(entries.some(({ summary }) => summary === `Made the account of ${id}@erased.invalid.`));
  await assert.rejects(store.accounts.erase('acc_none'), refusal('account_unknown'));
});
