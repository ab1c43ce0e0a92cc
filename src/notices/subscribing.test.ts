import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { MailServer, readMail } from '../../test/support/mail-server.ts';
import type { EpochMs } from '../ground/clock.ts';
import { openFixture } from '../store/store.testing.ts';
import type { Store } from '../store/store.ts';
import { from, smtpOf } from './notices.testing.ts';
import { Subscribing } from './subscribing.ts';
import { WebhookReceiver } from './webhook-receiver.testing.ts';

const hookUrl = 'https://hooks.example.com/status';

type Kind = 'mail' | 'webhook';

/** The body of a webhook. */
interface Told {
  readonly type: string;
  readonly data: { readonly id: string; readonly state: string };
}

async function begin(t: TestContext) {
  const [fixture, mail, receiver] = [await openFixture(t), await MailServer.start(t), await WebhookReceiver.start(t)];
  const { store, clock } = fixture;
  const logged: unknown[] = [];
  const write = (...entry: unknown[]) => logged.push(entry);
  const log = { debug: write, info: write, warn: write, error: write };
  let seed = 3;
  /** One more process. */
  const open = (own: Store = store, kinds: readonly Kind[] = ['mail', 'webhook'], timeZone?: string) => {
    const subscribing = new Subscribing({
      store: own,
      clock,
      log,
      randomness: seededRandomness(seed++),
      kinds,
      mail: { smtp: smtpOf(mail), from },
      place: () => ({ name: 'Example', baseUrl: 'https://api.example.com', timeZone }),
      post: (_url, request) => fetch(receiver.url, { ...request, method: 'POST', redirect: 'manual' }),
    });
    subscribing.start();
    t.after(() => subscribing.stop());
    return subscribing;
  };
  const pass = (what: string, until: () => unknown) =>
    eventually(what, async () => {
      await clock.advance(1_000);
      return until();
    });
  const subscribe = async (target = 'reader@example.net') => {
    const kind = target.startsWith('https:') ? 'webhook' : 'mail';
    await store.subscriptions.ask({ kind, target, receiver: target, language: 'en' });
    const made = (await store.subscriptions.list()).find((each) => each.target === target)!;
    await store.subscriptions.confirm(await store.subscriptions.token(made, 'confirm', 'dlv_1'));
    return made.id;
  };
  const subjects = () => mail.whole.map(({ raw }) => readMail(raw).headers.get('subject'));
  const told = () => subjects().filter((subject) => subject?.startsWith('Example: '));
  const incident = (state: 'degraded' | 'outage', at: number) =>
    store.statusRecords.addIncident({ component: 'market-data', state, from: at as EpochMs, to: undefined });
  return { ...fixture, mail, receiver, open, pass, subscribe, subjects, told, incident, logged };
}

