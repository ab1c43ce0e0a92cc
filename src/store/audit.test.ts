import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { asEpochMs } from '../ground/clock.ts';
import type { ListPosition } from './paging.ts';
import { digestNumber, openEngine, refusal, storeTest } from './store.testing.ts';
import type { Store } from './store.ts';

const subject = { kind: 'session', id: 'ses_1' } as const;
const newest = async (store: Store) => (await store.audit.page({ limit: 1 })).items[0];
const actions = async (store: Store) => (await store.audit.page({ limit: 100 })).items.map(({ action }) => action);

async function withKey(t: Parameters<typeof openEngine>[0]) {
  const fixture = await openEngine(t);
  const { store } = fixture;
  const account = await store.accounts.create({ email: 'bot@example.com' });
  const key = await store.keys.insert({
    accountId: account.id,
    digest: digestNumber(1),
    lastFour: 'wxyz',
    label: 'bot',
  });
  return { ...fixture, account, key };
}

/** Makes the log take nothing any more. */
const refuseEntries = {
  sqlite: [`create trigger no_entry before insert on audit_log begin select raise(abort, 'the log is full'); end`],
  postgres: [
    `create function refuse() returns trigger language plpgsql as 'begin raise ''the log is full''; end'`,
    'create trigger no_entry before insert on audit_log execute function refuse()',
  ],
};

