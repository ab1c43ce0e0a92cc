import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatusHistory } from '../board/status-history.ts';
import type { EpochMs } from '../ground/clock.ts';
import { durationInWords, instantInWords } from './language.ts';
import { named, parsePage } from './parsed-page.testing.ts';
import { siteFor } from './site.testing.ts';
import { history, overall, service } from './status.testing.ts';
import { exportedStatus } from './status-export.ts';
import { statusFeed } from './status-feed.ts';

const site = siteFor('en');
const minuteMs = 60_000;

test('the page says in words that everything works, how old the market data is and what time the server has', () => {
  const status = service();
  status.fed('live', 394);
  assert.match(overall(status.page())!, /^Operational/);
  status.shows('less than a second, last update at', '21 November 2026, 10:00:00 UTC', 'No maintenance is announced');
});

test('a feed on its fallback path, a feed behind and a feed that never delivered each read as what they are', () => {
  const status = service();
  assert.match(overall(status.page())!, /^Outage/);
  status.shows('No data has arrived yet.');
  status.fed('fallback', 65_000);
  assert.match(overall(status.page())!, /^Degraded/);
  status.shows('1 minute 5 seconds, last update');
  status.fed('live', 3 * 60 * minuteMs + 12 * minuteMs);
  assert.match(overall(status.page())!, /^Outage/);
  status.shows('3 hours 12 minutes, last update');
});

test('every window that runs or is to come is shown, the earliest first, and none that is over', () => {
  const status = service();
  status.windows([180, 240, 'Third.'], [-30, 30, 'First.'], [-90, -60, 'Over.'], [60, 90, 'Second.']);
  const shown = named(parsePage(status.page()), 'bdi').map(({ text }) => text);
  assert.deepEqual(shown, ['First.', 'Second.', 'Third.']);
});

test('announced maintenance is shown with its times in UTC and does not read as running', () => {
  const status = service();
  status.fed('live', 2_000);
  status.maintenance(15 * 60 * minuteMs, 16 * 60 * minuteMs);
  assert.match(overall(status.page())!, /^Operational/);
  status.shows(
    'Announced',
    'It starts in 15 hours and changes nothing before.',
    '22 November 2026, 01:00:00 UTC',
    'Upgrade of the price',
  );
});

test('running maintenance is the overall state, and the page says when it is expected to end', () => {
  const status = service();
  status.fed('live', 2_000);
  status.maintenance(-30 * minuteMs, 60 * minuteMs);
  assert.match(overall(status.page())!, /^Maintenance/);
  status.shows('Running', 'It is expected to end in 1 hour.', '21 November 2026, 11:00:00 UTC');
});

test('what an operator writes about maintenance is shown to the letter and can neither mark up nor turn round the page', () => {
  const status = service();
  const description = '</dd><script>alert("1")</script> & \u202eезер';
  status.maintenance(-minuteMs, minuteMs, description);
  const elements = parsePage(status.page());
  assert.ok(named(elements, 'script').every(({ text }) => text === ''));
  assert.deepEqual(
    named(elements, 'bdi').map(({ text }) => text),
    [description],
  );
});

test('a browser asks for the page again every 30 seconds, and every instant is readable for machines too', () => {
  const status = service();
  status.fed('live', 2_000);
  status.maintenance(-minuteMs, minuteMs);
  const elements = parsePage(status.page());
  const refresh = named(elements, 'meta').find(({ attributes }) => attributes.get('http-equiv') === 'refresh');
  assert.equal(refresh?.attributes.get('content'), '30');
  const times = named(elements, 'time');
  assert.equal(times.length, 4);
  for (const { attributes, text } of times)
    assert.equal(instantInWords(site, Date.parse(attributes.get('datetime')!)), text);
});

