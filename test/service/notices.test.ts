import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ApiKey, digestOf, generateApiKey, lastFourOf } from '../../src/access/api-key.ts';
import type { EpochMs } from '../../src/ground/clock.ts';
import { systemRandomness } from '../../src/ground/clock.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { MailServer, readMail } from '../support/mail-server.ts';
import { ServiceHarness } from '../support/service-harness.ts';

const minuteMs = 60_000;
const password = 'Tr0ub4dor-and-3';

/** A key with a limit of two requests a minute. */
async function slowKey(harness: ServiceHarness): Promise<{ key: ApiKey; keyId: string }> {
  const key = generateApiKey(systemRandomness);
  const { accountId } = harness.credentials;
  const { id } = await harness.withStore(({ keys }) =>
    keys.insert({ accountId, digest: digestOf(key), lastFour: lastFourOf(key), label: 'slow bot', limitPerMinute: 2 }),
  );
  return { key, keyId: id };
}

/** Asks five times in each of this many minutes. Returns the statuses. */
async function exceed(harness: ServiceHarness, key: ApiKey, minutes: number): Promise<number[]> {
  const api = await ApiClient.of(harness.service.baseUrl, key);
  const statuses: number[] = [];
  await eventually('the key is known', async () => (await api.get('/v1/time')).status !== 401);
  for (let minute = 0; minute < minutes; minute++) {
    harness.clock.shift(minuteMs - (harness.clock.now() % minuteMs));
    for (let time = 0; time < 5; time++) statuses.push((await api.get('/v1/time')).status);
  }
  harness.clock.shift(minuteMs);
  return statuses;
}

describe('a key that exceeds its limit', { concurrency: true }, () => {
  test('in three minutes brings its holder one mail', async (t) => {
    const mail = await MailServer.start(t);
    const settings = { 'mail.smtp': `smtp://127.0.0.1:${mail.port}`, 'mail.from': 'Market data <api@example.com>' };
    const harness = await ServiceHarness.start(t, { settings });
    const { key, keyId } = await slowKey(harness);
    const statuses = await exceed(harness, key, 2);
    assert.deepEqual(statuses, [200, 200, 429, 429, 429, 200, 200, 429, 429, 429]);
    await eventually('the breaches are written down', () =>
      harness.withStore(async ({ breaches }) => (await breaches.listOf(keyId, 0 as EpochMs)).length >= 2),
    );
    assert.equal(mail.whole.length, 0, 'two minutes are not enough');
    await exceed(harness, key, 1);
    harness.clock.shift(4_000);
    await eventually('the mail', () => mail.accepted.length > 0);

    const [received] = mail.accepted;
    assert.deepEqual([received?.from, received?.to], ['api@example.com', ['client@example.com']]);
    const { headers, text } = readMail(received?.raw ?? '');
    assert.equal(headers.get('auto-submitted'), 'auto-generated');
    assert.ok(text.includes(`"slow bot" ending in ${key.slice(-4)}`), text);
    assert.ok(text.includes(`${harness.service.baseUrl}/docs#limits`), text);
    assert.match(text, /The limit of the key is 2 requests per minute/);
    assert.ok(!received?.raw.includes(key.slice(0, -4)));
    await exceed(harness, key, 4);
    await eventually(
      'sent',
      async () => (await harness.metrics()).value('mdapi_notice_attempts_total', { outcome: 'sent' }) === 1,
    );
    assert.equal(mail.accepted.length, 1);
    const docs = await (await fetch(`${harness.service.baseUrl}/docs`)).text();
    assert.ok(docs.includes('id="limits"'), 'where the mail leads to');
  });

  test('has its notice wait while the mail server refuses the login, and no password is written anywhere', async (t) => {
    const mail = await MailServer.start(t, {
      options: {
        allowInsecureAuth: true,
        onAuth: (_auth, _session, callback) => callback(new Error(`${password} is wrong`)),
      },
    });
    const settings = { 'mail.smtp': `smtp://mdapi:${password}@127.0.0.1:${mail.port}`, 'mail.from': 'api@example.com' };
    const harness = await ServiceHarness.start(t, { settings });
    const { key } = await slowKey(harness);
    await exceed(harness, key, 3);
    harness.clock.shift(4_000);
    await eventually('an attempt failed', () =>
      harness.logged.some((line) => line.includes('a notice could not be sent yet')),
    );
    const [notice] = await harness.withStore(({ notices }) => notices.list({ limit: 1 }));
    assert.deepEqual([notice?.status, notice?.lastError], ['pending', 'login refused (535)']);
    const written = [...harness.logged, await (await harness.admin('/metrics')).text(), JSON.stringify(notice)].join(
      '\n',
    );
    for (const form of [
      password,
      Buffer.from(password).toString('base64'),
      Buffer.from(`\0mdapi\0${password}`).toString('base64'),
    ]) {
      assert.ok(!written.includes(form), form);
    }
    assert.ok(!harness.logged.join('').includes('client@example.com'), 'nor is an address logged');
  });
});
