import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openApiDocument } from '../../src/contract/openapi.ts';
import type { MarketBody, ServiceStatusBody, TickerBody } from '../../src/contract/schemas.ts';
import { systemClock } from '../../src/ground/clock.ts';
import { exampleOf, exampleResponse } from '../contract/example-server.ts';
import { ListenerHarness } from '../support/listener-harness.ts';
import type { Ask, Outcome } from './driven-client.ts';
import { StandIn } from './stand-in.ts';

const document = openApiDocument({ baseUrl: 'https://api.example.com', errorsUrl: 'https://api.example.com/errors' });
const paths = Object.fromEntries(
  Object.entries(document.paths).map(([path, { get }]) => [get.operationId, { path, get }]),
);

/** What a client under test has to be. */
export interface ClientUnderTest {
  readonly name: string;
  readonly needs: { readonly skip?: string };
  /** Starts it for a base URL. */
  readonly start: (baseUrl: string) => { readonly ask: Ask; stop(): void };
}

/**
 * Holds a generated client to the document: over the real listener, over each documented answer, and over values that
 * are new.
 */
export function describeClient({ name, needs, start }: ClientUnderTest): void {
  describe(`the client that ${name} makes`, { ...needs, timeout: 40_000 }, () => {
    const standIn = new StandIn();
    let api: ListenerHarness;
    let real: ReturnType<ClientUnderTest['start']>;
    let staged: ReturnType<ClientUnderTest['start']>;

    before(async () => {
      api = await ListenerHarness.start({ clock: systemClock });
      api.list('BTC', 'ETH', 'SOL');
      api.tick('BTC', '50000.00', '50010.00');
      api.tick('ETH', '2000.00', '2001.00');
      api.rate('24.315');
      await standIn.start();
      real = start(`http://127.0.0.1:${api.port}`);
      staged = start(standIn.baseUrl);
    });
    after(async () => {
      real?.stop();
      staged?.stop();
      standIn.stop();
      await api?.stop();
    });

    test('asks the running service everything, and reads what it answers', () => askEverything(api, real.ask));
    test('reads the problems of the running service', () => askForProblems(api, real.ask));
    test('reads each answer of each operation as the document shows it', () => askForExamples(standIn, staged.ask));
    test('takes values and fields that are new in live answers', () => askForNews(api, standIn, staged.ask));
  });
}

async function askEverything(api: ListenerHarness, ask: Ask): Promise<void> {
  const time = await ask('getServerTime', api.key);
  assert.equal(time.values?.[0], time.values?.[1], JSON.stringify(time));
  assert.ok(Math.abs(Number(time.values?.[1]) - api.clock.now()) < 10_000);
  for (const [operation, { path }] of Object.entries(paths)) {
    if (operation === 'getServerTime') continue;
    const target = operation === 'getTicker' ? `${path}?symbol=BTCCZK` : path;
    const expected = valuesOf(operation, JSON.parse((await api.get(target)).body.toString()));
    assert.deepEqual(await ask(operation, api.key, 'BTCCZK'), { status: 200, values: expected }, operation);
  }
}

async function askForProblems(api: ListenerHarness, ask: Ask): Promise<void> {
  const limited = api.addKey({ limitPerMinute: 1 });
  await api.get('/v1/time', { key: limited });
  const expected: [operation: string, key: string, symbol: string, problem: Outcome][] = [
    ['getServerTime', '-', '', { status: 401, code: 'MISSING_API_KEY' }],
    ['listTickers', 'wrong', '', { status: 401, code: 'INVALID_API_KEY' }],
    ['getTicker', api.key, 'NOPEEUR', { status: 404, code: 'UNKNOWN_SYMBOL' }],
    ['getTicker', api.key, 'SOLEUR', { status: 503, code: 'MARKET_DATA_UNAVAILABLE' }],
  ];
  const malformed = await ask('getTicker', api.key, '!');
  assert.deepEqual(malformed, { status: 400, code: 'INVALID_PARAMETER' });
  for (const [operation, key, symbol, problem] of expected) {
    assert.deepEqual(await ask(operation, key, symbol), problem, `${operation} ${symbol}`);
  }
  // Its minute may have ended since.
  await api.get('/v1/time', { key: limited });
  assert.deepEqual(await ask('listMarkets', limited), { status: 429, code: 'RATE_LIMIT_EXCEEDED' });
  const now = api.clock.now();
  api.service.setWindows([{ from: now, to: (now + 60_000) as typeof now, description: 'Upgrade' }]);
  assert.deepEqual(await ask('listTickers', api.key), { status: 503, code: 'SERVICE_MAINTENANCE' });
  const status = await ask('getServiceStatus', api.key);
  assert.deepEqual(status.values?.slice(0, 4), ['maintenance', 'maintenance', 'operational', 'Upgrade']);
}

