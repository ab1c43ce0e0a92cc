import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from './load.ts';

function environmentOf(settings: string) {
  const readFile = () => `console: ${settings}\n`;
  const input = { flags: [], env: {}, cwd: '/srv', configPath: '/etc/mdapi/mdapi.yaml', readFile };
  return loadConfiguration(input).configuration.environment;
}

test('an environment has a name, and a colour whether one is chosen or not', () => {
  assert.deepEqual(environmentOf('{ title: Test, colour: "#FFcc00" }'), { title: 'Test', colour: '#FFcc00' });
  assert.deepEqual(environmentOf('{ title: Production }'), { title: 'Production', colour: '#545e6b' });
  assert.equal(environmentOf('{}'), undefined);
});

test('a colour that is none is refused by its key, and one without a name has nothing to be on', () => {
  for (const wrong of ['red', '#f00', '#ff00000', 'rgb(255, 0, 0)'])
    assert.throws(() => environmentOf(`{ title: Test, colour: "${wrong}" }`), /console\.colour: .*#b3261e/, wrong);
  assert.throws(() => environmentOf('{ colour: "#ff0000" }'), /console\.colour: needs console\.title/);
  assert.throws(() => environmentOf('{ title: "" }'), /console\.title/);
});
