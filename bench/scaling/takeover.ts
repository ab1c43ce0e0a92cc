import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../../test/support/eventually.ts';
import { ask } from '../fixture/ask.ts';
import { startExchange } from '../fixture/exchange.ts';
import { type Installation, install } from '../fixture/service.ts';
import type { Scope } from '../scope.ts';
import { durations, type Finding, notMeasured } from './finding.ts';
import { type Node, startServing } from './node.ts';
import { redisMissing, startRedis } from './redis.ts';

const euroMarkets = 25;
const updatesPerSecond = 200;
const timeoutMs = 60_000;
const what = 'takeover of the feed after kill -9';

interface Takeover {
  readonly leadsMs: number;
  readonly servedMs: number;
}

/** How long prices stand still when the process that has the connection to the exchange is killed. */
export async function takeover(scope: Scope): Promise<Finding[]> {
  const redis = await startRedis(scope);
  if (redis === undefined) return [notMeasured(what, redisMissing!)];
  const exchange = await startExchange(scope, euroMarkets, updatesPerSecond);
  const installation = await install(scope, 'takeover', exchange);
  const env = { MDAPI_REDIS: redis.url };
  const startFeed = () => startServing(scope, installation, { core: 'all', only: 'feed', env });
  const api = await startServing(scope, installation, { core: 'all', only: 'api', env });
  let feeds: readonly Node[] = [await startFeed(), await startFeed()];
  const found: Takeover[] = [];
  const rounds = scope.pick(15, 2);
  for (let round = 1; round <= rounds; round++) {
    scope.progress(`takeover ${round} of ${rounds}`);
    const leader = await eventually('one leads', () => leaderOf(feeds), timeoutMs);
    await eventually(
      'its prices are served',
      async () => (await lastUpdatedMs(api, installation)) !== undefined,
      timeoutMs,
    );
    // The death falls anywhere between two renewals of the lease.
    await pause(1_000 + 1_000 * Math.random());
    const other = feeds.find((feed) => feed !== leader)!;
    found.push(await kill(leader, other, api, installation));
    feeds = [other, await startFeed()];
  }
  return [
    durations(
      what,
      'until another leads',
      found.map(({ leadsMs }) => leadsMs),
    ),
    durations(
      what,
      'until its prices are served',
      found.map(({ servedMs }) => servedMs),
    ),
  ];
}

async function leaderOf(feeds: readonly Node[]): Promise<Node | undefined> {
  for (const feed of feeds) if ((await feed.metric('mdapi_feed_leading')) === 1) return feed;
  return undefined;
}

async function kill(leader: Node, other: Node, api: Node, installation: Installation): Promise<Takeover> {
  const atMs = Date.now();
  const startedMs = performance.now();
  const since = () => performance.now() - startedMs;
  const killed = leader.process.kill();
  const leads = async () => (await other.metric('mdapi_feed_leading')) === 1 && since();
  // All data of the killed one is older than its death: the clock is the same for all here.
  const served = async () => ((await lastUpdatedMs(api, installation)) ?? 0) > atMs && since();
  const [leadsMs, servedMs] = await Promise.all([
    eventually('the other leads', leads, timeoutMs),
    eventually('its prices are served', served, timeoutMs),
    killed,
  ]);
  return { leadsMs, servedMs };
}

async function lastUpdatedMs({ baseUrl }: Node, { keys }: Installation): Promise<number | undefined> {
  const { body } = await ask(`${baseUrl}/v1/status`, keys[0]!);
  return (JSON.parse(body.toString()) as { lastUpdatedAtMs: number | null }).lastUpdatedAtMs ?? undefined;
}