async function askForExamples(standIn: StandIn, ask: Ask): Promise<void> {
  for (const [operation, { get }] of Object.entries(paths)) {
    for (const [status, reference] of Object.entries(get.responses)) {
      const response =
        '$ref' in reference ? document.components.responses[reference.$ref.split('/').at(-1)!]! : reference;
      const [content] = Object.values(response.content ?? {});
      for (const { value } of Object.values(content?.examples ?? {})) {
        const shown = value as { readonly status: number; readonly code: string };
        const answered = status === 'default' ? shown.status : Number(status);
        standIn.answer = { ...exampleOf(document, response, answered), body: JSON.stringify(value) };
        const expected =
          status === '200'
            ? { status: 200, values: valuesOf(operation, value) }
            : { status: answered, code: shown.code };
        assert.deepEqual(await ask(operation, 'any', 'BTCEUR'), expected, `${operation} ${status}`);
      }
    }
  }
}

/** Answers of the running service with values and fields that no document knows. */
async function askForNews(api: ListenerHarness, standIn: StandIn, ask: Ask): Promise<void> {
  const live = async (path: string, members: (body: Record<string, unknown>) => object) => {
    const { status, headers, body } = await api.get(path);
    const answer = { status, headers: { 'Content-Type': headers['content-type']! }, body: body.toString() };
    standIn.answer = StandIn.withMembers(answer, members(JSON.parse(answer.body)));
  };
  const since = { at: '2026-11-21', by: ['a', null] };
  api.service.setWindows([]);
  await live('/v1/status', () => ({
    status: 'recovering',
    components: { ticker: 'recovering', rates: 'outage' },
    since,
  }));
  const { values } = await ask('getServiceStatus', 'any');
  assert.deepEqual(values?.slice(0, 3), ['recovering', 'operational', 'recovering']);
  const halted = (body: object) => ({ ...body, status: 'halted', since });
  await live('/v1/markets', ({ markets }) => ({ markets: (markets as MarketBody[]).map(halted), next: null }));
  const symbols = (JSON.parse(standIn.answer.body) as { markets: MarketBody[] }).markets;
  assert.deepEqual(await ask('listMarkets', 'any'), {
    status: 200,
    values: valuesOf('listMarkets', { markets: symbols }),
  });
  for (const [operation, path] of [
    ['getTicker', '/v1/ticker?symbol=BTCCZK'],
    ['listTickers', '/v1/tickers'],
    ['getServerTime', '/v1/time'],
    ['getRoot', '/'],
  ] as const) {
    await live(path, ({ tickers }) => ({
      since,
      ...(tickers === undefined ? {} : { tickers: (tickers as object[]).map((one) => ({ ...one, since })) }),
    }));
    const expected = valuesOf(operation, JSON.parse(standIn.answer.body));
    assert.deepEqual(await ask(operation, 'any', 'BTCCZK'), { status: 200, values: expected }, operation);
  }
  standIn.answer = StandIn.withMembers(exampleResponse(document, '/v1/tickers', 'get', 503), { code: 'TEAPOT' });
  assert.deepEqual(await ask('listTickers', 'any'), { status: 503, code: 'TEAPOT' });
}

/** What a driver says of a body. */
function valuesOf(operation: string, body: unknown): string[] {
  switch (operation) {
    case 'getServerTime': {
      const { serverTimeMs } = body as { serverTimeMs: number };
      return [String(serverTimeMs), String(serverTimeMs)];
    }
    case 'getServiceStatus': {
      const { status, api, components, maintenance, lastUpdatedAtMs } = body as ServiceStatusBody;
      return [status, api, components.ticker, maintenance?.description ?? '-', String(lastUpdatedAtMs ?? '-')];
    }
    case 'listMarkets':
      return (body as { markets: MarketBody[] }).markets.map(
        ({ symbol, status, minOrderValue }) => `${symbol} ${status} ${minOrderValue ?? '-'}`,
      );
    case 'getTicker': {
      const { symbol, buyPrice, vwap24h, timestampMs } = body as TickerBody;
      return [symbol, buyPrice, vwap24h ?? '-', String(timestampMs)];
    }
    case 'listTickers':
      return (body as { tickers: TickerBody[] }).tickers.map(({ symbol, buyPrice }) => `${symbol} ${buyPrice}`);
    case 'getOpenApi':
      return [(body as { openapi: string }).openapi];
    default:
      return [(body as { name: string }).name];
  }
}
