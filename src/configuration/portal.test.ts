import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from './load.ts';

function load(portal: string) {
  const readFile = () => `portal:\n${portal}\n`;
  const input = { flags: [], env: {}, cwd: '/srv', configPath: '/etc/mdapi/mdapi.yaml', readFile };
  return loadConfiguration(input).configuration.portal;
}

test('the operator’s name, contact and terms are taken as written, and the logo lies beside the file', () => {
  const taken = load(
    '  name: Example\n  contact: mailto:a@example.com\n  terms: https://example.com/t\n  logo: ./logo.svg',
  );
  assert.deepEqual(taken, {
    name: 'Example',
    contact: 'mailto:a@example.com',
    terms: 'https://example.com/t',
    logo: '/etc/mdapi/logo.svg',
    subscriptions: ['mail'],
    colours: {},
  });
});

test('a colour that is hard to read is refused with its contrast and what to do', () => {
  assert.equal(load('  colours: { light: "#2448c5", dark: "#93afff" }').colours.light, '#2448c5');
  assert.throws(
    () => load('  colours: { light: "#ffcc00" }'),
    /portal\.colours\.light: .*at least 4\.5 .*its contrast is 1\.\d\d: choose a darker one/,
  );
  assert.throws(() => load('  colours: { dark: "#2448c5" }'), /choose a lighter one/);
  assert.throws(() => load('  colours: { light: blue }'), /portal\.colours\.light/);
});

test('a contact or terms that a browser cannot open are refused', () => {
  for (const wrong of ['contact: help@example.com', 'contact: javascript:alert(1)', 'terms: ftp://example.com'])
    assert.throws(() => load(`  ${wrong}`), /portal\.(contact|terms)/, wrong);
});
