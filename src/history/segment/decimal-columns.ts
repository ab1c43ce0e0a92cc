import type { DecimalString } from '../../market/decimal.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import type { ColumnsReader, ColumnsWriter } from './columns.ts';

/** How a value of a column of decimals is written. */
const form = { samePlaces: 0, otherPlaces: 1, text: 2, absent: 3 } as const;

/** The difference of two numbers below this fits. */
const ticksMax = 10 ** 15;

/** Guesses a value, when the last changes by `ratio`. The same in every process: IEEE 754 defines it. */
function expected(ticks: number, ratio: number): number {
  const product = Math.round(ticks * ratio);
  return Math.abs(product) < ticksMax ? product : 0;
}

/** How a price has changed, and with it what is made from it. */
export function ratioOf(value: number, last: number): number {
  const ratio = value / last;
  return Number.isFinite(ratio) ? ratio : 1;
}

/**
 * The codes of the columns that a column of decimals takes: the forms, and the values.
 *
 * @param first the code of the forms
 */
export function decimalCodes(first: number): readonly [forms: number, values: number] {
  return [first, first + 1];
}

/** Writes decimals as differences of whole numbers; no digit is lost, a trailing zero neither. */
export class DecimalColumnWriter {
  readonly #forms: ByteWriter;
  readonly #values: ByteWriter;
  #ticks = 0;
  #places = 0;

  constructor(columns: ColumnsWriter, first: number) {
    const [forms, values] = decimalCodes(first);
    this.#forms = columns.column(forms);
    this.#values = columns.column(values);
  }

  /** Begins anew: what follows has nothing to do with what came before. */
  reset(): void {
    this.#ticks = 0;
    this.#places = 0;
  }

  /** @param ratio by how much it has probably changed */
  write(value: string | undefined, ratio = 1): void {
    const split = value === undefined ? undefined : ticksOf(value);
    if (value === undefined) this.#forms.byte(form.absent);
    else if (split === undefined) {
      this.#forms.byte(form.text);
      this.#values.text(value);
    } else {
      const isSame = split.places === this.#places;
      this.#forms.byte(isSame ? form.samePlaces : form.otherPlaces);
      if (!isSame) this.#values.count(split.places);
      this.#values.difference(split.ticks - (isSame ? expected(this.#ticks, ratio) : 0));
      this.#ticks = split.ticks;
      this.#places = split.places;
    }
  }
}

/**
 * Reads what `DecimalColumnWriter` wrote, from one reset to the next. Of a column that older segments lack all are
 * absent.
 */
export class DecimalColumnReader {
  readonly #columns: { readonly forms: ByteReader; readonly values: ByteReader } | undefined;

  constructor(columns: ColumnsReader, first: number) {
    const [forms, values] = decimalCodes(first).map((code) => columns.optional(code));
    this.#columns = forms && values && { forms, values };
  }

  skip(length: number): void {
    if (this.#columns === undefined) return;
    const { forms, values } = this.#columns;
    let counts = 0;
    for (const found of forms.raw(length)) {
      if (found === form.text) {
        values.skipCounts(counts);
        values.text();
        counts = 0;
      } else if (found === form.samePlaces) counts++;
      else if (found === form.otherPlaces) counts += 2;
    }
    values.skipCounts(counts);
  }

  /** @param ratios by how much each has probably changed */
  read(length: number, ratios?: Float64Array): Decimals {
    const forms = this.#columns?.forms.raw(length);
    if (forms === undefined || forms.every((each) => each === form.absent)) return noDecimals;
    const decimals = new Decimals(length);
    const { values } = this.#columns!;
    let [ticks, places] = [0, 0];
    for (let index = 0; index < length; index++) {
      const found = forms[index]!;
      if (found === form.absent) continue;
      if (found === form.text) {
        decimals.texts ??= new Map();
        decimals.texts.set(index, values.text());
        continue;
      }
      if (found === form.samePlaces) ticks = expected(ticks, ratios === undefined ? 1 : ratios[index]!);
      else {
        places = values.count();
        ticks = 0;
      }
      ticks += values.difference();
      decimals.ticks[index] = ticks;
      decimals.places[index] = places;
    }
    return decimals;
  }
}

/** Stands for a decimal that is absent, or a text. */
const noPlaces = 255;
const powers = Array.from({ length: 23 }, (_, places) => Number(`1e${places}`));

/** Decimals of one column, which become texts only where they are read. */
export class Decimals {
  readonly ticks: Float64Array;
  readonly places: Uint8Array;
  /** Hardly ever there: a map for each column of each market would be most of what a segment takes. */
  texts: Map<number, string> | undefined;

  constructor(length: number) {
    this.ticks = new Float64Array(length);
    this.places = new Uint8Array(length).fill(noPlaces);
  }

  text<Text extends string>(index: number): Text | undefined {
    const places = this.places[index] ?? noPlaces;
    return (places === noPlaces ? this.texts?.get(index) : decimalOf(this.ticks[index]!, places)) as Text | undefined;
  }

  /** By how much each has changed from the one before it. */
  ratios(): Float64Array {
    const ratios = new Float64Array(this.ticks.length).fill(1);
    let last = this.#number(0);
    for (let index = 1; index < ratios.length; index++) {
      const value = this.#number(index);
      ratios[index] = ratioOf(value, last);
      last = value;
    }
    return ratios;
  }

  /**
   * Gives what `Number` makes of the text: both parts are exact, so that the quotient is the nearest to the decimal.
   */
  #number(index: number): number {
    const places = this.places[index]!;
    return places === noPlaces ? Number(this.texts?.get(index)) : this.ticks[index]! / powers[places]!;
  }
}

/** A column of absent ones, of any length. */
const noDecimals = new Decimals(0);

/** Digits that a double holds exactly, whatever they are. */
const digitsMax = 15;

/**
 * Splits a decimal into a whole number of its last place and its places (`0.10`: 10 and 2), so that `decimalOf` gives
 * the same text again. `undefined` for one that it would not: with too many digits, or with zeros in front.
 */
function ticksOf(decimal: string) {
  const point = decimal.indexOf('.');
  const places = point === -1 ? 0 : decimal.length - point - 1;
  const digits = point === -1 ? decimal : decimal.slice(0, point) + decimal.slice(point + 1);
  if (digits.length > digitsMax) return undefined;
  const ticks = Number(digits);
  return decimalOf(ticks, places) === decimal ? { ticks, places } : undefined;
}

function decimalOf(ticks: number, places: number): DecimalString {
  if (places === 0) return String(ticks) as DecimalString;
  const digits = String(Math.abs(ticks)).padStart(places + 1, '0');
  const whole = digits.slice(0, digits.length - places);
  return `${ticks < 0 ? '-' : ''}${whole}.${digits.slice(digits.length - places)}` as DecimalString;
}
