import { constants, crc32, deflateRawSync } from 'node:zlib';

/** Every piece ends byte-aligned and refers to nothing before it, so that pieces make a stream in any order (RFC 1951 section 3.2.4). */
const pieceOptions = { level: 4, finishFlush: constants.Z_FULL_FLUSH } as const;

/** Deflate, no file name, no time, unknown system (RFC 1952 section 2.3). */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/** An empty last block with fixed codes. */
const lastBlock = Buffer.from([3, 0]);

/** Compresses a piece of ASCII text that can be joined with others by `joinGzipPieces`. */
export function deflatePiece(text: string): Buffer {
  return deflateRawSync(Buffer.from(text, 'latin1'), pieceOptions);
}

/** One gzip stream of pieces whose texts, joined, are `body`. */
export function joinGzipPieces(pieces: readonly Buffer[], body: Buffer): Buffer {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(body), 0);
  trailer.writeUInt32LE(body.length, 4);
  return Buffer.concat([header, ...pieces, lastBlock, trailer]);
}
