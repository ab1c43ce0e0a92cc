import { setTimeout as pause } from 'node:timers/promises';
import type { KeyWatch } from '../test/cluster/key-watch.ts';
import { WatchedProxies } from '../test/cluster/watched-proxies.ts';
import { needsProxies } from '../test/support/shipped-proxies.ts';
import { startExchange } from './fixture/exchange.ts';
import { span, whole } from './report/format.ts';
import type { Section } from './report/section.ts';
import type { Scope } from './scope.ts';

const euroMarkets = 10;
const updatesPerSecond = 50;

/** In turn: paused, answering again, killed, started again. Long enough for feeds to begin, and to end. */
const stepMs = { paused: 12_000, again: 18_000, killed: 12_000, anew: 18_000 };

interface Outcome {
  readonly proxy: string;
  readonly clients: number;
  readonly answered: number;
  readonly refused: number;
  readonly lost: number;
  readonly back: number;
  readonly slowestMs: number;
}

/** Whether a key sees anything go back behind the proxies that are shipped, while Redis is paused and killed. */
export async function proxies(scope: Scope): Promise<Section> {
  if (needsProxies.skip !== undefined) throw new Error(needsProxies.skip);
  const exchange = await startExchange(scope, euroMarkets, updatesPerSecond);
  const watched = await WatchedProxies.start(
    { after: (stop) => void scope.own({ stop: async () => (stop as () => unknown)() }) },
    exchange,
  );
  const rounds = scope.pick(10, 1);
  for (let round = 1; round <= rounds; round++) {
    scope.progress(`Redis paused and killed: round ${round} of ${rounds}`);
    await loseRedis(watched);
  }
  await watched.stopWatching();
  const outcomes = watched.proxies.map(({ name }) =>
    outcomeOf(
      name,
      watched.watches.filter((watch) => watch.proxy === name),
    ),
  );
  return {
    title: 'Proxies',
    meaning: `Two processes behind each of the proxies as shipped, ${whole(updatesPerSecond)} updates a second. Each client polls \`/v1/ticker\`, \`/v1/status\` and \`/v1/tickers\` with one key, on a connection that it keeps; in each of ${whole(rounds)} minutes Redis is paused for ${span(stepMs.paused)} and killed for ${span(stepMs.killed)}. Back: a time of a price or of the last update older than one that the client has seen. Refused: as documented. Lost: no answer, or one of another form.`,
    columns: ['', 'clients', 'answers', 'refused', 'lost', 'back', 'slowest'],
    rows: outcomes.map(({ proxy, clients, answered, refused, lost, back, slowestMs }) => [
      proxy,
      ...[clients, answered, refused, lost, back].map(whole),
      span(slowestMs),
    ]),
    bars: outcomes.map(({ proxy, lost, back }) => ({
      promise: `${proxy}: nothing goes back, nothing is lost`,
      measured: `${back}, ${lost}`,
      met: back + lost === 0,
    })),
    figures: outcomes,
  };
}

async function loseRedis({ redis }: WatchedProxies): Promise<void> {
  redis.freeze();
  await pause(stepMs.paused);
  redis.thaw();
  await pause(stepMs.again);
  await redis.kill();
  await pause(stepMs.killed);
  await redis.restart();
  await pause(stepMs.anew);
}

function outcomeOf(proxy: string, watches: readonly KeyWatch[]): Outcome {
  const sum = (count: (watch: KeyWatch) => number) => watches.reduce((total, watch) => total + count(watch), 0);
  return {
    proxy,
    clients: watches.length,
    answered: sum(({ answered }) => answered),
    refused: sum(({ refusals }) => refusals.length),
    lost: sum(({ faults }) => faults.length),
    back: sum(({ back }) => back.length),
    slowestMs: Math.max(...watches.map(({ slowestMs }) => slowestMs)),
  };
}
