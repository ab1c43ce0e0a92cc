import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

test('every row of the fault table is in rows.md with tests that exist', () => {
  const lines = readFileSync(new URL('rows.md', import.meta.url), 'utf8').split('\n');
  const rows = lines
    .flatMap((line) => /^\| (\d+) \|[^|]*\|(.*)\|$/.exec(line) ?? [])
    .filter((_, index) => index % 3 !== 0);
  assert.ok(rows.length >= 100, 'at least fifty rows');
  for (let at = 0; at < rows.length; at += 2) {
    const row = Number(rows[at]);
    const tests = [...rows[at + 1]!.matchAll(/\[[^\]]+\]\(([^)]+)\): (.*?)(?=<br>| $)/g)];
    assert.ok(tests.length > 0, `row ${row} has tests`);
    for (const [, file, names] of tests) {
      const text = readFileSync(new URL(file!, import.meta.url), 'utf8');
      for (const name of names!.split('; ')) {
        const start = name.split('…', 1)[0]!.trim();
        assert.ok(text.includes(start), `row ${row}: ${file} has no test "${start}"`);
      }
    }
  }
});
