import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { silentLog } from '../ground/log.ts';
import type { AlertFact } from '../store/alerts.ts';
import { openFixture } from '../store/store.testing.ts';
import type { Store } from '../store/store.ts';
import { AlertClaims, type SharedNames } from './alert-claims.ts';
import type { AlertDestination } from './alert-message.ts';
import { Alerting } from './alerting.ts';
import { WebhookReceiver } from './webhook-receiver.testing.ts';

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const lost: AlertFact = {
  name: 'SourceLost',
  subject: 'kraken',
  event: 'source',
  severity: 'warning',
  summary: 'kraken: no connection for 25 s',
};
const unreachable: AlertFact = { ...lost, name: 'StoreUnreachable', subject: 'service', severity: 'critical' };
const rules = { endAfterMs: 120_000, repeatAfterMs: 0, escalateAfterMs: undefined, escalateTo: [] };

type Mood = 'answers' | 'refuses' | 'never answers';

/** A store that can go: each question is refused then, or is never answered. */
function fickle(store: Store) {
  const state = { mood: 'answers' as Mood, isDeaf: (_method: string) => true };
  const part = <Part extends object>(of: Part): Part =>
    new Proxy(of, {
      get(target, name) {
        const method = Reflect.get(target, name) as (...values: unknown[]) => unknown;
        if (typeof method !== 'function') return method;
        return (...values: unknown[]) => {
          if (state.mood === 'answers' || !state.isDeaf(String(name))) return method.apply(target, values);
          if (state.mood === 'refuses') return Promise.reject(new Error('no connection'));
          return new Promise(() => {});
        };
      },
    });
  return { state, store: { alerts: part(store.alerts), deliveries: part(store.deliveries) } };
}

/** Names that processes share, as Redis keeps them; it can be gone too. */
function namesInMemory() {
  const values = new Map<string, string>();
  const state = { isGone: false };
  const assertThere = () => {
    if (state.isGone) throw new Error('no connection');
  };
  const names: SharedNames = {
    async claim(name, value) {
      assertThere();
      return values.getOrInsertComputed(name, () => value);
    },
    async prolong() {
      assertThere();
    },
    async release(name) {
      assertThere();
      values.delete(name);
    },
  };
  return { names, state };
}

async function begin(t: TestContext) {
  const fixture = await openFixture(t);
  const receiver = await WebhookReceiver.start(t);
  const second = await WebhookReceiver.start(t);
  const { store, clock } = fixture;
  const none = { url: undefined, secret, chat: undefined, to: undefined, events: ['source'] };
  const destinations: AlertDestination[] = [
    { ...none, name: 'ops', kind: 'webhook', url: receiver.url },
    { ...none, name: 'duty', kind: 'webhook', url: second.url },
  ];
  const logged: string[] = [];
  const write = (_: object, message: string) => void logged.push(message);
  const log = { ...silentLog, info: write, warn: write, error: write };
  let seed = 3;
  /** One more process, with a store that can go for it alone. */
  const open = (facts: { now: readonly AlertFact[] }, more: object = {}, names?: SharedNames) => {
    const own = fickle(store);
    const alerting = new Alerting({
      store: own.store,
      clock,
      log,
      randomness: seededRandomness(seed++),
      mail: undefined,
      places: () => ({ service: 'https://api.example.com', console: 'https://admin.example.com' }),
      alerts: { ...rules, destinations: destinations.slice(0, 1), ...more },
      facts: () => facts.now.map((fact) => ({ ...fact, isDue: true })),
      claims: names && new AlertClaims(names, seededRandomness(seed++)),
    });
    alerting.start();
    t.after(() => alerting.stop());
    return { state: own.state, stop: () => alerting.stop() };
  };
  const told = ({ requests }: WebhookReceiver = receiver) =>
    requests.map(({ body }) => {
      const { type, data } = JSON.parse(body);
      return `${data.name} ${type.replace('alert.', '')}`;
    });
  /** Look by look, so that what is sent over sockets comes through meanwhile. */
  const pass = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += 5_000) {
      await clock.advance(5_000);
      await store.alerts.list();
    }
  };
  const until = (what: string, is: () => unknown) =>
    eventually(what, async () => {
      await clock.advance(1_000);
      return is();
    });
  return { ...fixture, receiver, second, destinations, open, told, pass, until, logged };
}

