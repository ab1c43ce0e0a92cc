import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { silentLog } from '../ground/log.ts';
import type { ApprovalView } from '../operator/approval.ts';
import { publishApprovalKinds } from '../persistence/approval-kinds.ts';
import { btcEur } from '../store/store.testing.ts';
import { openStore, type Store } from '../store/store.ts';
import { type Inside, newDirectory, runInside } from './cli.testing.ts';

const all = { MDAPI_ADMIN_APPROVALS: 'terms,delist,rates', MDAPI_ADMIN_PORT: '1' };

/** A database with BTCEUR, and the command line beside it. */
async function besideStore(t: TestContext, env: Readonly<Record<string, string>> = all) {
  const cwd = newDirectory(t);
  const clock = new FakeClock('2026-11-21T10:00:00.000Z');
  const url = `sqlite:${join(cwd, 'mdapi.sqlite')}`;
  const store = await openStore({ url, clock, randomness: seededRandomness(99) });
  t.after(() => store.close());
  await store.markets.upsertMany([btcEur]);
  const run = (line: string, more: Partial<Inside> = {}) => runInside(line.split(' '), { cwd, env, clock, ...more });
  const json = async <T>(line: string, more: Partial<Inside> = {}) => {
    const outcome = await run(`${line} --json`, more);
    assert.equal(outcome.exitCode, 0, outcome.stderr);
    return JSON.parse(outcome.stdout) as T;
  };
  return { cwd, clock, store, run, json };
}

const proposeBy = (store: Store, by: string) =>
  store.as(by).approvals.propose({
    action: 'market.delist',
    subject: 'BTCEUR',
    change: { action: 'market.delist', symbol: 'BTCEUR' },
    basis: [{ what: 'status', from: 'BTCEUR trading', to: 'BTCEUR delisted' }],
  });

describe('a change that needs a second person', () => {
  it('is proposed by the command that makes it, and says so', async (t) => {
    const { store, run } = await besideStore(t);
    const { exitCode, stdout, stderr } = await run('terms set --market BTCEUR --fee 0.4 --from +1h --as alice');
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /^Proposal +apr_\w+\nState +waiting\nChange +a term for BTCEUR\nfee +0\.5 → 0\.4\n/);
    assert.match(stdout, /\nProposed by +cli:alice \(said by tester\), 2026-11-21T10:00:00Z\n/);
    assert.match(stderr, /^Nothing is changed yet\. Another person confirms it: mdapi approvals confirm apr_\w+\n$/);
    assert.deepEqual(await store.terms.list(), []);
    const [waiting] = await store.approvals.waiting();
    assert.equal(waiting?.proposedBy, 'cli:alice (said by tester)');
  });

  it('is a delisting too, and not a pause', async (t) => {
    const { store, run, json } = await besideStore(t);
    const delisted = await json<ApprovalView>('markets delist BTCEUR --yes');
    assert.deepEqual([delisted.action, delisted.state, delisted.kind], ['market.delist', 'waiting', 'delist']);
    assert.equal((await store.markets.list())[0]?.delistedAt, undefined);
    assert.equal((await run('markets pause BTCEUR')).exitCode, 0);
    assert.equal((await store.markets.list())[0]?.operatorPaused, true);
  });

  it('is released of a rate, and not held', async (t) => {
    const { store, run, json } = await besideStore(t);
    assert.equal((await run('rates hold CZK')).exitCode, 0);
    assert.notEqual((await store.rates.list())[0]?.heldAt, undefined);
    assert.equal((await json<ApprovalView>('rates release CZK')).action, 'rate.release');
    assert.notEqual((await store.rates.list())[0]?.heldAt, undefined);
  });

  it('needs one where the service says so, whatever configuration the command reads', async (t) => {
    const { store, json } = await besideStore(t, { MDAPI_ADMIN_PORT: '1' });
    await publishApprovalKinds(store, ['delist'], silentLog);
    assert.equal((await json<ApprovalView>('markets delist BTCEUR --yes')).state, 'waiting');
    assert.equal((await json<{ id: string }>('terms set --fee 0.4 --from now')).id.slice(0, 3), 'trm');
    await publishApprovalKinds(store, [], silentLog);
    assert.equal((await json<{ status: string }>('markets delist BTCEUR --yes')).status, 'delisted');
  });

  it('is confirmed by another person alone: what --as says makes no other one', async (t) => {
    const { store, run, json } = await besideStore(t);
    const own = await json<ApprovalView>('markets delist BTCEUR --yes --as alice');
    for (const as of ['', ' --as alice', ' --as bob']) {
      const { exitCode, stderr } = await run(`approvals confirm ${own.id}${as}`);
      assert.equal(exitCode, 5);
      assert.match(stderr, /was proposed by cli:alice \(said by tester\), who may be the same person as cli:/);
    }
    await run(`approvals reject ${own.id}`);
    assert.equal((await store.approvals.get(own.id)).state, 'withdrawn');
    const { id } = await proposeBy(store, 'carol');
    const confirmed = await json<ApprovalView>(`approvals confirm ${id} --as bob`);
    assert.deepEqual([confirmed.state, confirmed.decidedBy], ['confirmed', 'cli:bob (said by tester)']);
    assert.notEqual((await store.markets.list())[0]?.delistedAt, undefined);
    assert.equal((await run(`approvals confirm ${id}`)).exitCode, 5);
    assert.equal((await run('approvals confirm apr_none')).exitCode, 4);
  });

  it('is asked about at a terminal, with what it changes', async (t) => {
    const { store, run } = await besideStore(t);
    const { id } = await proposeBy(store, 'carol');
    const { exitCode, stderr } = await run(`approvals confirm ${id}`, { isTerminal: true, typed: 'n\n' });
    assert.equal(exitCode, 1);
    assert.match(stderr, /status.* BTCEUR trading → BTCEUR delisted\n(?:.*\n)+.*Confirm it\? \[y\/N\]/);
    assert.equal((await store.approvals.get(id)).state, 'waiting');
  });

  it('is listed while it waits, and with those of before when all are asked for', async (t) => {
    const { store, run, json, clock } = await besideStore(t);
    assert.equal((await run('approvals list')).stdout, 'Nothing waits.\n');
    const { id } = await proposeBy(store, 'carol');
    assert.match(
      (await run('approvals list')).stdout,
      new RegExp(`\\n${id} +waiting +carol .*the delisting of BTCEUR: `),
    );
    clock.jump(72 * 3_600_000);
    assert.deepEqual((await json<{ approvals: ApprovalView[] }>('approvals list')).approvals, []);
    const [old] = (await json<{ approvals: ApprovalView[] }>('approvals list --all')).approvals;
    assert.deepEqual([old?.id, old?.state], [id, 'expired']);
    assert.match(
      (await run(`approvals confirm ${id}`)).stderr,
      /expired at 2026-11-24T10:00:00\.000Z\. Propose it again/,
    );
  });
});
