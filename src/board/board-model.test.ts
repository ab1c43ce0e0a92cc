import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bodyFaults } from '../../test/contract/body-rules.ts';
import { documentSchemas } from '../contract/document-schemas.testing.ts';
import { openApiDocument } from '../contract/openapi.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { MarketControls } from '../market/market-catalogue.ts';
import { Markets } from '../market/markets.ts';
import {
  after,
  conversionRate,
  dayMs,
  decimal,
  everyEuroMarket,
  pricingPolicy,
  start,
  symbol,
  upstreamMarket,
  upstreamTicker,
} from '../market/samples.testing.ts';
import { check } from '../market/seeded.testing.ts';
import { Board } from './board.ts';
import { contentEncodings, decoded, textOf } from './decoded.testing.ts';
import type { Page } from './page.ts';

const bases = ['BTC', 'ETH', 'XRP'];
const symbols = bases.flatMap((base) => [`${base}CZK`, `${base}EUR`]);

/** The board without caches: every body made again from the book, members written out one by one. */
const naive = {
  ticker(markets: Markets, name: string, now: EpochMs): string {
    const verdict = markets.pricer.price(symbol(name), now);
    if (verdict.kind !== 'priced') return verdict.kind === 'unpriced' ? verdict.reason : verdict.kind;
    const { market, capturedAt, source: _, ...values } = verdict.ticker;
    const { symbol: own, base, quote } = market;
    const timestamp = new Date(capturedAt).toISOString();
    return JSON.stringify({ symbol: own, base, quote, ...values, timestamp, timestampMs: capturedAt });
  },
  tickers(markets: Markets, now: EpochMs): string | undefined {
    const bodies = symbols.map((name) => naive.ticker(markets, name, now)).filter((body) => body.startsWith('{'));
    return bodies.length === 0 ? undefined : `{"tickers":[${bodies.join(',')}]}`;
  },
  markets(book: Markets, now: EpochMs): string | undefined {
    if (!book.catalogue.everLoaded) return undefined;
    const markets = symbols.flatMap((name) => {
      const market = book.catalogue.find(symbol(name));
      if (market === undefined || (market.listedUntil !== undefined && now >= market.listedUntil)) return [];
      const { exchangeSymbol: _exchange, isConverted: _converted, listedUntil: _until, ...shown } = market;
      return [shown];
    });
    return JSON.stringify({ markets });
  },
};

/** Holds one resource's pages against what the naive board says, and against the pages before. */
class Reader {
  #page: Page | undefined;
  #text: string | undefined;
  readonly #tagsSeen = new Map<string, string>();

