import assert from 'node:assert/strict';
import { asEpochMs } from '../ground/clock.ts';
import type { NewKey } from './key-record.ts';
import { digestNumber, openEngine, refusal, storeTest } from './store.testing.ts';

async function withAccount(t: Parameters<typeof openEngine>[0]) {
  const fixture = await openEngine(t);
  const account = await fixture.store.accounts.create({ email: 'ann@example.com' });
  const newKey = (number: number, rest: Partial<NewKey> = {}) =>
    fixture.store.keys.insert({ accountId: account.id, digest: digestNumber(number), lastFour: 'wxyz', ...rest });
  return { ...fixture, account, newKey };
}

storeTest('a new key is active and shows everything but its digest', async (t) => {
  const { store, clock, account, newKey } = await withAccount(t);
  const expiresAt = asEpochMs(clock.now() + 1);
  const key = await newKey(1, { label: 'bot', expiresAt, limitPerMinute: 120 });
  assert.match(key.id, /^key_[0-9A-Za-z]{16}$/);
  const expected = {
    id: key.id,
    accountId: account.id,
    label: 'bot',
    lastFour: 'wxyz',
    status: 'active',
    createdAt: clock.now(),
    expiresAt,
    limitPerMinute: 120,
    replacedBy: undefined,
  };
  assert.deepEqual(key, expected);
  const withItsAccount = { ...expected, accountEmail: 'ann@example.com', accountActive: true };
  assert.deepEqual(await store.keys.get(key.id), withItsAccount);
  assert.deepEqual(await store.keys.list({ accountId: account.id }), [withItsAccount]);
  assert.deepEqual(await store.keys.list({ accountId: 'acc_none' }), []);
});

storeTest('a key that breaks a rule is refused with the reason', async (t) => {
  const { clock, newKey } = await withAccount(t);
  await newKey(1);
  const broken: readonly (readonly [string, Partial<NewKey>])[] = [
    ['account_unknown', { accountId: 'acc_none' }],
    ['unexpected', { digest: digestNumber(1) }],
    ['label_invalid', { label: 'x'.repeat(101) }],
    ...['two\nlines', 'a\x1b[2Jb', 'a\u202eb', 'a\u2066b'].map((label) => ['label_invalid', { label }] as const),
    ['expiry_not_in_future', { expiresAt: clock.now() }],
    ['limit_invalid', { limitPerMinute: 0 }],
    ['limit_invalid', { limitPerMinute: 1.5 }],
    ['limit_invalid', { limitPerMinute: 1_000_001 }],
  ];
  for (const [reason, rest] of broken) await assert.rejects(newKey(2, rest), refusal(reason), reason);
});

storeTest('a key can be disabled and enabled, and revoked for good', async (t) => {
  const { store, newKey } = await withAccount(t);
  const { id } = await newKey(1);
  assert.equal((await store.keys.setStatus(id, 'disabled')).status, 'disabled');
  assert.equal((await store.keys.setStatus(id, 'active')).status, 'active');
  assert.equal((await store.keys.setStatus(id, 'revoked')).status, 'revoked');
  assert.equal((await store.keys.setStatus(id, 'revoked')).status, 'revoked');
  await assert.rejects(store.keys.setStatus(id, 'active'), refusal('key_revoked'));
  await assert.rejects(store.keys.setStatus(id, 'disabled'), refusal('key_revoked'));
  await assert.rejects(store.keys.setStatus('key_none', 'active'), refusal('key_unknown'));
});

storeTest('a rotation makes a second key like the first, which ends with the overlap', async (t) => {
  const { store, clock, newKey } = await withAccount(t);
  const first = await newKey(1, { label: 'bot', limitPerMinute: 7 });
  clock.jump(1_000);
  const overlapUntil = asEpochMs(clock.now() + 86_400_000);
  const { old, replacement } = await store.keys.rotate(first.id, {
    digest: digestNumber(2),
    lastFour: 'next',
    overlapMs: 86_400_000,
  });
  assert.deepEqual(old, { ...first, expiresAt: overlapUntil, replacedBy: replacement.id });
  assert.deepEqual(replacement, { ...first, id: replacement.id, lastFour: 'next', createdAt: clock.now() });
});

storeTest('a rotation without an overlap revokes the old key, whatever clock a server goes by', async (t) => {
  const { store, clock, newKey } = await withAccount(t);
  const { id } = await newKey(1);
  const next = { digest: digestNumber(2), lastFour: 'next', overlapMs: 0 };
  const { old, replacement } = await store.keys.rotate(id, next);
  assert.deepEqual(
    [old.status, old.expiresAt, old.replacedBy, replacement.status],
    ['revoked', clock.now(), replacement.id, 'active'],
  );
});

