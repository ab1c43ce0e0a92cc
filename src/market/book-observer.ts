import type { Held, HeldSubject } from './guard.ts';
import type { MarketSymbol } from './symbol.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';
import type { ReferencePrices } from './upstream.ts';

/** Called synchronously, after the book has changed. */
export interface BookObserver {
  /** The price of this market may have changed. */
  tickerChanged(symbol: MarketSymbol): void;
  /** The list of markets, or the state of one, may have changed. */
  marketsChanged(): void;
  /** These are a market's last good values from now on. Not of what another book accepted. */
  tickerTaken?(symbol: MarketSymbol, ticker: AcceptedTicker): void;
  referencesTaken?(symbol: MarketSymbol, prices: ReferencePrices): void;
  /** What the guard holds of something changed. */
  heldChanged?(subject: HeldSubject, held: Held | undefined, before: Held | undefined): void;
  /** Other terms may hold; see `MarketBook.termsOf`. */
  termsChanged?(): void;
}

/** Several observers as one. */
export class BookObservers implements Required<BookObserver> {
  readonly #observers: BookObserver[] = [];

  add(observer: BookObserver): void {
    this.#observers.push(observer);
  }

  tickerChanged(symbol: MarketSymbol): void {
    for (const observer of this.#observers) observer.tickerChanged(symbol);
  }

  marketsChanged(): void {
    for (const observer of this.#observers) observer.marketsChanged();
  }

  tickerTaken(symbol: MarketSymbol, ticker: AcceptedTicker): void {
    for (const observer of this.#observers) observer.tickerTaken?.(symbol, ticker);
  }

  referencesTaken(symbol: MarketSymbol, prices: ReferencePrices): void {
    for (const observer of this.#observers) observer.referencesTaken?.(symbol, prices);
  }

  heldChanged(subject: HeldSubject, held: Held | undefined, before: Held | undefined): void {
    for (const observer of this.#observers) observer.heldChanged?.(subject, held, before);
  }

  termsChanged(): void {
    for (const observer of this.#observers) observer.termsChanged?.();
  }
}
