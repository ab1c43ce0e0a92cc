import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { ClickHouseStandIn } from '../../../test/support/clickhouse-stand-in.ts';
import { FakeClock } from '../../../test/support/fake-clock.ts';
import type { EpochMs } from '../../ground/clock.ts';
import { RequestNumbers } from '../../ground/request-numbers.ts';
import { Markets } from '../../market/markets.ts';
import {
  conversionRate,
  decimal,
  everyEuroMarket,
  pricingPolicy,
  upstreamMarket,
  upstreamTicker,
} from '../../market/samples.testing.ts';
import { type OpenWriter, openWriter } from '../record/open-writer.ts';
import { newRecord, type RecordFixture, requestKey } from '../record/record.testing.ts';
import { Recorder } from '../record/recorder.ts';
import { decodeFacts } from '../segment/fact-codec.ts';
import { readKeyframe } from '../segment/keyframe.ts';
import { decodeQuotes } from '../segment/quote-codec.ts';
import type { FactRow, QuoteRow, ServingRow } from '../segment/rows.ts';
import { segmentKinds } from '../segment/segment.ts';
import { decodeServings } from '../segment/serving-codec.ts';
import { type Shipped, shipTo } from './ship.ts';

const numbers = new RequestNumbers(requestKey);

/** Prices and answers over some minutes, from two minutes before a month ends. */
export class RecordedService {
  readonly record: RecordFixture;
  readonly clock = new FakeClock('2026-11-30T23:58:00.000Z');
  readonly #markets: Markets;
  #process: { readonly open: OpenWriter; readonly recorder: Recorder; readonly pieces: Buffer[] } | undefined;
  #prices = 0;
  #answers = 0;

  static async start(t: Pick<TestContext, 'after'>): Promise<RecordedService> {
    const service = new RecordedService(await newRecord(t));
    await service.begin();
    t.after(() => service.#process?.open.release());
    return service;
  }

  private constructor(record: RecordFixture) {
    this.record = record;
    this.#markets = new Markets(pricingPolicy(), everyEuroMarket);
    this.#markets.catalogueLoaded([upstreamMarket('BTC'), upstreamMarket('ETH')], this.clock.now());
    this.#markets.rateRefreshed(conversionRate({ refreshedAt: this.clock.now(), fixingDate: '2026-11-27' }));
  }

  /** Starts a process that records: the first, or one after another that was stopped or killed. */
  async begin(): Promise<void> {
    const { store, journalPath } = this.record;
    const open = await openWriter({ store, journalPath, requestKey, now: this.clock.now(), written: () => {} });
    const pieces: Buffer[] = [];
    const channel = { send: (piece: Buffer) => void pieces.push(piece) };
    const recorder = new Recorder({
      markets: this.#markets,
      clock: this.clock,
      channel,
      onGap: () => assert.fail('a gap'),
    });
    this.#process = { open, recorder, pieces };
    recorder.start([['process', '{"version":"1.0.0","errorsUrl":"https://api.example.com/errors"}']]);
    if (open.gap !== undefined) recorder.fact('gap', '', JSON.stringify(open.gap));
    await this.#write();
  }

  /** Four prices of BTCEUR and BTCCZK, none of ETHEUR, and ten answers to two keys. */
  async minute(): Promise<void> {
    for (let quarter = 0; quarter < 4; quarter++) {
      for (let second = 0; second < 15; second++) {
        this.#process!.recorder.flush();
        this.clock.jump(1_000);
      }
      const bid = decimal(`8420${this.#prices % 10}.${this.#prices % 7}0`);
      this.#prices++;
      this.#markets.tickerReceived(upstreamTicker({ bid, receivedAt: this.clock.now() }));
      this.#process!.recorder.flush();
    }
    for (let answer = 0; answer < 10; answer++) this.#answer(answer);
    await this.#write();
    await this.#process!.open.writer.tick(this.clock.now());
  }

  /** Ends the process in order, with everything sealed. */
  async stop(): Promise<void> {
    this.#process!.recorder.stop();
    await this.#write();
    await this.#process!.open.writer.stop();
    this.#process!.open.release();
    this.#process = undefined;
  }

  /** Ends it with a journal that nobody sealed. */
  kill(): void {
    this.#process!.recorder.stop();
    this.#process!.open.release();
    this.#process = undefined;
  }

  #answer(index: number): void {
    const isProblem = index === 3;
    const text = isProblem ? 'UNKNOWN_SYMBOL There is no market "NOPE".' : '';
    const asked = { keyId: `key_${index % 2}`, askedAt: this.clock.now(), route: '/v1/ticker' };
    const answered = { symbol: isProblem ? '' : 'BTCEUR', status: isProblem ? 404 : 200, text };
    this.#process!.recorder.served({ ...asked, ...answered, request: ++this.#answers });
  }

  async #write(): Promise<void> {
    const { pieces, recorder, open } = this.#process!;
    recorder.flush();
    for (const piece of pieces.splice(0)) await open.writer.take(piece);
  }
}

/** A row as text, in the names of the tables: what both the record and the copy have to give. */
export type CopiedRow = Readonly<Record<string, string | number>>;

export interface Copied {
  readonly quotes: readonly CopiedRow[];
  readonly servings: readonly CopiedRow[];
  readonly facts: readonly CopiedRow[];
}

