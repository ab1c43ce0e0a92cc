import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { MailServer, readMail } from '../../test/support/mail-server.ts';
import type { EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import type { AlertChange, AlertFact } from '../store/alerts.ts';
import { openFixture } from '../store/store.testing.ts';
import type { Store } from '../store/store.ts';
import { type AlertDestination, alertBody, alertMail } from './alert-message.ts';
import { Alerting, testDeliveries } from './alerting.ts';
import { from, smtpOf } from './notices.testing.ts';
import { WebhookReceiver } from './webhook-receiver.testing.ts';

const baseUrl = 'https://api.example.com';
const places = { service: baseUrl, console: 'https://admin.example.com' };
const consoleUrl = 'https://admin.example.com/console/#/alerts';
const runbookUrl = 'https://admin.example.com/runbook#sourcelost';
const rules = { endAfterMs: 120_000, repeatAfterMs: 0, escalateAfterMs: undefined, escalateTo: [] };
const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const every = ['source', 'status', 'record', 'certificate', 'keys', 'maintenance'];
const none = { url: undefined, secret: undefined, chat: undefined, to: undefined, events: every };
const ops: AlertDestination = { ...none, name: 'ops', kind: 'webhook', url: 'http://127.0.0.1:1/T0P', secret };
const lost: AlertFact = {
  name: 'SourceLost',
  subject: 'kraken',
  event: 'source',
  severity: 'warning',
  summary: 'kraken: no connection for 25 s',
};
const window: AlertFact = {
  name: 'Maintenance',
  subject: '2026-11-21T10:00:00.000Z',
  event: 'maintenance',
  severity: 'info',
  summary: 'maintenance until 2026-11-21T11:00:00.000Z: disks',
  isExact: true,
};

async function begin(t: TestContext) {
  const fixture = await openFixture(t);
  const { store, clock } = fixture;
  const logged: unknown[] = [];
  const log = { ...silentLog, info: note, warn: note, error: note };
  function note(...entry: unknown[]) {
    logged.push(entry);
  }
  /** A process with facts of its own. */
  const open = (
    facts: { now: readonly AlertFact[] | undefined },
    own: Store = store,
    destinations = [ops],
    mail?: MailServer,
    more: object = {},
  ) => {
    const alerting = new Alerting({
      store: own,
      clock,
      log,
      randomness: seededRandomness(3),
      places: () => places,
      alerts: { ...rules, ...more, destinations },
      facts: () => facts.now?.map((fact) => ({ ...fact, isDue: true })),
      mail: mail && { smtp: smtpOf(mail), from },
    });
    alerting.start();
    t.after(() => alerting.stop());
    return alerting;
  };
  /** One look after the other: each waits for the database. */
  const pass = async (spanMs: number) => {
    for (let passed = 0; passed < spanMs; passed += 5_000) {
      await clock.advance(5_000);
      await store.alerts.list();
      await store.alerts.list();
    }
  };
  const told = async () => {
    const all = await store.deliveries.list({ limit: 200 });
    return all.toReversed().map(({ content }) => {
      const { name, endedAt }: AlertChange = JSON.parse(content);
      return `${name} ${endedAt === undefined ? 'on' : 'over'}`;
    });
  };
  return { ...fixture, open, pass, told, logged };
}

describe('an alert', { concurrency: true }, () => {
  test('is told once, and its end once when it is well for a while', async (t) => {
    const { open, pass, told, store } = await begin(t);
    const facts = { now: [lost] as readonly AlertFact[] };
    open(facts);
    await pass(5_000);
    assert.deepEqual(await told(), ['SourceLost on']);
    await pass(600_000);
    assert.equal((await store.alerts.list())[0]?.summary, lost.summary);
    facts.now = [];
    await pass(115_000);
    assert.deepEqual(await told(), ['SourceLost on']);
    await pass(5_000);
    assert.deepEqual(await told(), ['SourceLost on', 'SourceLost over']);
    assert.deepEqual(await store.alerts.list(), []);
    await pass(600_000);
    assert.equal((await told()).length, 2);
  });

  test('that flaps is told once', async (t) => {
    const { open, pass, told } = await begin(t);
    const facts = { now: [] as readonly AlertFact[] };
    open(facts);
    for (let round = 0; round < 10; round++) {
      facts.now = [lost];
      await pass(30_000);
      facts.now = [];
      await pass(100_000);
    }
    assert.deepEqual(await told(), ['SourceLost on']);
  });

  test('of maintenance is told at once, and only to who wants to know', async (t) => {
    const { open, pass, store } = await begin(t);
    const facts = { now: [window] as readonly AlertFact[] };
    open(facts, store, [ops, { ...ops, name: 'other', events: ['source'] }]);
    await pass(5_000);
    facts.now = [];
    await pass(20_000);
    const all = await store.deliveries.list({ limit: 9 });
    assert.deepEqual(
      all.map(({ destination }) => destination),
      ['ops', 'ops'],
    );
  });

  test('is told by one of several processes, and is on while any of them sees it', async (t) => {
    const { open, pass, told } = await begin(t);
    const [one, other] = [{ now: [lost] as readonly AlertFact[] }, { now: [lost] as readonly AlertFact[] }];
    open(one);
    open(other);
    await pass(30_000);
    assert.deepEqual(await told(), ['SourceLost on']);
    one.now = [];
    await pass(300_000);
    assert.deepEqual(await told(), ['SourceLost on']);
    other.now = [];
    await pass(130_000);
    assert.deepEqual(await told(), ['SourceLost on', 'SourceLost over']);
  });

  test('goes on over a restart, and its end is told by a process that has looked for long enough', async (t) => {
    const { open, pass, told, clock, openAnother } = await begin(t);
    const first = open({ now: [lost] });
    await pass(20_000);
    await first.stop();
    clock.jump(3_600_000);
    const facts = { now: undefined as readonly AlertFact[] | undefined };
    open(facts, await openAnother());
    await pass(300_000);
    facts.now = [];
    await pass(115_000);
    assert.deepEqual(await told(), ['SourceLost on']);
    await pass(10_000);
    assert.deepEqual(await told(), ['SourceLost on', 'SourceLost over']);
  });

  test('leaves no secret in the store or the log when it cannot be delivered', async (t) => {
    const { open, pass, store, clock, logged } = await begin(t);
    open({ now: [lost] });
    await pass(30_000);
    await eventually('an attempt failed', async () => {
      await clock.advance(1_000);
      const [delivery] = await store.deliveries.list({ limit: 1 });
      return delivery?.lastError !== undefined;
    });
    const written = JSON.stringify([logged, await store.deliveries.list({ limit: 1 })]);
    assert.ok(!written.includes('T0P') && !written.includes(secret));
    assert.ok(logged.length > 0);
  });

  test('arrives as a mail, with the id of its delivery', async (t) => {
    const mail = await MailServer.start(t);
    const { open, store, clock } = await begin(t);
    const team: AlertDestination = { ...none, name: 'team', kind: 'mail', to: 'team@example.net' };
    const [id] = await store.deliveries.add(testDeliveries(team, clock.now()));
    open({ now: [] }, store, [team], mail);
    await eventually('the mail arrived', () => mail.accepted.length === 1);
    const { headers } = readMail(mail.accepted[0]!.raw);
    assert.deepEqual([headers.get('message-id'), headers.get('subject')], [`<${id}@example.com>`, '[info] Test: team']);
  });

  test('that a mail server refuses leaves no address in the log of deliveries', async (t) => {
    const mail = await MailServer.start(t);
    mail.answer = Object.assign(new Error('no such user <team@example.net>'), { responseCode: 550 });
    const { open, store, clock, logged } = await begin(t);
    const team: AlertDestination = { ...none, name: 'team', kind: 'mail', to: 'team@example.net' };
    await store.deliveries.add(testDeliveries(team, clock.now()));
    open({ now: [] }, store, [team], mail);
    const failed = await eventually('it has failed', async () => {
      const [found] = await store.deliveries.list({ limit: 1 });
      return found?.status === 'failed' && found;
    });
    assert.match(failed.lastError ?? '', /550 no such user <\(the address\)>/);
    assert.ok(!JSON.stringify([failed, logged]).includes('team@'));
  });

  test('arrives at a destination although another one does not answer', async (t) => {
    const [slow, quick] = [await WebhookReceiver.start(t), await WebhookReceiver.start(t)];
    slow.answer = () => {};
    const { open, store, clock } = await begin(t);
    const both = [
      { ...ops, name: 'slow', url: slow.url },
      { ...ops, name: 'quick', url: quick.url },
    ];
    await store.deliveries.add(both.flatMap((each) => testDeliveries(each, clock.now())));
    open({ now: [] }, store, both);
    await eventually('it arrived', () => quick.requests.length === 1);
  });
});

describe('the body of an alert', () => {
  const at = Date.parse('2026-11-21T10:00:00.000Z') as EpochMs;
  const values = { source: 'kraken' };
  const raised: AlertChange = { ...lost, id: 'alr_1', raisedAt: at, summary: 'a <b> & c', values };
  const ended: AlertChange = { ...raised, endedAt: (at + 60_000) as EpochMs };
  const bodyOf = (kind: Exclude<AlertDestination['kind'], 'mail'>, change: AlertChange) =>
    alertBody({ kind, secret: 'R0UTE', chat: '-100' }, change, places) as Record<string, string>;

  test('is plain JSON for a webhook', () => {
    const data = {
      id: 'alr_1',
      name: 'SourceLost',
      subject: 'kraken',
      event: 'source',
      severity: 'warning',
      summary: 'a <b> & c',
      values: { source: 'kraken' },
      raisedAt: '2026-11-21T10:00:00.000Z',
      raisedAtMs: at,
      endedAt: null,
      endedAtMs: null,
      isStill: false,
      repeats: 0,
      service: baseUrl,
      environment: null,
      consoleUrl,
      runbookUrl,
    };
    assert.deepEqual(bodyOf('webhook', raised), { type: 'alert.raised', timestamp: '2026-11-21T10:00:00.000Z', data });
    assert.deepEqual(bodyOf('webhook', ended), {
      type: 'alert.ended',
      timestamp: '2026-11-21T10:01:00.000Z',
      data: { ...data, endedAt: '2026-11-21T10:01:00.000Z', endedAtMs: at + 60_000 },
    });
  });

  test('is a message for Slack and for Telegram, each with its own markup left without effect', () => {
    const said = '🟠 [warning] SourceLost: kraken\na <b> & c\nsince 2026-11-21T10:00:00.000Z, https://api.example.com';
    const text = `${said}\nRunbook: ${runbookUrl}\nAcknowledge (signed in): ${consoleUrl}`;
    assert.deepEqual(bodyOf('slack', raised), { text: text.replace('<b> &', '&lt;b&gt; &amp;') });
    assert.deepEqual(bodyOf('telegram', raised), { chat_id: '-100', text, disable_notification: false });
    assert.match(bodyOf('slack', ended).text!, /^✅ \[ended\] SourceLost: kraken\n/);
  });

  test('is a subject and a text for a mail', () => {
    const { subject, text } = alertMail(ended, places);
    assert.equal(subject, '[ended] SourceLost: kraken');
    assert.match(
      text!,
      /^✅ .*\na <b> & c\nfrom .*:00:00.000Z to .*:01:00.000Z, https:.*\nRunbook: .*\n\nAlert alr_1\n$/,
    );
  });

  test('triggers and resolves one incident of PagerDuty, also in a test', () => {
    const { dedup_key } = bodyOf('pagerduty', raised);
    assert.deepEqual(bodyOf('pagerduty', raised), {
      routing_key: 'R0UTE',
      dedup_key,
      event_action: 'trigger',
      payload: {
        summary: 'SourceLost: a <b> & c',
        source: baseUrl,
        severity: 'warning',
        timestamp: '2026-11-21T10:00:00.000Z',
        component: 'kraken',
        group: 'source',
        class: 'SourceLost',
      },
      client: 'Market Data API',
      client_url: consoleUrl,
      links: [{ href: runbookUrl, text: 'Runbook' }],
    });
    assert.deepEqual(bodyOf('pagerduty', ended), { routing_key: 'R0UTE', dedup_key, event_action: 'resolve' });
    assert.match(dedup_key!, /^[0-9a-f]{32}$/);
    assert.equal(bodyOf('pagerduty', { ...raised, id: 'alr_2' }).dedup_key, dedup_key, 'of whichever process');
    assert.notEqual(bodyOf('pagerduty', { ...raised, subject: 'bitvavo' }).dedup_key, dedup_key);
    const tests = testDeliveries({ name: 'duty', kind: 'pagerduty' }, at).map(({ content }) => JSON.parse(content).id);
    assert.deepEqual(tests, [`alr_test${at}`, `alr_test${at}`]);
  });

  test('names the environment first in whatever people read, and in a field for programs', () => {
    const test = { ...places, environment: 'Test' };
    const told = (kind: 'webhook' | 'slack' | 'telegram' | 'pagerduty', change: AlertChange) =>
      alertBody({ kind, secret: 'R0UTE', chat: '-100' }, change, test) as {
        data: { environment: string };
        text: string;
        payload: { summary: string };
      };
    assert.equal(alertMail(raised, test).subject, '[Test] [warning] SourceLost: kraken');
    assert.equal(alertMail(ended, test).subject, '[Test] [ended] SourceLost: kraken');
    assert.match(told('slack', raised).text, /^🟠 \[Test\] \[warning\] /);
    assert.match(told('telegram', ended).text, /^✅ \[Test\] \[ended\] /);
    assert.equal(told('webhook', raised).data.environment, 'Test');
    assert.equal(told('pagerduty', raised).payload.summary, '[Test] SourceLost: a <b> & c');
  });

  test('holds no secret but the routing key of PagerDuty, whatever its texts say', () => {
    const sly: AlertChange = { ...raised, summary: '{secret} {chat} {summary}', subject: '{secret}' };
    for (const kind of ['webhook', 'slack', 'telegram'] as const)
      assert.ok(!JSON.stringify(bodyOf(kind, sly)).includes('R0UTE'), kind);
    assert.equal(JSON.stringify(bodyOf('pagerduty', sly)).split('R0UTE').length, 2);
    assert.match(alertMail(sly, places).text, /\n\{secret\} \{chat\} \{summary\}\n/);
  });
});
