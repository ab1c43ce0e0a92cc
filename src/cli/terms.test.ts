import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { silentLog } from '../ground/log.ts';
import { Markets } from '../market/markets.ts';
import {
  conversionRate,
  everyEuroMarket,
  pricingPolicy,
  start,
  upstreamMarket,
  upstreamTicker,
} from '../market/samples.testing.ts';
import { FeedStatus } from '../market/service-status.ts';
import { MarketSnapshots } from '../persistence/market-snapshots.ts';
import { openStore } from '../store/store.ts';
import { newDirectory, runInside } from './cli.testing.ts';

interface Term {
  readonly id: string;
  readonly state: string;
  readonly from: string;
  readonly effect: { readonly affected: number; readonly concerns: readonly string[] };
}

/** A directory whose database a server has left with prices of BTCEUR and BTCCZK. */
async function operator(t: Parameters<typeof newDirectory>[0]) {
  const cwd = newDirectory(t);
  const clock = new FakeClock();
  const store = await openStore({
    url: `sqlite:${join(cwd, 'mdapi.sqlite')}`,
    clock,
    randomness: seededRandomness(1),
  });
  const markets = new Markets(pricingPolicy(), everyEuroMarket);
  markets.catalogueLoaded([upstreamMarket('BTC')], start);
  markets.tickerReceived(upstreamTicker());
  markets.rateRefreshed(conversionRate());
  const snapshots = new MarketSnapshots(store, markets, new FeedStatus(), clock, silentLog);
  snapshots.start();
  await snapshots.stop();
  await store.close();
  const mdapi = (...argv: readonly string[]) => runInside(argv, { cwd, clock });
  const json = async <Shape>(...argv: readonly string[]) => {
    const { stdout, stderr, exitCode } = await mdapi(...argv, '--json');
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout) as Shape;
  };
  return { mdapi, json, clock };
}

describe('terms', () => {
  it('are set with their effect on the last prices, shown, and cancelled before they begin', async (t) => {
    const { mdapi, json, clock } = await operator(t);
    const set = await mdapi('terms', 'set', '--market', 'btceur', '--fee', '0.4', '--from', '2026-12-01T00:00:00Z');
    assert.equal(set.exitCode, 0, set.stderr);
    assert.match(set.stdout, /^For +BTCEUR$/m);
    assert.match(set.stdout, /^BTCEUR +84631\.2 +84547\.0 \(-0\.10 %\) +83788\.8 +83873\.0 \(0\.10 %\)$/m);
    const { terms } = await json<{ terms: Term[] }>('terms', 'show');
    assert.deepEqual(
      terms.map(({ state }) => state),
      ['holding', 'holding', 'announced'],
    );
    const planned = terms[2]!;
    const report = await json<{ buy: { value: string }[]; terms: { version: string } }>('price', 'BTCEUR');
    assert.deepEqual([report.buy.at(-1)?.value, report.terms.version.slice(0, 4)], ['84631.2', 'cfg_']);
    const cancelled = await json<Term>('terms', 'cancel', planned.id);
    assert.equal(cancelled.state, 'cancelled');
    clock.jump(30 * 86_400_000);
    const shown = await mdapi('terms', 'show', '--all');
    assert.match(shown.stdout, /cancelled +2026-12-01T00:00:00Z +BTCEUR +0\.4/);
  });

  it('explain the prices that are made on them', async (t) => {
    const { mdapi, json, clock } = await operator(t);
    const { id, from } = await json<Term>('terms', 'set', '--quote', 'CZK', '--margin', '0.8', '--from', 'now');
    clock.jump(2_000);
    const { stdout } = await mdapi('price', 'BTCCZK');
    assert.ok(stdout.includes(`Term: margin  0.8 % (${id}@${from})`), stdout);
    assert.match(stdout, /^Term: fee +0\.5 % \(cfg_/m);
  });

  it('that look like a mistake are set only with --yes, and the refusal names the effect', async (t) => {
    const { mdapi, json } = await operator(t);
    const mistakes: readonly (readonly [argv: readonly string[], effect: RegExp])[] = [
      [['--fee', '50', '--from', '+1h'], /A client would buy BTC\w+ at \d+(\.\d)? instead of/],
      [['--fee', '0.4', '--from', '2026-11-01T00:00Z'], /lies in the past/],
    ];
    for (const [argv, effect] of mistakes) {
      const { exitCode, stderr } = await mdapi('terms', 'set', ...argv);
      assert.equal(exitCode, 1);
      assert.match(stderr, effect);
      assert.match(stderr, /needs --yes/);
      assert.ok((await json<Term>('terms', 'set', ...argv, '--yes')).effect.concerns.length > 0);
    }
  });

  it('of the same start and subject as another are asked about, and say what that one loses', async (t) => {
    const { mdapi, json } = await operator(t);
    const set = (...argv: string[]) => ['terms', 'set', '--from', '2031-01-01T00:00Z', ...argv];
    const { id } = await json<Term>(...set('--market', 'BTCEUR', '--fee', '0.4'));
    const { exitCode, stderr } = await mdapi(...set('--market', 'BTCEUR', '--fee', '0.45'));
    assert.equal(exitCode, 1);
    assert.match(stderr, new RegExp(`${id} begins at the same instant for the same: what both set is taken from this`));
    assert.equal((await mdapi(...set('--fee', '0.45'))).exitCode, 0, 'of another scope');
    assert.equal((await mdapi(...set('--market', 'BTCEUR', '--fee', '0.45', '--yes'))).exitCode, 0);
  });

  it('that cannot be meant are refused', async (t) => {
    const { mdapi } = await operator(t);
    const cases: readonly (readonly [argv: readonly string[], exitCode: number])[] = [
      [['--from', 'now'], 2],
      [['--fee', '0,4,1', '--from', 'now'], 2],
      [['--fee', '0.4'], 2],
      [['--fee', '0.4', '--market', 'BTCEUR', '--quote', 'CZK', '--from', 'now'], 2],
      [['--margin', '1', '--from', 'now'], 2],
      [['--fee', '0.4', '--market', 'NOPEEUR', '--from', 'now'], 4],
      [['--precision', '2', '--market', 'BTCEUR', '--from', 'now'], 4],
    ];
    for (const [argv, exitCode] of cases) {
      assert.equal((await mdapi('terms', 'set', ...argv)).exitCode, exitCode, argv.join(' '));
    }
    assert.equal((await mdapi('terms', 'cancel', 'trm_none')).exitCode, 4);
  });
});
