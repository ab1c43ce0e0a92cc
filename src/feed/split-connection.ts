import type { MarketSymbol } from '../market/symbol.ts';
import type { LiveConnection, LiveEvent, LiveListener } from './connector.ts';

interface Part {
  readonly connection: LiveConnection;
  readonly symbols: Set<MarketSymbol>;
  isOpen: boolean;
}

/**
 * One connection to its user, as many to the exchange as its limit requires. Another is opened when all are full. When
 * one ends, all end.
 */
export class SplitConnection implements LiveConnection {
  readonly #open: (listener: LiveListener) => LiveConnection;
  readonly #symbolsMax: number;
  readonly #listener: LiveListener;
  readonly #parts: Part[] = [];
  #hasEnded = false;

  /** `symbolsMax`: the most symbols on one connection. */
  constructor(open: (listener: LiveListener) => LiveConnection, symbolsMax: number, listener: LiveListener) {
    this.#open = open;
    this.#symbolsMax = symbolsMax;
    this.#listener = listener;
    this.#add();
  }

  subscribe(symbols: readonly MarketSymbol[]): void {
    const added = new Map<Part, MarketSymbol[]>();
    for (const symbol of symbols) {
      const known = this.#parts.find(({ symbols }) => symbols.has(symbol));
      const part = known ?? this.#parts.find(({ symbols }) => symbols.size < this.#symbolsMax) ?? this.#add();
      part.symbols.add(symbol);
      added.getOrInsertComputed(part, () => []).push(symbol);
    }
    for (const [part, own] of added) if (part.isOpen) part.connection.subscribe(own);
  }

  unsubscribe(symbols: readonly MarketSymbol[]): void {
    for (const part of this.#parts) {
      const own = symbols.filter((symbol) => part.symbols.delete(symbol));
      if (own.length > 0) part.connection.unsubscribe(own);
    }
  }

  ping(): void {
    for (const { connection, isOpen } of this.#parts) if (isOpen) connection.ping();
  }

  terminate(): void {
    this.#hasEnded = true;
    for (const { connection } of this.#parts) connection.terminate();
  }

  #add(): Part {
    const connection: LiveConnection = this.#open((event) => this.#received(part, event));
    const part: Part = { connection, symbols: new Set(), isOpen: false };
    this.#parts.push(part);
    return part;
  }

  #received(part: Part, event: LiveEvent): void {
    if (this.#hasEnded) return;
    if (event.type === 'opened') this.#opened(part);
    else if (event.type === 'closed') this.terminate();
    if (event.type !== 'opened' || part === this.#parts[0]) this.#listener(event);
  }

  #opened(part: Part): void {
    part.isOpen = true;
    if (part.symbols.size > 0) part.connection.subscribe([...part.symbols]);
  }
}
