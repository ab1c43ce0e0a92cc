import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRedisUrl } from './addresses.ts';
import { load } from './configuration.testing.ts';

const plain = { host: 'redis', port: 6379, tls: false, user: undefined, password: undefined, database: 0 };

describe('the address of a Redis server', () => {
  const written: Readonly<Record<string, ReturnType<typeof parseRedisUrl>>> = {
    'redis://redis': plain,
    'redis://redis/': plain,
    'redis://redis:6380/3': { ...plain, port: 6380, database: 3 },
    'rediss://redis': { ...plain, tls: true },
    'redis://:p%40ss%2Fw@redis': { ...plain, password: 'p@ss/w' },
    'rediss://mdapi:secret@[fd00::1]:7000/12': {
      host: 'fd00::1',
      port: 7000,
      tls: true,
      user: 'mdapi',
      password: 'secret',
      database: 12,
    },
  };
  for (const [text, expected] of Object.entries(written)) {
    it(`is read from ${text}`, () => assert.deepEqual(parseRedisUrl(text), expected));
  }

  const refused = [
    '',
    'redis',
    'redis:6379',
    'redis://',
    'redis://:6379',
    'http://redis',
    'redis://redis:0',
    'redis://redis/a',
    'redis://redis/1/2',
    'redis://redis?db=1',
    'redis://redis#1',
    'redis://user@redis',
    'redis://:%zz@redis',
    'redis://a b',
  ];
  for (const text of refused) {
    it(`is not ${JSON.stringify(text)}`, () => assert.equal(parseRedisUrl(text), undefined));
  }

  it('is none unless configured, and comes from a file like any secret', () => {
    assert.equal(load({}).redis, undefined);
    const files = { '/run/secrets/redis': 'redis://:secret@redis\n' };
    const { redis } = load({ files, env: { MDAPI_REDIS_FILE: '/run/secrets/redis' } });
    assert.deepEqual(redis, { ...plain, password: 'secret' });
  });

  it('lets several processes of one host share a port', () => {
    const env = { MDAPI_REDIS: 'redis://redis', MDAPI_SERVER_REUSE_PORT: 'true' };
    assert.equal(load({ env }).server.reusePort, true);
    assert.equal(load({}).server.reusePort, false);
  });

  it('is shown to nobody when it is wrong', () => {
    assert.throws(
      () => load({ env: { MDAPI_REDIS: 'redis://user:hunter2@redis/x' } }),
      (error: Error) => /redis/.test(error.message) && !/hunter2/.test(error.message),
    );
  });
});
