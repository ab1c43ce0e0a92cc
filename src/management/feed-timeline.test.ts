import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { ServiceBoard } from '../board/service-board.ts';
import { silentLog } from '../ground/log.ts';
import { FeedStatus } from '../market/service-status.ts';
import type { Snapshots } from '../store/snapshots.ts';
import { FeedTimeline } from './feed-timeline.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

function world() {
  const clock = new FakeClock();
  const feed = new FeedStatus();
  const stored = new Map<string, string>();
  const logged: string[] = [];
  const faults = { saving: false };
  const snapshots: Pick<Snapshots, 'save' | 'load'> = {
    async save(name, payload) {
      if (faults.saving) throw new Error('disk full');
      stored.set(name, payload);
    },
    async load(name) {
      const payload = stored.get(name);
      return payload === undefined ? undefined : { payload, savedAt: clock.now() };
    },
  };
  const log = { ...silentLog, error: (_: object, message: string) => void logged.push(message) };
  const newTimeline = () => new FeedTimeline({ service: new ServiceBoard(feed, clock), snapshots, clock, log });
  const feedNow = (path: 'live' | 'fallback') => feed.feedCurrent(path, clock.now(), clock.monotonicMs());
  /** Does what a feed that goes on does: data every minute, over a connection that lives. */
  const goOn = async (path: 'live' | 'fallback', minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      feedNow(path);
      for (let second = 0; second < 60; second++) {
        feed.signOfLife(clock.monotonicMs(), clock.now(), clock.monotonicMs());
        await clock.advance(1_000);
      }
    }
  };
  return { clock, feed, stored, logged, faults, newTimeline, goOn };
}

test('each state is a span that begins within a second of the change, and the last one has no end', async () => {
  const { clock, newTimeline, goOn } = world();
  const timeline = newTimeline();
  await timeline.start();
  const started = clock.now();
  await goOn('live', 10);
  await goOn('fallback', 5);
  await clock.advance(10 * minuteMs);
  const spans = timeline.spans(clock.now());
  assert.deepEqual(
    spans.map(({ state }) => state),
    ['silent', 'live', 'fallback', 'silent'],
  );
  assert.deepEqual(
    spans.map(({ fromMs }) => Math.floor((fromMs - started) / minuteMs)),
    [0, 0, 10, 14],
  );
  for (const [index, { toMs }] of spans.entries()) assert.equal(toMs, spans[index + 1]?.fromMs);
});

test('nothing arriving is silence from the last that was heard on, though the status still says degraded', async () => {
  const { clock, feed, newTimeline, goOn } = world();
  const timeline = newTimeline();
  await timeline.start();
  await goOn('live', 1);
  const lostAt = clock.now();
  feed.pathChanged('fallback');
  await clock.advance(105_000);
  const [start, live, ...later] = timeline.spans(clock.now());
  assert.deepEqual([start?.state, live?.state], ['silent', 'live']);
  assert.ok(lostAt - live!.toMs! <= 1_000);
  assert.deepEqual(later, [{ state: 'silent', fromMs: live!.toMs, toMs: undefined }]);
  await goOn('fallback', 1);
  assert.deepEqual(
    timeline.spans(clock.now()).map(({ state }) => state),
    ['silent', 'live', 'silent', 'fallback'],
  );
});

test('spans outlast a restart, with a gap for the time the service did not run', async () => {
  const { clock, newTimeline, goOn } = world();
  const before = newTimeline();
  await before.start();
  await goOn('live', 10);
  const stoppedAt = clock.now();
  await before.stop();
  await clock.advance(hourMs);
  const after = newTimeline();
  await after.start();
  await goOn('live', 2);
  const live = after.spans(clock.now()).filter(({ state }) => state === 'live');
  assert.equal(live.length, 2);
  assert.equal(live[0]?.toMs, stoppedAt);
  assert.ok(live[1]!.fromMs >= stoppedAt + hourMs);
});

test('a process that is killed loses at most the last minute of its last span', async () => {
  const { clock, newTimeline, goOn } = world();
  await newTimeline().start();
  await goOn('live', 10);
  const killedAt = clock.now();
  const after = newTimeline();
  await after.start();
  const [, live] = after.spans(clock.now());
  assert.ok(live?.state === 'live' && killedAt - live.toMs! <= minuteMs);
});

test('only the last 24 hours are reported and kept, and never more than a thousand changes', async () => {
  const { clock, stored, newTimeline, goOn } = world();
  const now = clock.now();
  const span = (state: string, fromMs: number, toMs: number) => ({ state, fromMs: now + fromMs, toMs: now + toMs });
  const flapping = Array.from({ length: 1_100 }, (_, index) =>
    span('live', -2_000_000 + index * 10, -2_000_000 + index * 10 + 5),
  );
  const spans = [span('silent', -30 * hourMs, -25 * hourMs), span('fallback', -25 * hourMs, -20 * hourMs)];
  stored.set('feed-timeline', JSON.stringify({ version: 2, spans }));
  const timeline = newTimeline();
  await timeline.start();
  const [oldest, ...others] = timeline.spans(now);
  assert.deepEqual(oldest, { state: 'fallback', fromMs: now - 24 * hourMs, toMs: now - 20 * hourMs });
  assert.equal(others.length, 1);

  stored.set('feed-timeline', JSON.stringify({ version: 2, spans: flapping }));
  const full = newTimeline();
  await full.start();
  await goOn('live', 1);
  assert.ok(full.spans(clock.now()).length <= 1_001);
  assert.ok((JSON.parse(stored.get('feed-timeline')!) as { spans: object[] }).spans.length <= 1_001);
});

test('what cannot be saved is logged once, and saved with the next chance', async () => {
  const { clock, stored, logged, faults, newTimeline, goOn } = world();
  const timeline = newTimeline();
  await timeline.start();
  faults.saving = true;
  await goOn('live', 5);
  assert.deepEqual(logged, ['the feed timeline could not be saved']);
  faults.saving = false;
  await goOn('live', 2);
  assert.match(stored.get('feed-timeline') ?? '', /"live"/);
  await timeline.stop();
  assert.equal(clock.pendingTimers, 0);
});

test('a snapshot that is damaged is left alone', async () => {
  const { clock, stored, newTimeline } = world();
  for (const payload of ['', 'x', '{}', '{"version":2,"spans":[]}', '{"version":1,"spans":[null,{"state":"?"}]}']) {
    stored.set('feed-timeline', payload);
    const timeline = newTimeline();
    await timeline.start();
    assert.equal(timeline.spans(clock.now()).length, 1, payload);
    await timeline.stop();
  }
});

test('a snapshot of a former version is read, in which silence was called an outage', async () => {
  const { clock, stored, newTimeline } = world();
  const now = clock.now();
  const spans = [
    { state: 'live', fromMs: now - 3 * hourMs, toMs: now - 2 * hourMs },
    { state: 'outage', fromMs: now - 2 * hourMs, toMs: now - hourMs },
  ];
  stored.set('feed-timeline', JSON.stringify({ version: 1, spans }));
  const timeline = newTimeline();
  await timeline.start();
  assert.deepEqual(timeline.spans(now).slice(0, 2), [spans[0], { ...spans[1], state: 'silent' }]);
  await timeline.stop();
  assert.equal(JSON.parse(stored.get('feed-timeline')!).version, 2);
});
