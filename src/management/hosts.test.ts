import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { describe, test } from 'node:test';
import { ClientAddresses } from '../access/client-address.ts';
import { assertOwnHost, assertSameOrigin, ownOriginOf } from './hosts.ts';

const own = { host: '192.0.2.10', hosts: ['admin.example.com', 'FD00::1'] };
const isOwn = (header: string | undefined, where = own, localAddress = '192.0.2.20') => {
  try {
    assertOwnHost({ headers: { host: header }, socket: { localAddress, remoteAddress: '192.0.2.9' } }, where);
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

test('the host of a request may be the address that it arrived on, which no name can be bound to', () => {
  assert.ok(isOwn('192.0.2.20:9090') && isOwn('[fd00::20]:9090', own, 'fd00::20'));
  assert.ok(isOwn('192.0.2.20', own, '::ffff:192.0.2.20'));
  assert.ok(!isOwn('192.0.2.20.nip.example') && !isOwn('192.0.2.21') && !isOwn('[fd00::21]', own, 'fd00::20'));
});

describe('the origin of a request', () => {
  const addresses = new ClientAddresses(['192.0.2.1']);
  const isSame = (headers: IncomingHttpHeaders, { from = '192.0.2.9', session = false } = {}) => {
    const own = ownOriginOf({ headers, socket: { localAddress: '192.0.2.20', remoteAddress: from } }, addresses);
    try {
      assertSameOrigin(headers, own, session);
      return true;
    } catch {
      return false;
    }
  };
  const host = 'localhost:9090';

  test('is this listener’s, or a program’s that names none and has no session', () => {
    assert.ok(isSame({ host }));
    assert.ok(!isSame({ host }, { session: true }));
    assert.ok(!isSame({ host, 'sec-fetch-site': 'same-origin' }, { session: true }));
    const own = { host, origin: 'http://localhost:9090', 'sec-fetch-site': 'same-origin' };
    assert.ok(isSame(own) && isSame(own, { session: true }));
    assert.ok(
      isSame({ host: 'LocalHost:80', origin: 'http://localhost', 'sec-fetch-site': 'none' }, { session: true }),
    );
  });

  test('has the scheme by which a trusted proxy was asked, and http otherwise, whatever the client says', () => {
    const secure = { host: 'admin.example.com', origin: 'https://admin.example.com', 'x-forwarded-proto': 'https' };
    const plain = { ...secure, origin: 'http://admin.example.com' };
    const proxy = { from: '192.0.2.1', session: true };
    assert.ok(isSame(secure, proxy) && isSame({ ...secure, host: 'admin.example.com:443' }, proxy));
    assert.ok(isSame({ ...secure, 'x-forwarded-proto': 'https, http' }, proxy));
    assert.ok(!isSame(plain, proxy), 'a page that came in the clear changes nothing behind TLS');
    assert.ok(!isSame(secure) && isSame(plain), 'nobody else is believed');
    assert.ok(!isSame({ ...secure, 'x-forwarded-proto': 'http' }, proxy));
  });

  test('is never another site’s, nor another port’s', () => {
    for (const origin of ['null', 'http://localhost', 'http://localhost:3000', 'http://evil.example', 'file://', '']) {
      assert.ok(!isSame({ host, origin }), origin);
    }
    for (const site of ['cross-site', 'same-site', 'anything'])
      assert.ok(!isSame({ host, 'sec-fetch-site': site }), site);
    assert.ok(!isSame({ origin: 'http://localhost' }) && !isSame({ host: 'a b', origin: 'undefined' }));
  });
});
