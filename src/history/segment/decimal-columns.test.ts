import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ColumnsReader, ColumnsWriter } from './columns.ts';
import { DecimalColumnReader, DecimalColumnWriter, decimalCodes, ratioOf } from './decimal-columns.ts';

/** The bytes of a column, before they are compressed, and what is read from it. */
function column(values: readonly (string | undefined)[], ratios?: readonly number[]) {
  const columns = new ColumnsWriter(decimalCodes(0));
  const writer = new DecimalColumnWriter(columns, 0);
  for (const [index, value] of values.entries()) writer.write(value, ratios?.[index]);
  const bytes = columns.column(0).length + columns.column(1).length;
  const compressed = columns.compressed();
  const reader = () => new DecimalColumnReader(new ColumnsReader(compressed, decimalCodes(0)), 0);
  const decimals = reader().read(values.length, ratios && Float64Array.from(ratios));
  return { bytes, decimals, reader, read: values.map((_, index) => decimals.text(index)) };
}

test('a decimal is kept digit by digit, whatever its form', () => {
  const values = [
    ...['84210.1', '84210.10', '0.10', '0', '0.0', '0.00', '5', '-3.5', '-0.05', '100', '0.000000000000001'],
    ...[
      '123456789012345',
      '12345678901234.5',
      '1234567890123456',
      '007.10',
      '-0',
      '-0.00',
      '.5',
      '5.',
      undefined,
      '84210.1',
    ],
  ];
  assert.deepEqual(column(values).read, values);
  assert.deepEqual(
    column(
      values,
      values.map((_, index) => 1 + index / 7),
    ).read,
    values,
  );
});

test('a price that hardly changes takes two bytes, and one in another form of the same digits four', () => {
  const steady = Array.from({ length: 100 }, (_, index) => `84210.${index % 10}`);
  assert.ok(column(steady).bytes <= 205, `${column(steady).bytes}`);
  const whole = Array.from({ length: 100 }, (_, index) => `${84_210 + (index % 10)}`);
  assert.ok(column(whole).bytes <= 205, `${column(whole).bytes}`);
  const small = Array.from({ length: 100 }, (_, index) => `0.000${100 + (index % 10)}`);
  assert.ok(column(small).bytes <= 205, `${column(small).bytes}`);
  const negative = Array.from({ length: 100 }, (_, index) => `-1.0${index % 10}`);
  assert.ok(column(negative).bytes <= 205, `${column(negative).bytes}`);
  const fifteen = Array.from({ length: 100 }, (_, index) => `1234567890.1234${index % 10}`);
  assert.ok(column(fifteen).bytes <= 215, `${column(fifteen).bytes}`);
  assert.ok(column(Array.from({ length: 100 }, () => undefined)).bytes <= 100);
});

test('a value that changes as expected takes two bytes, however much it changes', () => {
  const [values, ratios] = [['1000000'], [1]];
  for (let step = 1; step <= 50; step++) {
    ratios.push(1.37);
    values.push(String(Math.round(Number(values.at(-1)) * 1.37)));
  }
  const { bytes, read } = column(values, ratios);
  assert.deepEqual(read, values);
  assert.ok(bytes < 2 * values.length + 10, `${bytes}`);
});

test('a ratio that leads beyond what a number holds expects nothing', () => {
  for (const ratio of [1e12, -1e12, 1e30, 0]) {
    const values = ['1000000', '1000001', '1000002'];
    assert.deepEqual(column(values, [1, ratio, 1]).read, values, `${ratio}`);
  }
  assert.deepEqual([ratioOf(3, 2), ratioOf(1, 0), ratioOf(0, 0), ratioOf(Number.NaN, 1)], [1.5, 1, 1, 1]);
});

test('what was reset has nothing to do with what came before', () => {
  const columns = new ColumnsWriter(decimalCodes(0));
  const writer = new DecimalColumnWriter(columns, 0);
  for (const value of ['84210.1', '84210.2']) writer.write(value);
  writer.reset();
  for (const value of ['5', '6']) writer.write(value);
  const reader = new DecimalColumnReader(new ColumnsReader(columns.compressed(), decimalCodes(0)), 0);
  reader.skip(2);
  const decimals = reader.read(2);
  assert.deepEqual([decimals.text(0), decimals.text(1)], ['5', '6']);
});

test('values are passed over in whatever form they are', () => {
  const columns = new ColumnsWriter(decimalCodes(0));
  const writer = new DecimalColumnWriter(columns, 0);
  const before = ['1.5', '1.6', undefined, '007', '2.25', '2.26', '1'.repeat(20)];
  for (const value of before) writer.write(value);
  writer.reset();
  writer.write('9.9');
  const reader = new DecimalColumnReader(new ColumnsReader(columns.compressed(), decimalCodes(0)), 0);
  reader.skip(before.length);
  assert.equal(reader.read(1).text(0), '9.9');
});

test('how much each value changed is known of decimals and of texts alike, and is one where nothing can be compared', () => {
  const { decimals } = column(['2', '3.0', '0', '5', '0010', undefined, '1.5']);
  const ratios = [...decimals.ratios()];
  assert.deepEqual(ratios, [1, 1.5, 0, 1, 2, 1, 1]);
});
