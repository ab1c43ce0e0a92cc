import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { type FaultRule, faultRules } from './fault-catalogue.ts';

it('the README has a row for every fault, with its kind, its parameters and what a client sees', () => {
  const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  const rows = readme.split('\n').filter((line) => / (state|event) \| /.test(line));
  const faults: [string, FaultRule][] = Object.entries(faultRules);
  assert.equal(rows.length, faults.length);
  for (const [index, [name, rule]] of faults.entries()) {
    const [, named, kind, parameters = '', seen] = rows[index]!.split(' | ')
      .join('|')
      .split('|')
      .map((cell) => cell.trim());
    assert.deepEqual([named, kind, seen], [`\`${name}\``, rule.kind, rule.seen]);
    for (const parameter of Object.keys(rule.parameters)) assert.ok(parameters.includes(`\`${parameter}\``), parameter);
    assert.equal(parameters.includes('`symbol`'), rule.symbols !== 'none', name);
  }
});
