import type { Held, HeldSubject } from './guard.ts';
import type { MarketSymbol } from './symbol.ts';

/** Called synchronously, after the book has changed. */
export interface BookObserver {
  /** The price of this market may have changed. */
  tickerChanged(symbol: MarketSymbol): void;
  /** The list of markets, or the state of one, may have changed. */
  marketsChanged(): void;
  /** The guard began to hold something, or no longer does. */
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

  heldChanged(subject: HeldSubject, held: Held | undefined, before: Held | undefined): void {
    for (const observer of this.#observers) observer.heldChanged?.(subject, held, before);
  }

  termsChanged(): void {
    for (const observer of this.#observers) observer.termsChanged?.();
  }
}