  read(page: Page | undefined, expected: string | undefined): void {
    assert.equal(page === undefined ? undefined : textOf(page), expected);
    if (page === undefined || expected === undefined) return;
    const tag = page.entityTag('identity');
    assert.equal(this.#tagsSeen.get(tag) ?? expected, expected, 'an entity tag names two bodies');
    this.#tagsSeen.set(tag, expected);
    if (expected === this.#text) assert.equal(page, this.#page, 'the same body was made twice');
    this.#page = page;
    this.#text = expected;
  }
}

interface World {
  now: EpochMs;
  readonly markets: Markets;
  readonly board: Board;
  readonly decisions: Map<string, MarketControls>;
  readonly readers: Map<string, Reader>;
}

interface Step {
  toString(): string;
  run(world: World): void;
}

/** A failing sequence is shown by its texts. */
function step(text: string, run: (world: World) => void): Step {
  return { run, toString: () => text };
}

function reader({ readers }: World, resource: string): Reader {
  const known = readers.get(resource) ?? new Reader();
  readers.set(resource, known);
  return known;
}

function readTicker(world: World, name: string): void {
  const { markets, board, now } = world;
  const reading = board.ticker(name.toLowerCase(), now);
  const expected = naive.ticker(markets, name, now);
  if (reading.kind === 'page') reader(world, name).read(reading.page, expected);
  else assert.equal(reading.kind === 'unpriced' ? reading.reason : reading.kind, expected);
}

const reads: Record<string, (world: World) => void> = {
  markets: (world) =>
    reader(world, 'markets').read(world.board.markets(world.now), naive.markets(world.markets, world.now)),
  tickers: (world) =>
    reader(world, 'tickers').read(world.board.tickers(world.now), naive.tickers(world.markets, world.now)),
};
for (const name of symbols) reads[name] = (world) => readTicker(world, name);

const anyName = fc.constantFrom(...bases).map((base) => `${base}EUR`);
const anyStatus = fc.constantFrom('trading' as const, 'paused' as const);
const anyPrice = fc
  .integer({ min: 1, max: 99_999 })
  .map((tenths) => decimal(`${Math.floor(tenths / 10)}.${tenths % 10}`));

const anyTicker = fc.tuple(anyName, anyPrice, fc.boolean()).map(([name, price, isBad]) =>
  step(`ticker ${name} ${price}${isBad ? ' without ask' : ''}`, ({ markets, now }) => {
    const ask = isBad ? undefined : price;
    markets.tickerReceived(upstreamTicker({ symbol: symbol(name), bid: price, ask, receivedAt: now }));
  }),
);

const anyReference = fc.tuple(anyName, anyPrice).map(([name, price1hAgo]) =>
  step(`reference ${name} ${price1hAgo}`, ({ markets }) => {
    markets.referencePricesChanged(symbol(name), { price1hAgo, price24hAgo: undefined, price7dAgo: undefined });
  }),
);

const anyRate = fc
  .tuple(fc.constantFrom('24.3', '24.31', '25'), fc.integer({ min: 0, max: 12 }))
  .map(([mid, daysAgo]) =>
    step(`rate ${mid} of ${daysAgo} days ago`, ({ markets, now }) => {
      const fixingDate = new Date(now - daysAgo * dayMs).toISOString().slice(0, 10);
      markets.rateRefreshed(conversionRate({ mid: decimal(mid), fixingDate, refreshedAt: now }));
    }),
  );

const anyLoad = fc.array(fc.tuple(fc.constantFrom(...bases), anyStatus), { maxLength: 3 }).map((listed) =>
  step(`load ${listed.join(' ')}`, ({ markets, now }) => {
    markets.catalogueLoaded(
      listed.map(([base, status]) => upstreamMarket(base, { status })),
      now,
    );
  }),
);

const anyStatusChange = fc
  .tuple(anyName, anyStatus)
  .map(([name, status]) =>
    step(`status ${name} ${status}`, ({ markets }) => markets.marketChanged(symbol(name), { status })),
  );

const anyDecision = fc
  .tuple(fc.constantFrom(...symbols), fc.constantFrom('pause', 'pause', 'resume', 'resume', 'delist'))
  .map(([name, decision]) =>
    step(`${decision} ${name}`, ({ markets, decisions, now }) => {
      const delistedAt = decision === 'delist' ? now : undefined;
      decisions.set(name, { symbol: symbol(name), operatorPaused: decision === 'pause', delistedAt });
      markets.applyControls([...decisions.values()]);
    }),
  );

const anyWait = fc.oneof(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 40 * dayMs })).map((byMs) =>
  step(`pass ${byMs} ms`, (world) => {
    world.now = after(world.now, byMs);
  }),
);

const anyEdge = fc.constantFrom(-1, 0).map((pastMs) =>
  step(`pass to ${pastMs} ms of the next change`, (world) => {
    const next = world.markets.nextChangeAt(world.now);
    if (Number.isFinite(next)) world.now = Math.max(world.now, next + pastMs) as EpochMs;
  }),
);

const anyRead = fc.constantFrom(...Object.keys(reads)).map((what) => step(`read ${what}`, reads[what]!));

const anySteps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: anyRead },
    { weight: 6, arbitrary: anyTicker },
    { weight: 2, arbitrary: anyRate },
    { weight: 2, arbitrary: anyLoad },
    { weight: 2, arbitrary: anyEdge },
    anyReference,
    anyStatusChange,
    anyDecision,
    anyWait,
  ),
  { minLength: 5, maxLength: 60 },
);

const document = openApiDocument({ baseUrl: 'https://api.example.com', errorsUrl: 'https://api.example.com/errors' });
const schemaFaults = documentSchemas(document, 'asServer');

/** The bodies at the end of a sequence keep to the served document, in every coding. */
function judge(page: Page | undefined, schema: 'MarketList' | 'TickerList'): void {
  if (page === undefined) return;
  const body = JSON.parse(textOf(page));
  assert.deepEqual(schemaFaults({ $ref: `#/components/schemas/${schema}` }, body), []);
  assert.deepEqual(bodyFaults(body), []);
  for (const encoding of contentEncodings) assert.equal(decoded(page.as(encoding)), textOf(page));
}

function play(steps: readonly Step[]): void {
  const markets = new Markets(pricingPolicy(), everyEuroMarket);
  const world: World = { now: start, markets, board: new Board(markets), decisions: new Map(), readers: new Map() };
  // Half a life already: otherwise most sequences end before a rate does.
  markets.catalogueLoaded([upstreamMarket('BTC'), upstreamMarket('ETH')], start);
  reads.tickers!(world);
  markets.tickerReceived(upstreamTicker());
  for (const { run } of steps) run(world);
  for (const read of Object.values(reads)) read(world);
  judge(world.board.markets(world.now), 'MarketList');
  judge(world.board.tickers(world.now), 'TickerList');
}

test('after any sequence of events, reads and passing time, every body equals a fresh rendering, and is rendered only when it changed', (t) => {
  check(t, fc.property(anySteps, play), { numRuns: 500 });
});
