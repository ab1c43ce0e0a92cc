import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { generateToken, tokenDigest } from '../../src/access/operator-token.ts';
import type { EpochMs } from '../../src/ground/clock.ts';
import { systemRandomness } from '../../src/ground/clock.ts';
import type { Role } from '../../src/operator/role.ts';
import { eventually } from '../support/eventually.ts';
import { MailServer, readMail } from '../support/mail-server.ts';
import { ManagementClient } from '../support/management-client.ts';
import { ServiceHarness } from '../support/service-harness.ts';

interface Incident {
  readonly id: string;
  readonly state: string;
}

interface Summary {
  readonly status: { readonly indicator: string };
  readonly incidents: readonly {
    readonly id: string;
    readonly name: string;
    readonly status: string;
    readonly impact: string;
    readonly incident_updates: readonly { readonly status: string; readonly body: string }[];
  }[];
}

/** A service with subscribers in English and in Czech, and an operator. */
async function begin(t: TestContext) {
  const mail = await MailServer.start(t);
  const settings = {
    'mail.smtp': `smtp://127.0.0.1:${mail.port}`,
    'mail.from': 'Market data <api@example.com>',
    'portal.name': 'Example Exchange',
    'portal.subscriptions': 'mail',
  };
  const harness = await ServiceHarness.start(t, { settings, untilLive: false });
  const page = async (path: string, accept = 'text/html') =>
    (await fetch(`${harness.service.baseUrl}${path}`, { headers: { accept } })).text();
  const summary = async () => JSON.parse(await page('/status/summary.json')) as Summary;
  const as = async (role: Role) => {
    const token = generateToken('operator', systemRandomness);
    await harness.withStore(({ tokens }) => tokens.insert({ role, digest: tokenDigest(token), name: role }));
    return ManagementClient.withToken(harness.service.adminUrl, token);
  };
  for (const language of ['en', 'cs'] as const)
    await harness.withStore(async ({ subscriptions }) => {
      const target = `${language}@example.net`;
      await subscriptions.ask({ kind: 'mail', target, receiver: target, language });
      const made = (await subscriptions.list()).find((each) => each.target === target)!;
      await subscriptions.confirm(await subscriptions.token(made, 'confirm', 'dlv_1'));
    });
  const mails = () => mail.accepted.map(({ raw }) => readMail(raw));
  const subjects = () =>
    mails()
      .map(({ headers }) => headers.get('subject') ?? '')
      .filter((subject) => subject.startsWith('Example Exchange: '))
      .map((subject) => subject.slice('Example Exchange: '.length))
      .sort();
  return { harness, page, summary, as, mails, subjects };
}

