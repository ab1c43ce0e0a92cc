/** An exchange or an engine. What it says of a market is kept by `MarketSource`. */
export class Source {
  readonly id: string;
  /** It sends nothing more: so the configuration says, or it is gone from there. */
  isPaused = false;

  constructor(id: string) {
    this.id = id;
  }
}
