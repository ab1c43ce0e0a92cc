import type { Clock } from '../ground/clock.ts';
import type { Ban } from './ban.ts';
import type { AssetNames, ConnectorOptions, ConnectorUrls, ExchangeConnector } from './connector.ts';

/** A kind of source. */
interface ConnectorKind {
  /** Its own addresses, where the configuration names no others. */
  readonly urls: ConnectorUrls;
  /** Loads its code, which only processes that use it need. */
  readonly load: () => Promise<ConnectorClass>;
  /** It gives no candles: past prices are those of the record. */
  readonly hasNoCandles?: true;
}

export type ConnectorClass = new (options: ConnectorOptions) => ExchangeConnector;

/** It connects to the service, or writes the same messages to a stream of the Redis server that the processes share. */
const engine: ConnectorKind = {
  urls: { rest: '', ws: '' },
  load: async () => (await import('./push/connector.ts')).PushConnector,
  hasNoCandles: true,
};

/** Every kind of source that can be configured. Another one is a folder beside `kraken/`, and an entry here. */
export const connectorKinds: Readonly<Record<string, ConnectorKind>> = {
  binance: {
    urls: { rest: 'https://data-api.binance.vision', ws: 'wss://data-stream.binance.vision/stream' },
    load: async () => (await import('./binance/connector.ts')).BinanceConnector,
  },
  bitstamp: {
    urls: { rest: 'https://www.bitstamp.net', ws: 'wss://ws.bitstamp.net' },
    load: async () => (await import('./bitstamp/connector.ts')).BitstampConnector,
  },
  bitvavo: {
    urls: { rest: 'https://api.bitvavo.com/v2', ws: 'wss://ws.bitvavo.com/v2/' },
    load: async () => (await import('./bitvavo/connector.ts')).BitvavoConnector,
  },
  coinbase: {
    urls: { rest: 'https://api.exchange.coinbase.com', ws: 'wss://ws-feed.exchange.coinbase.com' },
    load: async () => (await import('./coinbase/connector.ts')).CoinbaseConnector,
  },
  coinmate: {
    urls: { rest: 'https://coinmate.io', ws: 'wss://coinmate.io/api/websocket' },
    load: async () => (await import('./coinmate/connector.ts')).CoinmateConnector,
    hasNoCandles: true,
  },
  kraken: {
    urls: { rest: 'https://api.kraken.com', ws: 'wss://ws.kraken.com/v2' },
    load: async () => (await import('./kraken/connector.ts')).KrakenConnector,
  },
  push: engine,
  'redis-stream': engine,
  okx: {
    urls: { rest: 'https://eea.okx.com', ws: 'wss://wseea.okx.com:8443/ws/v5/public' },
    load: async () => (await import('./okx/connector.ts')).OkxConnector,
  },
};

/** The ids of those that give no candles. */
export function withoutCandles(sources: readonly { readonly id: string; readonly kind: string }[]): readonly string[] {
  return sources.filter(({ kind }) => connectorKinds[kind]?.hasNoCandles).map(({ id }) => id);
}

/** A source as it is configured. */
interface ConfiguredSource {
  readonly id: string;
  /** One of `connectorKinds`. */
  readonly kind: string;
  readonly urls: ConnectorUrls;
  readonly assets: AssetNames;
  /** `undefined`: as the connector knows its exchange. */
  readonly streamsPerSession?: number | undefined;
  /** The connector's own where left out. */
  readonly ban?: Ban;
}

/** The code of each configured kind of source. */
export type LoadedKinds = ReadonlyMap<string, ConnectorClass>;

/** Loads what these sources need, and nothing of other exchanges. */
export async function loadKinds(sources: readonly ConfiguredSource[]): Promise<LoadedKinds> {
  const kinds = [...new Set(sources.map(({ kind }) => kind))];
  const loaded = kinds.map(async (kind) => [kind, await connectorKinds[kind]!.load()] as const);
  return new Map(await Promise.all(loaded));
}

/** The connector of a configured source. */
export function connectorFor(
  { id, kind, urls, assets, streamsPerSession, ban }: ConfiguredSource,
  {
    markets,
    feed,
  }: {
    readonly markets: Pick<ConnectorOptions, 'quotes' | 'symbols'>;
    readonly feed: Pick<ConnectorOptions, 'requestTimeoutMs' | 'frameBytesMax'>;
  },
  kinds: LoadedKinds,
  clock: Clock,
): ExchangeConnector {
  const Connector = kinds.get(kind)!;
  const own = ban === undefined ? {} : { ban };
  return new Connector({ id, urls, assets, streamsPerSession, clock, ...own, ...markets, ...feed });
}
