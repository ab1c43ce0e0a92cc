import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesEnding, isForTests, textOf } from './files.ts';

const sourcesOfTimeAndChance = [
  /\bDate\.now\b/,
  /\bnew Date\(\s*\)/,
  /\bperformance\.now\b/,
  /\bhrtime\b/,
  /\bset(?:Timeout|Interval)\b/,
  /\btimers\/promises\b/,
  /\bAbortSignal\.timeout\b/,
  /\bMath\.random\b/,
  /\brandom(?:UUID|Bytes|Int|FillSync|Fill)\b/,
  /\bgetRandomValues\b/,
];

/** Without comments, which may say what the code does not do. */
function codeOf(file: string): string {
  return textOf(file)
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/(^|\s)\/\/.*$/gm, '');
}

/** The client and what runs in browsers share nothing with the server, so they have clocks of their own. */
const clocks = ['src/ground/clock.ts', 'client/src/clock.ts', 'web/portal/clock.ts', 'web/console/clock.ts'];

test('only src/ground/clock.ts, and the own clocks of client, portal and console, touch the clock, timers and randomness of the platform', () => {
  const found = filesEnding('.ts', 'src', 'exchange-simulator', 'client', 'web')
    .filter((file) => !clocks.includes(file) && !isForTests(file))
    .flatMap((file) => {
      const code = codeOf(file);
      return sourcesOfTimeAndChance.filter((source) => source.test(code)).map((source) => `${file}: ${source.source}`);
    });
  assert.deepEqual(found, []);
});

test('src/ground/clock.ts is where they are found', () => {
  const code = codeOf('src/ground/clock.ts');
  for (const needed of ['Date.now', 'performance.now', 'setTimeout', 'setInterval', 'Math.random', 'randomBytes']) {
    assert.ok(code.includes(needed), needed);
  }
});