test('a duration is told in its two largest units, and never as more than it is', () => {
  const cases: readonly (readonly [number, string])[] = [
    [-5_000, 'less than a second'],
    [0, 'less than a second'],
    [999, 'less than a second'],
    [1_000, '1 second'],
    [59_999, '59 seconds'],
    [60_000, '1 minute'],
    [61_999, '1 minute 1 second'],
    [3_600_000, '1 hour'],
    [3_659_000, '1 hour'],
    [86_399_999, '23 hours 59 minutes'],
    [86_400_000, '1 day'],
    [200_000_000, '2 days 7 hours'],
  ];
  for (const [durationMs, words] of cases) assert.equal(durationInWords(site, durationMs), words);
});

test('the summary has the shape of a status page, and each state in its words', () => {
  const status = service();
  const states = () => {
    const { status: overall, components, incidents } = status.summary();
    return [overall.indicator, ...components.map((each) => each.status), incidents.length];
  };
  assert.deepEqual(states(), ['major', 'operational', 'major_outage', 1]);
  assert.deepEqual(status.summary().components[1]!.updated_at, null);
  status.fed('fallback', 2_000);
  assert.deepEqual(states(), ['minor', 'operational', 'degraded_performance', 0]);
  status.fed('live', 500);
  assert.deepEqual(states(), ['none', 'operational', 'operational', 0]);
  status.maintenance(-minuteMs, minuteMs);
  assert.deepEqual(states(), ['maintenance', 'under_maintenance', 'operational', 0]);
  const { page, components } = status.summary();
  assert.deepEqual(page, {
    id: 'market-data',
    name: 'Market Data API',
    url: 'https://api.example.com/status',
    time_zone: 'Etc/UTC',
    updated_at: '2026-11-21T10:00:00.517Z',
  });
  assert.equal(components[1]!.updated_at, '2026-11-21T10:00:00.017Z');
});

test('the summary, the page and the feed say that no data arrives, and since when, from its first seconds', () => {
  const status = service();
  const told = () => status.summary().status.description;
  status.fed('fallback', 4_000);
  assert.deepEqual(
    [told(), status.summary().incidents],
    ['The service works worse than usual: its data is 4 seconds old', []],
  );
  status.shows('the service works worse than usual', 'Age of the data', '4 seconds, last update at');
  status.fed('fallback', 7_000);
  assert.equal(told(), 'Market data is not arriving: the last is 7 seconds old');
  status.shows('No market data is arriving.', '7 seconds, last update at');
  const [incident] = status.summary().incidents;
  assert.deepEqual([incident!.impact, incident!.started_at], ['minor', '2026-11-21T09:59:53.517Z']);
  status.fed('fallback', 301_000);
  assert.equal(told(), 'Market data is not arriving: the last is 5 minutes 1 second old');
  assert.match(statusFeed(site, history(status.now), [], status.now), /<title>Outage: No market data arrived<\/title>/);
});

test('data that is polled every twenty seconds arrives, and its age is told, until a poll is overdue', () => {
  const status = service();
  status.polled(20_000, 19_000);
  const { description } = status.summary().status;
  assert.equal(description, 'The service works worse than usual: its data is 19 seconds old');
  assert.deepEqual(status.summary().incidents, []);
  assert.equal(status.summary().components[1]!.data_flow, 'polled');
  status.shows('the service works worse than usual: see the age of the data', '19 seconds, last update at');
  status.polled(20_000, 26_000);
  assert.equal(status.summary().status.description, 'Market data is not arriving: the last is 26 seconds old');
  assert.equal(status.summary().components[1]!.data_flow, 'silent');
  status.shows('No market data is arriving.', '26 seconds, last update at');
});

