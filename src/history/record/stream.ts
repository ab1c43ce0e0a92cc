import type { EpochMs } from '../../ground/clock.ts';
import type { DecimalString } from '../../market/decimal.ts';
import { ofReferences, referenceNames } from '../../market/reference-prices.ts';
import { type AcceptedTicker, valueNames } from '../../market/ticker-acceptance.ts';
import type { ReferencePrices } from '../../market/upstream.ts';
import { ByteReader, ByteWriter } from '../segment/bytes.ts';
import { type NoQuote, noQuotes, type RecordPosition, type ServingRow } from '../segment/rows.ts';

/** Operations that the serving thread sends the recording one. Codes of one stream, never stored. */
const op = {
  time: 1,
  name: 2,
  ticker: 3,
  references: 4,
  listing: 5,
  quote: 6,
  noQuote: 7,
  serving: 8,
  fact: 9,
  reset: 10,
  word: 11,
} as const;

/** An answer, as the serving thread sends it: the text of the service's status is its whole body. */
export type StreamedServing = Omit<ServingRow, keyof RecordPosition | 'feedAgeMs'>;

/** Writes the stream with the fewest bytes and the least work: the serving thread has clients to serve. */
export class StreamWriter {
  #writer = new ByteWriter(65_536);
  #at = 0;
  /**
   * Words that the servings of a piece have in common, by their numbers in the piece: keys come and go, so that nobody
   * keeps it for longer.
   */
  readonly #words = new Map<string, number>();
  #request = 0;

  get length(): number {
    return this.#writer.length;
  }

  /** Takes out what was written since the last call. */
  take(): Buffer {
    const bytes = this.#writer.bytes();
    this.#writer = new ByteWriter(65_536);
    this.#words.clear();
    this.#request = 0;
    return bytes;
  }

  /** Says that what follows was published at this instant, which is no earlier than the last. */
  time(at: EpochMs): void {
    if (at === this.#at) return;
    this.#writer.byte(op.time);
    this.#writer.count(at - this.#at);
    this.#at = at;
  }

  /** Forget everything: it is stated afresh. */
  reset(): void {
    this.#writer.byte(op.reset);
    this.#at = 0;
  }

  name(index: number, text: string): void {
    this.#writer.byte(op.name);
    this.#writer.count(index);
    this.#writer.text(text);
  }

  /** @param last what was sent of this market before */
  ticker(market: number, source: number, ticker: AcceptedTicker, last: AcceptedTicker | undefined): void {
    const writer = this.#writer;
    writer.byte(op.ticker);
    writer.count(market);
    writer.count(source);
    writer.difference(this.#at - ticker.capturedAt);
    for (let index = 0; index < valueNames.length; index++) {
      const value = ticker[valueNames[index]!];
      if (last !== undefined && value === last[valueNames[index]!]) continue;
      writer.count(1 + index);
      writer.shortText(value ?? '');
    }
    writer.byte(0);
  }

  references(market: number, prices: ReferencePrices): void {
    this.#writer.byte(op.references);
    this.#writer.count(market);
    for (const field of referenceNames) this.#writer.shortText(prices[field] ?? '');
    this.#writer.count(prices.recordedFor ?? 0);
  }

  /** @param json of a `ListingFact` */
  listing(market: number, json: string): void {
    this.#writer.byte(op.listing);
    this.#writer.count(market);
    this.#writer.text(json);
  }

  /** The market has the prices that follow from what was sent. @param rate the name of it plus 1; 0 for none */
  quote(market: number, exchangeMarket: number, rate: number, terms: number): void {
    this.#writer.byte(op.quote);
    this.#writer.count(market);
    this.#writer.count(exchangeMarket);
    this.#writer.count(rate);
    this.#writer.count(terms);
  }

  noQuote(market: number, reason: NoQuote): void {
    this.#writer.byte(op.noQuote);
    this.#writer.count(market);
    this.#writer.byte(noQuotes.indexOf(reason));
  }

  serving({ keyId, askedAt, route, symbol, status, text, request }: StreamedServing): void {
    const writer = this.#writer;
    // First, for a new word is an entry of its own.
    const keyWord = this.#word(keyId);
    const routeWord = this.#word(route);
    const symbolWord = this.#word(symbol);
    writer.byte(op.serving);
    writer.count(keyWord);
    writer.difference(this.#at - askedAt);
    writer.count(routeWord);
    writer.count(symbolWord);
    writer.count(status);
    writer.text(text);
    writer.difference(request - this.#request);
    this.#request = request;
  }

  #word(text: string): number {
    return this.#words.getOrInsertComputed(text, () => {
      this.#writer.byte(op.word);
      this.#writer.text(text);
      return this.#words.size;
    });
  }

  /** @param json of what the kind of fact has */
  fact(kind: string, subject: string, json: string): void {
    this.#writer.byte(op.fact);
    this.#writer.shortText(kind);
    this.#writer.text(subject);
    this.#writer.text(json);
  }
}

/** Takes what a stream says, as it was written: of a ticker all values. */
export type StreamListener = Omit<StreamWriter, 'length' | 'take' | 'ticker'> & {
  ticker(market: number, source: number, ticker: AcceptedTicker): void;
};

/** Reads a stream, piece by piece, as it was written. */
export class StreamReader {
  readonly #listener: StreamListener;
  readonly #tickers = new Map<number, AcceptedTicker>();
  readonly #words: string[] = [];
  #request = 0;
  #at = 0;

