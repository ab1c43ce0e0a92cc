import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wellProcess } from '../conditions/well.testing.ts';
import { readiness } from './readiness.ts';

test('a process that serves is ready, and has nothing to say while all is well', () => {
  const well = { ready: true, phase: 'serving', notes: [], conditions: [] };
  assert.deepEqual(readiness(wellProcess().observed), well);
});

test('a process that starts or ends is not ready, and says why', () => {
  const { state, observed } = wellProcess();
  state.phase = 'starting';
  assert.deepEqual(readiness(observed), {
    ready: false,
    phase: 'starting',
    notes: ['API keys are still being loaded'],
    conditions: [{ code: 'Starting', severity: 'info', text: 'API keys are still being loaded', values: {} }],
  });
  state.phase = 'draining';
  assert.deepEqual(readiness(observed), {
    ready: false,
    phase: 'draining',
    notes: ['shutting down'],
    conditions: [{ code: 'Draining', severity: 'info', text: 'shutting down', values: {} }],
  });
});

test('whatever is wrong leaves a process ready: clients must still be able to ask for the cause', () => {
  const { state, observed } = wellProcess();
  state.cause = { signal: 'heap', step: 1, value: 91, bound: 90, late: undefined };
  state.isReachable = false;
  state.trouble = new Error('The disk is full.');
  const { ready, conditions } = readiness(observed);
  assert.equal(ready, true);
  assert.deepEqual(
    conditions.map(({ code, severity }) => [code, severity]),
    [
      ['RequestsShed', 'critical'],
      ['StoreUnreachable', 'critical'],
      ['StoreUnreachable', 'critical'],
    ],
  );
});
