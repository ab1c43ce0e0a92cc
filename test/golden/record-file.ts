import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/**
 * The parts of a golden record in one file: the record, its journal, and as JSON what they answered when they were
 * made.
 */
export function packed(parts: readonly Buffer[]): Buffer {
  const lengths = Buffer.from(new Uint32Array(parts.map(({ length }) => length)).buffer);
  return zstdCompressSync(Buffer.concat([lengths, ...parts]));
}

export function unpacked(file: Uint8Array): {
  readonly record: Buffer;
  readonly journal: Buffer;
  readonly json: string;
} {
  const bytes = zstdDecompressSync(file);
  const [record, journal] = [bytes.readUInt32LE(0), bytes.readUInt32LE(4)];
  const start = 12;
  return {
    record: bytes.subarray(start, start + record),
    journal: bytes.subarray(start + record, start + record + journal),
    json: bytes.toString('utf8', start + record + journal),
  };
}