test('the summary lists every window to come with its instants, under an id that stays when the end is moved', () => {
  const status = service();
  status.windows([60, 90, 'Second.'], [-30, 30, 'First.'], [-90, -60, 'Over.']);
  const windows = status.summary().scheduled_maintenances;
  assert.deepEqual(
    windows.map(({ name, status: state, scheduled_for: from, scheduled_until: to }) => [name, state, from, to]),
    [
      ['First.', 'in_progress', '2026-11-21T09:30:00.517Z', '2026-11-21T10:30:00.517Z'],
      ['Second.', 'scheduled', '2026-11-21T11:00:00.517Z', '2026-11-21T11:30:00.517Z'],
    ],
  );
  status.windows([60, 120, 'Second.'], [-30, 45, 'First.']);
  const ids = status.summary().scheduled_maintenances.map(({ id }) => id);
  assert.deepEqual(
    ids,
    windows.map(({ id }) => id),
  );
  assert.equal(new Set(ids).size, 2);
});

const dayMs = 24 * 3_600_000;

test('the page tells what was: the share of each component, a bar a day, incidents and maintenance that is over', () => {
  const status = service();
  status.fed('live', 2_000);
  status.keep(history(status.now));
  status.shows(
    'API: 100% operational, no outage. Days recorded: 1; counted are 10 hours, without 1 minute of maintenance.',
    'Market data: 97.05% operational, outage 1 hour. Days recorded: 2; counted are 1 day 10 hours.',
    'Outage: The service was not running: since 21 November 2026, 09:58:00 UTC; it has lasted 2 minutes so far.',
    'Outage: No market data arrived: 20 November 2026, 10:00:00 UTC to 20 November 2026, 11:00:00 UTC (1 hour).',
    'Over <b>: 20 November 2026, 10:00:00 UTC',
  );
  status.shows('Operational Degraded Outage Maintenance Not recorded A bar is a day in UTC, in its worst state.');
  const bars = named(parsePage(status.page()), 'span').filter(({ attributes }) => attributes.has('title'));
  assert.equal(bars.length, 180);
  assert.deepEqual(
    bars.slice(-2).map(({ attributes }) => [attributes.get('class'), attributes.get('title')]),
    [
      ['outage', '20 November 2026: Outage, 1 hour'],
      ['operational', '21 November 2026: Operational'],
    ],
  );
  assert.equal(bars[0]!.attributes.get('class'), 'unknown');
  assert.ok(!named(parsePage(status.page()), 'main')[0]!.text.includes('To come.'));
});

test('without a script every instant is in the zone of the operator, with its name, on the page and in the feed', () => {
  const status = service();
  status.fed('live', 2_000);
  status.windows([60, 90, 'To come.']);
  status.keep(history(status.now));
  const prague = { ...siteFor('en'), timeZone: 'Europe/Prague' };
  const [page, feed] = [status.page(prague), status.feed(prague)];
  const text = named(parsePage(page), 'main')[0]!.text;
  for (const instant of [
    'last update at 21 November 2026, 10:59:58 CET',
    '21 November 2026, 12:00:00 CET to 21 November 2026, 12:30:00 CET',
    'The service was not running: since 21 November 2026, 10:58:00 CET;',
    'No market data arrived: 20 November 2026, 11:00:00 CET to 20 November 2026, 12:00:00 CET (1 hour).',
    'Over <b>: 20 November 2026, 11:00:00 CET',
  ])
    assert.ok(text.includes(instant), `"${instant}" is not in: ${text}`);
  assert.doesNotMatch(text, /\d UTC/);
  assert.match(feed, /20 November 2026, 11:00:00 CET to 20 November 2026, 12:00:00 CET/);
  assert.match(
    named(parsePage(status.page({ ...prague, language: 'cs' })), 'main')[0]!.text,
    /20\. listopadu 2026, 11:00:00 SEČ/,
  );
  assert.equal(status.summary(prague).page.time_zone, 'Europe/Prague');
  for (const { attributes } of named(parsePage(page), 'time'))
    assert.equal(instantInWords(prague, Date.parse(attributes.get('datetime')!)).includes('CET'), true);
});

