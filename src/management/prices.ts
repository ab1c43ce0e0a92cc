import Type from 'typebox';
import { isoInstant } from '../contract/instant.ts';
import { instantFields, line, listOf, named } from '../operator/fields.ts';
import { TickerSchema } from './markets.ts';
import { operation } from './operation.ts';
import { Problem } from './problems.ts';

const version = line(
  'Names this state of all prices: send it as `Last-Event-ID` to get what changed since.',
  'q3Zk0PxT7a-1204',
  64,
);

const PriceListSchema = named('PriceList', 'The prices that clients get.', {
  version,
  ...instantFields('serverTime', 'The time of the server.'),
  prices: listOf(
    named('VersionedTicker', 'A ticker, in the very bytes that clients get from `/v1/ticker`.', {
      version: line(
        'The `ETag` of `/v1/ticker` while it answers this ticker, without quotes and coding.',
        'Zl1xk3VY0sB8mUq4o2cT7w',
        64,
      ),
      ticker: TickerSchema,
    }),
    'One for each market that has a price.',
  ),
});

const exampleEvent =
  'id: q3Zk0PxT7a-1204\nevent: change\ndata: {"version":"q3Zk0PxT7a-1204","prices":[],"removed":["BTCCZK"]}\n\n';

export const priceOperations = {
  readPrices: operation({
    path: '/api/prices',
    summary: 'All prices',
    description:
      'For the operator’s own application: what clients of the API get at the same moment, also during maintenance.',
    access: 'prices',
    answer: PriceListSchema,
    handle({ now }, { prices }) {
      prices.refresh(now);
      const { version: current, prices: texts } = prices.since(undefined);
      const times = `"serverTime":"${isoInstant(now)}","serverTimeMs":${now}`;
      return Buffer.from(`{"version":"${current}",${times},"prices":[${texts.join(',')}]}`) as never;
    },
  }),

  streamPrices: operation({
    path: '/api/prices/stream',
    summary: 'All prices as they change',
    description:
      'Server-sent events. `snapshot` comes first: `data` as `/api/prices` without the time. `change` has the prices that changed since and `removed`, the symbols that have none any more. `heartbeat` comes every 5 seconds with `version`, `serverTime` and `serverTimeMs`. With the header `Last-Event-ID` of an earlier event of the same process the stream begins with a `change`. A reader that takes nothing for 10 seconds is cut.',
    access: 'prices',
    answerType: 'text/event-stream',
    answer: Type.String({ description: 'Events, without end.', examples: [exampleEvent] }),
    problems: ['TOO_MANY_STREAMS'],
    handle({ request, reply, gate }, { priceStreams, clock }) {
      if (priceStreams.isFull) {
        throw new Problem('TOO_MANY_STREAMS', 'This process has as many price streams as it takes.', {
          headers: { 'Retry-After': '5' },
          said: { code: 'streams_taken', values: {} },
        });
      }
      reply.hijack();
      const { raw } = reply;
      raw.writeHead(200, { ...streamHeaders, ...(reply.getHeaders() as Record<string, string>) });
      if (request.method === 'HEAD') {
        raw.end();
        return '';
      }
      const lastEventId = request.headers['last-event-id'];
      const version = typeof lastEventId === 'string' ? lastEventId : undefined;
      const isStillAllowed = async () => {
        try {
          await gate.admit(request, { operationId: 'streamPrices', access: 'prices' }, clock.now());
          return true;
        } catch (error) {
          // A database that cannot be reached ends no stream.
          return !(error instanceof Problem);
        }
      };
      priceStreams.open(raw, version, isStillAllowed);
      return '';
    },
  }),
};

const streamHeaders = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // Proxies such as nginx would hold events back.
  'X-Accel-Buffering': 'no',
};
