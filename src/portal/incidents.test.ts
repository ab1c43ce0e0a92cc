import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WrittenIncident } from '../board/written-incidents.ts';
import type { EpochMs } from '../ground/clock.ts';
import { pageHtml } from './layout.ts';
import { named, parsePage } from './parsed-page.testing.ts';
import { siteFor } from './site.testing.ts';
import { history, overall, service } from './status.testing.ts';
import { statusPage } from './status.ts';

function incident(now: EpochMs, rest: Partial<WrittenIncident> = {}): WrittenIncident {
  const at = (offsetMs: number) => (now + offsetMs) as EpochMs;
  return {
    id: 'inc_9',
    state: 'identified',
    title: 'Prices of <b>some</b> markets are late',
    titleCs: 'Ceny některých trhů se opožďují',
    parts: ['market-data'],
    from: at(-600_000),
    to: undefined,
    updates: [
      {
        number: 2,
        state: 'identified',
        at: at(-60_000),
        text: 'The exchange <i>says</i> why: https://x.example/a.',
        textCs: 'Burza říká proč.',
      },
      {
        number: 1,
        state: 'investigating',
        at: at(-300_000),
        text: 'We look.\nStill.\n\nMore soon.',
        textCs: undefined,
      },
    ],
    review: undefined,
    reviewCs: undefined,
    reviewedAt: undefined,
    updatedAt: at(-60_000),
    ...rest,
  };
}

test('an open incident stands whole at the top, in the state that is measured, which says that there is more', () => {
  const status = service();
  status.fed('live', 500);
  status.write(incident(status.now));
  assert.match(overall(status.page())!, /^OperationalNothing that is measured is wrong\. An incident is open/);
  const [main] = named(parsePage(status.page()), 'main');
  assert.ok(
    main!.text
      .replaceAll(/\s+/g, ' ')
      .includes(
        'Open incidents Prices of <b>some</b> markets are late Cause identified. Market data: since 21 November 2026, 09:50:00 UTC; it has lasted 10 minutes so far. Cause identified, 21 November 2026, 09:59:00 UTC The exchange <i>says</i> why: https://x.example/a. Investigating, 21 November 2026, 09:55:00 UTC We look. Still. More soon.',
      ),
    main!.text,
  );
  const elements = parsePage(status.page());
  assert.ok(elements.some(({ attributes }) => attributes.get('id') === 'inc_9'));
  const [link] = named(elements, 'a').filter(({ attributes }) => attributes.get('rel') === 'nofollow noopener');
  assert.deepEqual([link?.attributes.get('href'), link?.text], ['https://x.example/a', 'https://x.example/a']);
  const summary = status.summary();
  assert.equal(summary.status.indicator, 'none');
  status.fed('live', 400_000);
  assert.match(overall(status.page())!, /^OutageMarket data is not arriving/);
});

test('the Czech page has the Czech words where they were written, and marks what is English', () => {
  const status = service();
  status.write(incident(status.now));
  const shown = statusPage(siteFor('cs'), { current: undefined, now: status.now, windows: [], ...status.kept() });
  const page = pageHtml(siteFor('cs'), shown);
  const [main] = named(parsePage(page), 'main');
  for (const text of ['Otevřené incidenty', 'Ceny některých trhů', 'Příčina nalezena', 'Burza říká proč.', 'We look.'])
    assert.ok(main!.text.includes(text), text);
  assert.match(page, /<p dir="auto" lang="en">We look\.<br>/);
  assert.match(page, /<p dir="auto">Burza /);
});

test('a resolved incident is among the past ones with its review, its updates folded, and what was measured of it', () => {
  const status = service();
  status.fed('live', 500);
  const past = history(status.now);
  const [, found] = past.incidents;
  const [update] = incident(status.now).updates;
  status.keep(past);
  status.write(
    incident(status.now, {
      id: found!.id,
      state: 'resolved',
      from: found!.from,
      to: found!.to,
      review: 'A disk.',
      reviewedAt: status.now,
      updates: [update!],
    }),
  );
  const page = status.page();
  assert.ok(!page.includes('Open incidents'));
  status.shows('Measured: Outage: No market data arrived: 20 November 2026, 10:00:00 UTC to', 'A disk.', 'Updates: 1');
  status.shows('Outage: The service was not running', 'Market data: 97.05% operational, outage 1 hour.');
  assert.equal(page.split('No market data arrived').length, 2, 'the found one stands with what was written of it');
  const feed = status.feed();
  assert.equal(feed.split(`#${found!.id}</id>`).length, 2);
  assert.match(feed, /<title>Resolved: Prices of &#60;b&#62;some&#60;\/b&#62; markets are late<\/title>/);
  assert.match(feed, /Measured: Outage: No market data arrived: [\s\S]*Review: A disk\./);
  assert.match(status.feed(siteFor('cs')), /<title>Vy&#345;e&#353;eno: Ceny /);
});

test('the summary has an open incident with its updates, and does not tell an outage twice that people tell of', () => {
  const status = service();
  status.fed('live', 400_000);
  const kept = history(status.now);
  const lasting = { id: 'inc_3', component: 'market-data', state: 'outage', from: status.now, to: undefined } as const;
  status.keep({ ...kept, incidents: [lasting] });
  status.write(incident(status.now));
  assert.deepEqual(
    status.summary().incidents.map(({ id, impact }) => [id.slice(0, 7), impact]),
    [
      ['inc_9', 'major'],
      ['market-', 'major'],
    ],
  );
  status.write(
    incident(status.now, { id: 'inc_3' }),
    incident(status.now, { id: 'inc_2', state: 'resolved', to: status.now }),
  );
  const [told, ...others] = status.summary().incidents as readonly Record<string, unknown>[];
  assert.deepEqual(others, []);
  const part = { code: 'market-data', name: 'Market data' };
  const update = (number: number, state: string, at: string, body: string) => ({
    id: `inc_3-${number}`,
    incident_id: 'inc_3',
    status: state,
    body,
    created_at: at,
    display_at: at,
    updated_at: at,
    affected_components: [part],
  });
  assert.deepEqual(told, {
    id: 'inc_3',
    name: 'Prices of <b>some</b> markets are late',
    status: 'identified',
    impact: 'minor',
    created_at: '2026-11-21T09:55:00.517Z',
    started_at: '2026-11-21T09:50:00.517Z',
    updated_at: '2026-11-21T09:59:00.517Z',
    monitoring_at: null,
    resolved_at: null,
    shortlink: 'https://api.example.com/status#inc_3',
    components: [{ id: 'market-data', name: 'Market data', status: 'major_outage' }],
    incident_updates: [
      update(2, 'identified', '2026-11-21T09:59:00.517Z', 'The exchange <i>says</i> why: https://x.example/a.'),
      update(1, 'investigating', '2026-11-21T09:55:00.517Z', 'We look.\nStill.\n\nMore soon.'),
    ],
  });
});
