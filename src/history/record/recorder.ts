import type { Clock, EpochMs, Timer } from '../../ground/clock.ts';
import type { PriceInputs } from '../../market/client-ticker.ts';
import { silentForMs } from '../../market/data-flow.ts';
import type { Doubt, DoubtSubject } from '../../market/doubts.ts';
import type { OfferedMarket } from '../../market/market-catalogue.ts';
import type { Markets, MarketsObserver } from '../../market/markets.ts';
import { areSamePrices, noReferences } from '../../market/reference-prices.ts';
import type { MarketSymbol } from '../../market/symbol.ts';
import type { MarketTerms } from '../../market/terms.ts';
import type { AcceptedTicker } from '../../market/ticker-acceptance.ts';
import type { ConversionRate, ReferencePrices } from '../../market/upstream.ts';
import {
  type FactKind,
  type GapFact,
  type ListingFact,
  type NoQuote,
  type RateVersion,
  type StandstillFact,
  termsVersionOf,
} from '../segment/rows.ts';
import { type StreamedServing, StreamWriter } from './stream.ts';

export interface RecorderOptions {
  readonly markets: Markets;
  readonly clock: Clock;
  /** Where pieces of the stream go: it takes the piece over and returns at once. */
  readonly channel: { send(piece: Buffer): void };
  /** Called after each flush: for whatever else is to be recorded. */
  readonly onFlush?: (() => void) | undefined;
  /**
   * Called with the instant since when nothing is recorded, with the error if one is the reason; `undefined` once the
   * record goes on.
   */
  readonly onGap: (since: EpochMs | undefined, error?: unknown) => void;
  /** Called once it has noted that this process stood still, and made no prices. */
  readonly onStandstill?: (() => void) | undefined;
}

/** How long something published waits at most before it is on its way to the journal. */
const flushEveryMs = 250;
/** A piece is sent early once it has so many bytes. */
const pieceBytesMax = 262_144;
/** Bytes on their way that are not in the journal. More means that the disk does not keep up. */
const backlogBytesMax = 64 * 1024 * 1024;

/** The parts of a market as they were sent last. */
interface Sent {
  readonly index: number;
  /** In `/v1/markets`; `undefined` where it is not. */
  market: OfferedMarket | undefined;
  noQuote: NoQuote | undefined;
  inputs: PriceInputs | undefined;
}

/** The prices of an exchange market as they were sent last. */
interface SentPrices {
  ticker: AcceptedTicker | undefined;
  references: ReferencePrices | undefined;
}

/**
 * Notes what is published and what is served, in their order, on the serving thread: references are compared, and what
 * changed is copied into a buffer. It never waits and never throws; what cannot be written in time becomes a gap.
 */
export class Recorder implements MarketsObserver {
  readonly #options: RecorderOptions;
  readonly #stream = new StreamWriter();
  readonly #sent = new Map<MarketSymbol, Sent>();
  readonly #prices = new Map<MarketSymbol, SentPrices>();
  readonly #names = new Map<string, number>();
  readonly #rates = new Map<ConversionRate, number>();
  /** The operator's holds that were sent. */
  #holds: ReadonlyMap<DoubtSubject, EpochMs> = new Map();
  /** By the terms of each market, which stay the same objects until others hold. */
  #terms = new WeakMap<MarketTerms, number>();
  #facts: readonly [FactKind, string][] = [];
  #at = 0 as EpochMs;
  #recheckAt = 0;
  #marketsStale = true;
  #backlogBytes = 0;
  /** Since when nothing is noted, and how many answers since. */
  #gap: { readonly from: EpochMs; servings: number } | undefined;
  /** The end of each piece that is on its way, of the last that was sent, and of the last that is in the journal. */
  #outstanding: EpochMs[] = [];
  #sentAt = 0 as EpochMs;
  #writtenAt = 0 as EpochMs;
  #unsentServings = 0;
  /** The recording thread is gone. */
  #isLost = false;
  /** The instant that was looked at last. */
  #checkedAt = 0;
  #timer: Timer | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Bytes on their way to the journal. */
  get backlogBytes(): number {
    return this.#backlogBytes;
  }

  /** @param facts of the process, sent at the start and again after a gap */
  start(facts: readonly [FactKind, string][]): void {
    const { markets, clock } = this.#options;
    this.#facts = facts;
    this.#restate();
    markets.observe(this);
    this.#timer = clock.every(flushEveryMs, () => this.flush());
  }

  /** Sends the rest, and that the record ends in order. */
  stop(): void {
    this.#timer?.cancel();
    this.flush();
    this.fact('stop', '', '{}');
    this.#send();
  }

