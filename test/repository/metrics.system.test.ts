import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { clusterMetrics } from '../support/cluster-metrics.ts';
import { ServiceHarness } from '../support/service-harness.ts';
import { findSystemProgram } from '../support/system-program.ts';

const promtool = findSystemProgram({ names: ['promtool'], package: 'prometheus', orElse: 'brew install prometheus' });

test('promtool finds nothing to say of what a service alone and one of several serve', promtool.needs, async (t) => {
  const alone = await (await ServiceHarness.start(t)).metrics();
  for (const { text, types } of [alone, await clusterMetrics(alone)]) {
    assert.ok(types.size > 3);
    assert.doesNotMatch(text, /="undefined"/, 'a sample lacks the value of a label');
    const { stdout, stderr } = spawnSync(promtool.path!, ['check', 'metrics'], { input: text, encoding: 'utf8' });
    const findings = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
    assert.deepEqual(findings, []);
  }
});