describe('alerts without their store', { concurrency: true }, () => {
  for (const mood of ['refuses', 'never answers'] as const) {
    test(`are sent within ten seconds while it ${mood}, ends too, and are written down once when it answers`, async (t) => {
      const { store, clock, receiver, open, told, pass, until, logged } = await begin(t);
      const facts = { now: [] as readonly AlertFact[] };
      const { state } = open(facts);
      await pass(10_000);
      state.mood = mood;
      facts.now = [unreachable];
      const from = clock.now();
      await until('it was told', () => told().length === 1);
      assert.ok(clock.now() - from <= 10_000, `${clock.now() - from} ms`);
      facts.now = [];
      await until('its end was told', () => told().length === 2);
      assert.deepEqual(await store.deliveries.list({ limit: 9 }), []);
      facts.now = [lost];
      await until('another was told', () => told().length === 3);
      const { raisedAtMs, id } = JSON.parse(receiver.requests[2]!.body).data;
      await pass(60_000);
      state.mood = 'answers';
      await pass(300_000);
      assert.deepEqual(told(), ['StoreUnreachable raised', 'StoreUnreachable ended', 'SourceLost raised']);
      const [alert, ...others] = await store.alerts.list();
      assert.deepEqual([alert?.id, alert?.raisedAt, others], [id, raisedAtMs, []]);
      const kept = (await store.deliveries.list({ limit: 9 })).toReversed();
      assert.deepEqual(
        kept.map(({ content, status }) => `${JSON.parse(content).name} ${JSON.parse(content).step} ${status}`),
        ['StoreUnreachable raised sent', 'StoreUnreachable ended sent', 'SourceLost raised sent'],
      );
      for (const { createdAt, sentAt } of kept) assert.ok(sentAt! - createdAt <= 2_000, 'with their instants');
      facts.now = [];
      await until('that one is over too', () => told().length === 4);
      assert.deepEqual(await store.alerts.list(), []);
      assert.equal(logged.filter((message) => message.startsWith('the store does not answer')).length, 1);
    });
  }

  test('are sent once where it goes after they were written and before they were sent', async (t) => {
    const { store, open, told, pass, until } = await begin(t);
    const { state } = open({ now: [lost] });
    state.isDeaf = (method) => method === 'claimMany';
    state.mood = 'refuses';
    await until('it is written', async () => (await store.alerts.list()).length === 1);
    state.isDeaf = () => true;
    await until('it was told', () => told().length === 1);
    await pass(60_000);
    state.mood = 'answers';
    await pass(300_000);
    assert.deepEqual(told(), ['SourceLost raised']);
    assert.equal((await store.deliveries.list({ limit: 9 }))[0]?.status, 'sent');
  });

  test('are sent once where it goes after they were sent and before that was recorded', async (t) => {
    const { store, open, told, pass, until } = await begin(t);
    const { state } = open({ now: [lost] });
    state.isDeaf = (method) => method === 'settle';
    state.mood = 'never answers';
    await until('it was told', () => told().length === 1);
    state.isDeaf = () => true;
    await pass(300_000);
    state.mood = 'answers';
    await pass(300_000);
    assert.deepEqual(told(), ['SourceLost raised']);
    assert.equal((await store.deliveries.list({ limit: 9 }))[0]?.status, 'sent');
  });

  test('keep their order, and are tried again until their receiver takes them', async (t) => {
    const { open, receiver, told, pass, until } = await begin(t);
    const facts = { now: [lost] as readonly AlertFact[] };
    const { state } = open(facts);
    state.mood = 'refuses';
    receiver.answer = (response) => response.writeHead(500).end();
    await until('it was tried', () => told().length === 1);
    facts.now = [];
    await pass(130_000);
    receiver.answer = undefined;
    const refused = receiver.requests.length;
    await until('both were taken', () => receiver.requests.length === refused + 2);
    assert.deepEqual(told().slice(refused), ['SourceLost raised', 'SourceLost ended']);
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id']);
    assert.equal(new Set(ids).size, 2, 'each under one id');
  });

  test('do not end where only other processes saw them', async (t) => {
    const { store, clock, open, told, pass } = await begin(t);
    await store.alerts.take({ ...lost, id: 'alr_1', step: 'raised', raisedAt: clock.now() }, []);
    const { state } = open({ now: [] });
    await pass(10_000);
    state.mood = 'refuses';
    await pass(300_000);
    assert.deepEqual(told(), []);
  });

  test('are told by one of several processes while Redis answers, with one row when the store does', async (t) => {
    const { store, open, told, pass, until } = await begin(t);
    const { names } = namesInMemory();
    const facts = { now: [] as readonly AlertFact[] };
    const processes = [0, 1, 2].map(() => open(facts, {}, names));
    await pass(10_000);
    for (const { state } of processes) state.mood = 'refuses';
    facts.now = [lost, unreachable];
    await until('both were told', () => told().length === 2);
    await pass(60_000);
    assert.deepEqual(told().toSorted(), ['SourceLost raised', 'StoreUnreachable raised']);
    facts.now = [lost];
    await until('the end of one was told', () => told().length === 3);
    await pass(60_000);
    for (const { state } of processes) state.mood = 'answers';
    await pass(60_000);
    assert.equal((await store.alerts.list()).length, 1);
    facts.now = [];
    await until('the end of the other was told', () => told().length === 4);
    await pass(60_000);
    assert.equal(told().length, 4);
  });

  test('are told by each of several processes once where Redis is gone too, and end once when the store answers', async (t) => {
    const { store, open, told, pass, until } = await begin(t);
    const { names, state: redis } = namesInMemory();
    const facts = { now: [] as readonly AlertFact[] };
    const processes = [0, 1, 2].map(() => open(facts, {}, names));
    await pass(10_000);
    redis.isGone = true;
    for (const { state } of processes) state.mood = 'refuses';
    facts.now = [lost];
    await pass(60_000);
    assert.deepEqual(told(), ['SourceLost raised', 'SourceLost raised', 'SourceLost raised']);
    for (const { state } of processes) state.mood = 'answers';
    await pass(60_000);
    assert.equal((await store.alerts.list()).length, 1);
    facts.now = [];
    await until('its end was told', () => told().length === 4);
    await pass(60_000);
    assert.equal(told().length, 4);
  });

  test('that hold over a restart are told again as still so, where nothing says that they were told', async (t) => {
    const { open, receiver, told, pass, until } = await begin(t);
    const first = open({ now: [lost] });
    first.state.mood = 'refuses';
    await until('it was told', () => told().length === 1);
    await first.stop();
    const facts = { now: [lost] as readonly AlertFact[] };
    open(facts);
    await until('it was told again', () => told().length === 2);
    facts.now = [lost, unreachable];
    await until('another was told', () => told().length === 3);
    await pass(10_000);
    assert.deepEqual(
      receiver.requests.map(({ body }) => JSON.parse(body).data.isStill),
      [true, true, false],
    );
  });
});

