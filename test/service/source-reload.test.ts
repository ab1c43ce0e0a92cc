import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { runInside } from '../../src/cli/cli.testing.ts';
import { systemClock } from '../../src/ground/clock.ts';
import { leaveTicket } from '../../src/operator/ticket.ts';
import { ManagementClient } from '../support/management-client.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const token = 'a-configured-token-of-good-length';

interface Reloaded {
  readonly sources: readonly string[];
  readonly changes: readonly string[];
}
interface Refused {
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly field: string }[];
}
interface Entries {
  readonly entries: readonly { readonly actor: string; readonly action: string; readonly summary: string }[];
}

/** Nobody listens there. */
const nobody = { rest: 'http://127.0.0.1:1', ws: 'ws://127.0.0.1:1' };

describe('the sources of a running service are reloaded', () => {
  const cleanups: (() => unknown)[] = [];
  let service: ServiceHarness;
  let operator: ManagementClient;
  let mdapi: (...argv: readonly string[]) => ReturnType<typeof runInside>;
  /** What stands in the configuration. */
  let written: Readonly<Record<string, string>> = {};
  const sources = (...more: readonly object[]) => {
    const { restUrl, wsUrl } = service.simulator;
    return { sources: JSON.stringify([{ id: 'kraken', urls: { rest: restUrl, ws: wsUrl } }, ...more]) };
  };
  const bitvavo = { id: 'bitvavo', urls: nobody, paused: true };
  const shown = async () => {
    const { body } = await operator.get<{ sources: { id: string; paused: boolean }[] }>('/api/feed');
    return body.sources.map(({ id, paused }) => (paused ? `${id} paused` : id));
  };
  const reloads = async () => {
    const { body } = await operator.get<Entries>('/api/audit?limit=200');
    return body.entries
      .filter(({ action }) => action === 'sources.reload')
      .map(({ actor, summary }) => [actor, summary]);
  };

  before(async () => {
    service = await ServiceHarness.start(
      { after: (run) => cleanups.push(run as () => unknown) },
      { settings: { 'admin.token': token }, settingsFrom: () => written },
    );
    operator = ManagementClient.withToken(service.service.adminUrl, token);
    mdapi = (...argv) => {
      const env = { MDAPI_ADMIN_PORT: new URL(service.service.adminUrl).port };
      return runInside(argv, { cwd: service.directory, env, clock: systemClock });
    };
  });
  after(async () => {
    for (const run of cleanups) await run();
  });

  test('over the management API, by whoever asks', async () => {
    written = sources(bitvavo);
    const { status, body } = await operator.post<Reloaded>('/api/sources/reload');
    assert.deepEqual(
      [status, body],
      [
        200,
        {
          sources: ['kraken', 'bitvavo'],
          changes: ['added bitvavo', 'order kraken, bitvavo'],
          changeCodes: [
            { code: 'added', values: { source: 'bitvavo' } },
            { code: 'order', values: { sources: ['kraken', 'bitvavo'] } },
          ],
        },
      ],
    );
    assert.deepEqual(await shown(), ['kraken', 'bitvavo paused']);
    assert.deepEqual(await reloads(), [
      ['configuration', 'Reloaded the sources: added bitvavo; order kraken, bitvavo.'],
    ]);
  });

  test('a paused one is listed as paused on the command line', async () => {
    const listed = await mdapi('sources', 'list');
    assert.match(listed.stdout, /^bitvavo +bitvavo +paused +/m);
    assert.match(listed.stdout, /^kraken +kraken +live +open +/m);
  });

  test('by a command, which says what changed and is in the audit log with its user', async () => {
    written = { ...sources(bitvavo), 'pricing.sources': '{"BTCEUR":["kraken"]}' };
    const done = await mdapi('sources', 'reload');
    assert.deepEqual([done.exitCode, done.stdout, done.stderr], [0, 'pricing.sources\n', '']);
    assert.deepEqual((await reloads())[0], ['cli:tester', 'Reloaded the sources: pricing.sources.']);
    const again = await mdapi('sources', 'reload', '--json');
    assert.deepEqual(JSON.parse(again.stdout), { sources: ['kraken', 'bitvavo'], changes: [], changeCodes: [] });
    assert.equal((await mdapi('sources', 'reload')).stdout, 'Nothing has changed.\n');
    assert.equal((await reloads()).length, 2);
  });

  test('a refusal names what is wrong and changes nothing, for a program and for a person', async () => {
    const known = written;
    written = { ...sources(), 'limits.key': '61' };
    const { status, body } = await operator.post<Refused>('/api/sources/reload');
    assert.deepEqual([status, body.code], [409, 'CONFLICT']);
    assert.deepEqual(
      body.errors?.map(({ field }) => field),
      ['limits.key'],
    );
    const refused = await mdapi('sources', 'reload');
    assert.deepEqual([refused.exitCode, refused.stdout], [3, '']);
    assert.match(refused.stderr, /refused, and nothing was changed\. .*limits\.key: changes only with a restart/);
    written = sources({ id: 'krakn' });
    const misspelt = await mdapi('sources', 'reload');
    assert.match(misspelt.stderr, /did you mean "kraken"/);
    assert.deepEqual(await shown(), ['kraken', 'bitvavo paused']);
    assert.equal((await reloads()).length, 2);
    written = known;
  });

  test('without a server the command says so', async () => {
    const env = { MDAPI_ADMIN_PORT: '1' };
    const inside = { cwd: service.directory, env, clock: systemClock };
    const { exitCode, stderr } = await runInside(['sources', 'reload'], inside);
    assert.equal(exitCode, 1);
    assert.match(stderr, /No server answers at http:\/\/127\.0\.0\.1:1\./);
  });

  test('the ticket of a command is worth one operation once, and whoever listens in the server’s place gets nothing (fault row 112)', async () => {
    const { adminUrl } = service.service;
    const challengeOf = async () =>
      (await new ManagementClient(adminUrl).post<{ challenge: string }>('/api/challenges')).body;
    const answered = async (operation: string) => {
      const { challenge } = await challengeOf();
      await service.withStore((store) => leaveTicket(store, { challenge, operation }, 'cli:zoe'));
      return new ManagementClient(adminUrl, { authorization: `Challenge ${challenge}` });
    };
    const reloading = await answered('reloadSources');
    assert.equal((await reloading.get<Refused>('/api/overview')).body.code, 'INVALID_TOKEN');
    assert.equal((await reloading.post<Refused>('/api/sources/reload')).body.code, 'INVALID_TOKEN');
    const reading = await answered('readOverview');
    assert.equal((await reading.get('/api/overview')).status, 200);
    assert.equal((await reading.get<Refused>('/api/overview')).body.code, 'INVALID_TOKEN');
    // One who listens there sees a challenge that it made up, or one that is worth what the command wanted anyway.
    const heard: (string | undefined)[] = [];
    const stranger = createServer((request, response) => {
      heard.push(request.headers.authorization);
      response.setHeader('content-type', 'application/json').end('{"challenge":"made-up"}');
    });
    await once(stranger.listen(0, '127.0.0.1'), 'listening');
    const { port } = stranger.address() as AddressInfo;
    const inside = { cwd: service.directory, env: { MDAPI_ADMIN_PORT: String(port) }, clock: systemClock };
    assert.equal((await runInside(['sources', 'reload'], inside)).exitCode, 1);
    stranger.close();
    assert.deepEqual(heard, [undefined, 'Challenge made-up']);
    const replayed = new ManagementClient(adminUrl, { authorization: heard[1]! });
    assert.equal((await replayed.post<Refused>('/api/sources/reload')).body.code, 'INVALID_TOKEN');
  });
});
