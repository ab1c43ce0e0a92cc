import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { seededRandomness } from '../../test/support/fake-clock.ts';
import { systemClock } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import { openFixture } from '../store/store.testing.ts';
import { openStore } from '../store/store.ts';
import { Alerting } from './alerting.ts';
import { Subscribing } from './subscribing.ts';
import type { Post } from './webhook.ts';
import { WebhookReceiver } from './webhook-receiver.testing.ts';

const withinMs = 10_000;
const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;

test('strangers who never answer or answer 500 delay neither an honest subscriber nor the operator (fault row 101)', async (t) => {
  const { store: before, clock, outside, path } = await openFixture(t);
  let asked = 0;
  /** Each of a domain of its own; what bounds the requests of an hour is another test's. */
  const subscribe = async (name: string) => {
    if (asked++ % 60 === 0) clock.jump(3_600_001);
    const target = `https://${name}.example/`;
    await before.subscriptions.ask({ kind: 'webhook', target, receiver: target, language: 'en' });
  };
  for (let count = 0; count < 1_400; count++) await subscribe(`failing${count}`);
  await subscribe('honest');
  outside.exec('update subscriptions set confirmed_at_ms = asked_at_ms; delete from subscription_messages');
  for (let count = 0; count < 300; count++) await subscribe(`silent${count}`);

  const store = await openStore({ url: `sqlite:${path}`, clock: systemClock, randomness: seededRandomness(2) });
  t.after(() => store.close());
  const options = { clock: systemClock, log: silentLog, randomness: seededRandomness(3), mail: undefined };
  const attempts: string[] = [];
  const post: Post = async (url, { signal }) => {
    attempts.push(url);
    if (url.includes('failing')) return new Response(null, { status: 500 });
    if (url.includes('honest')) return new Response(null, { status: 204 });
    const { promise, reject } = Promise.withResolvers<never>();
    signal?.addEventListener('abort', () => reject(signal.reason));
    return promise;
  };
  const place = () => ({ name: 'Example', baseUrl: 'https://api.example.com' });
  const subscribing = new Subscribing({ ...options, store, kinds: ['webhook'], place, post });
  subscribing.start();
  t.after(() => subscribing.stop());
  await eventually('requests to confirm are under way', () => attempts.some((url) => url.includes('silent')));

  const operator = await WebhookReceiver.start(t);
  const ops = { name: 'ops', kind: 'webhook', url: operator.url, secret, events: ['source'] } as const;
  const lost = {
    name: 'SourceLost',
    subject: 'kraken',
    event: 'source',
    severity: 'warning',
    summary: 'lost',
  } as const;
  const alerting = new Alerting({
    ...options,
    store,
    alerts: {
      destinations: [{ ...ops, chat: undefined, to: undefined }],
      endAfterMs: 120_000,
      repeatAfterMs: 0,
      escalateAfterMs: undefined,
      escalateTo: [],
    },
    facts: () => [{ ...lost, isDue: true }],
    places: () => ({ service: 'https://api.example.com', console: 'https://admin.example.com' }),
  });
  const startedMs = performance.now();
  alerting.start();
  t.after(() => alerting.stop());
  await store.statusRecords.addIncident({
    component: 'market-data',
    state: 'outage',
    from: systemClock.now(),
    to: undefined,
  });
  const tookMs = async (what: string, is: () => unknown) => {
    await eventually(what, is, 60_000);
    return performance.now() - startedMs;
  };
  const [toOperator, toHonest] = await Promise.all([
    tookMs('the operator is told', () => operator.requests.length === 1),
    tookMs('the honest one is told', () => attempts.some((url) => url.includes('honest'))),
  ]);
  assert.ok(toOperator < withinMs && toHonest < withinMs, `${toOperator} ms, ${toHonest} ms`);

  await eventually(
    'each that fails was tried',
    () => attempts.filter((url) => url.includes('failing')).length >= 1_400,
    60_000,
  );
  const all = performance.now() - startedMs;
  const tokens = () => Number(outside.prepare('select count(*) as rows from subscription_tokens').get()?.rows);
  const tried = new Set(attempts).size;
  assert.ok(tokens() <= tried, `${tokens()} rows of ${attempts.length} attempts`);
  assert.ok(all < 60_000, `${all} ms`);
  t.diagnostic(`operator ${Math.round(toOperator)} ms, honest ${Math.round(toHonest)} ms, all ${Math.round(all)} ms`);
});
