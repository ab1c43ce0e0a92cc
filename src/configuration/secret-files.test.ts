import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusal } from './configuration.testing.ts';

test('white space at the ends of a secret file is named, and so is the kind of character that a URL cannot hold', () => {
  const of = (text: string) =>
    refusal({ files: { '/run/s': text }, env: { MDAPI_STORE_FILE: '/run/s' } }).map((line) => line.split('; ')[1]);
  assert.deepEqual(of('sqlite:./mdapi.sqlite \n'), ['it has white space at its end']);
  assert.deepEqual(of(' sqlite:./mdapi.sqlite\n\n'), ['it has white space at its beginning and its end']);
  assert.deepEqual(refusal({ env: { MDAPI_REDIS: 'redis://:a/b@redis.example.com' } }), [
    'environment variable MDAPI_REDIS: redis: the value (not shown) is not redis:// or rediss://, [user:password@]host[:port][/database], the latter with ?sslrootcert=, sslcert= and sslkey= (absolute paths); its user or password holds a slash (/): write %2F',
  ]);
  const written = (password: string) => of(`postgres://mdapi:${password}@db.example.com/mdapi`);
  assert.deepEqual(written('a#b'), ['its user or password holds a number sign (#): write %23']);
  assert.deepEqual(written('a b'), ['it holds white space: write %20 for a space in a password']);
  assert.deepEqual(written('a/b'), ['its user or password holds a slash (/): write %2F']);
  assert.deepEqual(written('a?b'), ['its user or password holds a question mark (?): write %3F']);
  assert.deepEqual(of('"postgres://mdapi:a@db.example.com/mdapi"'), [
    'quotes around it are part of it here: leave them out',
  ]);
});

test('a file named by MDAPI_CONFIG has to exist', () => {
  const lines = refusal({ env: { MDAPI_CONFIG: '/etc/mdapi/mdapi.yaml' } });
  assert.deepEqual(lines, ['/etc/mdapi/mdapi.yaml: the file cannot be read: it does not exist']);
});
