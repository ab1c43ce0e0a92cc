import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asEpochMs } from '../ground/clock.ts';
import { UsageError } from './failure.ts';
import { formatInstant, parseInstant, parsePercent } from './values.ts';

const now = asEpochMs(Date.parse('2026-11-21T10:00:00.000Z'));

describe('an INSTANT of the command line', () => {
  const good: readonly (readonly [text: string, iso: string])[] = [
    ['now', '2026-11-21T10:00:00.000Z'],
    ['+10m', '2026-11-21T10:10:00.000Z'],
    ['+2h', '2026-11-21T12:00:00.000Z'],
    ['-5m', '2026-11-21T09:55:00.000Z'],
    ['+250ms', '2026-11-21T10:00:00.250Z'],
    ['2026-12-01T22:00Z', '2026-12-01T22:00:00.000Z'],
    ['2026-12-01T22:00:05Z', '2026-12-01T22:00:05.000Z'],
    ['2026-12-01T22:00:05.5Z', '2026-12-01T22:00:05.500Z'],
    ['2026-12-01T22:00+01:00', '2026-12-01T21:00:00.000Z'],
    ['2028-02-29T00:00:00.000-05:30', '2028-02-29T05:30:00.000Z'],
  ];
  for (const [text, iso] of good) {
    it(`${text} is ${iso}`, () => assert.equal(new Date(parseInstant(text, now, '--to')).toISOString(), iso));
  }

  const noZone = ['2026-12-01', '2026-12-01T22:00', '2026-12-01 22:00:00', '2026-12-01T22:00:00.000'];
  for (const text of noZone) {
    it(`${text} is refused because it has no time zone`, () => {
      assert.throws(() => parseInstant(text, now, '--to'), {
        message: /^--to: ".*" has no time zone; add Z for UTC/,
      });
    });
  }

  const bad = [
    '',
    'tomorrow',
    '10m',
    '-10',
    '--10m',
    '-999999999d',
    '+10',
    '+',
    '+1.5h',
    '1795255200000',
    '2026-02-30T00:00Z',
    '2026-12-01T24:00Z',
  ];
  const more = [
    '2026-12-01T22:60Z',
    '2026-13-01T00:00Z',
    '2026-12-01T22:00+25:00',
    '2026-12-01T22:00z',
    '2026-12-01T22:00:60Z',
    '+999999999d',
  ];
  for (const text of [...bad, ...more]) {
    it(`"${text}" is refused with what is allowed`, () => {
      const named = (error: unknown) => error instanceof UsageError && error.message.includes('Allowed: now, +10m');
      assert.throws(() => parseInstant(text, now, '--to'), named);
    });
  }

  it('is written so that it can be read back', () => {
    for (const iso of ['2026-12-01T22:00:00.000Z', '2026-12-01T22:00:00.001Z']) {
      const instant = asEpochMs(Date.parse(iso));
      assert.equal(parseInstant(formatInstant(iso), now, '--to'), instant);
    }
  });
});

describe('a percentage', () => {
  it('has a decimal point or a comma', () => {
    const texts = [undefined, '0', '0.4', '0,4', '99,000000000000000001', 'inherit'];
    const read = texts.map((text) => parsePercent(text, '--fee'));
    assert.deepEqual(read, [undefined, '0', '0.4', '0.4', '99.000000000000000001', 'inherit']);
  });

  it('is refused in a sentence that says how it is written', () => {
    for (const text of ['', '00.4', '0,4,1', '1,000.5', '100', '-1', '.5', '0,', '0.4 %']) {
      const said = `--fee: "${text}" is not a percentage. Write a decimal from 0 to under 100, such as 0.4 or 0,4, or inherit.`;
      assert.throws(() => parsePercent(text, '--fee'), { message: said });
    }
  });
});
