/** Writes numbers and texts compactly into a buffer that grows. */
export class ByteWriter {
  #buffer: Buffer;
  #length = 0;

  /** @param capacity bytes to begin with */
  constructor(capacity = 1024) {
    this.#buffer = Buffer.allocUnsafe(capacity);
  }

  get length(): number {
    return this.#length;
  }

  /** Gives what was written. A view: the writer is done with it. */
  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value;
  }

  /** A whole number from 0 to 2^53 − 1, seven bits a byte, the lowest first. */
  count(value: number): void {
    this.#reserve(8);
    let rest = value;
    // Shifts take half the time of a division, and hold for 31 bits.
    for (; rest > 0x7fff_ffff; rest = Math.floor(rest / 0x80)) this.#buffer[this.#length++] = (rest % 0x80) | 0x80;
    for (; rest >= 0x80; rest >>= 7) this.#buffer[this.#length++] = (rest & 0x7f) | 0x80;
    this.#buffer[this.#length++] = rest;
  }

  /** A whole number of either sign, up to 2^52: small ones are short. */
  difference(value: number): void {
    this.count(unsigned(value));
  }

  /** Text of any length, in UTF-8. */
  text(value: string): void {
    const length = Buffer.byteLength(value);
    this.count(length);
    if (length === 0) return;
    this.#reserve(length);
    this.#buffer.write(value, this.#length);
    this.#length += length;
  }

  /** Text of up to 255 Latin-1 characters: the fastest way for the short texts of prices. */
  shortText(value: string): void {
    this.#reserve(value.length + 1);
    this.#buffer[this.#length++] = value.length;
    this.#length += this.#buffer.write(value, this.#length, 'latin1');
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + more));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}

/** Reads what `ByteWriter` wrote. Throws `RangeError` where the bytes end too early. */
export class ByteReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Bytes that were read. */
  get at(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.#at++];
    if (value === undefined) throw new RangeError('the bytes end too early');
    return value;
  }

  count(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const part = this.byte();
      value += (part & 0x7f) * scale;
      if (part < 0x80) return value;
      scale *= 0x80;
    }
  }

  difference(): number {
    return signed(this.count());
  }

  /** So many counts, one after the other. */
  counts(length: number): Float64Array {
    const values = new Float64Array(length);
    const bytes = this.#bytes;
    let at = this.#at;
    for (let index = 0; index < length; index++) {
      let part = bytes[at++]!;
      let value = part & 0x7f;
      for (let scale = 0x80; part >= 0x80; scale *= 0x80) {
        part = bytes[at++]!;
        value += (part & 0x7f) * scale;
      }
      values[index] = value;
    }
    this.#moveTo(at);
    return values;
  }

  /** So many differences, one after the other. */
  differences(length: number): Float64Array {
    const values = this.counts(length);
    for (let index = 0; index < length; index++) values[index] = signed(values[index]!);
    return values;
  }

  /** Values of which each was written as its difference from the one before. */
  cumulated(length: number): Float64Array {
    const values = this.differences(length);
    for (let index = 1; index < length; index++) values[index] = values[index]! + values[index - 1]!;
    return values;
  }

  /** Passes over so many counts, or differences. */
  skipCounts(length: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (let left = length; left > 0; at++) if (bytes[at]! < 0x80 || at >= bytes.length) left--;
    this.#moveTo(at);
  }

  text(): string {
    return this.raw(this.count()).toString();
  }

  shortText(): string {
    const length = this.byte();
    const start = this.#at;
    this.#moveTo(start + length);
    return this.#bytes.toString('latin1', start, this.#at);
  }

  /** All that is left. */
  rest(): Buffer {
    return this.raw(this.#bytes.length - this.#at);
  }

  #moveTo(at: number): void {
    if (at > this.#bytes.length) throw new RangeError('the bytes end too early');
    this.#at = at;
  }

  raw(length: number): Buffer {
    const start = this.#at;
    this.#moveTo(start + length);
    return this.#bytes.subarray(start, this.#at);
  }
}

/** A whole number of either sign as a count: small ones stay small. */
export function unsigned(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value;
}

/** Reverses `unsigned`. */
export function signed(value: number): number {
  // Shifts take a part of the time of a division, and hold for 31 bits.
  if (value <= 0x7fff_ffff) return (value >> 1) ^ -(value & 1);
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
