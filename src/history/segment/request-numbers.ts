import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv } from 'node:crypto';

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
    if (block.length !== 16 || block.readBigUInt64BE(0) !== 0n) return undefined;
    const number = Number(block.readBigUInt64BE(8));
    return Number.isSafeInteger(number) ? number : undefined;
  }

  idOf(number: number): string {
    const block = Buffer.alloc(16);
    block.writeBigUInt64BE(BigInt(number), 8);
    return this.#cipher.update(block).toString('hex');
  }
}
