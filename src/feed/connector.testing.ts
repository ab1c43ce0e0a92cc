import { FakeClock } from '../../test/support/fake-clock.ts';
import type { ConnectorOptions } from './connector.ts';

/** Options of a connector under test: those that are not given are the defaults of the configuration. */
export function connectorOptions({
  restUrl,
  liveUrl,
  ...changes
}: { readonly restUrl: string; readonly liveUrl: string } & Partial<ConnectorOptions>): ConnectorOptions {
  return {
    id: 'exchange',
    urls: { rest: restUrl, ws: liveUrl },
    quotes: [],
    symbols: 'all',
    clock: new FakeClock(),
    requestTimeoutMs: 5_000,
    frameBytesMax: 16_777_216,
    ...changes,
  };
}
