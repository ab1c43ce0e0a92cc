import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteReader, ByteWriter, signed, unsigned } from './bytes.ts';

/** Where the number of bytes changes, and where shifting would no longer do. */
const counts = [
  0,
  1,
  127,
  128,
  16_383,
  16_384,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 + 5,
  2 ** 48 + 1,
  Number.MAX_SAFE_INTEGER,
];
const tooEarly = { name: 'RangeError', message: 'the bytes end too early' };

test('whatever is written is read as it was, from a buffer that had to grow for each', () => {
  for (const capacity of [1, 2, 8, 9, 1_024]) {
    const writer = new ByteWriter(capacity);
    for (const value of counts) writer.count(value);
    for (const value of [0, -1, 1, 2 ** 52, -(2 ** 52) + 1]) writer.difference(value);
    for (const value of ['', 'BTCEUR', 'ěšč', 'x'.repeat(3_000)]) writer.text(value);
    for (const value of ['', 'plain', 'ÿ', 'y'.repeat(255)]) writer.shortText(value);
    writer.raw(Uint8Array.of(7, 8, 9));
    writer.byte(255);
    const bytes = writer.bytes();
    assert.equal(bytes.length, writer.length);
    const reader = new ByteReader(bytes);
    assert.deepEqual(
      counts.map(() => reader.count()),
      counts,
    );
    assert.deepEqual(
      [1, 2, 3, 4, 5].map(() => reader.difference()),
      [0, -1, 1, 2 ** 52, -(2 ** 52) + 1],
    );
    assert.deepEqual(
      [1, 2, 3, 4].map(() => reader.text().length),
      [0, 6, 3, 3_000],
    );
    assert.deepEqual(
      [1, 2, 3, 4].map(() => reader.shortText()),
      ['', 'plain', 'ÿ', 'y'.repeat(255)],
    );
    assert.deepEqual([...reader.raw(3)], [7, 8, 9]);
    assert.equal(reader.isAtEnd, false);
    assert.equal(reader.byte(), 255);
    assert.equal(reader.isAtEnd, true);
    assert.equal(reader.at, bytes.length);
  }
});

test('a count takes a byte for each seven bits, and a small difference one, of either sign', () => {
  const length = (write: (writer: ByteWriter) => void) => {
    const writer = new ByteWriter();
    write(writer);
    return writer.length;
  };
  assert.deepEqual(
    counts.map((value) => length((writer) => writer.count(value))),
    [1, 1, 1, 2, 2, 3, 5, 5, 5, 7, 8],
  );
  assert.deepEqual(
    [-64, 63, -65, 64].map((value) => length((writer) => writer.difference(value))),
    [1, 1, 2, 2],
  );
  for (const value of [0, 1, -1, 2, -2, 1_000_000, -1_000_000]) assert.equal(signed(unsigned(value)), value);
});

test('columns of counts, differences and sums of differences are read at once, or passed over', () => {
  const writer = new ByteWriter();
  for (const value of counts) writer.count(value);
  for (const value of [5, -2, -2, 300]) writer.difference(value);
  for (const value of [5, -2, -2, 300]) writer.difference(value);
  writer.byte(42);
  const reader = new ByteReader(writer.bytes());
  assert.deepEqual([...reader.counts(counts.length)], counts);
  assert.deepEqual([...reader.differences(4)], [5, -2, -2, 300]);
  assert.deepEqual([...reader.cumulated(4)], [5, 3, 1, 301]);
  assert.deepEqual([...reader.rest()], [42]);
  const passing = new ByteReader(writer.bytes());
  passing.skipCounts(counts.length + 8);
  assert.equal(passing.byte(), 42);
});

test('bytes that end too early are refused, whatever is read from them', () => {
  const writer = new ByteWriter();
  writer.text('BTCEUR');
  const text = writer.bytes();
  const short = new ByteWriter();
  short.shortText('BTCEUR');
  const open = Uint8Array.of(0x80);
  for (const [what, read] of [
    ['a byte', () => new ByteReader(new Uint8Array()).byte()],
    ['a count', () => new ByteReader(open).count()],
    ['a text', () => new ByteReader(text.subarray(0, 6)).text()],
    ['a short text', () => new ByteReader(short.bytes().subarray(0, 6)).shortText()],
    ['raw bytes', () => new ByteReader(text).raw(8)],
    ['counts', () => new ByteReader(Uint8Array.of(1, 2)).counts(3)],
    ['counts passed over', () => new ByteReader(Uint8Array.of(1, 2)).skipCounts(3)],
    ['a count passed over within it', () => new ByteReader(open).skipCounts(1)],
  ] as const)
    assert.throws(read, tooEarly, what);
  assert.equal(new ByteReader(text).text(), 'BTCEUR', 'to the last byte');
  assert.equal(new ByteReader(text).raw(7).length, 7);
  new ByteReader(Uint8Array.of(1, 2)).skipCounts(2);
});
