import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runInside } from '../../src/cli/cli.testing.ts';
import { asEpochMs, systemClock } from '../../src/ground/clock.ts';
import type { RequestView } from '../../src/operator/request.ts';
import { eventually } from '../support/eventually.ts';
import { ManagementClient } from '../support/management-client.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const token = 'a-token-of-the-configuration';

/** Runs a command line beside the service, on its database. */
function mdapi(harness: ServiceHarness, ...argv: readonly string[]) {
  const env = { MDAPI_ADMIN_PORT: new URL(harness.service.adminUrl).port };
  return runInside(argv, { cwd: harness.directory, env, clock: systemClock });
}

const logged = ({ logged }: ServiceHarness) =>
  logged.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === 'request');

describe('a request', { concurrency: true }, () => {
  test('that a client quotes the id of is found by every door', async (t) => {
    const harness = await ServiceHarness.start(t, { settings: { 'admin.token': token }, untilLive: false });
    const { api, credentials } = harness;
    const { status, headers, body } = await api.get('/v1/ticker?symbol=NONE');
    const { requestId } = JSON.parse(String(body)) as { requestId: string };
    assert.deepEqual([status, headers['x-request-id']], [404, requestId]);
    const expected = { requestId, route: '/v1/ticker', status: 404, code: 'UNKNOWN_SYMBOL', keyId: credentials.keyId };

    const management = ManagementClient.withToken(harness.service.adminUrl, token);
    const found = await management.get<RequestView>(`/api/requests/${requestId}`);
    const { at, atMs, durationMs, bytes, ...rest } = found.body;
    assert.deepEqual(rest, expected);
    assert.equal(bytes, Buffer.byteLength(body));
    assert.ok(durationMs >= 0 && new Date(atMs).toISOString() === at);
    assert.deepEqual(await (await harness.admin(`/requests/${requestId}`)).json(), found.body);

    const shown = await mdapi(harness, 'requests', requestId.toUpperCase());
    assert.equal(shown.exitCode, 0, shown.stderr);
    assert.match(shown.stdout, /^Request +[0-9a-f]{32}\nAnswered +\S+Z, in [\d.]+ ms\nRoute +\/v1\/ticker\n/);
    assert.match(
      shown.stdout,
      /Answer +404 UNKNOWN_SYMBOL\nSize +\d+ bytes\nKey +key_\w+ "" of client@example\.com \(acc_/,
    );
    assert.deepEqual(JSON.parse((await mdapi(harness, 'requests', requestId, '--json')).stdout), found.body);
    assert.deepEqual(logged(harness), [], 'nothing is logged of requests unless configured');
  });

  test('without a valid key is found too, and one that nobody made is not', async (t) => {
    const harness = await ServiceHarness.start(t, { settings: { 'admin.token': token }, untilLive: false });
    const refused = await harness.api.get('/v1/time', { key: null });
    const id = String(refused.headers['x-request-id']);
    const known = (await (await harness.admin(`/requests/${id}`)).json()) as RequestView;
    assert.deepEqual([known.status, known.code, known.keyId], [401, 'MISSING_API_KEY', null]);

    const other = '0'.repeat(32);
    const unknown = await mdapi(harness, 'requests', other);
    assert.equal(unknown.exitCode, 4);
    assert.match(unknown.stderr, /does not know the request 0{32}, or not any more/);
    const management = ManagementClient.withToken(harness.service.adminUrl, token);
    assert.equal((await management.get(`/api/requests/${other}`)).status, 404);
    assert.equal((await management.get('/api/requests/none')).status, 400);
    assert.equal((await new ManagementClient(harness.service.adminUrl).get(`/api/requests/${id}`)).status, 401);
    assert.equal((await mdapi(harness, 'requests', 'none')).exitCode, 2);
    const { adminUrl } = harness.service;
    await harness.stopService();
    const env = { MDAPI_ADMIN_PORT: new URL(adminUrl).port };
    const alone = await runInside(['requests', id], { cwd: harness.directory, env, clock: systemClock });
    assert.equal(alone.exitCode, 1);
    assert.match(alone.stderr, /No server answers at http:\/\/127\.0\.0\.1:\d+/);
  });

  for (const [access, statuses] of [
    ['refused', [404, 401]],
    // The harness itself asks for the OpenAPI document first.
    ['all', [200, 200, 404, 401]],
  ] as const) {
    test(`is logged with its id and never its key, with logs.access ${access}`, async (t) => {
      const harness = await ServiceHarness.start(t, { settings: { 'logs.access': access }, untilLive: false });
      const { api, credentials } = harness;
      await api.get('/v1/status');
      const ids = [
        (await api.get('/v1/nowhere')).headers['x-request-id'],
        (await api.get('/v1/time', { key: 'mdk_no' })).headers['x-request-id'],
      ];
      const entries = logged(harness);
      assert.deepEqual(
        entries.map(({ status }) => status),
        statuses,
      );
      const [, second] = entries.slice(-2);
      const first = entries.at(-2)!;
      assert.deepEqual([first.requestId, second?.requestId], ids);
      const { level, time, durationMs, bytes, msg, ...rest } = first;
      assert.deepEqual(
        [level, typeof time, typeof durationMs, typeof bytes, msg],
        [30, 'number', 'number', 'number', 'request'],
      );
      const { keyId } = credentials;
      assert.deepEqual(rest, { requestId: ids[0], route: 'unmatched', status: 404, code: 'NOT_FOUND', keyId });
      assert.deepEqual([second?.code, second?.keyId], ['INVALID_API_KEY', null]);
    });
  }
});

test('the log says when the service starts and stops, and when maintenance begins and ends', async (t) => {
  const harness = await ServiceHarness.start(t, { untilLive: false });
  const { clock } = harness;
  const entries = () => harness.logged.map((line) => JSON.parse(line) as Record<string, unknown>);
  const says = (text: string) => eventually(text, () => entries().find(({ msg }) => msg === text));
  const { version, port, privateListener } = await says('the service has started');
  const { service } = harness;
  assert.deepEqual([version, port, privateListener], ['1.0.0', service.port, service.adminUrl]);
  const from = clock.now();
  const to = asEpochMs(from + 3_600_000);
  // What the first look at the store finds in the audit log is not new.
  await harness.withStore(({ windows }) =>
    windows.announce({ from: to, to: asEpochMs(to + 60_000), description: 'Later' }),
  );
  await eventually('the first look', async () => {
    const summary = await (await fetch(`${service.baseUrl}/status/summary.json`)).text();
    return summary.includes('Later');
  });
  const { id } = await harness.withStore(({ windows }) => windows.announce({ from, to, description: 'Disks' }));
  assert.equal((await says('maintenance begins')).until, new Date(to).toISOString());
  await harness.withStore(({ windows }) => windows.end(id));
  await says('maintenance ends');
  const actions = entries().filter(({ msg }) => msg === 'an entry of the audit log');
  assert.deepEqual(actions.map(({ action }) => action).slice(-2), ['window.announce', 'window.end']);
  await harness.stopService();
  const last = entries().map(({ msg }) => msg);
  assert.ok(last.includes('the service is stopping'));
  assert.equal(last.at(-1), 'the service has stopped');
});
