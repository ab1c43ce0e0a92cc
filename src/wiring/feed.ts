import { RedisEngineStream } from '../cluster/engine-stream.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { Ban } from '../feed/ban.ts';
import { clockWatch } from '../feed/clock-watch.ts';
import { connectorFor, type LoadedKinds, withoutCandles } from '../feed/connectors.ts';
import type { PushConnector } from '../feed/push/connector.ts';
import { StreamReader } from '../feed/push/stream-reader.ts';
import { RateKeeper, RateWitness } from '../feed/rates/rate-keeper.ts';
import { type RateOrigin, secondOrigin } from '../feed/rates/rate-origins.ts';
import { rateSource } from '../feed/rates/rate-sources.ts';
import { RecentConnects } from '../feed/recent-connects.ts';
import type { RecordLookup } from '../feed/recorded-references.ts';
import { type RunningSource, SourceSet } from '../feed/source-set.ts';
import { SourceWatch } from '../feed/source-watch.ts';
import { FeedSupervisor } from '../feed/supervisor.ts';
import { type Log, logWith } from '../ground/log.ts';
import type { FeedView } from '../management/parts.ts';
import { type FeedTarget, marketSink } from '../market/feed-target.ts';
import type { FeedSink } from '../market/upstream.ts';
import type { DelistingPolicy } from '../persistence/delisting-policy.ts';
import type { SourceBans } from '../persistence/source-bans.ts';
import type { ServiceOptions } from './service-options.ts';

export interface FeedParts extends Pick<ServiceOptions, 'clock' | 'randomness' | 'log'> {
  readonly market: FeedTarget;
  /** Sees each load of a source's catalogue. */
  readonly review: Pick<DelistingPolicy, 'loaded'>;
  /** `undefined` where nothing is recorded. */
  readonly lookUpRecord?: RecordLookup | undefined;
  /** By source, over every feed of this process. */
  readonly standings?: Map<string, Standing>;
  /** Keeps what a restart must know of them. */
  readonly bans?: SourceBans | undefined;
}

/**
 * How an exchange sees this process, so that one feed after the other connects no more often than one alone, and makes
 * no request that a ban forbids.
 */
interface Standing {
  readonly connects: RecentConnects;
  readonly ban: Ban;
}

/** The sources and the rate sources, as one thing that runs. */
export interface Feed extends FeedView {
  /** Takes other sources over, of kinds that are loaded. */
  replace(sources: readonly SourceConfiguration[]): void;
  start(): void;
  stop(): void | Promise<void>;
}

/**
 * Well under the five seconds after which a silent feed is degraded: a quiet market on a living connection never is.
 */
const pingEveryMsMax = 1_500;
type SourceConfiguration = Configuration['sources'][number];

/** Makes a connector and a supervisor for each source, and one rate keeper per converted quote, as configured. */
export function createFeed(configuration: Configuration, kinds: LoadedKinds, parts: FeedParts): Feed {
  const { pricing, rates, feed } = configuration;
  const { market, clock } = parts;
  const make = (config: SourceConfiguration) => sourceFor(config, configuration, kinds, parts, () => watch.review());
  const sources = new SourceSet(configuration.sources, make, feed.transportTimeoutMs);
  const { supervisors, connectors } = sources;
  const watch = new SourceWatch(parts, supervisors);
  const clocks = clockWatch(parts, () => supervisors.entries().map(([id, { clockOffsetMs }]) => [id, clockOffsetMs]));
  const sink = marketSink(market, clock);
  const keepers = [...pricing.converted].map(([quote, { via }]) => {
    const read = (origin: RateOrigin, key?: 'rates.compare') => {
      const source = rateSource(origin, connectors, clock, via, quote, key);
      return { ...parts, sink, source, base: via, quote, refreshMs: rates.refreshMs };
    };
    const second = secondOrigin(rates, via, quote);
    return new RateKeeper(read(rates), second && new RateWitness(read(second, 'rates.compare')));
  });
  return {
    replace(next) {
      // What one skipped that is gone is no longer shown.
      for (const { config } of sources.replace(next)) parts.review.loaded(config.id, clock.now());
      watch.replaced();
    },
    start() {
      market.markets.catalogue.reviews.onAccepted = (source) => supervisors.get(source)?.reloadCatalogue();
      for (const each of [sources, watch, clocks, ...keepers]) each.start();
    },
    async stop() {
      for (const each of [...keepers, clocks, watch]) each.stop();
      await sources.stop();
    },
    sources: () => sources.all.map(({ config, supervisor }) => ({ ...config, health: supervisor.health() })),
    rates: () => keepers.map((keeper) => keeper.health()),
    clock: clocks.read,
    engine: (source) =>
      sources.all.find(({ config: { id, kind, isPaused } }) => id === source && kind === 'push' && !isPaused)
        ?.connector as PushConnector | undefined,
  };
}

/** A configured source with all that runs it. @param pathChanged called when it gains or loses its live connection */
function sourceFor(
  config: SourceConfiguration,
  { markets, feed, redis }: Configuration,
  kinds: LoadedKinds,
  parts: FeedParts,
  pathChanged: () => void,
): RunningSource<SourceConfiguration> {
  const { id, kind } = config;
  const { clock, randomness } = parts;
  const log = logWith(parts.log, { source: id });
  const { connects, ban } = standingOf(id, parts, log);
  const connector = connectorFor({ ...config, ban }, { markets, feed }, kinds, clock);
  const own = marketSink(parts.market, clock, parts.market.markets.sources.find(id));
  const sink: FeedSink = {
    ...own,
    catalogueLoaded(markets, at, gaps) {
      const verdict = own.catalogueLoaded(markets, at, gaps);
      parts.review.loaded(id, at, gaps);
      return verdict;
    },
    feedPathChanged: pathChanged,
  };
  const timing = { ...feed, pingEveryMs: Math.min(feed.pingEveryMs, pingEveryMsMax) };
  const lookUpRecord = withoutCandles([config]).length > 0 ? parts.lookUpRecord : undefined;
  const supervisor = new FeedSupervisor({ ...parts, log, sink, connector, timing, lookUpRecord, connects });
  if (kind !== 'redis-stream' || redis === undefined) return { config, connector, supervisor, parts: [supervisor] };
  const stream = new RedisEngineStream(id, redis, clock, randomness);
  const reader = new StreamReader({ connector: connector as PushConnector, stream, clock, log });
  return { config, connector, supervisor, parts: [supervisor, reader] };
}

function standingOf(id: string, { standings, bans, clock }: FeedParts, log: Log): Standing {
  const known = standings?.get(id);
  if (known !== undefined) return known;
  const ban = new Ban(clock, bans?.until(id), (until, words) => {
    bans?.note(id, until);
    log.warn({ until: new Date(until).toISOString(), words }, 'the exchange wants no request before an instant');
  });
  if (ban.until !== undefined)
    log.warn(
      { until: new Date(ban.until).toISOString() },
      'the exchange wanted no request before an instant that is to come',
    );
  const standing = { connects: new RecentConnects(), ban };
  standings?.set(id, standing);
  return standing;
}
