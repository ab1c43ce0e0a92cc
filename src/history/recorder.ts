import type { Clock, EpochMs, Timer } from '../clock.ts';
import type { PriceInputs } from '../market/client-ticker.ts';
import type { Held, HeldSubject } from '../market/guard.ts';
import type { BookObserver, MarketBook } from '../market/market-book.ts';
import type { OfferedMarket } from '../market/market-catalogue.ts';
import { areSamePrices } from '../market/reference-prices.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { MarketTerms } from '../market/terms.ts';
import type { ConversionRate } from '../market/upstream.ts';
import type { Noted, NotedServing } from './publication.ts';
import {
  type FactKind,
  type GapFact,
  type ListingFact,
  type NoQuote,
  type RateVersion,
  type TermsVersion,
  termsVersionOf,
} from './rows.ts';

export interface RecorderOptions {
  readonly book: MarketBook;
  readonly clock: Clock;
  /** Takes a piece of what was noted, as JSON of a list, and returns at once. */
  readonly send: (piece: string) => void;
  /** Called after each flush: for whatever else is to be recorded. */
  readonly onFlush?: (() => void) | undefined;
  /** Called with the instant since when nothing is recorded, with the error if one is the reason; `undefined` once the record goes on. */
  readonly onGap: (since: EpochMs | undefined, error?: unknown) => void;
}

/** How long something published waits at most before it is on its way to the journal. */
const flushEveryMs = 250;
/** A piece is sent early once it has so many characters. */
const pieceLengthMax = 262_144;
/** Characters on their way that are not in the journal, a byte each. More means that the disk does not keep up. */
const backlogBytesMax = 64 * 1024 * 1024;

/** What was noted last of a market. */
interface LastNoted {
  /** In `/v1/markets`; `undefined` where it is not. */
  market: OfferedMarket | undefined;
  noQuote: NoQuote | undefined;
  inputs: PriceInputs | undefined;
}

/**
 * Notes what is published and what is served, in their order, on the serving thread: references are compared, and what
 * changed is added to a text. It never waits and never throws; what cannot be written in time becomes a gap.
 */
export class Recorder implements BookObserver {
  readonly #options: RecorderOptions;
  /** Each with a comma after it. */
  #noted = '';
  readonly #last = new Map<MarketSymbol, LastNoted>();
  /** The numbers of rates and terms, which stay the same objects as long as they hold, and of their texts. */
  #versions = new WeakMap<ConversionRate | MarketTerms, number>();
  readonly #texts = new Map<string, number>();
  /** The operator's holds that were noted. */
  #holds: ReadonlyMap<HeldSubject, EpochMs> = new Map();
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
    const { book, clock } = this.#options;
    this.#facts = facts;
    this.#restate();
    book.observe(this);
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

  heldChanged(subject: HeldSubject, held: Held | undefined): void {
    this.fact('guard', subject, JSON.stringify(held ?? null));
  }

