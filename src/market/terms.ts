import { hash } from 'node:crypto';
import { isoInstant } from '../contract/instant.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { DecimalString } from './decimal.ts';
import type { OfferedMarket } from './market-catalogue.ts';
import type { PriceRounding, PricingPolicy } from './pricing.ts';
import type { MarketSymbol } from './symbol.ts';

/** From the widest to the narrowest: of several that set the same value, the narrowest scope holds. */
export const termScopes = ['service', 'quote', 'market'] as const;
export type TermScope = (typeof termScopes)[number];

/** Takes the value from the next wider scope again. */
export const inherit = 'inherit';
type Inheritable<Value> = Value | typeof inherit;

/** The values that a term sets; what is left out stays as it is. */
export interface TermValues {
  readonly feePercent?: Inheritable<DecimalString> | undefined;
  /** The margin of converted markets. */
  readonly marginPercent?: Inheritable<DecimalString> | undefined;
  /** Decimal places of converted markets. */
  readonly pricePrecision?: Inheritable<number> | undefined;
  readonly rounding?: Inheritable<PriceRounding> | undefined;
}

export type TermField = keyof TermValues;
export const termFields = ['feePercent', 'marginPercent', 'pricePrecision', 'rounding'] as const;

/** Values that hold from an instant, until another term of the same scope sets them. */
export interface Term {
  readonly id: string;
  /** The first instant at which it holds; `undefined` for the configuration, which was there before. */
  readonly from: EpochMs | undefined;
  readonly scope: TermScope;
  /** The quote currency or the market; `undefined` for the service. */
  readonly subject: string | undefined;
  readonly values: TermValues;
}

/** A value and the term it comes from. */
export interface TermValue<Value> {
  readonly value: Value;
  readonly term: Term;
}

/** The terms that hold for a market. */
export interface MarketTerms {
  readonly fee: TermValue<DecimalString>;
  /** `undefined` for a market that is not converted. */
  readonly margin: TermValue<DecimalString> | undefined;
  /** `undefined` where none sets it: then it follows the exchange. */
  readonly precision: TermValue<number> | undefined;
  /** `undefined` where none sets it. */
  readonly rounding: TermValue<PriceRounding> | undefined;
  /** Names the terms that its prices are made on, and no others: `trm_4fGh72Kq0ZsTn1Lw@2026-12-01T00:00:00.000Z`. */
  readonly version: string;
}

/** A market, as far as terms depend on it. */
export type TermSubject = Pick<OfferedMarket, 'symbol' | 'quote' | 'isConverted'>;

/** By scope and subject: the values that hold there, each with its term. */
type Holding = ReadonlyMap<string, Readonly<Partial<Record<TermField, Term>>>>;

/** The configuration's `pricing` as terms. Their id names its very values. */
export function firstTerms({ feePercent, converted, pricePrecision }: PricingPolicy): readonly Term[] {
  const id = `cfg_${hash('sha256', JSON.stringify([feePercent, [...converted], [...pricePrecision]])).slice(0, 12)}`;
  const first = (scope: TermScope, subject: string | undefined, values: TermValues): Term => {
    return { id, from: undefined, scope, subject, values };
  };
  return [
    first('service', undefined, { feePercent }),
    ...[...converted].map(([quote, { marginPercent }]) => first('quote', quote, { marginPercent })),
    ...[...pricePrecision].map(([symbol, places]) => first('market', symbol, { pricePrecision: places })),
  ];
}

/** `id@start`; of the configuration its id alone. */
export function termVersion({ id, from }: Term): string {
  return from === undefined ? id : `${id}@${isoInstant(from)}`;
}

/** Gives what holds at an instant. Of two terms of the same start the later in the list wins. */
function holdingAt(terms: readonly Term[], at: EpochMs): Holding {
  const started = terms.filter(({ from }) => from === undefined || from <= at);
  const inOrder = started.toSorted((a, b) => (a.from ?? 0) - (b.from ?? 0));
  const holding = new Map<string, Partial<Record<TermField, Term>>>();
  for (const term of inOrder) {
    const fields = holding.getOrInsertComputed(keyOf(term.scope, term.subject), () => ({}));
    for (const field of termFields) if (term.values[field] !== undefined) fields[field] = term;
  }
  return holding;
}

