/** States of a market that version 1 knows today (contract, Enumerations). The set can grow within v1. */
export const publicMarketStatuses = ['trading', 'paused', 'delisted'] as const;

/** Trading state of a market as a client sees it. */
export type PublicMarketStatus = (typeof publicMarketStatuses)[number];

/** States of the service and its parts that version 1 knows today (contract, Enumerations). The set can grow within v1. */
export const publicServiceStatuses = ['operational', 'degraded', 'outage', 'maintenance'] as const;

/** The states a feed can be in, as `components.ticker` and the header `X-Feed-Status` show them. */
export const feedStatuses = ['operational', 'degraded', 'outage'] as const satisfies readonly PublicServiceStatus[];

/** State of the service, of the API, or of a part it depends on. */
export type PublicServiceStatus = (typeof publicServiceStatuses)[number];
