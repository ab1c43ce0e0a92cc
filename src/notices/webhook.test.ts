import assert from 'node:assert/strict';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { describe, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { silentLog } from '../ground/log.ts';
import type { ClaimedDelivery } from '../store/deliveries.ts';
import { openFixture } from '../store/store.testing.ts';
import type { RetryingSender } from './send-mail.ts';
import { Teller } from './teller.ts';
import { sendWebhook } from './webhook.ts';
import { WebhookReceiver } from './webhook-receiver.testing.ts';

const key = Buffer.alloc(32, 7);
const secret = `whsec_${key.toString('base64')}`;
const never = new AbortController().signal;

/** Checks as the libraries of Standard Webhooks do it. */
function isSigned({ headers, body }: { headers: Record<string, unknown>; body: string }): boolean {
  const [version, given = ''] = String(headers['webhook-signature']).split(',');
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const own = createHmac('sha256', key).update(text).digest();
  return version === 'v1' && timingSafeEqual(own, Buffer.from(given, 'base64'));
}

describe('a webhook', { concurrency: true }, () => {
  test('is signed over id, time and body, as Standard Webhooks are', async (t) => {
    const receiver = await WebhookReceiver.start(t);
    const clock = new FakeClock();
    const webhook = { url: receiver.url, id: 'dlv_1', body: '{"a":"ř"}', secret };
    assert.deepEqual(await sendWebhook(webhook, clock, never), { kind: 'accepted' });
    const [request] = receiver.requests;
    assert.equal(request!.headers['webhook-timestamp'], String(clock.now() / 1_000));
    assert.ok(isSigned(request!));
    assert.ok(!isSigned({ ...request!, body: `${request!.body} ` }));
  });

  test('follows no redirect, reads no body, and tells nothing that the receiver or the URL says', async (t) => {
    const receiver = await WebhookReceiver.start(t);
    const target = await WebhookReceiver.start(t);
    const clock = new FakeClock();
    const url = `${receiver.url}?token=T0P`;
    const send = () => sendWebhook({ url, id: 'dlv_1', body: '{}' }, clock, never);
    receiver.answer = (response) => response.writeHead(307, { location: target.url }).end('T0P');
    assert.deepEqual(await send(), { kind: 'postponed', reason: 'HTTP 307: redirects are not followed' });
    assert.equal(target.requests.length, 0);
    // Without an end: whoever read it would wait for ever.
    receiver.answer = (response) => response.writeHead(500, 'T0P').write('T0P'.repeat(100_000));
    assert.deepEqual(await send(), { kind: 'postponed', reason: 'HTTP 500' });
    receiver.answer = (response) => response.writeHead(429, { 'retry-after': '99999' }).end();
    assert.deepEqual(await send(), { kind: 'postponed', reason: 'HTTP 429', retryAfterMs: 3_600_000 });
    receiver.answer = (response) => response.writeHead(410).end();
    assert.deepEqual(await send(), { kind: 'refused', reason: 'HTTP 410' });
    const gone = { url: target.url, id: 'dlv_1', body: '{}' };
    await target.close();
    assert.deepEqual(await sendWebhook(gone, clock, never), { kind: 'postponed', reason: 'ECONNREFUSED' });
  });

  test('is given up after ten seconds without an answer, and when the process stops', async (t) => {
    const receiver = await WebhookReceiver.start(t);
    receiver.answer = () => {};
    const clock = new FakeClock();
    const late = sendWebhook({ url: receiver.url, id: 'dlv_1', body: '{}' }, clock, never);
    await eventually('it arrived', () => receiver.requests.length === 1);
    await clock.advance(10_000);
    assert.deepEqual(await late, { kind: 'postponed', reason: 'no answer in 10 s' });
    const stopping = new AbortController();
    const stopped = sendWebhook({ url: receiver.url, id: 'dlv_1', body: '{}' }, clock, stopping.signal);
    await eventually('it arrived', () => receiver.requests.length === 2);
    stopping.abort();
    assert.deepEqual(await stopped, { kind: 'postponed', reason: 'the process stopped' });
  });
});

const retry = { minMs: 5_000, maxMs: 600_000, jitter: 'equal' } as const;
const giveUpAfterMs = 3 * 86_400_000;

describe('the outbox of alerts', { concurrency: true }, () => {
  const start = async (t: Parameters<typeof openFixture>[0]) => {
    const fixture = await openFixture(t);
    const receiver = await WebhookReceiver.start(t);
    const { store, clock } = fixture;
    const logged: unknown[] = [];
    const write = (...entry: unknown[]) => logged.push(entry);
    const log = { ...silentLog, info: write, warn: write, error: write };
    class Telling extends Teller<RetryingSender> {
      protected async look() {}
      protected async prune() {}
      protected send({ id, content }: ClaimedDelivery, stopping: AbortSignal) {
        return sendWebhook({ url: `${receiver.url}?T0P`, id, body: content, secret }, clock, stopping);
      }
    }
    const open = (outbox: Pick<typeof store.deliveries, 'claimMany' | 'settle'> = store.deliveries) => {
      const options = { clock, log, randomness: seededRandomness(3), mail: undefined };
      const telling = new Telling(options, {
        lanes: [{ name: 'alerts', outbox, couriers: 1, retry, giveUpAfterMs }],
        noun: 'an alert',
        failure: 'error',
      });
      telling.start();
      t.after(() => telling.stop());
      return telling;
    };
    const [id] = await store.deliveries.add([{ destination: 'ops', content: '{"n":1}' }]);
    const settled = (status: string, attempts: number) =>
      eventually(`${status} after ${attempts}`, async () => {
        if (status === 'sent') await clock.advance(1_000);
        const [found] = await store.deliveries.list({ limit: 1 });
        const isSettled = found?.status === status && found.claimedUntil === undefined;
        return isSettled && found.attempts === attempts ? found : undefined;
      });
    return { ...fixture, receiver, open, id, settled, logged };
  };

  test('tries again after a fault, also when another process takes over, with the same id', async (t) => {
    const { receiver, open, clock, settled, openAnother, id, logged } = await start(t);
    receiver.answer = (response) => response.writeHead(500).end();
    const first = open();
    const { nextAttemptAt, lastError } = await settled('pending', 1);
    const delayMs = nextAttemptAt - clock.now();
    assert.ok(delayMs >= 2_500 && delayMs <= 5_000, String(delayMs));
    assert.equal(lastError, 'HTTP 500');
    await first.stop();
    receiver.answer = undefined;
    open((await openAnother()).deliveries);
    assert.equal((await settled('sent', 2)).lastError, undefined);
    assert.deepEqual(
      receiver.requests.map(({ headers }) => headers['webhook-id']),
      [id, id],
    );
    assert.ok(receiver.requests.every(isSigned));
    assert.ok(logged.length > 0 && !JSON.stringify(logged).includes('T0P'));
  });

  test('delivers again what a process had claimed that is gone, once its claim is over', async (t) => {
    const { store, clock, receiver, open, id, settled } = await start(t);
    const claimed = await store.deliveries.claim({ leaseMs: 120_000, messageIdDomain: 'example.com' });
    assert.equal(claimed?.id, id);
    open();
    await clock.advance(119_000);
    assert.equal(receiver.requests.length, 0);
    await settled('sent', 2);
    assert.equal(await store.deliveries.settle(claimed!, { status: 'failed', error: 'late' }), false);
  });

  test('delivers again what was accepted where that could not be recorded', async (t) => {
    const { store, open, receiver, settled, id, logged } = await start(t);
    let failures = 1;
    open({
      claimMany: (options, limit) => store.deliveries.claimMany(options, limit),
      settle: async (claim, outcome) => {
        if (failures-- > 0) throw new Error('the disk is full');
        return store.deliveries.settle(claim, outcome);
      },
    });
    await settled('sent', 2);
    assert.deepEqual(
      receiver.requests.map(({ headers }) => headers['webhook-id']),
      [id, id],
    );
    assert.match(JSON.stringify(logged), /an alert cannot be sent or settled/);
  });

  test('waits as long as the receiver asks', async (t) => {
    const { clock, receiver, open, settled } = await start(t);
    receiver.answer = (response) => response.writeHead(503, { 'retry-after': '1800' }).end();
    open();
    assert.equal((await settled('pending', 1)).nextAttemptAt - clock.now(), 1_800_000);
  });

  test('gives up after three days', async (t) => {
    const { clock, receiver, open, settled } = await start(t);
    receiver.answer = (response) => response.writeHead(500).end();
    clock.jump(3 * 86_400_000);
    open();
    assert.equal((await settled('failed', 1)).lastError, 'given up: HTTP 500');
  });
});
