import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { takeTicket } from '../operator/ticket.ts';
import { openStore, type Store } from '../store/store.ts';
import { newDirectory, runInside } from './cli.testing.ts';

const clock = new FakeClock('2026-11-21T10:00:00.000Z');

async function openedStore(t: TestContext, directory: string): Promise<Store> {
  const url = `sqlite:${join(directory, 'mdapi.sqlite')}`;
  const store = await openStore({ url, clock, randomness: seededRandomness(1) });
  t.after(() => store.close());
  return store;
}

const create = ['accounts', 'create', '--email', 'bot@example.com'];

/** Gives the actor of the latest entry. */
async function actorFor(t: TestContext, argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const cwd = newDirectory(t);
  const outcome = await runInside(argv, { cwd, env, clock });
  assert.equal(outcome.exitCode, 0, outcome.stderr);
  const store = await openedStore(t, cwd);
  return (await store.audit.page({ limit: 1 })).items[0]?.actor;
}

describe('a change of the command line is recorded', () => {
  it('under the user of the system where nobody is named', async (t) => {
    assert.equal(await actorFor(t, create), 'cli:tester');
    assert.equal(await actorFor(t, create, { SUDO_USER: '' }), 'cli:tester');
    assert.equal(await actorFor(t, create, { SUDO_USER: 'tester' }), 'cli:tester');
  });

  it('under whom sudo names, as said by the user of the system', async (t) => {
    assert.equal(await actorFor(t, create, { SUDO_USER: 'alice' }), 'cli:alice (said by tester)');
    assert.equal(await actorFor(t, create, { SUDO_USER: 'EXAMPLE\\al\nice' }), 'cli:EXAMPLE-al-ice (said by tester)');
  });

  it('under whom --as names, whatever sudo does', async (t) => {
    const as = ['--as', 'Alice B.'];
    assert.equal(await actorFor(t, [...create, ...as], { SUDO_USER: 'bob' }), 'cli:Alice B. (said by tester)');
    assert.equal(await actorFor(t, [...as, ...create]), 'cli:Alice B. (said by tester)');
  });

  it('not at all under what is no name', async (t) => {
    const cwd = newDirectory(t);
    for (const name of ['', ' a', 'oidc:alice', 'a (said by b)', 'x'.repeat(61), 'a\u001b[31m']) {
      const outcome = await runInside([...create, `--as=${name}`], { cwd, clock });
      assert.equal(outcome.exitCode, 2, name);
      assert.match(outcome.stderr, /--as: ".*" is not a name: it begins with a letter or digit/);
      assert.ok(!outcome.stderr.includes('\u001b'));
    }
  });

  it('under the same name where the running service makes it', async (t) => {
    const cwd = newDirectory(t);
    const store = await openedStore(t, cwd);
    const actors: (string | undefined)[] = [];
    const server = createServer(async (request, response) => {
      if (request.url === '/api/challenges') return response.end(JSON.stringify({ challenge: 'c' }));
      const ticket = { challenge: 'c', operation: 'reloadSources' };
      actors.push(await takeTicket(store, ticket, clock.now()));
      return response.end(JSON.stringify({ changes: [] }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const env = { MDAPI_ADMIN_PORT: String((server.address() as AddressInfo).port), SUDO_USER: 'alice' };
    assert.equal((await runInside(['sources', 'reload'], { cwd, env, clock })).exitCode, 0);
    assert.equal((await runInside(['sources', 'reload', '--as', 'bob'], { cwd, env, clock })).exitCode, 0);
    assert.deepEqual(actors, ['cli:alice (said by tester)', 'cli:bob (said by tester)']);
  });
});
