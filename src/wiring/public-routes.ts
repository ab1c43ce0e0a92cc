import type { LimitFigures } from '../contract/limits.ts';
import { openApiDocument } from '../contract/openapi.ts';
import type { Routes } from '../http/pipeline.ts';
import type { Resource } from '../http/resource.ts';
import { markets } from '../http/resources/markets.ts';
import { openapi } from '../http/resources/openapi.ts';
import { status } from '../http/resources/status.ts';
import { ticker } from '../http/resources/ticker.ts';
import { tickers } from '../http/resources/tickers.ts';
import { time } from '../http/resources/time.ts';
import { publicPages } from '../portal/pages.ts';
import type { Brand } from '../portal/site.ts';

/** Every path of the public listener. */
export function publicRoutes(offer: {
  readonly baseUrl: string;
  readonly errorsUrl: string;
  readonly limits: LimitFigures;
  readonly version: string;
  readonly brand?: Brand | undefined;
}): Routes {
  const document = openApiDocument(offer);
  const { root, pages, lost } = publicPages({ ...offer, document });
  return {
    keyed: byRoute([time, status, markets, ticker, tickers]),
    keyless: byRoute([root, openapi(document)]),
    uncounted: pages,
    lost,
  };
}

function byRoute(resources: readonly Resource[]): Map<string, Resource> {
  return new Map(resources.map((resource) => [resource.route, resource]));
}
