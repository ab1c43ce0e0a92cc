import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from './load.ts';

const secret = 'correct-horse-battery-staple-9';

function load(env: Record<string, string>, file = '') {
  const files: Record<string, string> = { '/etc/token': `${secret}\n`, '/srv/mdapi.yaml': file };
  return loadConfiguration({ flags: [], env, cwd: '/srv', readFile: (path) => files[path] ?? '' });
}

test('the operator’s token comes from a file that a variable names', () => {
  const { configuration } = load({ MDAPI_ADMIN_TOKEN_FILE: '/etc/token' });
  assert.equal(configuration.admin.token, secret);
});

test('a token that is too short or holds a space is refused without being shown', () => {
  for (const token of ['short-token', 'has a space in the middle of it', 'ü'.repeat(30)]) {
    assert.throws(
      () => load({ MDAPI_ADMIN_TOKEN: token }),
      ({ message }: Error) =>
        message.includes('admin.token') && message.includes('24 to 200') && !message.includes(token),
    );
  }
});

test('without settings there is no configured token, a session lasts 12 hours and the audit log 400 days', () => {
  assert.deepEqual(load({}).configuration.admin, {
    host: '127.0.0.1',
    port: 9090,
    hosts: [],
    token: undefined,
    oidc: undefined,
    sessionForMs: 12 * 3_600_000,
    auditForMs: 400 * 86_400_000,
    approvals: [],
  });
});
