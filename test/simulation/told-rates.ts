interface TrueRate {
  readonly value: string;
  readonly fromMs: number;
}

/** A rate that a source says and that is none. */
export interface LiedRate {
  readonly value: string;
  /** From then on the law lets it be believed. */
  readonly believableFromMs: number;
  /** See {@link RateLied}. */
  readonly isFirst: boolean;
  untilMs: number;
}

/** What a source says of its lie. */
export interface RateLied {
  readonly value: string;
  /** It gives the day of its fixing, an older one, or none. */
  readonly dated: 'dated' | 'older' | 'undated';
  /** When the next fixing is published. */
  readonly nextFixingMs: number;
  /** Another source says the same. */
  readonly isWitnessed: boolean;
  /** It is the one that makes prices. */
  readonly isFirst: boolean;
  /** There is no second source to compare with. */
  readonly isAlone: boolean;
}

/** A rate within so much of the one in force is taken, and beyond the other one only from two sources. */
const boundFactor = 1.03;
const ceilingFactor = 1.2;
const equalForMs = 3_600_000;
/** What is read is read so often, and served a little later. */
const readWithinMs = 180_000;

/** Which rates there were, and which lies the law of rates lets be believed. */
export class ToldRates {
  readonly #truths: TrueRate[] = [];
  readonly #lies: LiedRate[] = [];
  #changedAtMs = Number.NEGATIVE_INFINITY;
  #isLost = false;
  #isContested = false;

  constructor(rate: string) {
    this.#truths.push({ value: rate, fromMs: Number.NEGATIVE_INFINITY });
  }

  get truth(): string {
    return this.#truths.at(-1)!.value;
  }

  /**
   * When a rate last was another, or the source that makes prices said so or nothing: how long ever that lasts. Where
   * nothing ever confirmed a rate, one that is far off leaves neither until an operator decides, who never does.
   */
  changedAtMs(nowMs: number): number {
    const isWrong =
      this.#isLost || this.#isContested || this.#lies.some(({ isFirst, untilMs }) => isFirst && untilMs > nowMs);
    return isWrong ? nowMs : this.#changedAtMs;
  }

  /** Something is wrong with a source of rates, or no more. */
  changed(nowMs: number): void {
    this.#changedAtMs = nowMs;
  }

  /** Nobody can read the rate, or everybody again. */
  lost(isLost: boolean, nowMs: number): void {
    this.#isLost = isLost;
    this.changed(nowMs);
  }

  rateFrom(value: string, fromMs: number): void {
    this.#truths.push({ value, fromMs });
    this.changed(fromMs);
  }

  lied(lie: RateLied, nowMs: number): LiedRate {
    const lied = {
      value: lie.value,
      believableFromMs: this.#believableFromMs(lie, nowMs),
      isFirst: lie.isFirst,
      untilMs: Number.POSITIVE_INFINITY,
    };
    this.#lies.push(lied);
    this.#isContested ||= lie.isAlone && lie.isFirst && this.#factorOf(lie.value) > ceilingFactor;
    this.changed(nowMs);
    return lied;
  }

  /** All that may be served then. @param fromMs what was true at any time since then */
  between(fromMs: number, servedMs: number): readonly string[] {
    const lies = this.#lies.filter(
      ({ believableFromMs, untilMs }) => believableFromMs <= servedMs && untilMs >= servedMs - readWithinMs,
    );
    const begun = this.#truths.filter((truth) => truth.fromMs <= servedMs);
    const truths = begun.filter(
      (_, index) => (begun[index + 1]?.fromMs ?? Number.POSITIVE_INFINITY) >= fromMs - readWithinMs,
    );
    return [...truths, ...lies].map(({ value }) => value);
  }

  #believableFromMs({ value, dated, nextFixingMs, isWitnessed, isFirst }: RateLied, nowMs: number): number {
    const never = Number.POSITIVE_INFINITY;
    if (!isFirst || dated === 'older') return never;
    const factor = this.#factorOf(value);
    if (isWitnessed || factor <= boundFactor) return nowMs;
    if (factor > ceilingFactor) return never;
    return dated === 'dated' ? nextFixingMs : nowMs + equalForMs;
  }

  #factorOf(value: string): number {
    const ratio = Number(value) / Number(this.truth);
    return Math.max(ratio, 1 / ratio);
  }
}
