import assert from 'node:assert/strict';
import { after } from 'node:test';
import { WebhookReceiver } from '../../src/notices/webhook-receiver.testing.ts';
import { postgresTest } from '../../src/store/store.testing.ts';
import { eventually } from '../support/eventually.ts';
import { MailServer, readMail } from '../support/mail-server.ts';
import { type PostgresServer, startPostgres } from '../support/postgres.ts';
import { ServiceHarness } from '../support/service-harness.ts';

let shared: Promise<PostgresServer> | undefined;
after(async () => (await shared)?.stop());

const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
/** `StoreUnreachable` is told once it has held for so long. */
const boundMs = 60_000;
const withinMs = 30_000;

postgresTest(
  'a database that is away is told by webhook and mail while it is, its end too, once each and with their instants (fault row 99)',
  async (t) => {
    shared ??= startPostgres();
    const server = await shared;
    const url = await server.newDatabase();
    const [receiver, mail] = [await WebhookReceiver.start(t), await MailServer.start(t)];
    const destinations = [
      { name: 'ops', url: receiver.url, allowHttp: true, secret, events: ['service'] },
      { name: 'team', kind: 'mail', to: 'team@example.net', events: ['service'] },
    ];
    const settings = {
      store: url,
      'mail.smtp': `smtp://127.0.0.1:${mail.port}`,
      'mail.from': 'api@example.com',
      'alerts.destinations': JSON.stringify(destinations),
      'alerts.endAfter': '15s',
    };
    const harness = await ServiceHarness.start(t, { settings });
    const told = () => receiver.requests.map(({ body }) => JSON.parse(body));
    const of = (type: string) =>
      told().filter((each) => each.type === `alert.${type}` && each.data.name === 'StoreUnreachable');
    const mails = () => mail.whole.map(({ raw }) => readMail(raw).headers.get('subject') ?? '');
    const lostAt = Date.now();
    await server.kill();
    const isTold = () => of('raised').length > 0 && mails().some((subject) => /^\[critical\] StoreUnr/.test(subject));
    await eventually('it is told while the database is away', isTold, boundMs + withinMs);
    const { raisedAtMs, runbookUrl } = of('raised')[0].data;
    assert.ok(raisedAtMs >= lostAt + boundMs && raisedAtMs <= lostAt + boundMs + withinMs, `${raisedAtMs - lostAt} ms`);
    assert.match(runbookUrl, /\/runbook#storeunreachable$/);
    assert.match(await (await harness.admin('/runbook')).text(), /<h3 id="storeunreachable">/);
    await server.start();
    const isOver = () => of('ended').length > 0 && mails().some((subject) => /^\[ended\] StoreUnr/.test(subject));
    await eventually('its end is told', isOver, 60_000);
    const rows = async () => {
      const { rows } = await server.run('select content, status, created_at_ms, sent_at_ms from deliveries', url);
      return rows.map(({ content, status, created_at_ms, sent_at_ms }) => {
        const { name, step, raisedAt } = JSON.parse(String(content));
        return { name, step, raisedAt, status, tookMs: Number(sent_at_ms) - Number(created_at_ms) };
      });
    };
    await eventually('all is written down', async () => {
      const written = (await rows()).filter(({ name }) => name === 'StoreUnreachable');
      return written.length === 4 && written.every(({ status }) => status === 'sent');
    });
    for (const { name, raisedAt, tookMs } of await rows()) {
      if (name !== 'StoreUnreachable') continue;
      assert.equal(raisedAt, raisedAtMs);
      assert.ok(tookMs < withinMs, `${tookMs} ms`);
    }
    assert.deepEqual([of('raised').length, of('ended').length], [1, 1]);
    assert.equal(mails().filter((subject) => subject.includes('StoreUnreachable')).length, 2);
    await harness.stopService();
    // The harness would have no errors; those about the database are meant.
    const others = harness.logged.filter((line) => !line.includes('The database postgres:'));
    harness.logged.splice(0, Infinity, ...others);
  },
);
