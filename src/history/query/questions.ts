import type { Clock, EpochMs } from '../../ground/clock.ts';
import type { PriceExplanation } from '../../market/client-ticker.ts';
import type { DecimalString } from '../../market/decimal.ts';
import type { Doubt, DoubtSubject, WithheldInput } from '../../market/doubts.ts';
import type { OfferedMarket } from '../../market/market-catalogue.ts';
import { derivePrices } from '../../market/pricing.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import { listingOf, rebuildAnswer } from '../reading/bodies.ts';
import type { Coverage } from '../reading/coverage.ts';
import { type Facts, RecordReader, type RecordSpan, type ServedRow } from '../reading/record-reader.ts';
import { type ExpectedHead, type HeadFinding, headFinding } from '../segment/expected-heads.ts';
import {
  after,
  type FactKind,
  type FactRow,
  type Gap,
  gapAt,
  isBefore,
  type NoQuote,
  type Quote,
  type QuoteRow,
  type RateVersion,
  type RecordPosition,
  type TermsVersion,
} from '../segment/rows.ts';
import { segmentKinds } from '../segment/segment.ts';
import type { RecordHold, SegmentReader } from '../segment/segment-store.ts';
import { candlesOf } from './candles.ts';
import { merged } from './merged.ts';
import { middlesAt, type RecordedChanges, recordedChanges } from './past-prices.ts';
import { type NoProof, type Proof, proveAnswer } from './prove.ts';
import { publishedQuotes } from './published.ts';
import { type Verification, verifyRecord } from './verify.ts';

/** A market's price at an instant, or why it had none. */
export type PriceAt =
  | {
      readonly kind: 'priced';
      readonly row: QuoteRow;
      readonly explanation: PriceExplanation;
      /** Values of its exchange market and its currency that were withheld, by the operator or by the guard. */
      readonly held: readonly WithheldInput[];
      /** Percent changes that are from the record itself. */
      readonly changes: RecordedChanges;
    }
  | { readonly kind: 'unpriced'; readonly reason: NoQuote; readonly held: readonly WithheldInput[] }
  /** With the gap that the instant lies in, where it lies in one. */
  | { readonly kind: 'not_recorded'; readonly gap: Gap | undefined };

/** Some rows, and where to go on. */
export interface RowPage<Row> {
  readonly rows: readonly Row[];
  /** `undefined` where there is no more. */
  readonly next: RecordPosition | undefined;
}

/** An answer again, with what proves it. */
export interface ProvenAnswer {
  readonly serving: ServedRow;
  /** `undefined` where the record lacks what it was made from. */
  readonly body: string | undefined;
  readonly quotes: readonly QuoteRow[];
  /** The segment it is in; `undefined` while its minute runs. */
  readonly segment: { readonly chain: number; readonly number: number; readonly hash: string } | undefined;
}

export interface RecordSummary {
  /** The first and the last instant with a segment. */
  readonly from: EpochMs | undefined;
  readonly to: EpochMs | undefined;
  readonly segments: number;
  readonly bytes: number;
  readonly gaps: readonly Gap[];
  readonly holds: readonly RecordHold[];
}

interface PageOptions extends RecordSpan {
  readonly limit: number;
  readonly after?: RecordPosition | undefined;
}

/** A price that was captured longer ago when it was published was none of that moment: a list that was just loaded. */
const publishedWithinMs = 60_000;

/** Answers what people ask of the record. Everything it takes and gives survives a structured clone. */
export class RecordQuestions {
  readonly #store: SegmentReader;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #reader: RecordReader;

  constructor(store: SegmentReader, clock: Pick<Clock, 'now'>) {
    this.#store = store;
    this.#clock = clock;
    this.#reader = new RecordReader(store);
  }

  async summary(): Promise<RecordSummary> {
    const heads = await this.#store.heads({ kinds: segmentKinds });
    const { gaps } = await this.#coverage();
    return {
      from: heads.reduce<EpochMs | undefined>(
        (first, { firstAt }) => (firstAt < (first ?? Infinity) ? firstAt : first),
        undefined,
      ),
      to: heads.reduce<EpochMs | undefined>((last, { lastAt }) => (lastAt > (last ?? 0) ? lastAt : last), undefined),
      segments: heads.length,
      bytes: heads.reduce((sum, { bytes }) => sum + bytes, 0),
      gaps,
      holds: await this.#store.holds(),
    };
  }

