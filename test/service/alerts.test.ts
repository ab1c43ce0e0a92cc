import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeliveryView } from '../../src/conditions/alert.ts';
import { after } from '../../src/market/samples.testing.ts';
import { WebhookReceiver } from '../../src/notices/webhook-receiver.testing.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const token = 'an-operator-token-of-this-test';

test('an operator sends a test, is told of maintenance, and finds every attempt in the log, over a restart too', async (t) => {
  const receiver = await WebhookReceiver.start(t);
  const destinations = [
    { name: 'ops', url: `${receiver.url}?T0P`, allowHttp: true, secret },
    { name: 'duty', kind: 'pagerduty', url: receiver.url, allowHttp: true, secret: 'R0UTE', events: ['record'] },
  ];
  const settings = { 'alerts.destinations': JSON.stringify(destinations), 'admin.token': token };
  const harness = await ServiceHarness.start(t, { settings });
  const ask = async <T>(path: string, body?: object): Promise<{ status: number; answer: T }> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const response = await fetch(`${harness.service.adminUrl}/api/alerts${path}`, { headers, ...sent });
    return { status: response.status, answer: (await response.json()) as T };
  };
  const log = async () => (await ask<{ deliveries: DeliveryView[] }>('/deliveries')).answer.deliveries;
  const stateOf = async (id: string | undefined) => (await log()).find((each) => each.id === id);

  receiver.answer = (response) => response.writeHead(500).end();
  const [id] = (await ask<{ deliveries: string[] }>('/test', { destination: 'ops' })).answer.deliveries;
  const failed = await eventually('an attempt', async () => {
    const found = await stateOf(id);
    return found?.lastError != null && found;
  });
  assert.deepEqual([failed.status, failed.lastError], ['pending', 'HTTP 500']);
  await harness.stopService();
  await harness.startService();
  receiver.answer = undefined;
  harness.clock.shift(10_000);
  await eventually('it is sent', async () => (await stateOf(id))?.status === 'sent');
  assert.ok(receiver.requests.length >= 2);
  assert.deepEqual(new Set(receiver.requests.map(({ headers }) => headers['webhook-id'])), new Set([id]));

  const from = harness.clock.now();
  const window = { from, to: after(from, 3_600_000), description: 'disks' };
  await harness.withStore(({ windows }) => windows.announce(window));
  await eventually('it is told', () => receiver.requests.some(({ body }) => body.includes('"Maintenance"')));
  const { answer } = await ask<{ alerts: { name: string }[]; destinations: object[] }>('');
  assert.deepEqual(
    answer.alerts.map(({ name }) => name),
    ['Maintenance'],
  );
  assert.deepEqual(answer.destinations[1], { name: 'duty', kind: 'pagerduty', events: ['record'], isSecond: false });
  assert.equal((await ask('/test', { destination: 'nobody' })).status, 404);
  assert.equal((await ask<{ deliveries: string[] }>('/test', { destination: 'duty' })).answer.deliveries.length, 2);
  await eventually('the incident is resolved', () => receiver.requests.some(({ body }) => body.includes('"resolve"')));

  const metrics = await (await fetch(`${harness.service.adminUrl}/metrics`)).text();
  const written = JSON.stringify([answer, await log(), harness.logged, metrics]);
  for (const hidden of ['T0P', 'R0UTE', secret]) assert.ok(!written.includes(hidden), hidden);
});
