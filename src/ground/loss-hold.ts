/** How many of so many may vanish at once and are believed to be gone. More are taken for an accident. */
export type PlausibleLoss = (of: number) => number;

/** For entries that accounts and operators make and end every day: ten, or a tenth. */
export const someEntries: PlausibleLoss = (of) => Math.max(10, of / 10);
/** For markets that an exchange lists: a tenth. */
export const someMarkets: PlausibleLoss = (of) => of / 10;
/** For entries that are never deleted. */
export const nothing: PlausibleLoss = () => 0;

/** From this many on, new markets at once can be too many. */
const growthMin = 50;

/** Whether so many new markets at once are too many: at least 50, and more than half as many as before. */
export function isSuddenGrowth(added: number, before: number): boolean {
  return added >= growthMin && added * 2 > before;
}

/**
 * Finds what vanished and stays: all that nobody explained, should it be more than plausible.
 *
 * @param of how many there were before
 * @param isHolding something else is held back already, so that the source is not to be believed
 */
export function lossesToHold<T>(
  vanished: readonly T[],
  of: number,
  explained: ReadonlySet<T>,
  plausible: PlausibleLoss,
  isHolding = false,
): readonly T[] {
  const lost = vanished.filter((each) => !explained.has(each));
  return isHolding || lost.length > plausible(of) ? lost : [];
}

/** Rows in service. Those that vanish by accident stay until they are back, explained, or given up by the operator. */
export class LossHold<Row extends { readonly id: string }> {
  readonly #plausible: PlausibleLoss;
  readonly #explained: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  #rows: readonly Row[] = [];
  #held = 0;

  /** @param explained those that somebody took away on purpose */
  constructor(plausible: PlausibleLoss, explained: (ids: readonly string[]) => Promise<ReadonlySet<string>>) {
    this.#plausible = plausible;
    this.#explained = explained;
  }

  /** How many rows are in service only because they are held. */
  get held(): number {
    return this.#held;
  }

  /**
   * @param isLasting a row that is over is no loss
   * @param isHolding something else of the same source is held back
   * @returns what is in service from now on: the rows that were read, and those that are held
   */
  async take(read: readonly Row[], isLasting: (row: Row) => boolean, isHolding = false): Promise<readonly Row[]> {
    const ids = new Set(read.map(({ id }) => id));
    const before = this.#rows.filter(isLasting);
    const vanished = before.map(({ id }) => id).filter((id) => !ids.has(id));
    const explained = await this.#explained(vanished);
    const holding = isHolding || this.#held > 0;
    const held = new Set(lossesToHold(vanished, before.length, explained, this.#plausible, holding));
    this.#held = held.size;
    this.#rows = [...read, ...before.filter(({ id }) => held.has(id))];
    return this.#rows;
  }

  /** The operator gives up what is held. */
  release(): void {
    this.#rows = [];
    this.#held = 0;
  }
}