/** The terms of which at least one value holds in their own scope at an instant. */
export function holdingTerms(terms: readonly Term[], at: EpochMs): ReadonlySet<Term> {
  return new Set([...holdingAt(terms, at).values()].flatMap((fields) => Object.values(fields)));
}

function keyOf(scope: TermScope, subject: string | undefined): string {
  return `${scope} ${subject ?? ''}`;
}

function termsIn(holding: Holding, { symbol, quote, isConverted }: TermSubject): MarketTerms {
  const scopes = [keyOf('market', symbol), keyOf('quote', quote), keyOf('service', undefined)];
  const settingOf = <Field extends TermField>(field: Field) => {
    for (const scope of scopes) {
      const term = holding.get(scope)?.[field];
      const value = term?.values[field];
      if (term !== undefined && value !== undefined && value !== inherit) {
        return { value: value as Exclude<NonNullable<TermValues[Field]>, typeof inherit>, term };
      }
    }
    return undefined;
  };
  // The configuration always has a fee, and a margin for each currency that is converted.
  const fee = settingOf('feePercent')!;
  const margin = isConverted ? settingOf('marginPercent') : undefined;
  const precision = isConverted ? settingOf('pricePrecision') : undefined;
  const rounding = settingOf('rounding');
  const used = [fee, margin, precision, rounding].flatMap((each) => (each === undefined ? [] : termVersion(each.term)));
  return { fee, margin, precision, rounding, version: [...new Set(used)].join(' ') };
}

/** The terms of a market at an instant, whatever holds now. */
export function termsAt(terms: readonly Term[], subject: TermSubject, at: EpochMs): MarketTerms {
  return termsIn(holdingAt(terms, at), subject);
}

/**
 * The terms that hold now, each market's worked out once between two starts. It knows no clock: `advance` brings it
 * to an instant.
 */
export class TermsInForce {
  readonly #first: readonly Term[];
  #terms: readonly Term[];
  #holding: Holding;
  /** The values in force hold from the one instant to the other. */
  #since: number = Number.POSITIVE_INFINITY;
  #next: number = Number.NEGATIVE_INFINITY;
  readonly #byMarket = new Map<MarketSymbol, { readonly isConverted: boolean; readonly terms: MarketTerms }>();

  constructor(first: readonly Term[]) {
    this.#first = first;
    this.#terms = first;
    this.#holding = holdingAt(first, 0 as EpochMs);
  }

  /** All, the configuration's first. */
  all(): readonly Term[] {
    return this.#terms;
  }

  /** Replaces the terms that follow the configuration's. `advance` makes them hold. */
  set(terms: readonly Term[]): void {
    this.#terms = [...this.#first, ...terms];
    this.#next = Number.NEGATIVE_INFINITY;
  }

  /** Brings the terms to an instant, which may lie before the last. Returns whether others may hold now. */
  advance(at: EpochMs): boolean {
    if (at >= this.#since && at < this.#next) return false;
    const starts = this.#terms.flatMap(({ from }) => from ?? []);
    this.#since = Math.max(0, ...starts.filter((start) => start <= at));
    this.#next = Math.min(Number.POSITIVE_INFINITY, ...starts.filter((start) => start > at));
    this.#holding = holdingAt(this.#terms, at);
    this.#byMarket.clear();
    return true;
  }

  /** The first instant at which `advance` changes something; `Infinity` when there is none. */
  get nextAt(): number {
    return this.#next;
  }

  of(subject: TermSubject): MarketTerms {
    const known = this.#byMarket.get(subject.symbol);
    if (known?.isConverted === subject.isConverted) return known.terms;
    const terms = termsIn(this.#holding, subject);
    this.#byMarket.set(subject.symbol, { isConverted: subject.isConverted, terms });
    return terms;
  }
}