describe('the audit log', () => {
  storeTest('has one entry for each change, with who made it, what it was done to and what it was', async (t) => {
    const { store, clock, outside, account, key } = await withKey(t);
    const { accounts, keys, markets, windows, tokens } = store.as('alice');
    await outside.run(`insert into markets (symbol, base, quote, upstream_status, price_precision, amount_precision, tick_size,
      min_order_size, updated_at_ms) values ('BTCEUR', 'BTC', 'EUR', 'trading', 1, 8, '0.1', '0.0001', 1)`);
    const window = await windows.announce({ from: clock.now(), to: asEpochMs(clock.now() + 1_000), description: 'x' });
    const later = asEpochMs(clock.now() + 5_000);
    const token = await tokens.insert({ role: 'admin', digest: digestNumber(9), name: 'robot' });
    const changes: readonly (readonly [action: string, id: string, run: () => Promise<unknown>])[] = [
      ['account.deactivate', account.id, () => accounts.setActive(account.id, false)],
      ['account.activate', account.id, () => accounts.setActive(account.id, true)],
      ['key.disable', key.id, () => keys.setStatus(key.id, 'disabled')],
      ['key.enable', key.id, () => keys.setStatus(key.id, 'active')],
      ['key.rotate', key.id, () => keys.rotate(key.id, { digest: digestNumber(2), lastFour: 'abcd', overlapMs: 1 })],
      ['key.revoke', key.id, () => keys.setStatus(key.id, 'revoked')],
      ['market.pause', 'BTCEUR', () => markets.setOperatorPaused('BTCEUR', true)],
      ['market.resume', 'BTCEUR', () => markets.setOperatorPaused('BTCEUR', false)],
      ['market.delist', 'BTCEUR', () => markets.delist('BTCEUR', clock.now())],
      ['window.extend', window.id, () => windows.extend(window.id, later)],
      ['window.end', window.id, () => windows.end(window.id)],
      ['token.revoke', token.id, () => tokens.revoke(token.id)],
    ];
    for (const [action, id, run] of changes) {
      const before = (await store.audit.page({ limit: 100 })).items.length;
      await run();
      const { items: entries } = await store.audit.page({ limit: 100 });
      assert.equal(entries.length, before + 1, action);
      const [entry] = entries;
      assert.deepEqual([entry?.actor, entry?.action, entry?.subject.id], ['alice', action, id]);
      assert.match(entry!.summary, /^[A-Z].*\.$/);
      assert.equal(entry!.at, clock.now());
    }
    assert.ok((await actions(store)).includes('window.announce'));
    const made = (await store.audit.page({ limit: 100, subjectId: key.id })).items.at(-1);
    assert.deepEqual([made?.actor, made?.action, made?.details.label], ['system', 'key.create', 'bot']);
    assert.match(made!.summary, /^Made a key for bot@example\.com \("bot"\)\.$/);
  });

  storeTest('is filtered by who, what, when and about what', async (t) => {
    const { store, clock, key } = await withKey(t);
    await clock.advance(60_000);
    await store.as('alice').keys.setStatus(key.id, 'disabled');
    await clock.advance(60_000);
    await store.as('bob').keys.setStatus(key.id, 'active');
    const now = clock.now();
    const pageOf = async (filter: Omit<Parameters<Store['audit']['page']>[0], 'limit'>) =>
      (await store.audit.page({ limit: 100, ...filter })).items.map(({ action }) => action);
    const back = (ms: number) => (now - ms) as typeof now;
    assert.deepEqual(await pageOf({ actor: 'alice' }), ['key.disable']);
    assert.deepEqual(await pageOf({ action: 'key.' }), ['key.enable', 'key.disable', 'key.create']);
    assert.deepEqual(await pageOf({ action: 'key.create' }), ['key.create']);
    assert.deepEqual(await pageOf({ from: back(60_000) }), ['key.enable', 'key.disable']);
    assert.deepEqual(await pageOf({ from: back(60_000), to: now }), ['key.disable']);
    assert.deepEqual(await pageOf({ actor: 'bob', action: 'key.disable' }), []);
    assert.equal((await pageOf({})).length, 4);
  });

  storeTest('has nothing of what changed nothing, or was refused', async (t) => {
    const { store, clock, account, key } = await withKey(t);
    await store.keys.setStatus(key.id, 'revoked');
    const before = await actions(store);
    await store.accounts.setActive(account.id, true);
    await store.keys.setStatus(key.id, 'revoked');
    const refusals = [
      store.accounts.create({ email: 'BOT@example.com' }),
      store.keys.setStatus(key.id, 'active'),
      store.keys.insert({ accountId: account.id, digest: digestNumber(1), lastFour: 'wxyz' }),
      store.keys.insert({ accountId: 'acc_none', digest: digestNumber(3), lastFour: 'wxyz' }),
      store.keys.rotate(key.id, { digest: digestNumber(4), lastFour: 'wxyz', overlapMs: 0 }),
      store.markets.delist('NONE', clock.now()),
      store.windows.end('win_none'),
      store.tokens.revoke('tok_none'),
    ];
    for (const { status } of await Promise.allSettled(refusals)) assert.equal(status, 'rejected');
    assert.deepEqual(await actions(store), before);
  });

  storeTest('and the change stand or fall together', async (t) => {
    const { store, outside, engine, account } = await withKey(t);
    for (const statement of refuseEntries[engine]) await outside.run(statement);
    await assert.rejects(store.accounts.create({ email: 'second@example.com' }), /the log is full/);
    await assert.rejects(store.accounts.setActive(account.id, false), /the log is full/);
    await assert.rejects(store.tokens.insert({ role: 'admin', digest: digestNumber(5) }), /the log is full/);
    assert.deepEqual(
      (await store.accounts.list()).map(({ email, active }) => [email, active]),
      [['bot@example.com', true]],
    );
    assert.deepEqual(await store.tokens.list(), []);
  });

  storeTest('is read in pages that skip and repeat nothing while entries are added', async (t) => {
    const { store, clock } = await openEngine(t);
    const record = (number: number) => store.audit.record({ action: 'session.create', subject, summary: `${number}.` });
    for (let number = 0; number < 25; number++) {
      await record(number);
      // Several of the same millisecond, as a program makes them.
      if (number % 4 === 0) clock.jump(1);
    }
    const seen: number[] = [];
    let after: ListPosition | undefined;
    do {
      const page = await store.audit.page({ limit: 4, after });
      seen.push(...page.items.map(({ summary }) => Number.parseInt(summary, 10)));
      after = page.next;
      await record(100 + seen.length);
    } while (after !== undefined);
    assert.deepEqual(
      seen,
      Array.from({ length: 25 }, (_, index) => 24 - index),
    );
  });

  storeTest('forgets what is older than asked for', async (t) => {
    const { store, clock } = await openEngine(t);
    await store.audit.record({ action: 'session.create', subject, summary: 'Old.' });
    clock.jump(1_000);
    await store.audit.record({ action: 'session.end', subject, summary: 'New.' });
    await store.audit.prune(clock.now());
    assert.deepEqual(await actions(store), ['session.end']);
  });

  storeTest('holds neither a key nor a digest', async (t) => {
    const { store, outside } = await withKey(t);
    await store.tokens.insert({ role: 'admin', digest: digestNumber(7) });
    const text = JSON.stringify(await outside.run('select * from audit_log'));
    assert.ok(!text.includes('00000000') && !/digest/i.test(text));
    assert.ok((await newest(store)) !== undefined);
  });
});