  /** An answer to a valid key, in the turn in which it was made. */
  served(serving: NotedServing): void {
    if (this.#gap !== undefined) this.#gap.servings++;
    this.#noting(() => {
      this.#now();
      this.#refreshIfDue(serving.askedAt);
      this.#note({ kind: 'serving', serving });
      this.#unsentServings++;
      this.#sendWhenLarge();
    });
  }

  fact(kind: FactKind, subject: string, json: string): void {
    this.#noting(() => {
      this.#now();
      this.#noteFact(kind, subject, json);
    });
  }

  /** So many bytes are in the journal now. */
  written(bytes: number): void {
    this.#backlogBytes -= bytes;
    this.#writtenAt = this.#outstanding.shift() ?? this.#writtenAt;
  }

  /** What was on its way is lost, and the next recording thread starts without state. */
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
    if (now > this.#at) this.#at = now;
    return now;
  }

  #note(noted: Noted): void {
    this.#noted += `${JSON.stringify([this.#at, noted])},`;
  }

  #noteFact(kind: FactKind, subject: string, text: string): void {
    this.#note({ kind: 'fact', fact: { kind, subject, text } });
  }

  #sendWhenLarge(): void {
    if (this.#noted.length > pieceLengthMax) this.#send();
  }

  #send(): void {
    if (this.#noted === '') return;
    const piece = `[${this.#noted.slice(0, -1)}]`;
    this.#noted = '';
    if (this.#backlogBytes + piece.length > backlogBytesMax) {
      this.#beginGap();
      return;
    }
    this.#backlogBytes += piece.length;
    this.#outstanding.push(this.#at);
    this.#sentAt = this.#at;
    this.#unsentServings = 0;
    this.#options.send(piece);
  }

  #beginGap(error?: unknown): void {
    const from = this.#isLost ? this.#writtenAt : this.#sentAt;
    this.#gap ??= { from, servings: this.#unsentServings };
    this.#unsentServings = 0;
    this.#noted = '';
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
    this.#last.clear();
    this.#versions = new WeakMap();
    this.#texts.clear();
    this.#holds = new Map();
    this.#noted = '';
    const now = this.#now();
    this.#note({ kind: 'restated' });
    for (const [kind, json] of this.#facts) this.#noteFact(kind, '', json);
    for (const [subject, held] of this.#options.book.held()) this.#noteFact('guard', subject, JSON.stringify(held));
    this.#refresh(now);
  }

  /** Looks at everything that may have changed by itself or with the list of markets. */
  #refresh(now: EpochMs): void {
    const { catalogue } = this.#options.book;
    if (this.#marketsStale || this.#last.size === 0) {
      this.#marketsStale = false;
      const listed = new Map(catalogue.listed(now).map((market) => [market.symbol, market]));
      for (const symbol of new Set([...listed.keys(), ...this.#last.keys()]))
        this.#noteListing(symbol, listed.get(symbol));
      this.#noteHolds();
    } else {
      for (const { market } of this.#last.values()) {
        if (market?.listedUntil !== undefined && now >= market.listedUntil) this.#noteListing(market.symbol, undefined);
      }
    }
    for (const { symbol } of catalogue.all()) this.#evaluate(symbol, now);
    this.#recheckAt = this.#options.book.nextChangeAt(now);
  }

  #noteHolds(): void {
    const holds = this.#options.book.operatorHolds();
    for (const [subject, since] of holds) {
      if (this.#holds.get(subject) !== since) this.#noteFact('hold', subject, JSON.stringify({ since }));
    }
    for (const subject of this.#holds.keys()) if (!holds.has(subject)) this.#noteFact('hold', subject, 'null');
    this.#holds = holds;
  }

  #noteListing(symbol: MarketSymbol, market: OfferedMarket | undefined): void {
    const noted = this.#lastOf(symbol);
    const last = noted.market;
    noted.market = market;
    if (last === market || (last !== undefined && market !== undefined && areEqual(last, market))) return;
    this.#noteFact('listing', symbol, JSON.stringify({ market: market ?? null } satisfies ListingFact));
  }

  #evaluate(symbol: MarketSymbol, now: EpochMs): void {
    const { book } = this.#options;
    const last = this.#lastOf(symbol);
    const inputs = book.inputs(symbol, now);
    if (inputs.kind !== 'inputs') {
      const reason = inputs.kind === 'unpriced' ? inputs.reason : 'not_offered';
      const isNew = last.noQuote === undefined && last.inputs === undefined;
      if (last.noQuote === reason || (isNew && reason === 'not_offered')) return;
      last.noQuote = reason;
      last.inputs = undefined;
      this.#note({ kind: 'noQuote', symbol, reason });
      return;
    }
    if (last.inputs !== undefined && areSameInputs(last.inputs, inputs)) return;
    this.#noteQuote(last, inputs);
    const recheckAt = book.nextChangeAt(now);
    if (recheckAt < this.#recheckAt) this.#recheckAt = recheckAt;
  }

  #noteQuote(last: LastNoted, inputs: PriceInputs): void {
    const { market, ticker, references, rate, terms } = inputs;
    if (last.market !== market) this.#noteListing(market.symbol, market);
    const rateVersion = rate && this.#versionOf(rate, () => this.#rateVersion(rate));
    const termsVersion = this.#versionOf(terms, () => termsVersionOf(terms));
    const { symbol } = market;
    this.#note({ kind: 'quote', symbol, ticker, references, rate: rateVersion, terms: termsVersion });
    last.inputs = inputs;
    last.noQuote = undefined;
  }

  #lastOf(symbol: MarketSymbol): LastNoted {
    const known = this.#last.get(symbol);
    if (known !== undefined) return known;
    const last: LastNoted = { market: undefined, noQuote: undefined, inputs: undefined };
    this.#last.set(symbol, last);
    return last;
  }

  #rateVersion(rate: ConversionRate): RateVersion {
    return { ...rate, validUntil: this.#options.book.rate(rate.quote)!.validUntil };
  }

  /** The number of a rate or of terms, whose text is noted first where it is new. */
  #versionOf(what: ConversionRate | MarketTerms, make: () => RateVersion | TermsVersion): number {
    const known = this.#versions.get(what);
    if (known !== undefined) return known;
    const text = JSON.stringify(make());
    const number = this.#texts.get(text) ?? this.#texts.size;
    if (number === this.#texts.size) this.#note({ kind: 'version', text });
    this.#texts.set(text, number);
    this.#versions.set(what, number);
    return number;
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
