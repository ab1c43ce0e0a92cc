import assert from 'node:assert/strict';
import { test } from 'node:test';
import { picture, timeLine } from './time-line.ts';

const shown = {
  seed: 5,
  plan: [{ kind: 'process killed', atMs: 60_000, forMs: 2_000, choice: 0.5 }],
  violations: [{ rule: 'never back', atMs: 61_000, text: 'back' }],
  notes: [
    { atMs: 60_000, who: 'fault', text: 'process killed begins' },
    { atMs: 61_000, who: 'witness', text: 'never back: 1 < 2' },
    { atMs: 999_000, who: 'process-1', text: 'much later' },
  ],
} as const;

test('a failure is shown with its seed, its faults and what was seen around it', () => {
  const text = timeLine(shown);
  assert.match(text, /seed 5/);
  assert.match(text, /60\.000 s {2}process killed, for 2 s/);
  assert.match(text, /61\.000 s {2}witness/);
  assert.doesNotMatch(text, /much later/);
});

test('the picture has a row for each and a mark for each event, and is well-formed', () => {
  const svg = picture(shown);
  assert.equal(svg.match(/<circle/g)?.length, 2);
  assert.match(svg, /never back: 1 &lt; 2/);
  assert.equal(svg.match(/<(?!\/)(?![^>]*\/>)[a-z]+/g)?.length, svg.match(/<\/[a-z]+>/g)?.length);
});