  /**
   * The price of an instant; where it is the time of a price that was served, which is when that was captured, that
   * price, although it was published a moment later.
   *
   * @param withoutCandles the sources whose percent changes are from the record
   */
  async priceAt(symbol: string, asked: EpochMs, withoutCandles: readonly string[]): Promise<PriceAt> {
    const coverage = await this.#coverage();
    for (const chain of coverage.chainsAt(asked)) {
      const last = await this.#reader.lastQuote(chain, symbol, after({ at: asked }));
      const row = (await this.#capturedAt(chain, symbol, asked, last)) ?? last;
      if (row === undefined) continue;
      const at = Math.max(asked, row.at) as EpochMs;
      const market = listingOf(await this.#factsAt(chain, at, [symbol]), symbol);
      const subjects = market === undefined ? [] : subjectsOf(market);
      const facts = await this.#factsAt(chain, at, [symbol, ...subjects]);
      const held = heldIn(facts, subjects);
      if (row.quote === undefined) return { kind: 'unpriced', reason: row.unpriced!, held };
      const explanation = explainRow(row, row.quote, facts);
      if (explanation === undefined) continue;
      const isRecorded = withoutCandles.includes(row.quote.source);
      const changes = isRecorded ? await recordedChanges(this.#reader, coverage, row, explanation.market) : {};
      return { kind: 'priced', row, explanation, held, changes };
    }
    return { kind: 'not_recorded', gap: gapAt(coverage.uncovered(), asked) };
  }

  /** The first price that was captured at an instant and published after it; `undefined` where there is none. */
  async #capturedAt(chain: number, symbol: string, at: EpochMs, last: QuoteRow | undefined) {
    if (last?.quote?.capturedAt === at) return undefined;
    const span = { from: (at + 1) as EpochMs, to: (at + publishedWithinMs) as EpochMs };
    for await (const rows of this.#reader.quotes(chain, symbol, span)) {
      const found = rows.find(({ quote }) => quote?.capturedAt === at);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The middle of bid and ask of each market whose price a source made at an instant: see `middlesAt`. */
  async middlesAt(source: string, at: EpochMs): Promise<ReadonlyMap<MarketSymbol, DecimalString>> {
    return middlesAt(this.#reader, await this.#coverage(), source, at);
  }

  /** Gives a page of what was published of a market. */
  async quotes(symbol: string, options: PageOptions): Promise<RowPage<QuoteRow>> {
    return pageOf(this.everyQuote(spanOf(options), symbol), options);
  }

  /** Gives what was published of all markets, or of one, a segment at a time. */
  async *everyQuote(span: RecordSpan, symbol?: string): AsyncGenerator<QuoteRow[]> {
    yield* publishedQuotes(this.#reader, await this.#coverage(), symbol, span);
  }

  /** Gives what was answered in a span, by all processes in one order. @param keyId of all keys where it is left out */
  async *everyAnswer(span: RecordSpan, keyId?: string): AsyncGenerator<ServedRow[]> {
    const chains = await this.#store.chains();
    yield* merged(chains.map((chain) => this.#reader.servings(chain, span, keyId)));
  }

  /** Gives what changed rarely in a span, by all processes in one order. */
  async *everyFact(span: RecordSpan): AsyncGenerator<FactRow[]> {
    const chains = await this.#store.chains();
    yield* merged(chains.map((chain) => this.#reader.facts(chain, span)));
  }

  /** Steps of a market, for a chart, and where the record has no prices in the span. */
  async candles(symbol: string, span: RecordSpan, stepMs: number) {
    const coverage = await this.#coverage();
    const gaps = coverage.uncovered().filter(({ from, to = Infinity }) => from < span.to && to > span.from);
    const start = (Math.floor(span.from / stepMs) * stepMs) as EpochMs;
    const [chain] = coverage.chainsAt(start);
    const before = chain === undefined ? undefined : await this.#reader.lastQuote(chain, symbol, { at: start, sub: 0 });
    const rows = publishedQuotes(this.#reader, coverage, symbol, { from: start, to: span.to });
    const until = { from: start, to: Math.min(span.to, this.#clock.now()) as EpochMs };
    return { candles: await candlesOf(rows, until, stepMs, gaps, before?.quote), gaps };
  }

  /** Gives a page of answers. @param keyId of all keys where it is left out */
  async served(keyId: string | undefined, options: PageOptions): Promise<RowPage<ServedRow>> {
    return pageOf(this.everyAnswer(spanOf(options), keyId), options);
  }

  async answer(requestId: string): Promise<ProvenAnswer | undefined> {
    const found = await this.#reader.findServing(requestId);
    if (found === undefined) return undefined;
    const rebuilt = await rebuildAnswer(this.#reader, found);
    const { serving, segment } = found;
    return {
      serving,
      body: rebuilt?.body,
      quotes: rebuilt?.quotes ?? [],
      segment: segment && { chain: segment.chain, number: segment.number, hash: segment.hash.toString('hex') },
    };
  }

  /** Proves an answer, or says why it cannot. */
  prove(requestId: string): Promise<Proof | NoProof> {
    return proveAnswer(this.#store, this.#reader, requestId);
  }

  /** @param progress called with the number of segments so far @param kept what the store knows of the record */
  verify(progress = (_segments: number) => {}, kept: readonly ExpectedHead[] = []): Promise<Verification> {
    return verifyRecord(this.#store, progress, kept);
  }

  /** Finds the first of these segments that the record no longer has. */
  compare(expected: readonly ExpectedHead[]): Promise<HeadFinding | undefined> {
    return headFinding(this.#store, expected);
  }

  #factsAt(chain: number, at: EpochMs, subjects: readonly string[]): Promise<Facts> {
    return this.#reader.factsAt(chain, after({ at }), (subject) => subjects.includes(subject));
  }

  #coverage(): Promise<Coverage> {
    return this.#reader.coverage(this.#clock.now());
  }
}

/** Gives what can be held of a market: its exchange market, and its currency where it is converted. */
function subjectsOf({ exchangeSymbol, quote, isConverted }: OfferedMarket): readonly DoubtSubject[] {
  return isConverted ? [exchangeSymbol, quote] : [exchangeSymbol];
}

/** The operator's hold goes before what the guard held, as it did then. */
function heldIn(facts: Facts, subjects: readonly DoubtSubject[]): WithheldInput[] {
  const fact = (kind: FactKind, subject: string) => JSON.parse(facts.get(`${kind} ${subject}`)?.text ?? 'null');
  return subjects.flatMap((subject): WithheldInput[] => {
    const hold = fact('hold', subject) as { readonly since: EpochMs } | null;
    if (hold !== null) return [{ subject, reason: 'operator', since: hold.since, values: [] }];
    const held = fact('guard', subject) as Doubt | null;
    return held === null ? [] : [{ ...held, subject }];
  });
}

/**
 * How a recorded price came about. The last step is the price as it was published, whatever this version of the
 * software would make of the same values. `undefined` where the record has no listing of the market.
 */
function explainRow({ symbol }: QuoteRow, quote: Quote, facts: Facts): PriceExplanation | undefined {
  const market = listingOf(facts, symbol);
  if (market === undefined) return undefined;
  const terms = JSON.parse(quote.terms) as TermsVersion;
  const conversion = conversionOf(quote, terms);
  const { bid, ask, capturedAt, source } = quote;
  const { fee, rounding } = terms;
  const upstream = { bid, ask, source };
  const { buy, sell } = derivePrices(upstream, fee.value, conversion, market.pricePrecision, rounding?.value);
  return {
    market,
    bid,
    ask,
    source,
    capturedAt,
    conversion,
    terms,
    buy: buy.with(-1, { ...buy.at(-1)!, value: quote.buyPrice }),
    sell: sell.with(-1, { ...sell.at(-1)!, value: quote.sellPrice }),
  };
}

function conversionOf({ rate }: Quote, { margin }: TermsVersion): PriceExplanation['conversion'] {
  if (rate === '' || margin === undefined) return undefined;
  const { validUntil, ...known } = JSON.parse(rate) as RateVersion;
  return { rate: { ...known, fixingDate: known.fixingDate }, validUntil, marginPercent: margin.value };
}

/** From where to go on. */
function spanOf({ from, to, after: last }: PageOptions): RecordSpan {
  return { from: last === undefined || last.at < from ? from : last.at, to };
}

async function pageOf<Row extends RecordPosition>(
  batches: AsyncIterable<readonly Row[]>,
  { limit, after: last }: PageOptions,
): Promise<RowPage<Row>> {
  const rows: Row[] = [];
  for await (const batch of batches) {
    for (const row of batch) {
      if (last !== undefined && !isBefore(last, row)) continue;
      const end = rows.at(-1);
      // Answers can share a position: a page ends between two.
      if (rows.length >= limit && end && isBefore(end, row)) return { rows, next: { at: end.at, sub: end.sub } };
      rows.push(row);
    }
  }
  return { rows, next: undefined };
}
