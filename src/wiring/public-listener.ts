import { type StoreChanges, UnknownKeyRefresh } from '../access/unknown-key-refresh.ts';
import { publicUrls } from '../configuration/configuration.ts';
import { logoRefused } from '../configuration/load.ts';
import type { LimitFigures } from '../contract/limits.ts';
import { openApiDocument } from '../contract/openapi.ts';
import { servedCertificate } from '../http/certificate.ts';
import type { EventLoopDelay } from '../http/event-loop-delay.ts';
import { connectionsWithin, openFilesLimit } from '../http/open-files.ts';
import { heapShare, memoryBytes } from '../http/overload.ts';
import type { Routes } from '../http/pipeline.ts';
import { PublicListener } from '../http/public-listener.ts';
import { RecentRequests } from '../http/recent-requests.ts';
import type { RequestIds } from '../http/request-ids.ts';
import type { Resource } from '../http/resource.ts';
import { markets } from '../http/resources/markets.ts';
import { openapi } from '../http/resources/openapi.ts';
import { status } from '../http/resources/status.ts';
import { ticker } from '../http/resources/ticker.ts';
import { tickers } from '../http/resources/tickers.ts';
import { time } from '../http/resources/time.ts';
import { logRequest } from '../operator/request.ts';
import { type ClientPackages, clientPackageResources, readClientPackages } from '../portal/client-packages.ts';
import { publicPages } from '../portal/pages.ts';
import { portalBrand } from '../portal/portal-brand.ts';
import type { Brand } from '../portal/site.ts';
import type { SubscriptionDesk } from '../portal/subscribe.ts';
import type { Store } from '../store/store.ts';
import type { OtlpExporter } from '../telemetry/otlp-exporter.ts';
import type { AccessRoom } from './access-room.ts';
import type { MarketRoom } from './market-room.ts';
import type { RecordRoom } from './record-room.ts';
import type { ServiceOptions } from './service-options.ts';

interface PublicListenerOptions extends ServiceOptions {
  /** Sees each answered request, and its `traceparent`. */
  readonly telemetry: Pick<OtlpExporter, 'answered'> | undefined;
  readonly store: Pick<Store, 'snapshots'>;
  readonly ids: RequestIds;
  readonly subscribing: SubscriptionDesk;
}

/** The public listener as configured, with its certificate: a renewed one is served without a restart. */
export async function publicListener(
  options: PublicListenerOptions,
  { board, service }: MarketRoom,
  { directory, limits, shared, breaches, addresses }: AccessRoom,
  changes: StoreChanges,
  delay: EventLoopDelay,
  recording?: Pick<RecordRoom, 'begin' | 'served'>,
) {
  const { clock, randomness, log, version, telemetry, store, ids, subscribing } = options;
  const { server, limits: figures, logs, portal, timeZone } = options.configuration;
  const certificate =
    server.tls && (await servedCertificate(server.tls, { shared: store.snapshots, clock, randomness, log }));
  const brand = portalBrand(portal, logoRefused);
  const clientPackages = readClientPackages(version);
  if (clientPackages === undefined) {
    log.warn({ version }, 'the packages of the clients are not here: npm run packages makes them, for /clients');
  }
  const recent = new RecentRequests();
  const keyRefresh = new UnknownKeyRefresh(changes, clock);
  const maxConnections = connectionsWithin(server.maxConnections, openFilesLimit());
  if (maxConnections < server.maxConnections) {
    const counts = { maxConnections, configured: server.maxConnections };
    log.warn(counts, 'the limit of open files leaves room for fewer connections than configured: raise it');
  }
  const { host, port, reusePort } = server;
  const listener = new PublicListener(
    { host, port, reusePort, tls: certificate?.first, limits: { ...server, maxConnections } },
    {
      offerAt(port) {
        const urls = publicUrls(server, port);
        recording?.begin(urls.errorsUrl);
        const routes = publicRoutes({
          ...urls,
          limits: figures,
          version,
          brand,
          timeZone,
          subscribing,
          clientPackages,
        });
        return { routes, errorsUrl: urls.errorsUrl };
      },
      gate: { keys: directory, limits: shared ?? limits, breaches, refreshKeys: () => keyRefresh.refresh() },
      addresses,
      readModel: { board, service },
      onAnswered(answered, headers) {
        recent.keep(answered);
        telemetry?.answered(answered, headers.traceparent as string | undefined);
        logRequest(answered, logs.access, log);
      },
      onServed: recording && ((served) => recording.served(served)),
      clock,
      log,
      ids,
      pressure: () => ({ ...delay.read(), heapShare: heapShare() }),
      memoryBytes: memoryBytes(),
    },
  );
  return {
    counts: listener.counts,
    recent,
    connectionFigures: () => listener.connectionFigures(),
    overload: listener.overload,
    certificateExpiresAt: () => certificate?.expiresAt(),
    drain: () => listener.drain(),
    /** Resolves with the port listened on. */
    async listen(): Promise<number> {
      await certificate?.start((renewed) => listener.renewCertificate(renewed));
      return (await listener.listen()).port;
    },
    stop() {
      certificate?.stop();
      return listener.close(server.shutdownDeadlineMs);
    },
  };
}

/** Every path of the public listener. */
export function publicRoutes(offer: {
  readonly baseUrl: string;
  readonly errorsUrl: string;
  readonly limits: LimitFigures;
  readonly version: string;
  readonly brand?: Brand | undefined;
  readonly timeZone?: string | undefined;
  readonly subscribing?: SubscriptionDesk;
  readonly clientPackages?: ClientPackages | undefined;
}): Routes {
  const document = openApiDocument(offer);
  const { root, pages, lost } = publicPages({ ...offer, document }, offer.subscribing);
  const packages = offer.clientPackages === undefined ? [] : clientPackageResources(offer.clientPackages);
  return {
    keyed: byRoute([time, status, markets, ticker, tickers]),
    keyless: byRoute([root, openapi(document)]),
    uncounted: new Map([...pages, ...byRoute(packages)]),
    lost,
  };
}

function byRoute(resources: readonly Resource[]): Map<string, Resource> {
  return new Map(resources.map((resource) => [resource.route, resource]));
}
