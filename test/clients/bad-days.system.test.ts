import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { pythonNeeds } from '../support/python.ts';
import { type BadState, badStates } from './bad-states.ts';
import { guideSamples, SampleRunner } from './guide-samples.ts';

/** What every sample that asks the service says in a state, on any page or on the one named. */
const said: Readonly<Record<BadState, Readonly<Record<string, RegExp>>>> = {
  'no CZK rate': {
    'quick-start.md': /BTCCZK has no price now|MARKET_DATA_UNAVAILABLE/,
    'status.md': /^trade|"status":"operational"/,
  },
  'one market missing': {
    'quick-start.md': /BTCCZK has no price now|MARKET_DATA_UNAVAILABLE/,
  },
  maintenance: {
    any: /503|SERVICE_MAINTENANCE|maintenance/,
    'errors.md': /SERVICE_MAINTENANCE [\s\S]* repeat after 1800/,
    'status.md': /do not trade|"status":"maintenance"/,
  },
  outage: {
    'quick-start.md': /the prices are too old to trade on|"components":\{"ticker":"outage"\}/,
    'status.md': /do not trade|"status":"outage"/,
  },
  'limit used up': { any: /429|RATE_LIMIT_EXCEEDED/, 'errors.md': /RATE_LIMIT_EXCEEDED [\s\S]* repeat after 60/ },
  'page of a proxy': { any: /502/, 'errors.md': /not from the API: 502/, 'status.md': /do not trade|502 Bad/ },
};

/** What nobody wants to read who copied a sample. */
const crashed = /Traceback|^\s+at .*:\d+:\d+|\bundefined\b|\bNaN\b|\[object |Error: /m;

describe('every program in the guides', { timeout: 300_000 }, () => {
  let runner: SampleRunner;
  before(async () => {
    runner = await SampleRunner.start();
  });
  after(() => runner?.stop());

  for (const [state, open] of Object.entries(badStates)) {
    test(`says what is the matter and does not crash: ${state}`, pythonNeeds, async () => {
      assert.ok(guideSamples.length >= 6, `only ${guideSamples.length} were found`);
      const stage = await open();
      const expected = said[state as BadState];
      try {
        await runner.runAll(guideSamples, stage, (sample, { out, err, code }) => {
          const about = `${sample.page}, ${state}: ${out}${err}\n${sample.text}`;
          assert.match(out + err, expected[sample.page] ?? expected.any ?? /\S/, about);
          assert.doesNotMatch(out + err, crashed, about);
          const isEndless = /for \(;;\)|while True/.test(sample.text);
          assert.ok(isEndless ? code === null : code === 0 || code === 1, about);
        });
      } finally {
        await stage.stop();
      }
    });
  }
});