storeTest('a rotation never makes the old key live longer', async (t) => {
  const { store, clock, newKey } = await withAccount(t);
  const expiresAt = asEpochMs(clock.now() + 1_000);
  const { id } = await newKey(1, { expiresAt });
  const { old, replacement } = await store.keys.rotate(id, {
    digest: digestNumber(2),
    lastFour: 'next',
    overlapMs: 5_000,
    expiresAt: asEpochMs(clock.now() + 9_000),
  });
  assert.equal(old.expiresAt, expiresAt);
  assert.equal(replacement.expiresAt, clock.now() + 9_000);
});

storeTest('a key that cannot be used any more, or was rotated before, cannot be rotated', async (t) => {
  const { store, clock, newKey } = await withAccount(t);
  const rotate = (id: string, number: number, overlapMs = 0) =>
    store.keys.rotate(id, { digest: digestNumber(number), lastFour: 'next', overlapMs });
  const { id } = await newKey(1, { expiresAt: asEpochMs(clock.now() + 1_000) });
  await assert.rejects(rotate('key_none', 2), refusal('key_unknown'));
  await assert.rejects(rotate(id, 2, -1), refusal('overlap_in_past'));
  await assert.rejects(rotate(id, 1), refusal('unexpected'));
  await store.keys.setStatus(id, 'disabled');
  await assert.rejects(rotate(id, 2), refusal('key_not_active'));
  await store.keys.setStatus(id, 'active');
  clock.jump(1_000);
  await assert.rejects(rotate(id, 2), refusal('key_not_active'));
  await store.keys.setStatus(id, 'revoked');
  await assert.rejects(rotate(id, 2), refusal('key_revoked'));
  const twice = await newKey(3);
  await rotate(twice.id, 4, 1_000);
  await assert.rejects(rotate(twice.id, 5), refusal('key_already_rotated'));
});

storeTest(
  'pages give every key but revoked ones, in the order they were made, with what makes them usable',
  async (t) => {
    const { store, clock, account, newKey } = await withAccount(t);
    const keys = [];
    for (let number = 1; number <= 5; number++) keys.push(await newKey(number));
    await store.keys.setStatus(keys[1]!.id, 'revoked');
    await store.keys.setStatus(keys[2]!.id, 'disabled');
    const limited = await newKey(6, { expiresAt: asEpochMs(clock.now() + 5), limitPerMinute: 9 });
    const pages = await Array.fromAsync(store.keys.accessPages(2));
    assert.deepEqual(
      pages.map((page) => page.length),
      [2, 2, 1],
    );
    assert.deepEqual(
      pages.flat().map((entry) => [entry.keyId, entry.usable]),
      [
        [keys[0]!.id, true],
        [keys[2]!.id, false],
        [keys[3]!.id, true],
        [keys[4]!.id, true],
        [limited.id, true],
      ],
    );
    assert.deepEqual(
      { ...pages.flat().at(-1) },
      {
        digest: digestNumber(6),
        keyId: limited.id,
        usable: true,
        expiresAt: clock.now() + 5,
        limitPerMinute: 9,
      },
    );
    await store.accounts.setActive(account.id, false);
    assert.ok((await Array.fromAsync(store.keys.accessPages())).flat().every((entry) => !entry.usable));
    assert.ok((await store.keys.countAccessMax()) >= 5);
  },
);

storeTest('the label, limit and expiry of a key can be changed, one without the others', async (t) => {
  const { store, clock, newKey } = await withAccount(t);
  const expiresAt = asEpochMs(clock.now() + 1);
  const { id } = await newKey(1, { label: 'bot', expiresAt, limitPerMinute: 120 });
  const changed = await store.keys.update(id, { limitPerMinute: null });
  assert.deepEqual([changed.label, changed.expiresAt, changed.limitPerMinute], ['bot', expiresAt, undefined]);
  const again = await store.keys.update(id, { label: '', expiresAt: null, limitPerMinute: 600 });
  assert.deepEqual([again.label, again.expiresAt, again.limitPerMinute], ['', undefined, 600]);
  assert.deepEqual(await store.keys.update(id, {}), again);
  await assert.rejects(store.keys.update(id, { expiresAt: clock.now() }), refusal('expiry_not_in_future'));
  await assert.rejects(store.keys.update(id, { limitPerMinute: 0 }), refusal('limit_invalid'));
  await assert.rejects(store.keys.update('key_none', {}), refusal('key_unknown'));
  await store.keys.setStatus(id, 'revoked');
  await assert.rejects(store.keys.update(id, { label: 'x' }), refusal('key_revoked'));
  const actions = (await store.audit.page({ limit: 10, subjectId: id })).items.map(({ action }) => action);
  assert.deepEqual(actions, ['key.revoke', 'key.update', 'key.update', 'key.create']);
});
