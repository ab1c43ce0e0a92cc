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

test('what is said again and again is shown three times, and hides nothing', () => {
  const tried = (second: number) => ({ atMs: 60_000 + second, who: 'process-1', text: `attempt ${second} failed` });
  const tries = Array.from({ length: 500 }, (_, second) => tried(second));
  const text = timeLine({ ...shown, notes: [...shown.notes.slice(0, 1), ...tries, ...shown.notes.slice(1)] });
  assert.match(text, /process killed begins/);
  assert.match(text, /attempt 0 failed\n.*attempt 1 failed\n.*attempt 2 failed, and 497 more like it\n.*never back/);
});

test('the picture has a bar for each fault that lasts into it, also where it began long before', () => {
  const plan = [
    ...shown.plan,
    { kind: 'exchange down for hours', atMs: 1_000, forMs: 3_600_000, choice: 0.5 },
    { kind: 'rate gone', atMs: 1_000, forMs: 1_000, choice: 0.5 },
    { kind: 'rate changed', atMs: 62_000, forMs: 1_000, choice: 0.5 },
  ] as const;
  const bars = picture({ ...shown, plan }).match(/<rect class="fault".*/g);
  assert.deepEqual(
    bars?.map((bar) => /x="(.*?)".* width="(.*?)".*<title>(.*?), /.exec(bar)?.slice(1)),
    [
      ['120.0', '1060.0', 'process killed'],
      ['120.0', '1060.0', 'exchange down for hours'],
    ],
  );
});

test('the picture has a row for each and a mark for each event, and is well-formed', () => {
  const svg = picture(shown);
  assert.equal(svg.match(/<circle/g)?.length, 2);
  assert.match(svg, /never back: 1 &lt; 2/);
  assert.equal(svg.match(/<(?!\/)(?![^>]*\/>)[a-z]+/g)?.length, svg.match(/<\/[a-z]+>/g)?.length);
});
