import Type, { type Static } from 'typebox';
import type { TickerReading } from '../board/board.ts';
import { instantPattern, symbolPattern } from '../contract/schema-parts.ts';
import { MaintenanceWindowSchema, TickerSchema } from '../contract/schemas.ts';
import type { AdminParts } from './sources.ts';

const state = (description: string) => Type.String({ description, pattern: '^[a-z][a-z_]*$' });
const nullable = <Schema extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);

/** The body of `/v1/status` (contract, ServiceStatus), in one piece: this schema has no components to refer to. */
const StatusSchema = Type.Object({
  status: state('Overall: operational, degraded, outage or maintenance. The set can grow.'),
  api: state('Of the API itself.'),
  components: Type.Object({ ticker: state('Of the market data.') }),
  maintenance: Type.Union([MaintenanceWindowSchema, Type.Null()], {
    description: 'The running window, else the nearest announced one, else null.',
  }),
  lastUpdatedAt: nullable(Type.String({ pattern: instantPattern })),
  lastUpdatedAtMs: nullable(Type.Integer()),
  serverTime: Type.String({ pattern: instantPattern }),
  serverTimeMs: Type.Integer(),
});

const MarketViewSchema = Type.Object({
  symbol: Type.String({ pattern: symbolPattern }),
  status: state('trading, paused or delisted. The set can grow.'),
  ticker: Type.Optional(TickerSchema),
  unpriced: Type.Optional(
    Type.String({
      description: 'Why a market that is not delisted has no ticker: no_ticker, held, no_rate, rounds_to_zero.',
    }),
  ),
});

/** The body of `GET /board`. */
export const BoardViewSchema = Type.Object(
  {
    service: StatusSchema,
    dataAgeMs: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Age of the market data; absent when there has been none.' }),
    ),
    feedPath: Type.Optional(
      Type.Union([Type.Literal('live'), Type.Literal('fallback')], {
        description:
          'The way the data comes; absent until the feed has chosen one, at most two seconds after the start.',
      }),
    ),
    markets: Type.Array(MarketViewSchema, { description: 'Every market that clients see, by symbol.' }),
  },
  { description: 'All client prices and the state of the service at one instant, in maintenance too.' },
);

export type BoardView = Static<typeof BoardViewSchema>;
export type MarketView = Static<typeof MarketViewSchema>;

/**
 * What clients get at this instant, as the JSON text of a {@link BoardView}. The tickers are the very bytes that clients
 * get, taken from the board: reading them often derives no price again.
 */
export function boardView({ market, clock }: Pick<AdminParts, 'market' | 'clock'>): string {
  const { board, book, service, feedStatus } = market;
  const now = clock.now();
  const ageMs = feedStatus.ageMs(now, clock.monotonicMs());
  const head = JSON.stringify({ service: service.status(now), dataAgeMs: ageMs, feedPath: feedStatus.path });
  const markets = book.catalogue.listed(now).map(({ symbol, status }) => {
    return marketText(symbol, status, board.ticker(symbol, now));
  });
  return `${head.slice(0, -1)},"markets":[${markets.join(',')}]}`;
}

function marketText(symbol: string, status: string, reading: TickerReading): string {
  const known = `{"symbol":"${symbol}","status":"${status}"`;
  if (reading.kind === 'page') return `${known},"ticker":${reading.page.as('identity').body}}`;
  return reading.kind === 'unpriced' ? `${known},"unpriced":"${reading.reason}"}` : `${known}}`;
}
