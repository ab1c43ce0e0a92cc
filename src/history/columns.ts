import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ByteReader, ByteWriter } from './bytes.ts';
import { decimalOf, ticksOf } from './ticks.ts';

/** Higher levels cost much and gain nothing on columns of differences. */
const zstdLevel = 3;

/** With the number of bytes in front, so that who reads them makes room once. */
export function compress(bytes: Uint8Array): Buffer {
  const head = new ByteWriter(8);
  head.count(bytes.length);
  const params = { [constants.ZSTD_c_compressionLevel]: zstdLevel };
  return Buffer.concat([head.bytes(), zstdCompressSync(bytes, { params })]);
}

export function decompress(bytes: Uint8Array): Buffer {
  const reader = new ByteReader(bytes);
  const length = reader.count();
  // One more than there is, so that the end is seen in the first piece; less than 64 is refused.
  return zstdDecompressSync(reader.rest(), { chunkSize: Math.max(64, length + 1) });
}

/** Columns side by side: values of one kind follow each other, which is what compresses well. */
export class ColumnsWriter {
  readonly #columns: readonly ByteWriter[];

  constructor(count: number) {
    this.#columns = Array.from({ length: count }, () => new ByteWriter());
  }

  column(index: number): ByteWriter {
    return this.#columns[index]!;
  }

  /** All columns, compressed together. */
  compressed(): Buffer {
    const head = new ByteWriter();
    for (const column of this.#columns) head.count(column.length);
    return compress(Buffer.concat([head.bytes(), ...this.#columns.map((column) => column.bytes())]));
  }
}

/** Reads what `ColumnsWriter` gave. Throws on bytes that are something else. */
export class ColumnsReader {
  readonly #columns: readonly ByteReader[];

  constructor(compressed: Uint8Array, count: number) {
    const reader = new ByteReader(decompress(compressed));
    const lengths = Array.from({ length: count }, () => reader.count());
    this.#columns = lengths.map((length) => new ByteReader(reader.raw(length)));
  }

  column(index: number): ByteReader {
    return this.#columns[index]!;
  }
}

/** How a value of a column of decimals is written. */
const form = { samePlaces: 0, otherPlaces: 1, text: 2, absent: 3 } as const;

/** The difference of two numbers below this fits. */
const ticksMax = 10 ** 15;

/** What a value probably is, when the last changes by `ratio`. The same in every process: IEEE 754 defines it. */
function expected(ticks: number, ratio: number): number {
  const product = Math.round(ticks * ratio);
  return Math.abs(product) < ticksMax ? product : 0;
}

/** How a price has changed, and with it what is made from it. */
export function ratioOf(value: number, last: number): number {
  const ratio = value / last;
  return Number.isFinite(ratio) ? ratio : 1;
}

/** Columns that one column of decimals takes: the forms, and the values. */
export const decimalWidth = 2;

/** Writes decimals as differences of whole numbers; no digit is lost, a trailing zero neither. */
export class DecimalColumnWriter {
  readonly #forms: ByteWriter;
  readonly #values: ByteWriter;
  #ticks = 0;
  #places = 0;

  constructor(columns: ColumnsWriter, first: number) {
    this.#forms = columns.column(first);
    this.#values = columns.column(first + 1);
  }

  /** What follows has nothing to do with what came before. */
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

/** Decimals of one column, which become texts only where somebody asks for them. */
export interface Decimals {
  text<Text extends string>(index: number): Text | undefined;
  /** By how much each has changed from the one before it. */
  ratios(): Float64Array;
}

/** Reads what `DecimalColumnWriter` wrote, from one reset to the next. */
export class DecimalColumnReader {
  readonly #forms: ByteReader;
  readonly #values: ByteReader;

  constructor(columns: ColumnsReader, first: number) {
    this.#forms = columns.column(first);
    this.#values = columns.column(first + 1);
  }

  skip(length: number): void {
    let counts = 0;
    for (const found of this.#forms.raw(length)) {
      if (found === form.text) {
        this.#values.skipCounts(counts);
        this.#values.text();
        counts = 0;
      } else if (found === form.samePlaces) counts++;
      else if (found === form.otherPlaces) counts += 2;
    }
    this.#values.skipCounts(counts);
  }

  /** @param ratios by how much each has probably changed */
  read(length: number, ratios?: Float64Array): Decimals {
    const decimals = new ReadDecimals(length);
    const forms = this.#forms.raw(length);
    let [ticks, places] = [0, 0];
    for (let index = 0; index < length; index++) {
      const found = forms[index]!;
      if (found === form.absent) continue;
      if (found === form.text) {
        decimals.texts.set(index, this.#values.text());
        continue;
      }
      if (found === form.samePlaces) ticks = expected(ticks, ratios === undefined ? 1 : ratios[index]!);
      else {
        places = this.#values.count();
        ticks = 0;
      }
      ticks += this.#values.difference();
      decimals.ticks[index] = ticks;
      decimals.places[index] = places;
    }
    return decimals;
  }
}

/** Stands for a decimal that is absent, or a text. */
const noPlaces = 255;
const powers = Array.from({ length: 23 }, (_, places) => Number(`1e${places}`));

class ReadDecimals implements Decimals {
  readonly ticks: Float64Array;
  readonly places: Uint8Array;
  readonly texts = new Map<number, string>();

  constructor(length: number) {
    this.ticks = new Float64Array(length);
    this.places = new Uint8Array(length).fill(noPlaces);
  }

  text<Text extends string>(index: number): Text | undefined {
    const places = this.places[index]!;
    return (places === noPlaces ? this.texts.get(index) : decimalOf(this.ticks[index]!, places)) as Text | undefined;
  }

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

  /** What `Number` makes of the text: both parts are exact, so that the quotient is the nearest to the decimal. */
  #number(index: number): number {
    const places = this.places[index]!;
    return places === noPlaces ? Number(this.texts.get(index)) : this.ticks[index]! / powers[places]!;
  }
}
