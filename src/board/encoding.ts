import { brotliCompressSync, constants, crc32, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib';

/** A content coding we prepare bodies in (RFC 9110 section 8.4.1). */
export type ContentEncoding = 'identity' | 'gzip' | 'br' | 'zstd';

/**
 * Bodies are compressed again after each change that is read, so the levels are cheap: on our JSON within a fifth of
 * the size of the dear ones.
 */
const compressors: Record<Exclude<ContentEncoding, 'identity'>, (body: Buffer) => Buffer> = {
  gzip: (body) => gzipSync(body, { level: 1, ...smallWindow(body) }),
  br: (body) =>
    brotliCompressSync(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 1,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  zstd: (body) => zstdCompressSync(body, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
};

export function compress(body: Buffer, encoding: Exclude<ContentEncoding, 'identity'>): Buffer {
  return compressors[encoding](body);
}

/** Setting up a full window costs more than compressing a few hundred bytes. */
function smallWindow(body: Buffer): { windowBits?: number; memLevel?: number } {
  return body.length <= 1024 ? { windowBits: 10, memLevel: 4 } : {};
}

/**
 * Each piece ends byte-aligned and refers to nothing before it, so pieces join in any order (RFC 1951 section 3.2.4).
 */
const pieceOptions = { level: 4, finishFlush: constants.Z_FULL_FLUSH } as const;

/** Deflate, no file name, no time, unknown system (RFC 1952 section 2.3). */
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/** An empty last block with fixed codes. */
const lastBlock = Buffer.from([3, 0]);

/** Compresses a piece of ASCII text for `joinGzipPieces`. */
export function deflatePiece(text: string): Buffer {
  return deflateRawSync(Buffer.from(text, 'latin1'), pieceOptions);
}

/** One gzip stream of the pieces; their texts, joined, are `body`. */
export function joinGzipPieces(pieces: readonly Buffer[], body: Buffer): Buffer {
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(body), 0);
  trailer.writeUInt32LE(body.length, 4);
  return Buffer.concat([gzipHeader, ...pieces, lastBlock, trailer]);
}
