import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import { ServiceBoard } from '../../board/service-board.ts';
import type { EpochMs } from '../../clock.ts';
import { openApiDocument } from '../../contract/openapi.ts';
import { FeedStatus } from '../../market/service-status.ts';
import { named, parsePage } from './parsed-page.testing.ts';
import { statusPage } from './status.ts';
import { durationInWords, instantInWords } from './words.ts';

const addresses = { baseUrl: 'https://api.example.com', errorsUrl: 'https://api.example.com/errors' };
const site = { ...addresses, document: openApiDocument(addresses), version: '1.0.0' };
const minuteMs = 60_000;

function service() {
  const clock = new FakeClock('2026-11-21T10:00:00.517Z');
  const feed = new FeedStatus();
  const board = new ServiceBoard(feed, clock);
  const now = clock.now();
  const at = (offsetMs: number) => (now + offsetMs) as EpochMs;
  return {
    fed: (path: 'live' | 'fallback', agoMs: number) => feed.feedCurrent(path, at(-agoMs), clock.monotonicMs() - agoMs),
    maintenance: (fromMs: number, toMs: number, description = 'Upgrade of the price database.') =>
      board.setWindows([{ from: at(fromMs), to: at(toMs), description }]),
    page: () => statusPage(site, board.status(now)),
    shows(...texts: readonly string[]) {
      const [main] = named(parsePage(this.page()), 'main');
      for (const text of texts) assert.ok(main!.text.includes(text), `"${text}" is not in: ${main!.text}`);
    },
  };
}

function overall(page: string): string | undefined {
  return parsePage(page).find(({ attributes }) => attributes.get('class')?.startsWith('state '))?.text;
}

test('the page says in words that everything works, how old the market data is and what time the server has', () => {
  const status = service();
  status.fed('live', 394);
  assert.match(overall(status.page())!, /^Operational/);
  status.shows('less than a second ago', '21 November 2026, 10:00:00 UTC', 'None is announced');
});

test('a feed on its fallback path, a feed behind and a feed that never delivered each read as what they are', () => {
  const status = service();
  assert.match(overall(status.page())!, /^Outage/);
  status.shows('None has arrived yet.');
  status.fed('fallback', 65_000);
  assert.match(overall(status.page())!, /^Degraded/);
  status.shows('Updated 1 minute 5 seconds ago');
  status.fed('live', 3 * 60 * minuteMs + 12 * minuteMs);
  assert.match(overall(status.page())!, /^Outage/);
  status.shows('Updated 3 hours 12 minutes ago');
});

test('announced maintenance is shown with its times in UTC and does not read as running', () => {
  const status = service();
  status.fed('live', 2_000);
  status.maintenance(15 * 60 * minuteMs, 16 * 60 * minuteMs);
  assert.match(overall(status.page())!, /^Operational/);
  status.shows(
    'Maintenance is announced. It starts in 15 hours',
    '22 November 2026, 01:00:00 UTC',
    'Upgrade of the price',
  );
});

test('running maintenance is the overall state, and the page says when it is expected to end', () => {
  const status = service();
  status.fed('live', 2_000);
  status.maintenance(-30 * minuteMs, 60 * minuteMs);
  assert.match(overall(status.page())!, /^Maintenance/);
  status.shows('Maintenance is running. It is expected to end in 1 hour.', '21 November 2026, 11:00:00 UTC');
});

test('what an operator writes about maintenance is shown to the letter and can neither mark up nor turn round the page', () => {
  const status = service();
  const description = '</dd><script>alert("1")</script> & \u202eезер';
  status.maintenance(-minuteMs, minuteMs, description);
  const elements = parsePage(status.page());
  assert.deepEqual(named(elements, 'script'), []);
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
  for (const { attributes, text } of times) assert.equal(instantInWords(Date.parse(attributes.get('datetime')!)), text);
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
  for (const [durationMs, words] of cases) assert.equal(durationInWords(durationMs), words);
});
