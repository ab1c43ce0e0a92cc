import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import { skippedPairsName } from '../market/upstream.ts';
import type { MarketToSave } from '../store/markets.ts';
import { btcEur } from '../store/store.testing.ts';
import { openStore } from '../store/store.ts';
import { newDirectory, newOperator, runInside } from './cli.testing.ts';

interface Market {
  readonly id: string;
  readonly symbol: string;
  readonly status: string;
  readonly pausedBy: readonly string[];
  readonly heldAtMs: number | null;
  readonly delistedAtMs: number | null;
  readonly listedUntilMs: number | null;
}

const facts = (symbol: string, change: Partial<MarketToSave> = {}): MarketToSave => ({
  ...btcEur,
  symbol,
  base: symbol.slice(0, -3),
  quote: symbol.slice(-3),
  minOrderValue: undefined,
  ...change,
});

/** Saves what a server has loaded from its exchange. */
async function loadMarkets(directory: string): Promise<void> {
  const url = `sqlite:${join(directory, 'mdapi.sqlite')}`;
  const store = await openStore({ url, clock: new FakeClock(), randomness: seededRandomness(1) });
  await store.markets.upsertMany([
    facts('BTCEUR', { minOrderValue: '0.5' }),
    facts('BTCCZK', { via: 'BTCEUR' }),
    facts('ETHEUR', { upstreamStatus: 'paused' }),
  ]);
  await store.close();
}

