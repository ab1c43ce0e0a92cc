import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv } from 'node:crypto';

const blockBytes = 16;
const idLength = 2 * blockBytes;

/** Finds the number that a request id hides, and the id of a number. */
export class RequestNumbers {
  readonly #decipher: Decipheriv;
  readonly #cipher: Cipheriv;

  /** @param key 16 bytes, of the process that gave out the ids */
  constructor(key: Uint8Array) {
    this.#decipher = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false);
    this.#cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false);
  }

  /** `undefined` for an id that another process gave out. */
  numberOf(requestId: string): number | undefined {
    const block = this.#decipher.update(Buffer.from(requestId, 'hex'));
    if (block.length !== blockBytes || block.readBigUInt64BE(0) !== 0n) return undefined;
    const number = Number(block.readBigUInt64BE(8));
    return Number.isSafeInteger(number) ? number : undefined;
  }

  idOf(number: number): string {
    return this.idsOf([number])[0]!;
  }

  /** Many at once take a tenth of the time of one after the other. */
  idsOf(numbers: readonly number[]): string[] {
    const blocks = Buffer.alloc(numbers.length * blockBytes);
    for (const [nth, number] of numbers.entries()) {
      blocks.writeUInt32BE(Math.floor(number / 2 ** 32), nth * blockBytes + 8);
      blocks.writeUInt32BE(number >>> 0, nth * blockBytes + 12);
    }
    const hex = this.#cipher.update(blocks).toString('hex');
    return numbers.map((_, nth) => hex.slice(nth * idLength, (nth + 1) * idLength));
  }
}
