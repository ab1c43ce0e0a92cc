import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import { type PendingReason, pendingOf } from '../market/catalogue-review.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import { savePending } from '../operator/review.ts';
import { btcEur } from '../store/store.testing.ts';
import { openStore, type Store } from '../store/store.ts';
import { newOperator, runInside } from './cli.testing.ts';

const since = Date.UTC(2026, 10, 20, 8) as EpochMs;

async function withStore<T>(directory: string, use: (store: Store) => Promise<T>): Promise<T> {
  const url = `sqlite:${join(directory, 'mdapi.sqlite')}`;
  const store = await openStore({ url, clock: new FakeClock(), randomness: seededRandomness(1) });
  const result = await use(store);
  await store.close();
  return result;
}

/** Saves what a server lets wait. */
async function wait(directory: string, ...waits: readonly [source: string, PendingReason, count: number][]) {
  const pending = waits.map(([source, reason, count]) => {
    const symbols = Array.from(
      { length: count },
      (_, index) => `${reason[0]!.toUpperCase()}${index}EUR` as MarketSymbol,
    );
    return pendingOf(source, reason, since, symbols);
  });
  await withStore(directory, async (store) => {
    await savePending(store, pending);
    const gone = pending.filter(({ reason }) => reason === 'loss').flatMap(({ symbols }) => symbols);
    await store.markets.upsertMany(gone.map((symbol) => ({ ...btcEur, symbol })));
  });
}

describe('markets review', () => {
  it('shows what waits, and with --json its first names, since when and what can be decided (fault row 97)', async (t) => {
    const { text, json, directory } = newOperator(t);
    await wait(directory);
    assert.equal(await text('markets', 'review'), 'Nothing waits.\n');
    await wait(directory, ['kraken', 'growth', 400], ['bitvavo', 'incomplete', 2]);
    const [heading, growth, incomplete] = (await text('markets', 'review')).split('\n');
    assert.match(heading!, /^SOURCE +REASON +SINCE +MARKETS +SUCH AS +WHY$/);
    assert.match(growth!, /^kraken +growth +2026-11-20T08:00:00Z +400 +G0EUR, G1EUR, G2EUR, … +more than half/);
    assert.match(incomplete!, /^bitvavo +incomplete +\S+ +2 +I0EUR, I1EUR +missing from a list/);
    const { pending } = await json<{ pending: Record<string, unknown>[] }>('markets', 'review');
    assert.deepEqual(
      pending.map(({ source, reason, count, sinceMs, symbols, verdicts }) => [
        source,
        reason,
        count,
        sinceMs,
        (symbols as string[]).length,
        verdicts,
      ]),
      [
        ['kraken', 'growth', 400, since, 20, ['accept', 'reject']],
        ['bitvavo', 'incomplete', 2, since, 2, []],
      ],
    );
  });

  it('accepts and rejects, which the audit log records; what was rejected can be accepted (fault row 97)', async (t) => {
    const { json, text, directory } = newOperator(t);
    await wait(directory, ['kraken', 'growth', 60]);
    const rejected = await json<Record<string, unknown>>('markets', 'review', '--reject', '--yes');
    assert.deepEqual([rejected.source, rejected.reason, rejected.count], ['kraken', 'growth', 60]);
    assert.match(await text('markets', 'review'), /^Nothing waits\.\n\nREJECTED OF +MARKETS\nkraken +60\n$/);
    assert.deepEqual(await json('markets', 'review', '--accept', '--source', 'kraken', '--yes'), {
      source: 'kraken',
      count: 60,
    });
    await withStore(directory, async (store) => {
      const [decision] = await store.lists.list();
      assert.deepEqual([decision?.accepted.length, decision?.rejected], [60, []]);
      const { items } = await store.audit.page({ limit: 10 });
      assert.deepEqual(
        items.map(({ action, subject }) => [action, subject.id]),
        [
          ['catalogue.accept', 'kraken'],
          ['catalogue.reject', 'kraken'],
        ],
      );
    });
  });

  it('asks at a terminal, wants --yes without one, and says what a decision does (fault row 97)', async (t) => {
    const { directory: cwd } = newOperator(t);
    await wait(cwd, ['kraken', 'loss', 3]);
    const command = ['markets', 'review', '--accept'];
    const kept = await runInside(command, { cwd, isTerminal: true, typed: 'n\n' });
    assert.match(kept.stderr, /Accept 3 markets of kraken \(L0EUR, L1EUR, L2EUR\)\? They are delisted for good\./);
    assert.notEqual((await runInside(command, { cwd })).exitCode, 0);
    const delisted = () =>
      withStore(cwd, async ({ markets }) => (await markets.list()).filter((each) => each.delistedAt));
    assert.deepEqual(await delisted(), []);
    assert.equal((await runInside([...command, '--yes'], { cwd })).exitCode, 0);
    assert.equal((await delisted()).length, 3);
  });

  it('refuses what cannot be decided, and wants a reason where several wait (fault row 97)', async (t) => {
    const { directory: cwd, json } = newOperator(t);
    await wait(cwd, ['kraken', 'growth', 60], ['kraken', 'loss', 3], ['bitvavo', 'over_maximum', 9]);
    const reasonOf = async (...options: readonly string[]) => {
      const outcome = await runInside(['markets', 'review', ...options, '--yes', '--json'], { cwd });
      const { error } = JSON.parse(outcome.stdout) as { error: { reason: string; message: string } };
      return [outcome.exitCode === 0, error.reason, error.message];
    };
    assert.deepEqual(await reasonOf('--accept'), [
      false,
      'several_wait',
      'Several things wait: kraken growth (60), kraken loss (3). Name one with --source and --reason.',
    ]);
    assert.deepEqual(await reasonOf('--accept', '--source', 'bitvavo'), [
      false,
      'not_settled',
      '9 markets of bitvavo wait (over_maximum), but cannot be accepted. To offer them, raise markets.max.',
    ]);
    assert.equal((await reasonOf('--reject', '--source', 'okx'))[1], 'nothing_waits');
    assert.equal((await reasonOf('--reject', '--accept'))[0], false);
    assert.equal((await reasonOf('--reason', 'loss'))[0], false);
    await json('markets', 'review', '--reject', '--reason', 'loss', '--yes');
    const [decision] = await withStore(cwd, ({ lists }) => lists.list());
    assert.deepEqual(decision?.kept, ['L0EUR', 'L1EUR', 'L2EUR']);
  });
});
