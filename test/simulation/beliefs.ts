import type { Deceit } from './telling.ts';

/** A source of a market, as the world knows it. */
export interface Speaker {
  readonly name: string;
  /** When anybody last heard it. */
  readonly heardAtMs: number;
  /** Since when it has told the truth of the market to all who listen; later than now where it does not. */
  steadySinceMs(symbol: string): number;
  /** So many times the true price, as it says now. */
  factorOf(symbol: string): number;
}

/** What the law of prices knows of the world. */
export interface Spoken {
  readonly nowMs: number;
  /** In order of preference. */
  readonly speakers: readonly Speaker[];
  /** When a process last began, or learnt anew what others know. */
  readonly disturbedAtMs: number;
}

/** A source deceives about a market. */
export interface Deceived {
  readonly source: string;
  readonly symbol: string;
  readonly deceit: Deceit;
  readonly sinceMs: number;
  untilMs: number;
  /** The last time that it might be believed, and that it might be so beyond what another source is taken over at. */
  believableAtMs: number;
  movingAtMs: number;
  /** The last time that others were there to contradict it. */
  convictedAtMs: number;
  /** The last time that two may have: when they fall silent it is no less doubted than before. */
  outvotedAtMs: number;
  /** The last time that it repeated one frame near the true price, as in a quiet market, or could be believed. */
  frozenAtMs: number;
  /** Since when, after its end, another has said the same. */
  agreesSinceMs: number | undefined;
  /** It has agreed for long enough since. */
  isCleared: boolean;
}

const never = Number.NEGATIVE_INFINITY;
/** Sources that are no further apart agree: 2 %, and a little for what moves meanwhile. */
const band = 0.025;
/** What moves slowly is found so long after it left the band. */
export const foundWithinMs = 13_000;
/** Whoever makes the price stands against two others for so long. */
const confirmAfterMs = 10_000;
/** Beyond double or half no source is believed alone. */
const ceiling = [0.45, 2.2] as const;
const jump = 0.1;
/** Long enough to be what everybody compares with. */
const provenMs = 90_000;
/** A price that is older is nobody's level. */
const levelForMs = 5 * 60_000;
const returnAfterMs = 60_000;
/** Whoever is cleared then is so in every process a little later. */
const clearedWithinMs = returnAfterMs + 15_000;
/** A look is so long ago at most, and a price on its way. */
const lookedWithinMs = 12_000;

/** What the law of prices allows to be believed of sources that deceive. */
export class Beliefs {
  readonly #spoken: Spoken;
  readonly #deceived: Deceived[] = [];
  readonly #heardAloneMs = new Map<string, number>();

  constructor(spoken: Spoken) {
    this.#spoken = spoken;
  }

