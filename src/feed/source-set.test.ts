import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExchangeConnector } from './connector.ts';
import { SourceSet } from './source-set.ts';
import type { FeedSupervisor } from './supervisor.ts';

const config = (id: string, more: { kind?: string; isPaused?: boolean; url?: string } = {}) => ({
  id,
  kind: id,
  isPaused: false,
  url: '',
  ...more,
});

/** A set whose sources note what becomes of them, each by its id and the number of times that it was made. */
function setOf(...configs: readonly ReturnType<typeof config>[]) {
  const noted: string[] = [];
  const timings = new Map<string, Parameters<FeedSupervisor['retime']>[0]>();
  const made = new Map<string, number>();
  const set = new SourceSet<ReturnType<typeof config>, Pick<FeedSupervisor, 'retime'>>(
    configs,
    (own) => {
      const { id } = own;
      const name = `${id}${made.get(id) ?? ''}`;
      made.set(id, (made.get(id) ?? 1) + 1);
      const part = (what: string) => ({
        start: () => void noted.push(`start ${what}`),
        stop: () => void noted.push(`stop ${what}`),
      });
      const retime: FeedSupervisor['retime'] = (timing) => void timings.set(id, timing);
      const supervisor = { ...part(name), retime };
      const parts = own.kind === 'redis-stream' ? [supervisor, part(`${name} reader`)] : [supervisor];
      return { config: own, connector: { id } as ExchangeConnector, supervisor, parts };
    },
    30_000,
  );
  return {
    set,
    told: () => noted.splice(0),
    timings,
    ids: () => set.all.map(({ config: { id } }) => id),
    connected: () => set.connectors.map(({ id }) => id),
  };
}

test('a source that stays as it is keeps its connection in any order, and nothing of it starts again', () => {
  const { set, told, ids, connected } = setOf(config('a'), config('b'));
  const { supervisors, connectors } = set;
  const before = [...set.all];
  set.start();
  assert.deepEqual(told(), ['start a', 'start b']);
  assert.deepEqual(set.replace([config('b'), config('a')]), []);
  assert.deepEqual([told(), ids(), connected()], [[], ['b', 'a'], ['b', 'a']]);
  assert.deepEqual(new Set(set.all), new Set(before));
  assert.ok(set.supervisors === supervisors && set.connectors === connectors, 'whoever holds them sees the new order');
  assert.deepEqual([...supervisors.keys()], ['b', 'a']);
});

test('one that is removed or another now stops before its successor starts, and is named to the caller', () => {
  const { set, told, ids } = setOf(config('a'), config('b'), config('c', { kind: 'redis-stream' }));
  set.start();
  told();
  const gone = set.replace([config('a'), config('b', { url: 'another' })]);
  assert.deepEqual(told(), ['stop b', 'stop c', 'stop c reader', 'start b2']);
  assert.deepEqual(
    gone.map(({ config: { id } }) => id),
    ['b', 'c'],
  );
  assert.deepEqual(
    [ids(), [...set.supervisors.keys()]],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
  );
});

test('a paused source is there, has no connection and is no source of rates; resumed it starts anew', async () => {
  const { set, told, ids, connected } = setOf(config('a'), config('b', { isPaused: true }));
  set.start();
  assert.deepEqual([told(), ids(), connected()], [['start a'], ['a', 'b'], ['a']]);
  set.replace([config('a', { isPaused: true }), config('b')]);
  assert.deepEqual([told(), ids(), connected()], [['stop a', 'start b2'], ['a', 'b'], ['b']]);
  set.replace([config('a'), config('b')]);
  assert.deepEqual([told(), connected()], [['start a3'], ['a', 'b']]);
  set.replace([config('a'), config('b', { isPaused: true })]);
  told();
  await set.stop();
  assert.deepEqual(told(), ['stop a3'], 'what was not started is not stopped');
});

test('before the start and after the end another list starts and stops nothing', async () => {
  const { set, told } = setOf(config('a'));
  assert.deepEqual(set.replace([config('b')]), []);
  assert.deepEqual(told(), []);
  set.start();
  assert.deepEqual(told(), ['start b']);
  await set.stop();
  assert.deepEqual(told(), ['stop b']);
  assert.deepEqual(set.replace([config('a')]), []);
  assert.deepEqual(told(), []);
});

test('silence is found out sooner where another source can take over, and a paused one cannot', () => {
  const { set, timings } = setOf(config('a'));
  const alone = { takeoverAfterMs: 30_000, steadyPauseMaxMs: 0 };
  const beside = { takeoverAfterMs: 4_000, steadyPauseMaxMs: 1_500 };
  assert.deepEqual(timings.get('a'), alone);
  set.replace([config('a'), config('b', { kind: 'push' }), config('c')]);
  assert.deepEqual(timings.get('a'), beside, 'also of the connection that stayed');
  assert.deepEqual(timings.get('b'), { ...beside, steadyPauseMaxMs: 0 }, 'an engine proves that nothing is missing');
  set.replace([config('a'), config('c', { isPaused: true })]);
  assert.deepEqual(timings.get('a'), alone);
});
