import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertOwnHost, assertSameOrigin } from './hosts.ts';

const own = { host: '192.0.2.10', hosts: ['admin.example.com', 'FD00::1'] };
const isOwn = (header: string | undefined, where = own) => {
  try {
    assertOwnHost(header, where);
    return true;
  } catch {
    return false;
  }
};

describe('the host of a request', () => {
  test('may be loopback, the configured address, or one of the configured names, in any case and with any port', () => {
    for (const header of [
      'localhost',
      'LocalHost:9090',
      '127.0.0.1:1',
      '127.8.9.1',
      '[::1]:9090',
      '192.0.2.10:9090',
      'Admin.Example.Com',
      '[fd00::1]:80',
    ]) {
      assert.ok(isOwn(header), header);
    }
  });

  test('may be nothing else, however it is written', () => {
    for (const header of [
      undefined,
      '',
      ':9090',
      'example.com',
      'evil.admin.example.com',
      'admin.example.com.',
      'localhost.evil.example',
      '127.0.0.1.nip.example',
      '192.0.2.11',
      'user@localhost',
      'localhost/evil',
      'localhost\\evil',
      'localhost evil',
      'localhost#',
      '[::2]',
      '0.0.0.0',
    ]) {
      assert.ok(!isOwn(header), String(header));
    }
  });

  test('may be any address, but no name, where the listener binds every interface', () => {
    for (const host of ['0.0.0.0', '::']) {
      assert.ok(isOwn('10.1.2.3:9090', { host, hosts: [] }));
      assert.ok(isOwn('[fd00::7]', { host, hosts: [] }));
      assert.ok(!isOwn('rebound.example', { host, hosts: [] }));
    }
  });
});

describe('the origin of a request', () => {
  const isSame = (headers: Parameters<typeof assertSameOrigin>[0]) => {
    try {
      assertSameOrigin(headers);
      return true;
    } catch {
      return false;
    }
  };

  test('is this listener’s, with and without a proxy that does TLS, or a program’s that names none', () => {
    assert.ok(isSame({ host: 'localhost:9090' }));
    assert.ok(isSame({ host: 'localhost:9090', origin: 'http://localhost:9090', 'sec-fetch-site': 'same-origin' }));
    assert.ok(isSame({ host: 'admin.example.com', origin: 'https://admin.example.com', 'sec-fetch-site': 'none' }));
    assert.ok(isSame({ host: 'admin.example.com:443', origin: 'https://admin.example.com' }));
  });

  test('is never another site’s, nor another port’s', () => {
    const host = 'localhost:9090';
    for (const origin of ['null', 'http://localhost', 'http://localhost:3000', 'http://evil.example', 'file://', '']) {
      assert.ok(!isSame({ host, origin }), origin);
    }
    for (const site of ['cross-site', 'same-site', 'anything'])
      assert.ok(!isSame({ host, 'sec-fetch-site': site }), site);
    assert.ok(!isSame({ origin: 'http://localhost' }));
  });
});
