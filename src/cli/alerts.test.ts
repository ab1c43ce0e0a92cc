import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { systemClock } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import type { AlertDestination } from '../notices/alert-message.ts';
import { Alerting } from '../notices/alerting.ts';
import { WebhookReceiver } from '../notices/webhook-receiver.testing.ts';
import type { AlertFact } from '../store/alerts.ts';
import { openStore } from '../store/store.ts';
import { newOperator, type Operator } from './cli.testing.ts';

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const ops = { name: 'ops', kind: 'webhook', allowHttp: true, secret, events: ['source'] };
const lost: AlertFact = {
  name: 'SourceLost',
  subject: 'kraken',
  event: 'source',
  severity: 'warning',
  summary: 'kraken: no connection for 25 s',
};

/** An operator whose destinations are two, and a process that tells them what is so. */
async function begin(t: TestContext, facts: readonly AlertFact[] = []) {
  const receiver = await WebhookReceiver.start(t);
  const destinations = [
    { ...ops, url: `${receiver.url}?T0P` },
    { name: 'duty', kind: 'pagerduty', url: receiver.url, allowHttp: true, secret: 'R0UTE', events: ['record'] },
  ];
  const operator = newOperator(t, { MDAPI_ALERTS_DESTINATIONS: JSON.stringify(destinations) });
  await operator.text('accounts', 'create', '--email', 'holder@example.net');
  const url = `sqlite:${operator.directory}/mdapi.sqlite`;
  const store = await openStore({ url, clock: systemClock, randomness: seededRandomness(1) });
  const all = destinations.map((each) => ({ chat: undefined, to: undefined, ...each }) as AlertDestination);
  const alerting = new Alerting({
    store,
    mail: undefined,
    places: () => ({ service: 'https://api.example.com', console: 'https://admin.example.com' }),
    alerts: { destinations: all, endAfterMs: 120_000, repeatAfterMs: 0, escalateAfterMs: undefined, escalateTo: [] },
    facts: () => facts.map((fact) => ({ ...fact, isDue: true })),
    clock: systemClock,
    randomness: seededRandomness(2),
    log: silentLog,
  });
  t.after(async () => {
    await alerting.stop();
    await store.close();
  });
  return { operator, receiver, store, alerting };
}

async function refused(operator: Operator, ...argv: string[]) {
  const { exitCode, stderr } = await operator.mdapi(...argv);
  return [exitCode, stderr] as const;
}

describe('mdapi alerts', { concurrency: true }, () => {
  test('list shows what is on and where it goes, by names alone', async (t) => {
    const { operator, store } = await begin(t);
    assert.match(await operator.text('alerts', 'list'), /^No alert is on\.\n/);
    await store.alerts.take({ ...lost, id: 'alr_1', step: 'raised', raisedAt: systemClock.now() }, []);
    const { stdout, stderr } = await operator.mdapi('alerts', 'list');
    assert.match(
      stdout,
      /ALERT +SUBJECT +SEVERITY +ACKNOWLEDGED +SUMMARY\n.* SourceLost +kraken +warning +-? *kraken: no conn/,
    );
    assert.match(`${stdout}${stderr}`, /Told to: ops \(webhook\), duty \(pagerduty\)\./);
    const json = await operator.text('alerts', 'list', '--json');
    assert.deepEqual(JSON.parse(json).destinations[1], {
      name: 'duty',
      kind: 'pagerduty',
      events: ['record'],
      isSecond: false,
    });
    for (const hidden of ['T0P', 'R0UTE', secret]) assert.ok(!`${stdout}${stderr}${json}`.includes(hidden), hidden);
  });

  test('acknowledge says who knows of it, by id or by name, once', async (t) => {
    const { operator, store } = await begin(t);
    await store.alerts.take({ ...lost, id: 'alr_1', step: 'raised', raisedAt: systemClock.now() }, []);
    assert.match(await operator.text('alerts', 'acknowledge', 'SourceLost'), /^Acknowledged SourceLost: kraken\.\n$/);
    assert.match(await operator.text('alerts', 'list'), / kraken +warning +cli:\S+ +kraken: no conn/);
    assert.match(await operator.text('alerts', 'acknowledge', 'alr_1'), /had acknowledged it already/);
    const [exitCode, stderr] = await refused(operator, 'alerts', 'acknowledge', 'RateGone');
    assert.deepEqual([exitCode, stderr.includes('No alert RateGone is on.')], [4, true]);
  });

  test('test sends one through the service, and says what became of it', async (t) => {
    const { operator, receiver, alerting } = await begin(t);
    alerting.start();
    const { deliveries } = await operator.json<{ deliveries: Record<string, unknown>[] }>('alerts', 'test');
    assert.deepEqual(deliveries.map(({ destination, status, isEnd }) => `${destination} ${status} ${isEnd}`).sort(), [
      'duty sent false',
      'duty sent true',
      'ops sent false',
    ]);
    const incidents = receiver.requests.map(({ body }) => JSON.parse(body).event_action).filter(Boolean);
    assert.deepEqual(incidents, ['trigger', 'resolve']);
    receiver.answer = (response) => response.writeHead(410).end();
    const { exitCode, stdout } = await operator.mdapi('alerts', 'test', 'ops');
    assert.equal(exitCode, 1);
    assert.match(stdout, / ops +failed +1 +Test ops +HTTP 410/);
    const log = await operator.text('alerts', 'deliveries', '--destination', 'ops');
    assert.match(log, /^CREATED +DESTINATION +STATE +ATTEMPTS +ALERT +NOTE\n.* failed .*\n.* sent /);
    assert.ok(!log.includes('duty'));
  });

  test('test refuses a destination that there is not, and needs one', async (t) => {
    const { operator } = await begin(t);
    const [exitCode, stderr] = await refused(operator, 'alerts', 'test', 'opps');
    assert.equal(exitCode, 4);
    assert.match(stderr, /There is no destination opps: there are ops, duty\./);
    assert.match(
      (await refused(operator, 'alerts', 'test', 'ops', 'opps'))[1],
      /There is no destination opps: there are/,
    );
    assert.match(await operator.text('alerts', 'deliveries'), /^No deliveries\.\n$/);
    assert.equal((await refused(operator, 'alerts', 'deliveries', '--limit', '0'))[0], 2);
    const bare = newOperator(t);
    await bare.text('accounts', 'create', '--email', 'holder@example.net');
    assert.match((await refused(bare, 'alerts', 'test'))[1], /none is configured \(alerts\.destinations\)/);
  });
});
