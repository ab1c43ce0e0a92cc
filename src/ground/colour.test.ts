import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { accentOf, contrast, contrastMin, leastContrast, textOn } from './colour.ts';

const theme = readFileSync(new URL('../../web/theme.css', import.meta.url), 'utf8');
const [light = '', dark = ''] = theme.split('@media (prefers-color-scheme: dark)');

test('the contrast of two colours is what WCAG says', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21);
  assert.equal(contrast('#777777', '#777777'), 1);
  assert.equal(contrast('#ffffff', '#767676').toFixed(2), '4.54');
});

test('a colour is judged on the grounds that the pages have, and by the strictest of them', () => {
  for (const [scheme, css] of [
    ['light', light],
    ['dark', dark],
  ] as const) {
    const grounds = ['page', 'sunken', 'raised'].map((name) => new RegExp(`--${name}: (#\\w+);`).exec(css)![1]!);
    const usual = /--accent: (#\w+);/.exec(css)![1]!;
    for (const ground of grounds) assert.ok(leastContrast(usual, scheme) <= contrast(usual, ground));
    assert.ok(leastContrast(usual, scheme) >= contrastMin, scheme);
  }
  assert.ok(leastContrast('#767676', 'light') < contrastMin, 'enough on white alone');
});

test('whatever goes with a readable colour is readable: text in it and text on it', () => {
  for (const scheme of ['light', 'dark'] as const) {
    for (let step = 0; step < 4096; step += 7) {
      const colour = `#${[step >> 8, (step >> 4) & 15, step & 15].map((part) => (part * 17).toString(16).padStart(2, '0')).join('')}`;
      if (leastContrast(colour, scheme) < contrastMin) continue;
      const { accent, strong, soft, on } = accentOf(colour, scheme);
      for (const [text, ground] of [
        [accent, soft],
        [on, accent],
        [on, strong],
      ] as const)
        assert.ok(contrast(text, ground) >= contrastMin, `${text} on ${ground}, of ${colour} in ${scheme}`);
    }
  }
});

test('text on a ground of any colour is readable', () => {
  for (let step = 0; step < 0x1000000; step += 1_009) {
    const ground = `#${step.toString(16).padStart(6, '0')}`;
    assert.ok(contrast(textOn(ground), ground) >= contrastMin, ground);
  }
  assert.deepEqual([textOn('#ffcc00'), textOn('#2448c5'), textOn('#777777')], ['#000000', '#ffffff', '#000000']);
});
