import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { BoardPosition } from '../../src/cluster/board-position.ts';
import { ReplicatedNode } from '../../src/cluster/replicated-node.testing.ts';
import { type Clock, systemClock } from '../../src/ground/clock.ts';
import { ClusterNode, endlessWindowMs } from '../support/cluster-harness.ts';
import { eventually } from '../support/eventually.ts';
import { needsRedis, RedisServer } from '../support/redis.ts';
import { lateReplication } from '../support/replication-proxy.ts';
import { Wire } from '../support/wire.ts';
import { sized } from './full-size.ts';

type Test = Parameters<typeof RedisServer.start>[0];

const bases = ['ADA', 'BTC', 'ETH', 'XRP'];
const generousLimit = 1_000_000;

interface Node extends Pick<ClusterNode, 'api' | 'limits'> {
  readonly node: ReplicatedNode;
  readonly position: BoardPosition;
  readonly key: string;
}

/**
 * Nodes with listeners that count and replicate through one Redis. @param lateMs how late each hears of changes; the
 * first leads
 */
async function startNodes(t: Test, lateMs: readonly number[]) {
  const redis = await RedisServer.start(t);
  const nodes: Node[] = [];
  for (const late of lateMs) {
    const position = new BoardPosition(systemClock);
    const { api, limits } = await ClusterNode.start(t, redis, { position, windowMs: endlessWindowMs });
    const port = late === 0 ? redis.port : await lateReplication(t, redis.port, late);
    const parts = { markets: api.markets, feedStatus: api.feed, position };
    const node = await ReplicatedNode.start(t, { address: { ...redis.address, port } }, parts);
    const key = api.addKey({ limitPerMinute: generousLimit });
    nodes.push({ api, limits, node, position, key });
  }
  const [leader, ...followers] = nodes;
  await leader!.node.lead(redis);
  leader!.node.list(...bases);
  leader!.node.rate('24.5');
  raisePrices(t, leader!.node, systemClock);
  for (const { node } of followers) node.follower.start();
  await eventually('all have prices', () => nodes.every(({ node }) => node.capturedAt('BTCEUR') > 0));
  return { redis, nodes, leader: leader! };
}

/** Prices that only rise, so that an older one is a lower one: 1,000 changes a second. */
function raisePrices(t: Test, node: ReplicatedNode, clock: Clock): void {
  let cents = 5_000_000;
  let lastMs = clock.monotonicMs();
  const raising = clock.every(1, () => {
    const dueMs = Math.floor(clock.monotonicMs() - lastMs);
    lastMs += dueMs;
    for (let change = 0; change < Math.min(dueMs, 50); change++) {
      const price = (++cents / 100).toFixed(2);
      node.tick(bases[cents % bases.length]!, price, price);
    }
  });
  t.after(() => raising.cancel());
}

const paths = ['/v1/ticker?symbol=BTCEUR', '/v1/status', '/v1/tickers', '/v1/ticker?symbol=BTCCZK'];

/** What must never get smaller, by name. */
function measuresOf(path: string, body: string): [string, number][] {
  const read = JSON.parse(body);
  if (path === '/v1/status') return [['lastUpdatedAt', read.lastUpdatedAtMs]];
  const tickers = (read.tickers ?? [read]) as { symbol: string; buyPrice: string; timestampMs: number }[];
  return tickers.flatMap(({ symbol, buyPrice, timestampMs }) => [
    [`time of ${symbol}`, timestampMs],
    [`price of ${symbol}`, Number(buyPrice)],
  ]);
}

/** One key asks the nodes in turn, as fast as they answer. */
async function askInTurn(nodes: readonly Node[], wanted: number) {
  const wires = await Promise.all(nodes.map(({ api }) => Wire.open(api.port)));
  const last = new Map<string, number>();
  const back: string[] = [];
  const tookMs: number[] = [];
  for (let answers = 0; answers < wanted; answers++) {
    const at = answers % nodes.length;
    const path = paths[Math.floor(answers / nodes.length) % paths.length]!;
    const { api, key, position } = nodes[at]!;
    const inVain = position.waits.in_vain;
    const askedMs = performance.now();
    const { status, body } = await wires[at]!.ask(
      api.requestText(path, { key, headers: { Connection: 'keep-alive' } }),
    );
    tookMs.push(performance.now() - askedMs);
    assert.equal(status, 200);
    // A machine with other work can take longer than an answer waits: that is counted, and all that may be.
    const isLate = position.waits.in_vain > inVain;
    for (const [name, value] of measuresOf(path, body.toString())) {
      const before = last.get(name) ?? 0;
      if (value < before && !isLate)
        back.push(`answer ${answers}, ${path} of node ${at}: ${name} by ${before - value}`);
      last.set(name, value);
    }
  }
  for (const wire of wires) wire.close();
  tookMs.sort((one, other) => one - other);
  return { back, p50: tookMs[Math.floor(wanted / 2)]!, p99: tookMs[Math.floor(wanted * 0.99)]! };
}

const settings: Record<string, readonly number[]> = {
  'two processes': [0, 0],
  'two processes, one of which reads changes over a way of 200 ms': [0, 200],
  'three processes, one of which reads changes over a way of 200 ms': [0, 0, 200],
};

/** They wait for changes most of the time, each with servers of its own. */
describe('one key that asks in turn', { concurrency: true }, () => {
  for (const [name, lateMs] of Object.entries(settings)) {
    test(`${name}: no time, price or last update goes back (fault row 68)`, needsRedis, async (t) => {
      const { nodes } = await startNodes(t, lateMs);
      const wanted = lateMs.includes(200) ? sized(300, 3_000) : sized(1_500, 10_000);
      const { back, p50, p99 } = await askInTurn(nodes, wanted);
      const waits = nodes.map(({ position, limits }) => ({
        ...position.waits,
        again: limits.figures().positionsStored,
      }));
      t.diagnostic(`${wanted} answers, ${back.length} back, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
      t.diagnostic(`waits by node: ${JSON.stringify(waits)}`);
      assert.deepEqual(back.slice(0, 10), []);
      for (const { limits } of nodes) assert.equal(limits.figures().countedAlone, 0);
    });
  }
});
