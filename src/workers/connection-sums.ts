import type { ConnectionFigures } from '../http/public-listener.ts';

const none: ConnectionFigures = { open: 0, dropped: 0, cut: 0 };

/** The connections of all threads together. What a thread that is gone refused and cut stays counted. */
export class ConnectionSums {
  readonly #newest = new Map<number, ConnectionFigures>();
  #ofTheGone = none;

  report(owner: number, figures: ConnectionFigures): void {
    this.#newest.set(owner, figures);
  }

  ended(owner: number): void {
    const last = this.#newest.get(owner) ?? none;
    this.#newest.delete(owner);
    this.#ofTheGone = sum(this.#ofTheGone, { ...last, open: 0 });
  }

  sums(): ConnectionFigures {
    return [...this.#newest.values()].reduce(sum, this.#ofTheGone);
  }
}

function sum(one: ConnectionFigures, other: ConnectionFigures): ConnectionFigures {
  return { open: one.open + other.open, dropped: one.dropped + other.dropped, cut: one.cut + other.cut };
}