  constructor(listener: StreamListener) {
    this.#listener = listener;
  }

  read(piece: Uint8Array): void {
    const reader = new ByteReader(piece);
    this.#words.length = 0;
    this.#request = 0;
    while (!reader.isAtEnd) this.#readOne(reader);
  }

  #readOne(reader: ByteReader): void {
    const code = reader.byte();
    const read = this.#readers[code];
    if (read === undefined) throw new RangeError(`no operation has the code ${code}`);
    read(reader, this.#listener);
  }

  readonly #readers: Readonly<Record<number, (reader: ByteReader, listener: StreamListener) => void>> = {
    [op.time]: (reader, listener) => {
      this.#at += reader.count();
      listener.time(this.#at as EpochMs);
    },
    [op.name]: (reader, listener) => listener.name(reader.count(), reader.text()),
    [op.ticker]: (reader) => this.#readTicker(reader),
    [op.references]: (reader, listener) => listener.references(reader.count(), readReferences(reader)),
    [op.listing]: (reader, listener) => listener.listing(reader.count(), reader.text()),
    [op.quote]: (reader, listener) => listener.quote(reader.count(), reader.count(), reader.count(), reader.count()),
    [op.noQuote]: (reader, listener) => listener.noQuote(reader.count(), noQuotes[reader.byte()]!),
    [op.word]: (reader) => this.#words.push(reader.text()),
    [op.serving]: (reader) => this.#readServing(reader),
    [op.fact]: (reader, listener) => listener.fact(reader.shortText(), reader.text(), reader.text()),
    [op.reset]: (_, listener) => {
      this.#at = 0;
      this.#tickers.clear();
      listener.reset();
    },
  };

  #readTicker(reader: ByteReader): void {
    const market = reader.count();
    const source = reader.count();
    const capturedAt = this.#at - reader.difference();
    const fields: Record<string, unknown> = { ...this.#tickers.get(market), capturedAt };
    for (let field = reader.count(); field > 0; field = reader.count()) {
      fields[valueNames[field - 1]!] = reader.shortText() || undefined;
    }
    const ticker = fields as unknown as AcceptedTicker;
    this.#tickers.set(market, ticker);
    this.#listener.ticker(market, source, ticker);
  }

  #readServing(reader: ByteReader): void {
    const keyId = this.#words[reader.count()]!;
    const askedAt = (this.#at - reader.difference()) as EpochMs;
    const route = this.#words[reader.count()]!;
    const symbol = this.#words[reader.count()]!;
    const status = reader.count();
    const text = reader.text();
    this.#request += reader.difference();
    this.#listener.serving({ keyId, askedAt, route, symbol, status, text, request: this.#request });
  }
}

function readReferences(reader: ByteReader): ReferencePrices {
  const prices = ofReferences(() => (reader.shortText() || undefined) as DecimalString | undefined);
  return { ...prices, recordedFor: (reader.count() || undefined) as EpochMs | undefined };
}