describe('markets', () => {
  it('are listed, paused, resumed and delisted', async (t) => {
    const { json, text, mdapi, directory } = newOperator(t);
    await loadMarkets(directory);
    assert.equal(
      await text('markets', 'list'),
      [
        'SYMBOL  STATUS              CONVERTED FROM  TICK SIZE  MIN ORDER',
        'BTCCZK  trading             BTCEUR          0.1        0.00005',
        'BTCEUR  trading             -               0.1        0.00005',
        'ETHEUR  paused by exchange  -               0.1        0.00005',
        '',
      ].join('\n'),
    );
    const paused = await json<Market>('markets', 'pause', 'btceur');
    assert.deepEqual([paused.id, paused.status, paused.pausedBy], ['BTCEUR', 'paused', ['operator']]);
    assert.equal((await json<Market>('markets', 'resume', 'BTCEUR')).status, 'trading');
    const several = await json<{ markets: Market[] }>('markets', 'pause', 'btceur', 'etheur');
    assert.deepEqual(
      several.markets.map(({ symbol, pausedBy }) => [symbol, pausedBy.includes('operator')]),
      [
        ['BTCEUR', true],
        ['ETHEUR', true],
      ],
    );
    assert.deepEqual(await json('markets', 'resume', '--all'), { changed: 2 });
    assert.deepEqual(await json('markets', 'pause', '--all'), { changed: 2 });
    assert.equal((await json<Market>('markets', 'resume', 'BTCEUR')).status, 'trading');
    assert.match(await text('markets', 'list'), /BTCCZK {2}trading/, 'it follows, and was not paused by itself');
    assert.equal((await mdapi('markets', 'pause')).exitCode, 2);
    assert.equal((await mdapi('markets', 'pause', 'BTCEUR', 'NONEUR')).exitCode, 4);
    const delisted = await json<Market>('markets', 'delist', 'ETHEUR', '--yes');
    assert.equal(delisted.status, 'delisted');
    assert.equal(Number(delisted.listedUntilMs) - Number(delisted.delistedAtMs), 30 * 86_400_000);
    const again = await mdapi('markets', 'resume', 'ETHEUR');
    assert.equal(again.exitCode, 5);
    assert.match(again.stderr, /delisted, which is final/);
  });

  it('converted from another follow it, and the answer says so', async (t) => {
    const cwd = newDirectory(t);
    await loadMarkets(cwd);
    const paused = await runInside(['markets', 'pause', 'BTCEUR'], { cwd });
    assert.match(paused.stderr, /^Paused too: BTCCZK \(converted from it\)\.\n$/);
    const list = await runInside(['markets', 'list', '--json'], { cwd });
    const { markets } = JSON.parse(list.stdout) as { markets: Market[] };
    assert.deepEqual(
      markets.map(({ status }) => status),
      ['paused', 'paused', 'paused'],
    );
    const follower = await runInside(['markets', 'resume', 'BTCCZK'], { cwd });
    assert.match(follower.stderr, /It follows BTCEUR, which is paused by the operator: resume that one\./);
    await runInside(['markets', 'delist', 'BTCEUR', '--yes'], { cwd });
    for (const command of ['pause', 'resume', 'delist']) {
      assert.equal((await runInside(['markets', command, 'BTCCZK'], { cwd })).exitCode, 5, command);
    }
  });

  it('that the exchange paused stay paused when the operator resumes them', async (t) => {
    const cwd = newDirectory(t);
    await loadMarkets(cwd);
    const resumed = await runInside(['markets', 'resume', 'ETHEUR'], { cwd });
    assert.deepEqual([resumed.exitCode, resumed.stderr], [0, 'It stays paused until the exchange resumes it.\n']);
  });

  it('have their prices held one by one or all together, and released', async (t) => {
    const { json, mdapi, text, directory } = newOperator(t);
    await loadMarkets(directory);
    assert.notEqual((await json<Market>('markets', 'hold', 'btceur')).heldAtMs, null);
    assert.match(await text('markets', 'hold', 'BTCEUR'), /^Held by the operator +2\d{3}-/m);
    assert.deepEqual(await json('markets', 'hold', '--all'), { changed: 2 });
    assert.equal((await json<Market>('markets', 'release', 'BTCEUR')).heldAtMs, null);
    assert.equal(await text('markets', 'release', '--all'), '2 markets changed.\n');
    for (const argv of [['--all', 'BTCEUR'], []]) {
      assert.equal((await mdapi('markets', 'hold', ...argv)).exitCode, 2, argv.join(' '));
    }
  });

  it('are accepted only where a server holds something', async (t) => {
    const { mdapi, directory } = newOperator(t, { MDAPI_ADMIN_PORT: '1' });
    await loadMarkets(directory);
    const { exitCode, stderr } = await mdapi('markets', 'accept', 'BTCEUR');
    assert.equal(exitCode, 1);
    assert.match(stderr, /No server answers/);
  });

  it('that are missing from the exchange say so, and resuming one names all that stays paused', async (t) => {
    const cwd = newDirectory(t);
    await loadMarkets(cwd);
    for (const name of ['BTCEUR', 'BTCCZK']) await runInside(['markets', 'pause', name], { cwd });
    const first = await runInside(['markets', 'resume', 'BTCEUR'], { cwd });
    assert.equal(first.stderr, 'BTCCZK stays paused: the operator paused it itself.\n');
    const url = `sqlite:${join(cwd, 'mdapi.sqlite')}`;
    const store = await openStore({ url, clock: new FakeClock(), randomness: seededRandomness(1) });
    const since = Date.parse('2026-11-21T09:00:00.000Z') as EpochMs;
    await store.markets.upsertMany([facts('BTCEUR', { absence: { since, until: (since + 60_000) as EpochMs } })]);
    await store.close();
    const second = await runInside(['markets', 'resume', 'BTCEUR'], { cwd });
    assert.equal(
      second.stderr,
      'It stays paused until the exchange lists it again.\nBTCCZK stays paused: the operator paused it itself.\n',
    );
    const { stdout } = await runInside(['markets', 'list'], { cwd });
    assert.match(stdout, /^BTCEUR +paused by exchange, not listed there since 2026-11-21T09:00:00\.000Z /m);
  });

  it('that are not offered are listed with the reason: the configuration, or the exchange’s catalogue', async (t) => {
    const cwd = newDirectory(t);
    await loadMarkets(cwd);
    const url = `sqlite:${join(cwd, 'mdapi.sqlite')}`;
    const store = await openStore({ url, clock: new FakeClock(), randomness: seededRandomness(1) });
    const skipped = [{ name: 'AFAKEEUR', symbol: 'FAKEEUR', reason: 'its live name is BTC/EUR' }];
    await store.snapshots.save(skippedPairsName, JSON.stringify(skipped));
    await store.close();
    const { stdout } = await runInside(['markets', 'list'], { cwd, env: { MDAPI_MARKETS_SYMBOLS: 'ETHEUR' } });
    assert.deepEqual(stdout.split('\n').slice(1), [
      'ETHEUR  paused by exchange  -               0.1        0.00005',
      '',
      'NOT OFFERED  WHY',
      'BTCCZK       markets.symbols lacks BTCEUR',
      'BTCEUR       markets.symbols lacks BTCEUR',
      'FAKEEUR      AFAKEEUR: its live name is BTC/EUR',
      '',
    ]);
  });

  it('that do not exist are not found, with the nearest symbol', async (t) => {
    const cwd = newDirectory(t);
    await loadMarkets(cwd);
    const outcome = await runInside(['markets', 'pause', 'BTCERU', '--json'], { cwd });
    const { error } = JSON.parse(outcome.stdout) as { error: Record<string, unknown> };
    assert.deepEqual([outcome.exitCode, error.reason], [4, 'market_unknown']);
    assert.match(outcome.stderr, /There is no market "BTCERU"\. Did you mean "BTCEUR"\?/);
    assert.equal((await runInside(['markets', 'pause', '../x'], { cwd })).exitCode, 4);
  });

  it('are delisted only after a y at a terminal, and the question says that it is final', async (t) => {
    const cwd = newDirectory(t);
    await loadMarkets(cwd);
    const kept = await runInside(['markets', 'delist', 'BTCEUR'], { cwd, isTerminal: true, typed: 'n\n' });
    assert.equal(kept.exitCode, 1);
    assert.match(
      kept.stderr,
      /^Delist BTCEUR\? This is final\. Delisted too: BTCCZK \(converted from it\)\. \[y\/N\] /,
    );
    const unasked = await runInside(['markets', 'delist', 'BTCEUR'], { cwd });
    assert.equal(unasked.exitCode, 1);
    assert.match(unasked.stderr, /Without a terminal this needs --yes\./);
    const list = await runInside(['markets', 'list'], { cwd });
    assert.ok(!list.stdout.includes('delisted'));
    const gone = await runInside(['markets', 'delist', 'BTCEUR', '--yes'], { cwd, isTerminal: true });
    assert.equal(gone.exitCode, 0);
  });
});