test('a silence too short for the state outage is degraded in words, in the share, in the list and in the feed', () => {
  const status = service();
  const from = (status.now - 7_200_000) as EpochMs;
  const day = (Math.floor(status.now / dayMs) * dayMs) as EpochMs;
  const states = { operational: 36_000_000 - 240_000, degraded: 240_000, maintenance: 0, outage: 0 };
  const kept: StatusHistory = {
    days: [{ component: 'market-data', day, states }],
    incidents: [{ id: 'inc_1', component: 'market-data', state: 'outage', from, to: (from + 240_000) as EpochMs }],
    windows: [],
  };
  status.fed('live', 500);
  status.keep(kept);
  status.shows('99.33% operational, no outage, degraded 4 minutes', 'Degraded: No market data arrived: 21 November');
  assert.match(statusFeed(site, kept, [], status.now), /<title>Degraded: No market data arrived</);
});

test('every instant of the past is readable for scripts, which show it in the zone of the visitor', () => {
  const status = service();
  status.keep(history(status.now));
  const shown = named(parsePage(status.page()), 'time').map(({ attributes }) => attributes.get('datetime'));
  for (const at of ['2026-11-21T09:58:00.517Z', '2026-11-20T10:00:00.517Z', '2026-11-20T11:00:00.517Z'])
    assert.ok(shown.includes(at), at);
});

test('the feed is Atom: an entry for each incident and window, under an id that stays, the latest news first', () => {
  const status = service();
  const text = statusFeed(site, history(status.now), [], status.now);
  const ids = [...text.matchAll(/<id>([^<]+)<\/id>/g)].map(([, id]) => id);
  assert.deepEqual(ids, [
    'https://api.example.com/status',
    ...['inc_2', 'inc_1', 'win_a', 'win_b'].map((id) => `https://api.example.com/status#${id}`),
  ]);
  assert.ok(text.includes('<title>Maintenance: Over &#60;b&#62;.</title>'));
  assert.match(text, /<updated>2026-11-21T09:58:00\.517Z<\/updated>\n<author>/);
  const czech = statusFeed(siteFor('cs'), history(status.now), [], status.now);
  assert.match(czech, /xml:lang="cs"[\s\S]*<id>https:\/\/api\.example\.com\/cs\/status<\/id>/);
});

test('the exported page asks the service, leads to it, and takes scripts and styles from its own folder', () => {
  const status = service();
  const files = exportedStatus(
    { ...siteFor('en'), brand: {} },
    { now: status.now, history: history(status.now), written: [], windows: [] },
  );
  for (const [path, prefix, language] of [
    ['index.html', './', 'en'],
    ['cs/index.html', '../', 'cs'],
  ] as const) {
    const page = files.get(path)!;
    const elements = parsePage(page);
    assert.ok(page.includes(`<html lang="${language}">`));
    const [policy] = named(elements, 'meta').filter(({ attributes }) => attributes.has('http-equiv'));
    assert.match(
      policy!.attributes.get('content')!,
      /default-src 'none';.*connect-src 'self' https:\/\/api\.example\.com;/,
    );
    assert.ok(page.includes('data-summary="https://api.example.com/status/summary.json"'));
    for (const { name, attributes } of elements) {
      const loaded =
        attributes.get('src') ?? (attributes.get('rel') === 'stylesheet' ? attributes.get('href') : undefined);
      if (loaded === undefined || name === 'a') continue;
      assert.ok(loaded.startsWith(prefix), `${path} loads ${loaded}`);
      assert.ok(files.has(loaded.slice(prefix.length)), `${path} loads ${loaded}`);
    }
    for (const { attributes } of named(elements, 'a'))
      assert.match(attributes.get('href')!, /^(https:\/\/api\.example\.com\/|#|\.)/);
    assert.equal(
      elements.some(({ attributes }) => attributes.get('id') === 'search-button'),
      false,
    );
  }
  assert.ok(files.has('feed.atom') && files.has('cs/feed.atom') && files.has('favicon.svg'));
});
