import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { refusal } from '../store.testing.ts';
import { passwordFor, postgresLocationOf } from './location.ts';

test('a URL gives user, host, port and database, decoded, and a name without the password', () => {
  const { name, ...rest } = postgresLocationOf(
    'postgres://md%40api:p%2Fw@db.example.com/m%20d?sslmode=verify-ca&sslrootcert=/ca.pem',
  );
  assert.deepEqual(rest, {
    host: 'db.example.com',
    port: 5432,
    database: 'm d',
    user: 'md@api',
    password: 'p/w',
    tls: 'verify-ca',
    caFile: '/ca.pem',
    certFile: undefined,
    keyFile: undefined,
  });
  assert.equal(name, 'postgres://md%40api@db.example.com:5432/m%20d');
});

test('hosts can be IPv6 addresses and directories of Unix sockets', () => {
  assert.equal(postgresLocationOf('postgres://u@[::1]:5433/d').host, '::1');
  assert.equal(postgresLocationOf('postgres://u@[2001:db8::1]/d').name, 'postgres://u@[2001:db8::1]:5432/d');
  assert.equal(postgresLocationOf('postgresql://u@%2Frun%2Fpostgresql/d').host, '/run/postgresql');
});

test('a connection that leaves this machine is verified unless the URL says otherwise', () => {
  const tlsOf = (url: string) => postgresLocationOf(url).tls;
  assert.equal(tlsOf('postgres://u@db.example.com/d'), 'verify-full');
  assert.equal(tlsOf('postgres://u@db.example.com/d?sslmode=require'), 'require');
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '%2Frun'])
    assert.equal(tlsOf(`postgres://u@${host}/d`), 'disable');
});

test('what cannot be meant is refused, and no message shows the URL', () => {
  const wrong = [
    'postgres://hunter2',
    'postgres://u:hunter2@h',
    'postgres://h/hunter2',
    'postgres://u:hunter2@h/d?sslmode=prefer',
    'postgres://u:hunter2@h/d?sslmod=require',
    'postgres://u:hunter2@h/d#x',
    'postgres://u:hunter2%@h/d',
    'postgres://u:hunter2@%2Frun/d?sslmode=require',
    'postgres://u:hunter2@h:99999/d',
    'postgres://u:hunter2@h/d/e',
  ];
  for (const url of wrong) {
    assert.throws(
      () => postgresLocationOf(url),
      (error: Error) => {
        assert.doesNotMatch(error.message, /hunter2/);
        return refusal('url_invalid')(error);
      },
      url,
    );
  }
});

test('a password comes from the URL, else the environment, else the line of the password file that fits', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'pgpass-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'pgpass');
  const lines = ['# comment', 'other:*:*:*:no', 'db:5432:md:bot:a\\:b\\\\c', '*:*:*:*:last'];
  writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
  const env = { PGPASSFILE: path };
  assert.equal(await passwordFor(postgresLocationOf('postgres://bot:own@db/md'), env), 'own');
  assert.equal(await passwordFor(postgresLocationOf('postgres://bot@db/md'), { ...env, PGPASSWORD: 'set' }), 'set');
  assert.equal(await passwordFor(postgresLocationOf('postgres://bot@db/md'), env), 'a:b\\c');
  assert.equal(await passwordFor(postgresLocationOf('postgres://bot@db:5433/md'), env), 'last');
  writeFileSync(path, 'db:5432:md:bot:x');
  assert.equal(await passwordFor(postgresLocationOf('postgres://else@db/md'), env), '');
});

test('a password file that is open to others, or is not there, is refused by its path', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'pgpass-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'pgpass');
  writeFileSync(path, '*:*:*:*:hunter2', { mode: 0o644 });
  const location = postgresLocationOf('postgres://u@h/d');
  await assert.rejects(passwordFor(location, { PGPASSFILE: path }), /pgpass is open to others. Set its mode to 0600/);
  await assert.rejects(passwordFor(location, { PGPASSFILE: `${path}.gone` }), refusal('access_denied'));
});
