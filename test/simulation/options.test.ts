import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { optionsOf } from './options.ts';

test('options as given, and as they are without', () => {
  const [options, ...others] = optionsOf(['--seed', '7', '--days', '0.5', '--notes']);
  assert.deepEqual(others, []);
  assert.deepEqual([options.seed, options.days, options.notes], [7, 0.5, true]);
  assert.deepEqual([options.seeds, options.processes, options.sideBySide, options.twice], [1, undefined, 2, false]);
  assert.ok(optionsOf(['--minutes', '3'])[0].seeds > 1000, 'as many seeds as the minutes allow');
});

test('a mistyped option is named, with what it takes', () => {
  for (const [args, said] of [
    [['--sed', '7'], /Unknown option '--sed'.*--seed N/s],
    [['7'], /Unexpected argument '7'.*--seed N/s],
    [['--seed', 'x'], /--seed takes a whole number from 0, not "x"/],
    [['--seed', '1.5'], /--seed takes a whole number from 0, not "1.5"/],
    [['--processes', '0'], /--processes takes a whole number from 1, not "0"/],
    [['--side-by-side', '0'], /--side-by-side takes a whole number from 1, not "0"/],
    [['--days', '0'], /--days takes a number above 0, not "0"/],
    [['--minutes', 'soon'], /--minutes takes a number above 0, not "soon"/],
    [['--only', '('], /--only takes a regular expression, not "\("/],
    [['--kept', '/no/such/file.json'], /--kept: \/no\/such\/file\.json cannot be read: ENOENT/],
  ] as const)
    assert.throws(() => optionsOf([...args]), said, args.join(' '));
});

test('a kept run says what its run is; an option goes before it', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'mdapi-kept-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'seed-9.json');
  writeFileSync(file, JSON.stringify({ seed: 9, days: 0.25, processes: 3, found: 'nothing', faults: [] }));
  const [kept] = optionsOf(['--kept', file, '--days', '2']);
  assert.deepEqual([kept.seed, kept.days, kept.processes, kept.faults], [9, 2, 3, []]);
  writeFileSync(file, '{"seed":');
  assert.throws(() => optionsOf(['--kept', file]), /--kept: .*seed-9\.json cannot be read: .*JSON/);
});
