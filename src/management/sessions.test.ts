import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { type Session, Sessions, sameSecret } from './sessions.ts';

const hourMs = 3_600_000;

function opened() {
  const clock = new FakeClock();
  const sessions = new Sessions(clock, seededRandomness(1), 12 * hourMs);
  return { clock, sessions };
}

test('a session is known by its secret, and neither its id nor its CSRF token opens anything', () => {
  const { sessions } = opened();
  const { secret, session } = sessions.open({ tokenId: 'tok_1', name: 'alice', role: 'admin' });
  assert.equal((sessions.find(secret) as Session).id, session.id);
  assert.equal(new Set([secret, session.csrfToken, session.id]).size, 3);
  for (const wrong of [session.id, session.csrfToken, '', secret.slice(1)])
    assert.equal(sessions.find(wrong), undefined);
});

test('a session ends at its time to the millisecond, however much it is used', async () => {
  const { clock, sessions } = opened();
  const { secret } = sessions.open({ tokenId: 'tok_1', name: 'alice', role: 'admin' });
  await clock.advance(12 * hourMs - 1);
  assert.notEqual(sessions.find(secret), 'expired');
  await clock.advance(1);
  assert.equal(sessions.find(secret), 'expired');
  assert.equal(sessions.find(secret), undefined);
});

test('a wall clock set back makes no session longer', async () => {
  const { clock, sessions } = opened();
  const { secret } = sessions.open({ tokenId: 'tok_1', name: 'alice', role: 'admin' });
  clock.jump(-hourMs);
  await clock.advance(12 * hourMs);
  assert.equal(sessions.find(secret), 'expired');
});

test('the sessions of one token end together, those of others stay', () => {
  const { sessions } = opened();
  const first = sessions.open({ tokenId: 'tok_1', name: 'alice', role: 'admin' });
  const second = sessions.open({ tokenId: 'tok_1', name: 'alice', role: 'admin' });
  const other = sessions.open({ tokenId: 'tok_2', name: 'bob', role: 'admin' });
  const configured = sessions.open({ tokenId: undefined, name: 'configuration', role: 'admin' });
  sessions.closeOf('tok_1');
  assert.deepEqual([sessions.find(first.secret), sessions.find(second.secret)], [undefined, undefined]);
  assert.ok(sessions.find(other.secret) !== undefined && sessions.find(configured.secret) !== undefined);
});

test('there are never more than a thousand: the oldest goes, and expired ones go first', async () => {
  const { clock, sessions } = opened();
  const oldest = sessions.open({ tokenId: 'tok_1', name: 'alice', role: 'admin' });
  for (let count = 0; count < 1_000; count++) sessions.open({ tokenId: 'tok_1', name: 'alice', role: 'admin' });
  assert.equal(sessions.size, 1_000);
  assert.equal(sessions.find(oldest.secret), undefined);
  await clock.advance(12 * hourMs);
  sessions.open({ tokenId: 'tok_1', name: 'alice', role: 'admin' });
  assert.equal(sessions.size, 1);
});

test('secrets are the same only when every character is', () => {
  assert.ok(sameSecret('abc', 'abc'));
  for (const other of ['', 'ab', 'abd', 'abcd', 'ABC']) assert.ok(!sameSecret('abc', other), other);
});
