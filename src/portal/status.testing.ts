import assert from 'node:assert/strict';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { ServiceBoard } from '../board/service-board.ts';
import type { StatusHistory } from '../board/status-history.ts';
import type { WrittenIncident } from '../board/written-incidents.ts';
import type { EpochMs } from '../ground/clock.ts';
import { FeedStatus } from '../market/service-status.ts';
import { pageHtml } from './layout.ts';
import { named, parsePage } from './parsed-page.testing.ts';
import { siteFor } from './site.testing.ts';
import { statusPage } from './status.ts';
import { statusFeed } from './status-feed.ts';
import { statusSummary } from './status-summary.ts';

const site = siteFor('en');
const minuteMs = 60_000;

/** A service as pages see it, in a state that a test says. */
export function service() {
  const clock = new FakeClock('2026-11-21T10:00:00.517Z');
  const feed = new FeedStatus();
  const board = new ServiceBoard(feed, clock);
  const now = clock.now();
  const at = (offsetMs: number) => (now + offsetMs) as EpochMs;
  return {
    now,
    keep: (kept: StatusHistory) => {
      board.history = kept;
    },
    fed: (path: 'live' | 'fallback', agoMs: number) => feed.feedCurrent(path, at(-agoMs), clock.monotonicMs() - agoMs),
    polled(everyMs: number, agoMs: number) {
      feed.updated('fallback', at(-agoMs), clock.monotonicMs() - agoMs);
      feed.source('first').current(false, at(-agoMs), clock.monotonicMs() - agoMs, everyMs);
    },
    maintenance: (fromMs: number, toMs: number, description = 'Upgrade of the price database.') =>
      board.setWindows([{ from: at(fromMs), to: at(toMs), description }]),
    windows: (...windows: readonly (readonly [fromMinutes: number, toMinutes: number, description: string])[]) =>
      board.setWindows(
        windows.map(([from, to, description]) => ({ from: at(from * minuteMs), to: at(to * minuteMs), description })),
      ),
    write: (...written: readonly WrittenIncident[]) => {
      board.written = written;
    },
    summary(reader = site) {
      const { history, written } = board;
      return statusSummary(reader, {
        current: board.current(now),
        windows: board.windows(now),
        history,
        written,
      }) as Summary;
    },
    kept: () => ({ history: board.history, written: board.written }),
    feed: (reader = site) => statusFeed(reader, board.history, board.written, now),
    page: (reader = site) =>
      pageHtml(
        reader,
        statusPage(reader, {
          current: board.current(now),
          now,
          windows: board.windows(now),
          history: board.history,
          written: board.written,
        }),
      ),
    shows(...texts: readonly string[]) {
      const [main] = named(parsePage(this.page()), 'main');
      for (const text of texts) assert.ok(main!.text.includes(text), `"${text}" is not in: ${main!.text}`);
    },
  };
}

/** The part of it that tests look at. */
interface Summary {
  readonly page: Readonly<Record<'id' | 'name' | 'url' | 'time_zone' | 'updated_at', string>>;
  readonly status: { readonly indicator: string; readonly description: string };
  readonly components: readonly {
    readonly id: string;
    readonly status: string;
    readonly updated_at: string | null;
    readonly data_flow?: string;
  }[];
  readonly incidents: readonly { readonly id: string; readonly impact: string; readonly started_at: string | null }[];
  readonly scheduled_maintenances: readonly Readonly<
    Record<'id' | 'name' | 'status' | 'scheduled_for' | 'scheduled_until', string>
  >[];
}

export function overall(page: string): string | undefined {
  return parsePage(page).find(({ attributes }) => attributes.get('class')?.startsWith('state '))?.text;
}

const dayMs = 24 * 3_600_000;

/** Two days of history with incidents and windows. */
export function history(nowMs: number): StatusHistory {
  const today = (Math.floor(nowMs / dayMs) * dayMs) as EpochMs;
  const states = { operational: 0, degraded: 0, maintenance: 0, outage: 0 };
  const at = (offsetMs: number) => (nowMs + offsetMs) as EpochMs;
  const windows = [
    { id: 'win_b', from: at(3_600_000), to: at(7_200_000), description: 'To come.', createdAt: at(-dayMs) },
    { id: 'win_a', from: at(-dayMs), to: at(-dayMs + 60_000), description: 'Over <b>.', createdAt: at(-2 * dayMs) },
  ];
  return {
    days: [
      {
        component: 'market-data',
        day: (today - dayMs) as EpochMs,
        states: { ...states, operational: 82_800_000, outage: 3_600_000 },
      },
      { component: 'market-data', day: today, states: { ...states, operational: 36_000_000 } },
      { component: 'api', day: today, states: { ...states, operational: 36_000_000, maintenance: 60_000 } },
    ],
    incidents: [
      { id: 'inc_2', component: 'api', state: 'outage', from: at(-120_000), to: undefined },
      { id: 'inc_1', component: 'market-data', state: 'outage', from: at(-dayMs), to: at(-dayMs + 3_600_000) },
    ],
    windows,
  };
}
