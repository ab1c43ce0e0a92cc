import { RedisEngineStream } from '../cluster/engine-stream.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { clockWatch } from '../feed/clock-watch.ts';
import { type ConnectedSource, connectorsFor, type LoadedKinds, withoutCandles } from '../feed/connectors.ts';
import type { PushConnector } from '../feed/push/connector.ts';
import { StreamReader } from '../feed/push/stream-reader.ts';
import { RateKeeper } from '../feed/rates/rate-keeper.ts';
import { rateSource } from '../feed/rates/rate-sources.ts';
import { RecentConnects } from '../feed/recent-connects.ts';
import type { RecordLookup } from '../feed/recorded-references.ts';
import { SourceWatch } from '../feed/source-watch.ts';
import { FeedSupervisor } from '../feed/supervisor.ts';
import { logWith } from '../log.ts';
import type { FeedView } from '../management/parts.ts';
import { type FeedTarget, marketSink } from '../market/feed-target.ts';
import type { FeedSink } from '../market/upstream.ts';
import type { DelistingPolicy } from '../persistence/delisting-policy.ts';
import type { ServiceOptions } from './service-options.ts';

export interface FeedParts extends Pick<ServiceOptions, 'clock' | 'randomness' | 'log'> {
  readonly market: FeedTarget;
  /** Sees each load of a source's catalogue. */
  readonly review: Pick<DelistingPolicy, 'loaded'>;
  /** `undefined` where nothing is recorded. */
  readonly lookUpRecord?: RecordLookup | undefined;
  /** By source, over every feed of this process, so that one after the other connects no more often than one alone. */
  readonly connects?: Map<string, RecentConnects>;
}

/** The sources and the rate sources, as one thing that runs. */
export interface Feed extends FeedView {
  start(): void;
  stop(): void | Promise<void>;
}

/** Well under the five seconds after which a silent feed is degraded: a quiet market on a living connection never is. */
const pingEveryMsMax = 1_500;
/** Where another source can take over, a dead connection and prices that stop must be found out within its five seconds. */
const severalTiming = { silentAfterMs: 4_000, steadyPauseMaxMs: 1_500 };
/** The number in an engine's heartbeat proves that no price of it is missing. */
export const engineKinds: ReadonlySet<string> = new Set(['push', 'redis-stream']);

type Connected = ConnectedSource<Configuration['sources'][number]>;

/** A configured source with all that runs it. */
interface Source extends Connected {
  readonly sink: FeedSink;
  readonly supervisor: FeedSupervisor;
}

/** Makes a connector and a supervisor for each source, and one rate keeper per converted quote, as configured. */
export function createFeed(configuration: Configuration, kinds: LoadedKinds, parts: FeedParts): Feed {
  const { pricing, rates } = configuration;
  const supervisors = new Map<string, FeedSupervisor>();
  const watch = new SourceWatch(parts, supervisors);
  const clocks = clockWatch(parts, () => supervisors.entries().map(([id, { clockOffsetMs }]) => [id, clockOffsetMs]));
  const sources = connectorsFor(configuration, kinds, parts.clock).map((connected): Source => {
    const sink = sinkFor(connected.config.id, parts, watch);
    const supervisor = supervisorFor(connected, sink, configuration, parts);
    supervisors.set(connected.config.id, supervisor);
    return { ...connected, sink, supervisor };
  });
  const { sink } = sources[0]!;
  const connectors = sources.map(({ connector }) => connector);
  const keepers = [...pricing.converted].map(([quote, { via }]) => {
    const source = rateSource(rates, connectors, parts.clock, via, quote);
    return new RateKeeper({ ...parts, sink, source, base: via, quote, refreshMs: rates.refreshMs });
  });
  const readers = streamReaders(configuration, sources, parts);
  return {
    start() {
      for (const each of [...supervisors.values(), watch, clocks, ...keepers, ...readers]) each.start();
    },
    async stop() {
      for (const each of [...keepers, clocks, watch, ...supervisors.values()]) each.stop();
      await Promise.all(readers.map((reader) => reader.stop()));
    },
    sources: () => sources.map(({ config: { id, kind }, supervisor }) => ({ id, kind, health: supervisor.health() })),
    rates: () => keepers.map((keeper) => keeper.health()),
    clock: clocks.read,
    engine: (source) =>
      sources.find(({ config: { id, kind } }) => id === source && kind === 'push')?.connector as
        | PushConnector
        | undefined,
  };
}

/** The market's sink for a source, which also has its catalogues reviewed and its markets' sources chosen. */
function sinkFor(id: string, { market, review, clock }: FeedParts, watch: SourceWatch): FeedSink {
  const sink = marketSink(market, clock, market.markets.sources.find(id));
  return {
    ...sink,
    catalogueLoaded(markets, at, gaps) {
      const verdict = sink.catalogueLoaded(markets, at, gaps);
      review.loaded(id, at, gaps);
      return verdict;
    },
    feedPathChanged: () => watch.review(),
  };
}

function supervisorFor(
  { config: { id, kind }, connector }: Connected,
  sink: FeedSink,
  { feed, sources }: Configuration,
  parts: FeedParts,
): FeedSupervisor {
  const timing = {
    ...feed,
    pingEveryMs: Math.min(feed.pingEveryMs, pingEveryMsMax),
    ...(sources.length > 1 ? severalTiming : { silentAfterMs: feed.transportTimeoutMs }),
    ...(engineKinds.has(kind) ? { steadyPauseMaxMs: 0 } : {}),
  };
  const lookUpRecord = withoutCandles(sources).includes(id) ? parts.lookUpRecord : undefined;
  const connects = parts.connects?.get(id) ?? new RecentConnects();
  parts.connects?.set(id, connects);
  const log = logWith(parts.log, { source: id });
  return new FeedSupervisor({ ...parts, log, sink, connector, timing, lookUpRecord, connects });
}

/** One for each source whose engine writes to a stream. */
function streamReaders(
  { redis }: Configuration,
  sources: readonly Connected[],
  { clock, randomness, log }: FeedParts,
): readonly StreamReader[] {
  return sources.flatMap(({ config: { id, kind }, connector }) => {
    if (kind !== 'redis-stream' || redis === undefined) return [];
    const stream = new RedisEngineStream(id, redis, clock, randomness);
    return [
      new StreamReader({ connector: connector as PushConnector, stream, clock, log: logWith(log, { source: id }) }),
    ];
  });
}
