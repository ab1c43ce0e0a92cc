import type { Clock, Randomness } from '../clock.ts';
import type { Configuration, RatesConfiguration } from '../configuration/configuration.ts';
import type { ExchangeConnector } from '../feed/connector.ts';
import { type ConnectorClass, connectorKinds } from '../feed/connectors.ts';
import type { FeedHealth } from '../feed/health.ts';
import { type RateHealth, RateKeeper, type RateSource } from '../feed/rates/rate-keeper.ts';
import { cnbSource, ecbSource, exchangeSource, jsonSource } from '../feed/rates/rate-sources.ts';
import { FeedSupervisor } from '../feed/supervisor.ts';
import type { Log } from '../log.ts';
import type { CurrencyCode } from '../market/symbol.ts';
import type { FeedSink } from '../market/upstream.ts';

/** Where the feed's news go, and what it is made with. */
export interface FeedParts {
  readonly sink: FeedSink;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

/** The upstream exchange and the rate sources, as one thing that runs. */
export interface Feed {
  start(): void;
  stop(): void | Promise<void>;
  health(): FeedHealth;
  rates(): readonly RateHealth[];
}

/** The code of each configured kind of source. */
export type LoadedKinds = ReadonlyMap<string, ConnectorClass>;

/** Makes the connector, its supervisor and one rate keeper per converted quote, as configured. */
export function createFeed(configuration: Configuration, kinds: LoadedKinds, parts: FeedParts): Feed {
  const { feed, pricing, rates } = configuration;
  const connector = connectorsFor(configuration, kinds, parts)[0]!;
  const supervisor = new FeedSupervisor({
    ...parts,
    connector,
    timing: feed,
  });
  const keepers = [...pricing.converted].map(([quote, { via }]) => {
    const source = rateSource(rates, connector, parts.clock, via, quote);
    return new RateKeeper({ ...parts, source, base: via, quote, refreshMs: rates.refreshMs });
  });
  return {
    start() {
      supervisor.start();
      for (const keeper of keepers) keeper.start();
    },
    stop() {
      for (const keeper of keepers) keeper.stop();
      supervisor.stop();
    },
    health: () => supervisor.health(),
    rates: () => keepers.map((keeper) => keeper.health()),
  };
}

/** Loads what the configured sources need, and nothing of other exchanges. */
export async function loadKinds({ sources }: Configuration): Promise<LoadedKinds> {
  const kinds = [...new Set(sources.map(({ kind }) => kind))];
  const loaded = kinds.map(async (kind) => [kind, await connectorKinds[kind]!.load()] as const);
  return new Map(await Promise.all(loaded));
}

/** A connector for each configured source, in their order. */
export function connectorsFor(
  { sources, markets, feed }: Configuration,
  kinds: LoadedKinds,
  { clock, randomness, log }: Omit<FeedParts, 'sink'>,
): readonly ExchangeConnector[] {
  const { quotes, symbols } = markets;
  const { requestTimeoutMs, frameBytesMax } = feed;
  return sources.map(({ id, kind, urls }) => {
    const Connector = kinds.get(kind)!;
    return new Connector({ id, urls, quotes, symbols, clock, randomness, log, requestTimeoutMs, frameBytesMax });
  });
}

/** The configured source of a conversion rate. */
export function rateSource(
  rates: RatesConfiguration,
  connector: ExchangeConnector,
  clock: Clock,
  base: CurrencyCode,
  quote: CurrencyCode,
): RateSource {
  switch (rates.source) {
    case 'cnb':
      return cnbSource({ clock, url: rates.url, base, quote });
    case 'ecb':
      return ecbSource({ clock, url: rates.url, base, quote });
    case 'json':
      return jsonSource({ clock, url: rates.url, pointer: rates.pointer, base, quote });
    case 'exchange':
      return exchangeSource({ connector, symbol: rates.market });
  }
}
