import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock, systemRandomness } from '../ground/clock.ts';
import { openStore } from '../store/store.ts';
import { newOperator } from './cli.testing.ts';

interface Incident {
  readonly id: string;
  readonly state: string;
  readonly title: string;
  readonly titleCs: string | null;
  readonly parts: readonly string[];
  readonly fromMs: number;
  readonly toMs: number | null;
  readonly isFound: boolean;
  readonly updates: readonly { readonly state: string; readonly text: string; readonly textCs: string | null }[];
  readonly review: string | null;
}

const opened = ['incidents', 'open', '--part', 'market-data', '--title', 'Prices are late', '--text', 'We look.'];

describe('incidents', () => {
  it('are opened, updated, closed and reviewed', async (t) => {
    const { json, text } = newOperator(t);
    await json('accounts', 'create', '--email', 'a@b');
    const made = await json<Incident>(...opened, '--title-cs', 'Ceny se opožďují', '--from', '-5m', '--part', 'api');
    assert.deepEqual(
      [made.state, made.parts, made.titleCs],
      ['investigating', ['api', 'market-data'], 'Ceny se opožďují'],
    );
    assert.match(
      await text('incidents', 'list'),
      /^ID +STATE +FROM +TO +PARTS +TITLE\ninc_\w+ +investigating .* api, market-data +Prices are late\n$/,
    );
    const update = ['incidents', 'update', made.id];
    await json(...update, '--state', 'identified', '--text', 'The exchange is away.', '--text-cs', 'Burza mlčí.');
    const renamed = await json<Incident>(...update, '--title', 'The exchange is away', '--part', 'market-data');
    assert.deepEqual(
      [renamed.title, renamed.titleCs, renamed.parts, renamed.updates.length],
      ['The exchange is away', null, ['market-data'], 2],
    );
    const closed = await json<Incident>('incidents', 'close', made.id, '--text', 'It is back.', '--to', '-1m');
    assert.deepEqual(
      [closed.state, closed.updates.map(({ state }) => state)],
      ['resolved', ['resolved', 'identified', 'investigating']],
    );
    assert.ok(closed.toMs !== null && closed.toMs > closed.fromMs);
    assert.equal((await json<Incident>(...update, '--review', 'It had maintenance.')).review, 'It had maintenance.');
    assert.equal(await text('incidents', 'list'), 'No open incidents.\n');
    assert.match(await text('incidents', 'list', '--all'), /resolved .* market-data +The exchange is away/);
  });

  it('adopt an outage that was found, which stays in the list until then', async (t) => {
    const { json, text, mdapi, directory } = newOperator(t);
    await json('accounts', 'create', '--email', 'a@b');
    const store = await openStore({
      url: `sqlite:${directory}/mdapi.sqlite`,
      clock: systemClock,
      randomness: systemRandomness,
    });
    const now = systemClock.now();
    const outage = { component: 'market-data', state: 'outage', from: now, to: undefined } as const;
    const id = await store.statusRecords.addIncident(outage);
    await store.close();
    const { stdout, stderr } = await mdapi('incidents', 'list');
    assert.match(stdout, new RegExp(`^No open incidents\\.\n\nFOUND OUTAGE .*\n${id} +outage .* - +market-data\n$`));
    assert.match(stderr, /mdapi incidents open --found ID/);
    const adopt = ['incidents', 'open', '--found', id, '--title', 'The exchange is away', '--text', 'We wait.'];
    const adopted = await json<Incident>(...adopt);
    assert.deepEqual([adopted.id, adopted.isFound, adopted.fromMs, adopted.parts], [id, true, now, ['market-data']]);
    assert.ok(!(await text('incidents', 'list')).includes('FOUND OUTAGE'));
  });

  it('are refused with a reason and an exit code', async (t) => {
    const { json, mdapi } = newOperator(t);
    await json('accounts', 'create', '--email', 'a@b');
    const { id } = await json<Incident>(...opened);
    const over = await json<Incident>(...opened);
    await json('incidents', 'close', over.id, '--text', 'Over.');
    const refusals: readonly (readonly [argv: readonly string[], exitCode: number, reason: string])[] = [
      [['open', '--title', 'x'], 2, 'wrong_usage'],
      [['open', '--title', 'x', '--text', 'y'], 2, 'incident_parts'],
      [['open', '--title', 'x', '--text', 'y', '--part', 'console'], 2, 'wrong_usage'],
      [['open', '--title', 'x'.repeat(121), '--text', 'y', '--part', 'api'], 2, 'incident_title'],
      [['open', '--title', 'x', '--text', 'y', '--part', 'api', '--from', '+1h'], 2, 'incident_start'],
      [['open', '--title', 'x', '--text', 'y', '--found', 'inc_none'], 4, 'incident_unknown'],
      [['update', 'inc_none', '--text', 'x'], 4, 'incident_unknown'],
      [['update', id], 2, 'incident_unchanged'],
      [['update', id, '--state', 'resolved', '--text', 'x'], 2, 'wrong_usage'],
      [['update', id, '--state', 'monitoring'], 2, 'incident_text'],
      [['update', id, '--review', 'x'], 5, 'incident_not_resolved'],
      [['update', over.id, '--text', 'x'], 5, 'incident_resolved'],
      [['close', over.id, '--text', 'x'], 5, 'incident_resolved'],
      [['close', id, '--text', 'x', '--to', '-1h'], 2, 'incident_end'],
    ];
    for (const [argv, exitCode, reason] of refusals) {
      const outcome = await mdapi('incidents', ...argv, '--json');
      const { error } = JSON.parse(outcome.stdout) as { error: Record<string, unknown> };
      assert.deepEqual([outcome.exitCode, error.reason], [exitCode, reason], argv.join(' '));
    }
  });
});