  tickerChanged(symbol: MarketSymbol): void {
    this.#noting(() => {
      this.#evaluate(symbol, this.#now());
      this.#sendWhenLarge();
    });
  }

  marketsChanged(): void {
    this.#marketsStale = true;
  }

  doubtChanged(subject: DoubtSubject, held: Doubt | undefined): void {
    this.fact('guard', subject, JSON.stringify(held ?? null));
  }

  /** An answer to a valid key, in the turn in which it was made. */
  served(serving: StreamedServing): void {
    if (this.#gap !== undefined) this.#gap.servings++;
    this.#noting(() => {
      this.#now();
      this.#refreshIfDue(serving.askedAt);
      this.#stream.serving(serving);
      this.#unsentServings++;
      this.#sendWhenLarge();
    });
  }

  fact(kind: FactKind, subject: string, json: string): void {
    this.#noting(() => {
      this.#now();
      this.#stream.fact(kind, subject, json);
    });
  }

  /** So many bytes are in the journal now. */
  written(bytes: number): void {
    this.#backlogBytes -= bytes;
    this.#writtenAt = this.#outstanding.shift() ?? this.#writtenAt;
  }

  /** Forgets what was on its way, which is lost: the next recording thread starts without state. */
  channelLost(): void {
    this.#backlogBytes = 0;
    this.#outstanding = [];
    this.#isLost = true;
    this.#beginGap();
  }

  /** A lost channel works again. */
  channelRestored(): void {
    this.#isLost = false;
  }

  /** Sends what was noted. */
  flush(): void {
    if (this.#gap !== undefined && !this.#isLost && this.#backlogBytes <= backlogBytesMax / 2) this.#endGap();
    this.#noting(() => {
      this.#refreshIfDue(this.#now());
      this.#options.onFlush?.();
      this.#send();
    });
  }

  /** Whatever goes wrong here is a gap in the record, and no error of publishing or answering. */
  #noting(note: () => void): void {
    if (this.#gap !== undefined) return;
    try {
      note();
    } catch (error) {
      this.#beginGap(error);
    }
  }

  #refreshIfDue(now: EpochMs): void {
    if (this.#marketsStale || now >= this.#recheckAt || now < this.#checkedAt) this.#refresh(now);
    this.#checkedAt = now;
  }

  #now(): EpochMs {
    const now = this.#options.clock.now();
    const last = this.#at;
    if (now > last) this.#at = now;
    this.#stream.time(this.#at);
    // It looks far more often than that: it stood still, or its clock was set.
    if (last > 0 && now - last > silentForMs) {
      const since = (last + 1) as EpochMs;
      this.#stream.fact('publishing', '', JSON.stringify({ since } satisfies StandstillFact));
      this.#options.onStandstill?.();
    }
    return now;
  }

  #sendWhenLarge(): void {
    if (this.#stream.length > pieceBytesMax) this.#send();
  }

  #send(): void {
    if (this.#stream.length === 0) return;
    const piece = this.#stream.take();
    if (this.#backlogBytes + piece.length > backlogBytesMax) {
      this.#beginGap();
      return;
    }
    this.#backlogBytes += piece.length;
    this.#outstanding.push(this.#at);
    this.#sentAt = this.#at;
    this.#unsentServings = 0;
    this.#options.channel.send(piece);
  }

  #beginGap(error?: unknown): void {
    const from = this.#isLost ? this.#writtenAt : this.#sentAt;
    this.#gap ??= { from, servings: this.#unsentServings };
    this.#unsentServings = 0;
    this.#stream.take();
    this.#options.onGap(this.#gap.from, error);
  }

  #endGap(): void {
    const { from, servings } = this.#gap!;
    this.#gap = undefined;
    this.#restate();
    const gap: GapFact = { from, to: this.#at, reason: 'slow', servings };
    this.fact('gap', '', JSON.stringify(gap));
    this.#options.onGap(undefined);
  }

  /** States everything afresh. */
  #restate(): void {
    this.#sent.clear();
    this.#prices.clear();
    this.#names.clear();
    this.#rates.clear();
    this.#holds = new Map();
    this.#terms = new WeakMap();
    this.#stream.take();
    this.#stream.reset();
    this.#now();
    for (const [kind, json] of this.#facts) this.#stream.fact(kind, '', json);
    for (const [subject, held] of this.#options.markets.doubts())
      this.#stream.fact('guard', subject, JSON.stringify(held));
    this.#refresh(this.#now());
  }

  /** Looks at everything that may have changed by itself or with the list of markets. */
  #refresh(now: EpochMs): void {
    const { catalogue } = this.#options.markets;
    if (this.#marketsStale || this.#sent.size === 0) {
      this.#marketsStale = false;
      const listed = new Map(catalogue.listed(now).map((market) => [market.symbol, market]));
      for (const symbol of new Set([...listed.keys(), ...this.#sent.keys()]))
        this.#sendListing(symbol, listed.get(symbol));
      this.#sendHolds();
    } else {
      for (const { market } of this.#sent.values()) {
        if (market?.listedUntil !== undefined && now >= market.listedUntil) this.#sendListing(market.symbol, undefined);
      }
    }
    for (const { symbol } of catalogue.all()) this.#evaluate(symbol, now);
    this.#recheckAt = this.#options.markets.nextChangeAt(now);
  }

  #sendHolds(): void {
    const holds = this.#options.markets.operatorHolds();
    for (const [subject, since] of holds) {
      if (this.#holds.get(subject) !== since) this.#stream.fact('hold', subject, JSON.stringify({ since }));
    }
    for (const subject of this.#holds.keys()) if (!holds.has(subject)) this.#stream.fact('hold', subject, 'null');
    this.#holds = holds;
  }

  #sendListing(symbol: MarketSymbol, market: OfferedMarket | undefined): void {
    const sent = this.#sentOf(symbol);
    const last = sent.market;
    sent.market = market;
    if (last === market) return;
    if (last !== undefined && market !== undefined && areEqual(last, market)) return;
    this.#stream.listing(sent.index, JSON.stringify({ market: market ?? null } satisfies ListingFact));
  }

  #evaluate(symbol: MarketSymbol, now: EpochMs): void {
    const { markets } = this.#options;
    const sent = this.#sentOf(symbol);
    const inputs = markets.pricer.inputs(symbol, now);
    if (inputs.kind !== 'inputs') {
      const reason = inputs.kind === 'unpriced' ? inputs.reason : 'not_offered';
      const isNew = sent.noQuote === undefined && sent.inputs === undefined;
      if (sent.noQuote === reason) return;
      if (isNew && reason === 'not_offered') return;
      sent.noQuote = reason;
      sent.inputs = undefined;
      this.#stream.noQuote(sent.index, reason);
      return;
    }
    if (sent.inputs !== undefined && areSameInputs(sent.inputs, inputs)) return;
    this.#sendQuote(sent, inputs);
    const recheckAt = markets.nextChangeAt(now);
    if (recheckAt < this.#recheckAt) this.#recheckAt = recheckAt;
  }

  #sendQuote(sent: Sent, inputs: PriceInputs): void {
    const { market, ticker, references, rate } = inputs;
    if (sent.market !== market) this.#sendListing(market.symbol, market);
    const exchangeMarket = this.#sentOf(market.exchangeSymbol);
    const nothing = () => ({ ticker: undefined, references: undefined });
    const prices = this.#prices.getOrInsertComputed(market.exchangeSymbol, nothing);
    if (prices.ticker !== ticker) {
      const source = this.#name(ticker.source);
      this.#stream.ticker(exchangeMarket.index, source, ticker, prices.ticker);
      prices.ticker = ticker;
    }
    if (prices.references !== references) {
      this.#stream.references(exchangeMarket.index, references ?? noReferences);
      prices.references = references;
    }
    const rateName = rate === undefined ? 0 : this.#rateName(rate) + 1;
    const terms = this.#termsName(inputs.terms);
    this.#stream.quote(sent.index, exchangeMarket.index, rateName, terms);
    sent.inputs = inputs;
    sent.noQuote = undefined;
  }

  #sentOf(symbol: MarketSymbol): Sent {
    const nothing = { market: undefined, noQuote: undefined, inputs: undefined };
    return this.#sent.getOrInsertComputed(symbol, () => ({ index: this.#name(symbol), ...nothing }));
  }

  #rateName(rate: ConversionRate): number {
    return this.#rates.getOrInsertComputed(rate, () => {
      for (const old of this.#rates.keys()) if (old.quote === rate.quote) this.#rates.delete(old);
      const { validUntil } = this.#options.markets.rate(rate.quote)!;
      return this.#name(JSON.stringify({ ...rate, validUntil } satisfies RateVersion));
    });
  }

  #termsName(terms: MarketTerms): number {
    return this.#terms.getOrInsertComputed(terms, () => this.#name(JSON.stringify(termsVersionOf(terms))));
  }

  /** The number of a text, which is sent first where it is new. */
  #name(text: string): number {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const index = this.#names.size;
    this.#names.set(text, index);
    this.#stream.name(index, text);
    return index;
  }
}

function areSameInputs(one: PriceInputs, other: PriceInputs): boolean {
  return (
    one.ticker === other.ticker &&
    areSamePrices(one.references, other.references) &&
    one.rate === other.rate &&
    (one.market === other.market || areEqual(one.market, other.market)) &&
    one.terms.version === other.terms.version
  );
}

/** Each change of the catalogue makes all markets anew, mostly equal ones. */
function areEqual(one: OfferedMarket, other: OfferedMarket): boolean {
  return (Object.keys(other) as (keyof OfferedMarket)[]).every((name) => one[name] === other[name]);
}
