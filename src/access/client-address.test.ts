import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClientAddresses, joinedHeader } from './client-address.ts';

const behindProxies = new ClientAddresses(['10.0.0.0/8', '2001:db8:ffff::/48', '192.0.2.7']);
const proxy = '10.1.1.1';
const client = '203.0.113.5';

function resolved(peer: string | undefined, forwardedFor?: string | readonly string[]): string {
  return behindProxies.resolve(peer, joinedHeader(forwardedFor)).text;
}

test('a peer that is no trusted proxy is the client, whatever it claims', () => {
  for (const claim of [undefined, '', '6.6.6.6', '10.0.0.1', `${proxy}, 6.6.6.6`]) {
    assert.equal(resolved(client, claim), client);
  }
  assert.equal(new ClientAddresses([]).resolve(proxy, '6.6.6.6').text, proxy);
});

test('behind trusted proxies the client is the right-most address that is none of them', () => {
  const table: readonly (readonly [string | readonly string[], string])[] = [
    [client, client],
    [`6.6.6.6, ${client}`, client],
    [`6.6.6.6,${client},10.9.9.9`, client],
    [`10.0.0.1, ${client}, 192.0.2.7, 2001:db8:ffff::9`, client],
    [`6.6.6.6, ${client}:5555`, client],
    ['6.6.6.6, [2001:DB8::1]:443', '2001:db8::1'],
    ['6.6.6.6, ::ffff:203.0.113.5', client],
    [`${client}, ::ffff:10.1.2.3`, client],
    [['6.6.6.6', client], client],
    [[`6.6.6.6, ${client}`, '10.0.0.2'], client],
    [`\t${client} `, client],
  ];
  for (const [header, expected] of table) assert.equal(resolved(proxy, header), expected, JSON.stringify(header));
  assert.equal(resolved('::ffff:10.1.1.1', client), client);
  assert.equal(resolved('2001:db8:ffff::1', client), client);
});

test('an entry that is no address ends the walk at the hop before it', () => {
  for (const garbage of ['', ' ', 'unknown', '_x', 'garbage', '1.2.3.4.5', '"', 'x'.repeat(500)]) {
    assert.equal(resolved(proxy, `6.6.6.6, ${garbage}`), proxy, garbage);
    assert.equal(resolved(proxy, `6.6.6.6, ${garbage}, 10.2.2.2`), '10.2.2.2', garbage);
  }
  assert.equal(resolved(proxy, `${client},`), proxy);
  assert.equal(resolved(proxy, ',,,'), proxy);
  assert.equal(resolved(proxy, `,${client}`), client);
});

test('when every entry is a trusted proxy the farthest one is the client', () => {
  assert.equal(resolved(proxy, '10.3.3.3, 10.2.2.2'), '10.3.3.3');
});

test('no header is walked farther than 32 hops', () => {
  const hops = Array.from({ length: 1_000 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
  assert.equal(resolved(proxy, hops), hops.at(-32));
  assert.equal(resolved(proxy, [...hops, client]), client);
  assert.equal(
    resolved(
      proxy,
      Array.from({ length: 1_000 }, () => '6.6.6.6'),
    ),
    '6.6.6.6',
  );
});

test('a peer without an address is one client of its own and is never trusted', () => {
  for (const peer of [undefined, '', '/run/socket']) assert.equal(resolved(peer, client), 'unknown');
});

test('a hundred thousand addresses leave no more behind than the memory is bounded to', () => {
  for (let number = 0; number < 100_000; number++) {
    const text = `203.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
    assert.equal(resolved(proxy, text), text);
  }
  assert.equal(resolved(proxy, client), client);
});

test('a range that cannot be meant is refused with a sentence that names it', () => {
  const table: readonly (readonly [string, RegExp])[] = [
    ['', /must be an address or a range/],
    ['proxy.local', /must be an address or a range/],
    ['10.0.0.0/', /must be an address or a range/],
    ['10.0.0/8', /must be an address or a range/],
    ['10.0.0.1:80', /must be an address or a range/],
    ['[::1]/128', /must be an address or a range/],
    ['fe80::1%eth0/64', /must be an address or a range/],
    ['0.0.0.0/0', /must be 1 to 32/],
    ['10.0.0.0/33', /must be 1 to 32/],
    ['::/0', /must be 1 to 128/],
    ['2001:db8::/129', /must be 1 to 128/],
    ['::ffff:10.0.0.0/96', /must be 97 to 128/],
  ];
  for (const [range, message] of table) {
    assert.throws(
      () => new ClientAddresses([range]),
      (error: Error) => {
        assert.match(error.message, message);
        return error instanceof RangeError && error.message.includes(`"${range}"`);
      },
    );
  }
});

test('a range covers exactly its addresses, an IPv4-mapped one the IPv4 addresses', () => {
  const table: readonly (readonly [string, string, string])[] = [
    ['10.0.0.0/9', '10.127.255.255', '10.128.0.0'],
    ['10.1.2.3/8', '10.255.0.0', '11.0.0.0'],
    ['192.0.2.7', '192.0.2.7', '192.0.2.8'],
    ['::ffff:10.0.0.0/104', '10.255.0.0', '11.0.0.0'],
    ['2001:db8::/33', '2001:db8:7fff::', '2001:db8:8000::'],
    ['::1', '::1', '::2'],
  ];
  for (const [range, inside, outside] of table) {
    const addresses = new ClientAddresses([range]);
    assert.equal(addresses.resolve(inside, client).text, client, range);
    assert.equal(addresses.resolve(outside, client).text, outside, range);
  }
});

test('a trusted proxy is told from any other peer, and its connections are counted under no address', () => {
  for (const [peer, isTrusted, bucket] of [
    [proxy, true, undefined],
    ['::ffff:10.1.1.1', true, undefined],
    [client, false, client],
    ['::ffff:203.0.113.5', false, client],
    ['2001:db8:1:2:3::4', false, behindProxies.resolve('2001:db8:1:2::9', undefined).limitBucket],
    ['no address', false, behindProxies.resolve(undefined, undefined).limitBucket],
    [undefined, false, behindProxies.resolve(undefined, undefined).limitBucket],
  ] as const) {
    assert.equal(behindProxies.isTrusted(peer), isTrusted, `${peer}`);
    assert.equal(behindProxies.peerBucket(peer), bucket, `${peer}`);
  }
});
