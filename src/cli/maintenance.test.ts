import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { newDirectory, newOperator, runInside } from './cli.testing.ts';

interface Window {
  readonly id: string;
  readonly state: string;
  readonly from: string;
  readonly to: string;
  readonly toMs: number;
  readonly seenByClients: object;
}

describe('maintenance windows', () => {
  it('are announced, extended, ended and cancelled', async (t) => {
    const { json, text } = newOperator(t);
    await json('accounts', 'create', '--email', 'a@b');
    const announce = ['maintenance', 'announce', '--description', 'Database upgrade'] as const;
    const running = await json<Window>(...announce, '--from', '-5m', '--to', '+20m');
    assert.equal(running.state, 'running');
    const extended = await json<Window>('maintenance', 'extend', running.id, '--to', '+1h');
    assert.equal(extended.toMs, running.toMs + 3_600_000, 'a span counts from its end');
    const toMs = extended.toMs + 60_000;
    const moved = await json<Window>('maintenance', 'extend', running.id, '--to', new Date(toMs).toISOString());
    assert.equal(moved.toMs, toMs);
    const planned = await json<Window>(...announce, '--from', '+1d', '--to', '+2d');
    assert.equal(planned.state, 'announced');
    const list = await text('maintenance', 'list');
    assert.match(list, /^ID +STATE +FROM +TO +DESCRIPTION\nwin_\w+ +running .* Database upgrade\nwin_\w+ +announced /);
    assert.equal((await json<Window>('maintenance', 'end', running.id)).state, 'ended');
    assert.equal((await json<Window>('maintenance', 'cancel', planned.id)).state, 'cancelled');
    assert.equal(await text('maintenance', 'list'), 'No maintenance windows.\n');
    const all = await json<{ windows: Window[] }>('maintenance', 'list', '--all');
    assert.deepEqual(
      all.windows.map(({ state }) => state),
      ['ended', 'cancelled'],
    );
  });

  it('are announced with what clients will see', async (t) => {
    const cwd = newDirectory(t);
    const clock = new FakeClock('2026-11-21T10:00:00.000Z');
    const seen =
      '{"maintenance":{"from":"2026-11-21T21:00:00.000Z","fromMs":1795294800000,"to":"2026-11-21T22:30:00.000Z","toMs":1795300200000,"description":"Upgrade"}}';
    await runInside(['accounts', 'create', '--email', 'a@b'], { cwd, clock });
    const argv = ['maintenance', 'announce', '--from', '2026-11-21T22:00+01:00', '--to', '2026-11-21T22:30:00.000Z'];
    const planned = await runInside([...argv, '--description', 'Upgrade'], { cwd, clock });
    assert.equal(planned.exitCode, 0);
    assert.match(planned.stdout, /^From +2026-11-21T21:00:00Z$/m);
    assert.ok(planned.stdout.includes(`now  GET /v1/status answers 200 and shows the window:\n     ${seen}\n`));
    assert.ok(planned.stdout.includes('503 SERVICE_MAINTENANCE with Retry-After'));
    const second = await runInside([...argv, '--description', 'Upgrade', '--json'], { cwd, clock });
    assert.deepEqual({ maintenance: (JSON.parse(second.stdout) as Window).seenByClients }, JSON.parse(seen));
    assert.match(second.stderr, /^It overlaps win_\w+ \(2026-11-21T21:00:00Z to 2026-11-21T22:30:00Z\)\.\n$/);
  });

  const refusals: readonly (readonly [what: string, argv: readonly string[], exitCode: number, reason: string])[] = [
    ['a window without description', ['announce', '--from', 'now', '--to', '+1h'], 2, 'wrong_usage'],
    [
      'an empty description',
      ['announce', '--from', 'now', '--to', '+1h', '--description', ''],
      2,
      'window_description',
    ],
    ['a window that ends first', ['announce', '--from', '+2h', '--to', '+1h', '--description', 'x'], 2, 'window_order'],
    [
      'a window that is over',
      ['announce', '--from', '2020-01-01T00:00Z', '--to', '2020-01-02T00:00Z', '--description', 'x'],
      2,
      'window_in_past',
    ],
    [
      'a time without zone',
      ['announce', '--from', '2026-12-01T10:00', '--to', '+90d', '--description', 'x'],
      2,
      'wrong_usage',
    ],
    ['an unknown window', ['extend', 'win_none', '--to', '+1h'], 4, 'window_unknown'],
    ['an unknown window to end', ['end', 'win_none'], 4, 'window_unknown'],
    ['an unknown window to cancel', ['cancel', 'win_none'], 4, 'window_unknown'],
    ['ending what has not begun', ['end', 'PLANNED'], 5, 'window_not_running'],
    ['cancelling what runs', ['cancel', 'RUNNING'], 5, 'window_started'],
    ['an extension that shortens', ['extend', 'RUNNING', '--to', 'now'], 5, 'window_not_later'],
  ];
  it('are refused with a reason and an exit code', async (t) => {
    const cwd = newDirectory(t);
    const read = async (...argv: string[]) =>
      JSON.parse((await runInside([...argv, '--json'], { cwd })).stdout) as Window;
    await read('accounts', 'create', '--email', 'a@b');
    const announce = (from: string) =>
      read('maintenance', 'announce', '--from', from, '--to', '+2h', '--description', 'x');
    const ids = new Map([
      ['RUNNING', (await announce('now')).id],
      ['PLANNED', (await announce('+1h')).id],
    ]);
    for (const [what, argv, exitCode, reason] of refusals) {
      const given = argv.map((argument) => ids.get(argument) ?? argument);
      const outcome = await runInside(['maintenance', ...given, '--json'], { cwd });
      const { error } = JSON.parse(outcome.stdout) as { error: Record<string, unknown> };
      assert.deepEqual([outcome.exitCode, error.reason], [exitCode, reason], what);
    }
  });
});
