export { constants } from 'node:zlib';

/** Bytes as they are, which is not smaller but takes no time: what the record holds stays the same. */
export const zstdCompressSync = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
export const zstdDecompressSync = (bytes: Uint8Array): Buffer => Buffer.from(bytes);