describe('an incident that people write', { concurrency: true }, () => {
  test('is on the page, in the feed, in the summary and told to subscribers with each step of its life, once', async (t) => {
    const { harness, page, summary, as, mails, subjects } = await begin(t);
    const operator = await as('operator');
    const body = {
      title: 'Prices of <b>some</b> markets are late',
      titleCs: 'Ceny některých trhů se opožďují',
      text: 'See https://exchange.example/status?a=1&b=2.\n\nWe look into it.',
      parts: ['market-data'],
    };
    const made = await operator.post<Incident>('/api/incidents', body);
    assert.equal(made.status, 201);
    const { id } = made.body;

    const english = await page('/status');
    assert.ok(english.includes(`id="${id}"`) && english.includes('Open incidents'));
    assert.ok(english.includes('Prices of &#60;b&#62;some&#60;/b&#62; markets are late'));
    assert.ok(english.includes('<a href="https://exchange.example/status?a=1&#38;b=2" rel="nofollow noopener">'));
    const czech = await page('/cs/status');
    assert.ok(czech.includes('Ceny n&#283;kter&#253;ch trh&#367;'));
    assert.match(czech, /<p dir="auto" lang="en">We look into it\.<\/p>/);
    assert.match(await page('/status', 'text/markdown'), /\*\*Investigating\.\*\* Market data: since /);
    assert.match(await page('/status/feed.atom'), new RegExp(`#${id}</id>\n<title>Investigating: Prices of `));
    const [shown] = (await summary()).incidents.filter((each) => each.id === id);
    assert.deepEqual(
      [shown?.status, shown?.incident_updates.map(({ body: text }) => text)],
      ['investigating', [body.text]],
    );
    await eventually('both are told', () => subjects().length === 2);
    assert.deepEqual(subjects(), [
      'Investigating: Prices of <b>some</b> markets are late',
      'Zjišťujeme příčinu: Ceny některých trhů se opožďují',
    ]);
    assert.ok(mails().some(({ text }) => text.includes('See https://exchange.example/status?a=1&b=2.')));

    await operator.post(`/api/incidents/${id}/update`, { state: 'identified', text: 'The exchange is away.' });
    await operator.post(`/api/incidents/${id}/update`, { title: 'The exchange is away' });
    await harness.stopService();
    await harness.startService();
    const again = await as('admin');
    await again.post(`/api/incidents/${id}/close`, { text: 'It is back.' });
    const reviewed = await again.post(`/api/incidents/${id}/update`, { review: 'It had\n\nmaintenance.' });
    assert.equal(reviewed.status, 200);
    await eventually('all of it is told', () => subjects().length === 8);
    const inEnglish = subjects().filter((subject) => !/[íšů]/.test(subject));
    assert.ok(
      inEnglish.includes('Cause identified: The exchange is away') &&
        inEnglish.includes('Resolved: The exchange is away'),
    );
    assert.ok(inEnglish.includes('Review: The exchange is away'));

    const after = await page('/status');
    assert.ok(!after.includes('Open incidents'));
    assert.ok(after.includes(`id="${id}"`) && after.includes('<p dir="auto">maintenance.</p>'));
    assert.deepEqual(
      (await summary()).incidents.filter((each) => each.id === id),
      [],
    );
    assert.match(
      await page('/status/feed.atom'),
      /<title>Resolved: The exchange is away<\/title>[\s\S]*Review: It had/,
    );
    const { entries } = (await again.get<{ entries: { actor: string; action: string }[] }>(`/api/audit?subject=${id}`))
      .body;
    assert.deepEqual(
      entries.map(({ actor, action }) => `${actor} ${action}`),
      [
        'admin incident.update',
        'admin incident.close',
        'operator incident.update',
        'operator incident.update',
        'operator incident.open',
      ],
    );
  });

  test('is opened and changed by operators, and seen by all roles of people', async (t) => {
    const { harness, as } = await begin(t);
    const body = { title: 'Late', text: 'We look.', parts: ['api'] };
    const others = [await as('read-only'), await as('support')];
    for (const client of others) {
      assert.equal((await client.get('/api/incidents')).status, 200);
      assert.equal((await client.post('/api/incidents', body)).status, 403);
    }
    const operator = await as('operator');
    const { id } = (await operator.post<Incident>('/api/incidents', body)).body;
    for (const action of ['update', 'close'])
      assert.equal((await others[1]!.post(`/api/incidents/${id}/${action}`, { text: 'x' })).status, 403);
    const refused = await operator.post<{ errors: { field: string }[] }>('/api/incidents', { ...body, title: ' \n' });
    assert.deepEqual([refused.status, refused.body.errors[0]?.field], [400, 'title']);
    assert.equal((await operator.post('/api/incidents', { ...body, title: 'x'.repeat(121) })).status, 400);
    assert.equal((await operator.post('/api/incidents', { ...body, found: 'inc_none' })).status, 404);
    assert.equal((await operator.post(`/api/incidents/${id}/update`, { review: 'x' })).status, 409);
    assert.equal((await harness.withStore(({ incidents }) => incidents.list({ limit: 9 }))).length, 1);
  });

  test('tells of an outage that was found under its id, and leaves days, percentages and the outage as they were', async (t) => {
    const { harness, page, summary, as } = await begin(t);
    const now = harness.clock.now();
    const at = (offsetMs: number) => (now + offsetMs) as EpochMs;
    const day = (Math.floor(now / 86_400_000) * 86_400_000) as EpochMs;
    const states = { operational: 3_000_000, degraded: 0, maintenance: 0, outage: 600_000 };
    const id = await harness.withStore(async ({ statusRecords }) => {
      await statusRecords.addTime([{ component: 'market-data', day, states }]);
      return statusRecords.addIncident({
        component: 'market-data',
        state: 'outage',
        from: at(-900_000),
        to: at(-300_000),
      });
    });
    await harness.stopService();
    await harness.startService();
    const measured = (text: string) => /<p class="past-summary">Market data: [^<]*/.exec(text)?.[0];
    const bars = (text: string) => /<div class="days"[\s\S]*?<\/div>/g.exec(text)?.[0];
    const before = await page('/status');
    assert.ok(before.includes('<strong>Outage: No market data arrived</strong>'));
    const operator = await as('operator');
    const drafts = async () => (await operator.get<{ drafts: { id: string }[] }>('/api/incidents')).body.drafts;
    assert.deepEqual(
      (await drafts()).map((each) => each.id),
      [id],
    );
    const indicator = (await summary()).status.indicator;
    const body = { found: id, title: 'The exchange was away', text: 'It said nothing.', parts: ['market-data'] };
    assert.equal((await operator.post('/api/incidents', body)).status, 201);
    await operator.post(`/api/incidents/${id}/close`, { text: 'It is back.', review: 'Nobody asked it.' });
    assert.deepEqual(await drafts(), []);
    const after = await page('/status');
    assert.ok(after.includes('Measured: Outage: No market data arrived: '));
    assert.ok(!after.includes('<strong>Outage: No market data arrived</strong>'), 'it is told once');
    assert.equal(measured(after), measured(before));
    assert.equal(bars(after), bars(before));
    assert.equal((await summary()).status.indicator, indicator);
    const feed = await page('/status/feed.atom');
    assert.equal(feed.split(`#${id}</id>`).length, 2);
    const found = await harness.withStore(({ statusRecords }) => statusRecords.incidents(at(-86_400_000), 9));
    assert.deepEqual(
      found.filter((each) => each.id === id).map(({ from, to, state }) => [from, to, state]),
      [[at(-900_000), at(-300_000), 'outage']],
    );
  });
});
