import assert from 'node:assert/strict';
import { SocketAddress } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseIpAddress } from './ip-address.ts';

test('every way of writing an address leads to the same text and bucket', () => {
  const table: readonly (readonly [string, string, string])[] = [
    ['1.2.3.4', '1.2.3.4', '1.2.3.4'],
    ['1.2.3.4:5555', '1.2.3.4', '1.2.3.4'],
    ['203.110.113.250:80', '203.110.113.250', '203.110.113.250'],
    ['[1.2.3.4]:80', '1.2.3.4', '1.2.3.4'],
    ['::ffff:1.2.3.4', '1.2.3.4', '1.2.3.4'],
    ['::FFFF:0102:0304', '1.2.3.4', '1.2.3.4'],
    ['[::ffff:1.2.3.4]:443', '1.2.3.4', '1.2.3.4'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1', '2001:db8::/64'],
    ['2001:0db8:0000:0000:1:0:0:1', '2001:db8::1:0:0:1', '2001:db8::/64'],
    ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['[2001:db8::1]', '2001:db8::1', '2001:db8::/64'],
    ['[2001:db8::1]:443', '2001:db8::1', '2001:db8::/64'],
    ['fe80::1%eth0', 'fe80::1', 'fe80::/64'],
    ['[fe80::1%25eth0]:1', 'fe80::1', 'fe80::/64'],
    ['::', '::', '::/64'],
    ['::1', '::1', '::/64'],
    ['1::ffff:1.2.3.4', '1::ffff:102:304', '1::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b::102:304', '64:ff9b::/64'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7', '1:0:2:3::/64'],
    ['1::', '1::', '1::/64'],
  ];
  for (const [written, text, limitBucket] of table) {
    const { family: _, ...found } = parseIpAddress(written) ?? {};
    assert.deepEqual(found, { text, limitBucket }, written);
  }
});

test('whatever is no address is not taken for one', () => {
  const garbage = [
    '',
    ' ',
    'unknown',
    '_hidden',
    '1.2.3',
    '1.2.3.256',
    '01.2.3.4',
    '1.2.3.4:',
    '1.2.3.4:x',
    '1.2.3.4 ',
  ];
  const more = [
    '1.2.3.4:123456',
    '[]',
    '[::1',
    '::1]',
    '[::1]x',
    '[::1]:',
    '1:2',
    ':::',
    '::1::',
    '2001:db8::1:443:',
    '1.2.3.4/8',
  ];
  for (const text of [...garbage, ...more, 'x'.repeat(5_000), '１.２.３.４'])
    assert.equal(parseIpAddress(text), undefined, text);
});

test('the text of a random IPv6 address is what the system writes', () => {
  const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
  const property = fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
    fc.pre(groups.slice(0, 5).some((value) => value !== 0));
    const written = groups.map((value) => value.toString(16).toUpperCase().padStart(4, '0')).join(':');
    const expected = new SocketAddress({ address: written, family: 'ipv6' }).address;
    assert.equal(parseIpAddress(written)?.text, expected);
    assert.deepEqual(parseIpAddress(expected), parseIpAddress(written));
  });
  fc.assert(property, { seed: 20261121 });
});
