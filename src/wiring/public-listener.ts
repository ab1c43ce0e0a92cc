import { publicUrls, type ServerConfiguration } from '../configuration/configuration.ts';
import { heapShare } from '../http/heap-share.ts';
import { PublicListener, type PublicListenerOptions, type PublicListenerParts } from '../http/public-listener.ts';
import { publicRoutes } from './public-routes.ts';

/** What differs from one listener of the service to the next. */
interface ListenerParts extends Omit<PublicListenerParts, 'offerAt' | 'strain'> {
  readonly version: string;
  readonly tls: PublicListenerOptions['tls'];
  readonly eventLoopDelayMs: () => number;
  /** Of this thread where several share a port, which they then take together. */
  readonly sharedPort?: number | undefined;
}

/** The public listener as configured. With a shared port it takes its part of the connections. */
export function createPublicListener(server: ServerConfiguration, parts: ListenerParts): PublicListener {
  const { version, tls, eventLoopDelayMs, sharedPort, ...rest } = parts;
  const isShared = sharedPort !== undefined;
  const maxConnections = isShared ? Math.ceil(server.maxConnections / server.workers) : server.maxConnections;
  const options = { host: server.host, port: sharedPort ?? server.port, tls, limits: { ...server, maxConnections } };
  return new PublicListener(isShared ? { ...options, reusePort: true } : options, {
    ...rest,
    offerAt(port) {
      const urls = publicUrls(server, port);
      return { routes: publicRoutes({ ...urls, version }), errorsUrl: urls.errorsUrl };
    },
    strain: () => ({ eventLoopDelayMs: eventLoopDelayMs(), heapShare: heapShare() }),
  });
}
