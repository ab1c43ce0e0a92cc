import assert from 'node:assert/strict';
import { test } from 'node:test';
import { zonedTime } from './zoned-time.ts';

const at = (iso: string, zone: string, language: 'en' | 'cs' = 'en') =>
  Object.values(zonedTime(Date.parse(iso), zone, language)).join(' ');

test('an instant has the date, the time and the name that its zone has for it', () => {
  assert.equal(at('2026-11-21T10:00:00.999Z', 'UTC'), '2026-11-21 10:00:00 UTC');
  assert.equal(at('2026-11-21T23:30:00Z', 'Europe/Prague'), '2026-11-22 00:30:00 CET');
  assert.equal(at('2026-11-21T23:30:00Z', 'Europe/Prague', 'cs'), '2026-11-22 00:30:00 SEČ');
  assert.equal(at('2026-11-21T23:30:00Z', 'UTC', 'cs'), '2026-11-21 23:30:00 UTC');
});

test('the hour that comes twice is told apart by the name of its zone', () => {
  assert.equal(at('2026-10-25T00:30:00Z', 'Europe/Prague'), '2026-10-25 02:30:00 CEST');
  assert.equal(at('2026-10-25T01:30:00Z', 'Europe/Prague'), '2026-10-25 02:30:00 CET');
});