describe('subscribers', { concurrency: true }, () => {
  test('are told once when an incident begins and when it is over, by several processes and over a restart', async (t) => {
    const { open, openAnother, store, clock, pass, subscribe, told, incident } = await begin(t);
    await subscribe();
    const both = [open(), open()];
    const id = await incident('outage', clock.now());
    await pass('it was told', () => told().length === 1);
    for (const each of both) await each.stop();
    open(await openAnother());
    await clock.advance(60_000);
    await store.statusRecords.endIncident(id, clock.now());
    await pass('its end was told', () => told().length === 2);
    await clock.advance(60_000);
    assert.deepEqual(told(), [
      'Example: Degraded: No market data arrives',
      'Example: Over: No market data arrives (degraded)',
    ]);
  });

  test('are not told by a process that offers no subscriptions', async (t) => {
    const { open, store, clock, subscribe, incident } = await begin(t);
    await subscribe();
    open(store, []);
    const id = await incident('outage', clock.now());
    for (let look = 0; look < 5; look++) {
      await clock.advance(5_000);
      assert.deepEqual(await store.subscriptions.told([id]), []);
    }
  });

  test('are told that an incident changes, and not that it is over, when another goes on from it', async (t) => {
    const { open, store, clock, pass, subscribe, told, incident } = await begin(t);
    await subscribe();
    open();
    const id = await incident('degraded', clock.now());
    await pass('it was told', () => told().length === 1);
    const changedAt = clock.now();
    await store.statusRecords.endIncident(id, changedAt);
    await clock.advance(62_000);
    const next = await incident('outage', changedAt);
    await pass('the change was told', () => told().length === 2);
    await clock.advance(120_000);
    await store.statusRecords.endIncident(next, clock.now());
    await pass('the end was told', () => told().length === 3);
    assert.deepEqual(told(), [
      'Example: Degraded: Market data is degraded',
      'Example: Now degraded: No market data arrives',
      'Example: Over: No market data arrives (degraded)',
    ]);
  });

  test('are told of a silence what clients saw: degraded, and an outage once it has lasted five minutes', async (t) => {
    const { open, store, clock, pass, subscribe, told, incident, receiver, mail } = await begin(t);
    await subscribe();
    await subscribe(hookUrl);
    open(undefined, undefined, 'Europe/Prague');
    const id = await incident('outage', clock.now());
    await pass('it was told', () => told().length === 1);
    await clock.advance(300_000);
    assert.ok(
      mail.whole.some(({ raw }) => raw.includes('Since 2026-11-21 11:00 CET.')),
      'in the zone of the operator',
    );
    await pass('that it is an outage was told', () => told().length === 2);
    await clock.advance(60_000);
    await store.statusRecords.endIncident(id, clock.now());
    await pass('its end was told', () => told().length === 3);
    await clock.advance(200_000);
    assert.deepEqual(told(), [
      'Example: Degraded: No market data arrives',
      'Example: Now outage: No market data arrives',
      'Example: Over: No market data arrives (outage)',
    ]);
    const states = receiver.requests.map(({ body }) => JSON.parse(body) as Told).filter(({ data }) => data.id === id);
    assert.deepEqual(
      states.map(({ type, data }) => `${type} ${data.state}`),
      ['incident.begun degraded', 'incident.updated outage', 'incident.ended outage'],
    );
  });

  test('are told at once that it is an outage, where nobody was told of it before, and not again', async (t) => {
    const { open, clock, pass, subscribe, told, incident } = await begin(t);
    await subscribe();
    await incident('outage', clock.now() - 400_000);
    open();
    await pass('it was told', () => told().length === 1);
    await clock.advance(120_000);
    assert.deepEqual(told(), ['Example: Outage: No market data arrives']);
  });

  test('are not told what was over before they subscribed', async (t) => {
    const { open, store, clock, subscribe, told, incident } = await begin(t);
    const id = await incident('outage', clock.now());
    await store.statusRecords.endIncident(id, clock.now());
    const { id: windowId } = await store.windows.announce({
      from: clock.now(),
      to: (clock.now() + 60_000) as EpochMs,
      description: 'Disks.',
    });
    open();
    await clock.advance(10_000);
    await store.windows.end(windowId);
    await clock.advance(100_000);
    await subscribe();
    await clock.advance(100_000);
    assert.deepEqual(told(), []);
  });

  test('are not told the end of a window that nobody was told of: it came and went while no process ran', async (t) => {
    const { open, store, clock, pass, subscribe, told } = await begin(t);
    await subscribe();
    const to = (clock.now() + 60_000) as EpochMs;
    const announce = (description: string) => store.windows.announce({ from: clock.now(), to, description });
    await store.windows.end((await announce('Disks.')).id);
    await announce('Now.');
    open();
    await pass('it was told', () => told().length > 0);
    await pass('nothing waits', async () => (await store.subscriptionMessages.countPending()) === 0);
    assert.deepEqual(told(), ['Example: Maintenance has begun: Now.']);
  });

  test('are told of a cancelled window, and of one that begins at once only that it has begun', async (t) => {
    const { open, store, clock, pass, subscribe, told } = await begin(t);
    await subscribe();
    open();
    const at = (offsetMs: number) => (clock.now() + offsetMs) as EpochMs;
    const { id } = await store.windows.announce({ from: at(600_000), to: at(900_000), description: 'Disks.' });
    await pass('it was announced', () => told().length === 1);
    await store.windows.cancel(id);
    await pass('it was cancelled', () => told().length === 2);
    await store.windows.announce({ from: at(0), to: at(900_000), description: 'Now.' });
    await pass('it has begun', () => told().length === 3);
    await clock.advance(30_000);
    await pass('nothing waits', async () => (await store.subscriptionMessages.countPending()) === 0);
    assert.deepEqual(told(), [
      'Example: Maintenance announced: Disks.',
      'Example: Maintenance cancelled: Disks.',
      'Example: Maintenance has begun: Now.',
    ]);
  });

  test('are told when a window is announced, changed, begun and over, in this order also where two are noticed late', async (t) => {
    const { open, store, clock, pass, subscribe, told } = await begin(t);
    await subscribe();
    const before = open();
    const at = (offsetMs: number) => (clock.now() + offsetMs) as EpochMs;
    const { id } = await store.windows.announce({ from: at(600_000), to: at(900_000), description: 'Disks.' });
    await pass('it was announced', () => told().length === 1);
    await before.stop();
    await store.windows.extend(id, at(1_200_000));
    clock.jump(610_000);
    open();
    await pass('both were told', () => told().length === 3);
    await store.windows.end(id);
    await pass('its end was told', () => told().length === 4);
    assert.deepEqual(told(), [
      'Example: Maintenance announced: Disks.',
      'Example: Maintenance changed: Disks.',
      'Example: Maintenance has begun: Disks.',
      'Example: Maintenance is over: Disks.',
    ]);
    const made = (await store.subscriptionMessages.list({ limit: 9 })).map(({ createdAt }) => createdAt);
    assert.equal(new Set(made).size, made.length);
  });

  test('are forgotten a day after they were asked and did not confirm, while the process runs', async (t) => {
    const { open, store, clock, pass } = await begin(t);
    open();
    await clock.advance(10_000);
    await store.subscriptions.ask({ kind: 'mail', target: 'a@example.net', receiver: 'a', language: 'en' });
    await clock.advance(10_000);
    assert.equal((await store.subscriptions.list()).length, 1);
    clock.standStill(86_400_000);
    await pass('it was forgotten', async () => (await store.subscriptions.list()).length === 0);
  });

  test('are told each update of an incident that people write and its review, once and in order, by several processes and over a restart', async (t) => {
    const { open, openAnother, store, clock, pass, subscribe, told } = await begin(t);
    await subscribe();
    const both = [open(), open(await openAnother())];
    const { id } = await store.incidents.open({ title: 'Late', text: 'We look.', parts: ['api'] });
    await store.incidents.update(id, { text: 'Found.', state: 'identified' });
    await store.incidents.update(id, { title: 'Prices are late', parts: ['market-data'] });
    await pass('both were told', () => told().length === 2);
    for (const each of both) await each.stop();
    await store.incidents.close(id, { text: 'Over.' });
    open(await openAnother());
    await pass('its end was told', () => told().length === 3);
    clock.jump(7_200_000);
    await store.incidents.update(id, { review: 'A disk.' });
    await store.incidents.update(id, { review: 'Two disks.' });
    await pass('its review was told', () => told().length === 4);
    await clock.advance(60_000);
    assert.deepEqual(told(), [
      'Example: Investigating: Prices are late',
      'Example: Cause identified: Prices are late',
      'Example: Resolved: Prices are late',
      'Example: Review: Prices are late',
    ]);
  });

  test('are not told what was written before yesterday, nor the end of an outage that people said is resolved', async (t) => {
    const { open, store, clock, pass, subscribe, told, incident } = await begin(t);
    await subscribe();
    const { id: old } = await store.incidents.open({ title: 'Old', text: 'We look.', parts: ['api'] });
    clock.jump(86_400_001);
    open();
    const id = await incident('outage', clock.now());
    await pass('it was told', () => told().length === 1);
    await store.incidents.open({ found: id, title: 'The exchange is away', text: 'We wait.' });
    await pass('what people say was told', () => told().length === 2);
    await store.statusRecords.endIncident(id, clock.now());
    await store.incidents.close(id, { text: 'It is back.' });
    await store.incidents.update(old, { text: 'Still.' });
    await pass('the rest was told', () => told().length === 4);
    await clock.advance(200_000);
    assert.deepEqual(told().sort(), [
      'Example: Degraded: No market data arrives',
      'Example: Investigating: Old',
      'Example: Investigating: The exchange is away',
      'Example: Resolved: The exchange is away',
    ]);
  });

  test('with a webhook get what people wrote in their language, with its state and parts', async (t) => {
    const { open, store, receiver, pass } = await begin(t);
    const target = { kind: 'webhook', target: hookUrl, receiver: hookUrl, language: 'cs' } as const;
    await store.subscriptions.ask(target);
    const [made] = await store.subscriptions.list();
    await store.subscriptions.confirm(await store.subscriptions.token(made!, 'confirm', 'dlv_1'));
    open();
    await pass('it was asked', () => receiver.requests.length === 1);
    const words = { title: 'Late', titleCs: 'Pozdě', text: 'We look.', textCs: 'Díváme se.' };
    const { id } = await store.incidents.open({ ...words, parts: ['api'], state: 'monitoring' });
    await pass('it was told', () => receiver.requests.length === 2);
    const { type, data } = JSON.parse(receiver.requests[1]!.body);
    assert.deepEqual(
      [type, data.id, data.state, data.parts, data.title, data.text],
      ['incident.posted', id, 'monitoring', ['api'], 'Sledujeme: Pozdě', 'Díváme se.'],
    );
    assert.deepEqual(data.incident, { en: 'Late', cs: 'Pozdě' });
  });

  test('get no mail twice whose answer was lost', async (t) => {
    const { open, store, clock, mail, pass, subscribe, told, incident } = await begin(t);
    await subscribe();
    mail.atEnd = (_mail, connection) => {
      connection.destroy();
      return undefined;
    };
    open();
    await incident('outage', clock.now());
    const status = async () => (await store.subscriptionMessages.list({ limit: 9 })).map((each) => each.status);
    await pass(
      'it came whole',
      async () => told().length === 1 && (await status()).every((each) => each === 'unconfirmed'),
    );
    await clock.advance(700_000);
    // That it lasts, and is an outage, is another message.
    assert.deepEqual(told().toSorted(), [
      'Example: Degraded: No market data arrives',
      'Example: Now outage: No market data arrives',
    ]);
  });

  test('leave no address in the log, also when the mail server repeats it', async (t) => {
    const { open, store, clock, mail, pass, subscribe, incident, logged } = await begin(t);
    mail.answer = Object.assign(new Error('no such user <reader@example.net>'), { responseCode: 550 });
    await subscribe();
    open();
    await incident('outage', clock.now());
    const all = () => store.subscriptionMessages.list({ limit: 9 });
    await pass('it has failed', async () => (await all()).every(({ status }) => status === 'failed'));
    assert.ok(logged.length > 0 && !JSON.stringify([logged, await all()]).includes('reader@'));
  });

  test('with a webhook confirm it by a message that has the secret, and get signed ones', async (t) => {
    const { open, clock, receiver, pass, store, incident } = await begin(t);
    const subscribing = open();
    assert.equal(await subscribing.ask('webhook', 'https://127.0.0.1/', 'en', '1.2.3.4'), 'malformed');
    assert.equal(await subscribing.ask('webhook', hookUrl, 'en', '1.2.3.4'), undefined);
    await pass('it was asked', () => receiver.requests.length === 1);
    const asked = JSON.parse(receiver.requests[0]!.body);
    assert.equal(asked.type, 'subscription.confirm');
    const url = new URL(asked.data.confirmUrl);
    assert.equal(url.origin + url.pathname, 'https://api.example.com/status/confirm');
    assert.equal(await subscribing.confirm(url.searchParams.get('token')!), true);
    const id = await incident('outage', clock.now());
    await pass('it was told', () => receiver.requests.length === 2);
    const { headers, body } = receiver.requests[1]!;
    const { type, data } = JSON.parse(body);
    assert.deepEqual([type, data.id, data.state, data.component], ['incident.begun', id, 'degraded', 'market-data']);
    const key = Buffer.from(asked.data.secret.slice('whsec_'.length), 'base64');
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    assert.equal(headers['webhook-signature'], `v1,${createHmac('sha256', key).update(content).digest('base64')}`);
    await subscribing.end(new URL(data.endUrl).searchParams.get('token')!);
    assert.deepEqual(await store.subscriptions.list(), []);
  });

  test('are asked to confirm by one attempt, and who refused that is told apart from those who take messages', async (t) => {
    const { open, store, receiver, clock, pass } = await begin(t);
    receiver.answer = (response) => response.writeHead(500).end();
    const subscribing = open();
    await subscribing.ask('webhook', hookUrl, 'en', '1.2.3.4');
    await pass(
      'it was asked',
      async () => (await store.subscriptionMessages.list({ limit: 9 }))[0]?.status === 'failed',
    );
    await clock.advance(600_000);
    assert.equal(receiver.requests.length, 1);
    const [made] = await store.subscriptions.list();
    assert.notEqual(made?.failingSince, undefined);
    const { data } = JSON.parse(receiver.requests[0]!.body);
    assert.equal(await subscribing.confirm(new URL(data.confirmUrl).searchParams.get('token')!), true);
    await store.subscriptions.tell('inc_1', 'begun', '{}');
    const options = { leaseMs: 1_000, messageIdDomain: 'example.com' };
    assert.equal((await store.subscriptionMessages.of('news').claimMany(options, 9)).length, 0);
  });

  test('are asked to confirm five times an hour for one client, and fifteen for an IPv6 /48; each answer is counted', async (t) => {
    const { open, clock } = await begin(t);
    const subscribing = open();
    let count = 0;
    const ask = (client: string) => subscribing.ask('mail', `reader@example${count++}.net`, 'en', client);
    for (let asked = 0; asked < 5; asked++) assert.equal(await ask('1.2.3.4'), undefined);
    assert.equal(typeof (await ask('1.2.3.4')), 'number');
    for (let asked = 0; asked < 15; asked++) assert.equal(await ask(`2001:db8:1:${asked}::/64`), undefined);
    assert.equal(typeof (await ask('2001:db8:1:99::/64')), 'number');
    assert.equal(await ask('2001:db8:2:99::/64'), undefined);
    assert.equal(await subscribing.ask('mail', 'nobody', 'en', '1.2.3.4'), 'malformed');
    assert.deepEqual(subscribing.figures().requests, { asked: 21, malformed: 1, limited: 2 });
    clock.jump(3_600_000);
    assert.equal(await ask('1.2.3.4'), undefined);
  });
});
