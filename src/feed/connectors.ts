import type { ConnectorOptions, ConnectorUrls, ExchangeConnector } from './connector.ts';

/** An exchange that this service speaks with. */
interface ConnectorKind {
  /** Its own addresses, where the configuration names no others. */
  readonly urls: ConnectorUrls;
  /** Loads its code, which only processes that use it need. */
  readonly load: () => Promise<ConnectorClass>;
}

export type ConnectorClass = new (options: ConnectorOptions) => ExchangeConnector;

/** Every kind of source that can be configured. One more is a folder beside `kraken/`, and its line here. */
export const connectorKinds: Readonly<Record<string, ConnectorKind>> = {
  bitvavo: {
    urls: { rest: 'https://api.bitvavo.com/v2', ws: 'wss://ws.bitvavo.com/v2/' },
    load: async () => (await import('./bitvavo/connector.ts')).BitvavoConnector,
  },
  kraken: {
    urls: { rest: 'https://api.kraken.com', ws: 'wss://ws.kraken.com/v2' },
    load: async () => (await import('./kraken/connector.ts')).KrakenConnector,
  },
};