  /** @param deceit `undefined` ends the one there is @param symbol as `BTCEUR` */
  deceives(source: string, symbol: string, deceit: Deceit | undefined): void {
    const { nowMs } = this.#spoken;
    for (const each of this.#active(symbol)) if (each.source === source) each.untilMs = nowMs;
    if (deceit === undefined) return;
    const untilMs = Number.POSITIVE_INFINITY;
    const neverYet = {
      believableAtMs: never,
      movingAtMs: never,
      convictedAtMs: never,
      outvotedAtMs: never,
      frozenAtMs: never,
    };
    const undecided = { agreesSinceMs: undefined, isCleared: false };
    this.#deceived.push({ source, symbol, deceit, sinceMs: nowMs, untilMs, ...neverYet, ...undecided });
  }

  /** Looks at what may be believed now. */
  look(): void {
    for (const each of this.#deceived) this.#look(each);
  }

  #look(deceived: Deceived): void {
    const { nowMs } = this.#spoken;
    if (deceived.untilMs <= nowMs) {
      this.#lookAfterwards(deceived);
      return;
    }
    const { deceit } = deceived;
    const isFrozen = deceit.how === 'repeated' && deceit.frame === 'one frame';
    const isBelievable = this.#isBelievable(deceived);
    if (isFrozen && (isBelievable || areClose(this.#factorOf(deceived), 1))) deceived.frozenAtMs = nowMs;
    if (this.#honest(deceived).length > 1 && !areClose(this.#factorOf(deceived), 1)) deceived.outvotedAtMs = nowMs;
    if (!isBelievable) {
      if (this.#isConvicted(deceived)) deceived.convictedAtMs = nowMs;
      return;
    }
    deceived.believableAtMs = nowMs;
    if (Math.abs(Math.log(this.#factorOf(deceived))) > Math.log(1 + jump)) deceived.movingAtMs = nowMs;
  }

  #lookAfterwards(deceived: Deceived): void {
    if (deceived.isCleared) return;
    const { nowMs } = this.#spoken;
    const agrees = this.#honest(deceived).some((speaker) => speaker.steadySinceMs(deceived.symbol) <= nowMs);
    deceived.agreesSinceMs = agrees ? (deceived.agreesSinceMs ?? nowMs) : undefined;
    deceived.isCleared ||= agrees && nowMs - deceived.agreesSinceMs! >= clearedWithinMs;
  }

  /**
   * Whether a source that tells the truth again may still be kept out: two contradicted it, and nobody has agreed with
   * it for long enough since.
   */
  mayBeKeptOut(source: string, symbol: string): boolean {
    return this.#of(symbol).some(
      (each) => each.source === source && each.outvotedAtMs > each.untilMs - lookedWithinMs && !each.isCleared,
    );
  }

  /**
   * Whether a price may be that of a source at an instant.
   *
   * @param fromMs since when the source has said it
   * @param deviation by how much of the true price it was off then, and a little before
   */
  isAllowed(
    quote: { readonly source: string; readonly fromMs: number; readonly isTrue: boolean },
    symbol: string,
    datedMs: number,
    deviation: { readonly now: number; readonly before: number },
  ): boolean {
    const deceived = this.#deceived.findLast(
      ({ source, sinceMs, untilMs, ...each }) =>
        each.symbol === symbol &&
        source === quote.source &&
        quote.fromMs < untilMs &&
        datedMs > sinceMs - lookedWithinMs,
    );
    if (deceived === undefined) return true;
    const { how } = deceived.deceit;
    // A market can come to what stays where it is, which is then believed, and leave it again.
    const wasMet = (how === 'fixed' || how === 'another') && datedMs - foundWithinMs > deceived.sinceMs;
    const isSlow = how === 'drifting' || how === 'repeated' || wasMet;
    if (quote.isTrue && how !== 'repeated') return true;
    if (deviation.now <= band || (isSlow && deviation.before <= band)) return true;
    // Whatever is believed from this moment on was not so at the last look.
    this.#look(deceived);
    return datedMs <= deceived.believableAtMs + lookedWithinMs;
  }

  /**
   * Whether a source that tells the truth again may make prices: one that was contradicted has to have agreed for a
   * minute, as long as others are there.
   */
  isTrusted(source: string, symbol: string, datedMs: number): boolean {
    const last = this.#of(symbol).findLast((each) => each.source === source && each.untilMs <= datedMs);
    const isRecent = last !== undefined && datedMs < last.untilMs + returnAfterMs - lookedWithinMs;
    const wasConvicted = isRecent && last.convictedAtMs > last.untilMs - lookedWithinMs;
    return !wasConvicted || this.#firm(last).length === 0;
  }

  /** When a price of the market might last be believed that the true one does not take over from. */
  movedAtMs(symbol: string): number {
    return Math.max(never, ...this.#of(symbol).map(({ movingAtMs }) => movingAtMs));
  }

  /** Until when a price of the market may be as old as a frame that a source repeats. */
  frozenUntilMs(symbol: string): number {
    return Math.max(never, ...this.#of(symbol).map(({ frozenAtMs }) => frozenAtMs + foundWithinMs + lookedWithinMs));
  }

  isDeceiving(source: string, symbol?: string): boolean {
    return this.#active(symbol).some((each) => each.source === source);
  }

  #of(symbol: string | undefined): readonly Deceived[] {
    return this.#deceived.filter((each) => symbol === undefined || each.symbol === symbol);
  }

  #active(symbol: string | undefined): readonly Deceived[] {
    const { nowMs } = this.#spoken;
    return this.#of(symbol).filter(({ untilMs }) => untilMs > nowMs);
  }

  /** Nobody hears one that the processes were not told of. */
  #factorOf({ source, symbol }: Deceived): number {
    return this.#spoken.speakers.find(({ name }) => name === source)?.factorOf(symbol) ?? 1;
  }

  #isBelievable(deceived: Deceived): boolean {
    const { nowMs, speakers } = this.#spoken;
    const { symbol, sinceMs } = deceived;
    const factor = this.#factorOf(deceived);
    const isBeyond = factor < ceiling[0] || factor > ceiling[1];
    const steadySince = (speaker: Speaker) => speaker.steadySinceMs(symbol);
    const honest = this.#honest(deceived);
    const firm = this.#firm(deceived);
    const alike = this.#active(symbol).filter((other) => other !== deceived && areClose(this.#factorOf(other), factor));
    if (alike.length > 0) {
      const bothSinceMs = Math.max(sinceMs, ...alike.map((other) => other.sinceMs));
      const isHeldBack = isBeyond && firm.some(({ name }) => name === speakers[0]!.name);
      return !isHeldBack || nowMs - bothSinceMs >= confirmAfterMs;
    }
    if (firm.length > 0) return false;
    if (honest.filter((speaker) => nowMs - steadySince(speaker) >= provenMs).length > 1) return false;
    return !isBeyond || this.#isLongAlone(deceived, honest);
  }

  #honest({ source, symbol }: Deceived): readonly Speaker[] {
    return this.#spoken.speakers.filter(({ name }) => name !== source && !this.isDeceiving(name, symbol));
  }

  /** Those that have told the truth since long before a deceit began, to processes that have been there as long. */
  #firm(deceived: Deceived): readonly Speaker[] {
    const provenAtMs = deceived.sinceMs - provenMs;
    if (this.#spoken.disturbedAtMs > provenAtMs) return [];
    return this.#honest(deceived).filter((speaker) => speaker.steadySinceMs(deceived.symbol) <= provenAtMs);
  }

  #isConvicted(deceived: Deceived): boolean {
    const { source, sinceMs } = deceived;
    const isHeard = this.#spoken.speakers.some(({ name, heardAtMs }) => name === source && heardAtMs > sinceMs);
    return isHeard && this.#firm(deceived).length > 0 && !areClose(this.#factorOf(deceived), 1);
  }

  /** Whether nobody else has been heard for so long that no price of the market says anything. */
  #isLongAlone({ source, symbol, sinceMs }: Deceived, honest: readonly Speaker[]): boolean {
    const { nowMs, disturbedAtMs } = this.#spoken;
    const name = `${source} ${symbol}`;
    const isAlone = honest.every(({ heardAtMs }) => nowMs - heardAtMs > levelForMs);
    // What was taken then stays taken; a process that begins may know of no price.
    if (isAlone || disturbedAtMs > sinceMs - provenMs) this.#heardAloneMs.set(name, nowMs);
    const aloneAtMs = this.#heardAloneMs.get(name) ?? never;
    return aloneAtMs >= sinceMs;
  }
}

function areClose(one: number, other: number): boolean {
  return Math.abs(Math.log(one / other)) <= Math.log(1 + band);
}
