import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inputOf, type World } from './configuration.testing.ts';
import { ConfigurationError, loadConfiguration } from './load.ts';
import { reloadedConfiguration } from './reload.ts';

const loaded = (yaml: string, world: World = {}) =>
  loadConfiguration(inputOf({ files: { '/srv/mdapi.yaml': yaml }, ...world }));

function refused(before: string, after: string, world: World = {}): string {
  try {
    reloadedConfiguration(loaded(before, world), loaded(after, world));
  } catch (error) {
    assert.ok(error instanceof ConfigurationError);
    return error.message;
  }
  return assert.fail('it was taken');
}

test('sources and the lists of markets may change, and nothing else of them counts', () => {
  const before = loaded('sources: [kraken, bitvavo]\nlimits: { key: 70 }');
  const after = loaded(
    'limits: { key: 70 } # Elsewhere in the file.\nsources: [bitvavo, { id: kraken, paused: true }]\npricing: { sources: { BTCEUR: [bitvavo] } }',
  );
  const next = reloadedConfiguration(before, after);
  assert.equal(next, after.configuration);
  assert.deepEqual(
    next.sources.map(({ id, isPaused }) => [id, isPaused]),
    [
      ['bitvavo', false],
      ['kraken', true],
    ],
  );
});

test('whatever only a restart changes is refused by name, all of it, and the sources with it', () => {
  assert.equal(
    refused(
      'pricing: { feePercent: "0.5" }',
      'pricing: { feePercent: "0.6" }\nlimits: { key: 61 }\nsources: [bitvavo]',
    ),
    '/srv/mdapi.yaml: pricing.feePercent: changes only with a restart\n/srv/mdapi.yaml: limits.key: changes only with a restart',
  );
  assert.match(refused('', 'pricing: { source: median }'), /pricing\.source: changes only with a restart/);
});

test('a value that is written as the default it had is no change', () => {
  const after = loaded('limits: { key: 60 }');
  assert.equal(reloadedConfiguration(loaded(''), after), after.configuration);
});