describe('an alert that nobody acknowledges', { concurrency: true }, () => {
  const minuteMs = 60_000;
  const again = { repeatAfterMs: 10 * minuteMs, escalateAfterMs: 5 * minuteMs, escalateTo: ['duty'] };

  test('is told to others after a time, then again to all, and its end to all who were told', async (t) => {
    const { open, told, pass, until, second, destinations } = await begin(t);
    const facts = { now: [lost] as readonly AlertFact[] };
    open(facts, { ...again, destinations });
    await until('it was told', () => told().length === 1);
    await pass(4 * minuteMs);
    assert.deepEqual(told(second), []);
    await until('others were told', () => told(second).length === 1);
    await pass(4 * minuteMs);
    assert.deepEqual(told(), ['SourceLost raised']);
    await until('it was told again', () => told().length === 2 && told(second).length === 2);
    facts.now = [];
    await until('its end was told', () => told().length === 3 && told(second).length === 3);
    assert.deepEqual(told(), ['SourceLost raised', 'SourceLost repeated', 'SourceLost ended']);
    assert.deepEqual(told(second), ['SourceLost escalated', 'SourceLost repeated', 'SourceLost ended']);
  });

  test('is told again also without the store', async (t) => {
    const { open, told, pass, until } = await begin(t);
    const { state } = open({ now: [lost] }, { repeatAfterMs: 10 * minuteMs });
    state.mood = 'refuses';
    await until('it was told', () => told().length === 1);
    await pass(20 * minuteMs);
    await until('it was told again, twice', () => told().length === 3);
    assert.deepEqual(told(), ['SourceLost raised', 'SourceLost repeated', 'SourceLost repeated']);
  });

  test('is told no more once it is acknowledged, but its end is', async (t) => {
    const { store, open, told, pass, until, second, destinations } = await begin(t);
    const facts = { now: [lost] as readonly AlertFact[] };
    open(facts, { ...again, destinations });
    await until('it was told', () => told().length === 1);
    await store.alerts.acknowledge('SourceLost');
    await pass(12 * minuteMs);
    facts.now = [];
    await until('its end was told', () => told().length === 2);
    assert.deepEqual([told(), told(second)], [['SourceLost raised', 'SourceLost ended'], []]);
  });

  test('and was acknowledged before the store went is not told again without it', async (t) => {
    const { store, open, told, pass, until } = await begin(t);
    const { state } = open({ now: [lost] }, { repeatAfterMs: minuteMs });
    await until('it was told', () => told().length === 1);
    await store.alerts.acknowledge('SourceLost');
    await pass(10_000);
    state.mood = 'refuses';
    await pass(10 * minuteMs);
    assert.equal(told().length, 1);
  });

  test('of severity info is never told again', async (t) => {
    const { open, told, pass, until } = await begin(t);
    open({ now: [{ ...lost, severity: 'info' }] }, { repeatAfterMs: minuteMs });
    await until('it was told', () => told().length === 1);
    await pass(10 * minuteMs);
    assert.equal(told().length, 1);
  });
});