describe('operator tokens', () => {
  storeTest('are found by their digest alone, and listed oldest first', async (t) => {
    const { store, clock } = await openEngine(t);
    const first = await store.tokens.insert({ role: 'admin', digest: digestNumber(1), name: 'alice' });
    clock.jump(1);
    const second = await store.tokens.insert({
      role: 'admin',
      digest: digestNumber(2),
      expiresAt: asEpochMs(clock.now() + 1),
    });
    assert.match(second.id, /^tok_\w{16}$/);
    assert.equal(second.name, second.id);
    assert.deepEqual(await store.tokens.list(), [first, second]);
    assert.deepEqual(await store.tokens.find(digestNumber(1)), first);
    assert.equal(await store.tokens.find(digestNumber(3)), undefined);
  });

  storeTest('have names that the audit log can tell apart', async (t) => {
    const { store } = await openEngine(t);
    const { id } = await store.tokens.insert({ role: 'admin', digest: digestNumber(1), name: 'alice' });
    await assert.rejects(
      store.tokens.insert({ role: 'admin', digest: digestNumber(2), name: 'alice' }),
      refusal('token_name_taken'),
    );
    for (const name of ['', 'configuration', 'Unknown', 'cli:root', 'a\nb', ' a', 'x'.repeat(61), '<b>']) {
      await assert.rejects(
        store.tokens.insert({ role: 'admin', digest: digestNumber(2), name }),
        refusal('token_name_invalid'),
        name,
      );
    }
    await store.tokens.revoke(id);
    assert.equal((await store.tokens.insert({ role: 'admin', digest: digestNumber(2), name: 'alice' })).name, 'alice');
  });

  storeTest('are revoked once and for all, and a digest is stored once', async (t) => {
    const { store, clock } = await openEngine(t);
    const { id } = await store.tokens.insert({ role: 'admin', digest: digestNumber(1) });
    await assert.rejects(store.tokens.insert({ role: 'admin', digest: digestNumber(1) }), refusal('unexpected'));
    await assert.rejects(
      store.tokens.insert({ role: 'admin', digest: digestNumber(2), expiresAt: clock.now() }),
      refusal('expiry_not_in_future'),
    );
    const { revokedAt } = await store.tokens.revoke(id);
    clock.jump(5);
    assert.equal((await store.tokens.revoke(id)).revokedAt, revokedAt);
    await assert.rejects(store.tokens.revoke('tok_none'), refusal('token_unknown'));
  });

  storeTest('note their last use at most once a minute, however many requests notice it at once', async (t) => {
    const { store, clock } = await openEngine(t);
    const made = await store.tokens.insert({ role: 'support', digest: digestNumber(1) });
    const lastUse = async () => (await store.tokens.get(made.id))?.lastUsedAt;
    await store.tokens.touch(made);
    const first = clock.now();
    clock.jump(59_999);
    await store.tokens.touch((await store.tokens.get(made.id))!);
    await store.tokens.touch(made);
    assert.equal(await lastUse(), first);
    clock.jump(1);
    await store.tokens.touch((await store.tokens.get(made.id))!);
    assert.equal(await lastUse(), clock.now());
  });

  storeTest('have a role, one of those there are, which the audit log names', async (t) => {
    const { store } = await openEngine(t);
    const { id, role } = await store.tokens.insert({ role: 'support', digest: digestNumber(1), name: 'alice' });
    assert.deepEqual([role, (await store.tokens.get(id))?.role], ['support', 'support']);
    assert.equal((await newest(store))?.summary, 'Made the operator token "alice" with the role support.');
    await assert.rejects(store.tokens.insert({ role: 'root' as 'admin', digest: digestNumber(2) }));
    assert.equal((await store.tokens.list()).length, 1);
  });
});
