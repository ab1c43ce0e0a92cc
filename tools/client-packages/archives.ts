import { crc32, deflateRawSync, gzipSync } from 'node:zlib';

/** A file of an archive, with its path in it. */
export interface Entry {
  readonly name: string;
  readonly bytes: Buffer;
}

/** 26 October 1985, as npm dates what it packs: some programs take no older file. */
const tarDateSeconds = 499_162_500;
/** 1 January 1980, the first date that a ZIP file can have. */
const zipDate = 0x0021;

/** A .tar.gz (POSIX.1-1988, ustar) of the files. The same files give the same bytes. */
export function tarGz(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ name, bytes }) => [
    tarHeader(name, bytes.length),
    bytes,
    Buffer.alloc((512 - (bytes.length % 512)) % 512),
  ]);
  const packed = gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]), { level: 9 });
  // The system that packed it (RFC 1952 §2.3.1): unknown, on every one.
  packed[9] = 255;
  return packed;
}

function tarHeader(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new RangeError(`the path is too long for a tar file: ${name}`);
  const header = Buffer.alloc(512);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  header.write(name, 0);
  header.write(octal(0o644, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(tarDateSeconds, 12), 100);
  header.write('        0', 148);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** A ZIP file (APPNOTE 2.0, deflated) of the files. The same files give the same bytes. */
export function zip(entries: readonly Entry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const packed = deflateRawSync(bytes, { level: 9 });
    const path = Buffer.from(name);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(8, 4);
    shared.writeUInt16LE(zipDate, 8);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(bytes.length, 18);
    shared.writeUInt16LE(path.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((0o100644 << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from([0x50, 0x4b, 1, 2, 20, 3]), shared, rest, path);
    const local = Buffer.concat([Buffer.from([0x50, 0x4b, 3, 4]), shared, path, packed]);
    parts.push(local);
    offset += local.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, index, end]);
}