/** Gives what the copy has to hold of a record with one chain, every digit of it, in the order of their positions. */
export async function expectedOf({ store }: RecordFixture): Promise<Copied> {
  const [quotes, servings, facts]: [CopiedRow[], CopiedRow[], CopiedRow[]] = [[], [], []];
  for (const { number, kind, keyframe: base } of await store.heads({ kinds: segmentKinds, chain: 1 })) {
    const [segment, keyframe] = [await store.segment(1, number), await store.segment(1, base)];
    const names = keyframe === undefined ? [] : readKeyframe(keyframe.data).names;
    if (kind === 'quotes') quotes.push(...decodeQuotes(segment!.data, names).map(expectedQuote));
    if (kind === 'servings') servings.push(...decodeServings(segment!.data, names).map(expectedServing));
    if (kind === 'facts' || kind === 'breaks') facts.push(...decodeFacts(segment!.data).map(expectedFact));
  }
  const inOrder = (rows: CopiedRow[]) => rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return { quotes: inOrder(quotes), servings: inOrder(servings), facts: inOrder(facts) };
}

/** Positions as text, and what tells apart those that share one. */
export function keyOf({ at, sub, requestId = '' }: CopiedRow): string {
  return `${at} ${String(sub).padStart(9, '0')} ${requestId}`;
}

function instantText(at: number): string {
  return new Date(at).toISOString().replace('T', ' ').replace('Z', '');
}

function expectedQuote({ at, sub, symbol: market, unpriced, quote }: QuoteRow): CopiedRow {
  const statistics = quote?.statistics;
  return {
    at: instantText(at),
    sub,
    symbol: market,
    unpriced: unpriced ?? '',
    source: quote?.source ?? '',
    timestamp: quote === undefined ? '' : instantText(quote.capturedAt),
    bid: quote?.bid ?? '',
    ask: quote?.ask ?? '',
    buy: quote?.buyPrice ?? '',
    sell: quote?.sellPrice ?? '',
    high: statistics?.high24h ?? '',
    low: statistics?.low24h ?? '',
    volume: statistics?.volume24h ?? '',
    vwap: statistics?.vwap24h ?? '',
    change: statistics?.priceChangePercent24h ?? '',
    rate: quote?.rate ?? '',
    terms: quote?.terms ?? '',
  };
}

function expectedServing({ at, sub, askedAt, ...row }: ServingRow): CopiedRow {
  const { keyId, route, status, text, feedAgeMs } = row;
  const requestId = numbers.idOf(row.request);
  const asked = { at: instantText(at), sub, askedAt: instantText(askedAt), keyId, route, symbol: row.symbol };
  return { ...asked, status, text, feedAgeMs, requestId };
}

function expectedFact({ at, sub, kind, subject, text }: FactRow): CopiedRow {
  return { at: instantText(at), sub, kind, subject, text };
}

/** The statements that read a copy in the names of `expectedOf`, on the engine and on its stand-in alike. */
export const copiedBy: Readonly<Record<keyof Copied, string>> = {
  quotes: `SELECT at, sub, symbol, unpriced, source, ifNull(toString(timestamp), '') AS timestamp,
      bidText AS bid, askText AS ask, buyPriceText AS buy, sellPriceText AS sell, high24hText AS high, low24hText AS low,
      volume24hText AS volume, vwap24hText AS vwap, priceChangePercent24hText AS change, rateVersion AS rate,
      termsVersion AS terms FROM quotes`,
  servings: `SELECT at, sub, askedAt, keyId, route, symbol, status, text, toInt32(feedAgeMs) AS feedAgeMs,
      replace(toString(requestId), '-', '') AS requestId FROM servings`,
  facts: 'SELECT at, sub, kind, subject, text FROM facts',
};

const dayMs = 86_400_000;

export interface Rig {
  readonly service: RecordedService;
  readonly clickhouse: ClickHouseStandIn;
  ship(span?: { from?: EpochMs; to?: EpochMs }, create?: boolean): Promise<Shipped>;
}

/** A service that records, and a ClickHouse that its record goes to. */
export async function rig(t: Pick<TestContext, 'after'>): Promise<Rig> {
  const [service, clickhouse] = [await RecordedService.start(t), await ClickHouseStandIn.start(t)];
  const ship: Rig['ship'] = ({ from, to } = {}, create = false) => {
    const options = { from, to, now: service.clock.now(), keepForMs: 400 * dayMs, progress: () => {} };
    return shipTo(service.record.store, clickhouse.location, create, options);
  };
  return { service, clickhouse, ship };
}

export function copied(clickhouse: ClickHouseStandIn): Copied {
  const read = (query: string) => clickhouse.rows(query).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  return { quotes: read(copiedBy.quotes), servings: read(copiedBy.servings), facts: read(copiedBy.facts) };
}

/** Each row of the record is there once, and the ledger has each segment. */
export async function assertCopied({ service, clickhouse }: Pick<Rig, 'service' | 'clickhouse'>): Promise<void> {
  assert.deepEqual(copied(clickhouse), await expectedOf(service.record));
  const last = await service.record.store.head(1);
  const ledger = clickhouse.rows('SELECT number, max(sent) AS sent FROM segments GROUP BY number ORDER BY number');
  const all = Array.from({ length: last!.number }, (_, index) => ({ number: index + 1, sent: 1 }));
  assert.deepEqual(ledger, all);
}
