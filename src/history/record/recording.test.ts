import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { FakeClock, seededRandomness } from '../../../test/support/fake-clock.ts';
import { silentLog } from '../../ground/log.ts';
import { Markets } from '../../market/markets.ts';
import { everyEuroMarket, pricingPolicy } from '../../market/samples.testing.ts';
import { FeedStatus } from '../../market/service-status.ts';
import { decodeFacts } from '../segment/fact-codec.ts';
import type { FactKind } from '../segment/rows.ts';
import { newRecord, recordTest, requestKey } from './record.testing.ts';
import { Recording, type RecordingParts } from './recording.ts';

async function recordingWith(t: TestContext, parts: Partial<RecordingParts>) {
  const { location, store } = await newRecord(t);
  const clock = new FakeClock();
  const feedStatus = new FeedStatus();
  const market = { markets: new Markets(pricingPolicy(), everyEuroMarket), feedStatus };
  const recording = new Recording({
    location,
    requestKey,
    clock,
    randomness: seededRandomness(1),
    log: silentLog,
    keepForMs: 86_400_000,
    version: '1.0.0',
    sharing: undefined,
    audit: { record: async () => {} },
    daySealed: () => {},
    market: { ...market, service: { announced: [] } },
    heads: { load: async () => [], keep: async () => {} },
    readClock: () => ({ bySource: new Map() }),
    shared: undefined,
    ...parts,
  });
  await recording.start();
  recording.begin('https://api.example.com/errors');
  const factsOf = async (wanted: FactKind) => {
    const facts: unknown[] = [];
    for (const { chain, number } of await store.heads({ kinds: ['facts', 'breaks'] })) {
      const rows = decodeFacts((await store.segment(chain, number))!.data).filter(({ kind }) => kind === wanted);
      facts.push(...rows.map(({ text }) => JSON.parse(text)));
    }
    return facts;
  };
  return { location, clock, feedStatus, recording, factsOf };
}

recordTest(
  'how far the clock is from others is recorded when it is known, and again where it differs by a quarter of a second',
  async (t) => {
    let told: { kraken?: number; redis?: number } = {};
    const { location, clock, recording, factsOf } = await recordingWith(t, {
      readClock: () => ({ bySource: new Map(told.kraken === undefined ? [] : [['kraken', told.kraken]]) }),
      shared: { figures: () => ({ clockSkewMs: told.redis }) },
    });
    for (const next of [{ kraken: 12.4 }, { kraken: 200 }, { kraken: 300.6, redis: -3 }, { redis: -4 }]) {
      await clock.advance(1_000);
      told = next;
    }
    await clock.advance(1_000);
    const hasServer = location.kind === 'postgres';
    if (hasServer) {
      await eventually('the clock of PostgreSQL is known', () => recording.figures().clockOffsetMs !== undefined);
      assert.ok(Math.abs(recording.figures().clockOffsetMs!) < 1_000, 'both clocks are of this machine');
      await clock.advance(1_000);
    }
    await recording.stop();
    const facts = (await factsOf('clock')) as Record<string, number>[];
    const withoutServer = facts.map(({ postgres: _, ...others }) => others);
    assert.deepEqual(withoutServer.slice(0, 2), [{ kraken: 12 }, { kraken: 301, redis: -3 }]);
    assert.equal('postgres' in facts.at(-1)!, hasServer);
  },
);

recordTest('that it makes the prices, for all or alone for itself, is recorded while its feed lives', async (t) => {
  let told = { isLeading: false, isAlone: false };
  const { clock, feedStatus, recording, factsOf } = await recordingWith(t, { sharing: () => told });
  const live = () => feedStatus.feedCurrent('live', clock.now(), clock.monotonicMs());
  const [apart, alone, leading] = [told, { isLeading: false, isAlone: true }, { isLeading: true, isAlone: false }];
  for (const next of [apart, alone, leading, alone]) {
    told = next;
    live();
    await clock.advance(1_000);
  }
  await clock.advance(10_000);
  await recording.stop();
  assert.deepEqual(await factsOf('publishing'), ['alone', true, 'alone', false]);
});

recordTest('a feed that is polled every twenty seconds goes on making the prices between two polls', async (t) => {
  const { clock, feedStatus, recording, factsOf } = await recordingWith(t, {});
  for (let poll = 0; poll < 3; poll++) {
    feedStatus.updated('fallback', clock.now(), clock.monotonicMs());
    feedStatus.source('kraken').current(false, clock.now(), clock.monotonicMs(), 20_000);
    await clock.advance(20_000);
  }
  await clock.advance(6_000);
  await recording.stop();
  assert.deepEqual(await factsOf('publishing'), [true, false]);
});
