const polynomial = 0xedb88320;
const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let rest = byte;
  for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ polynomial : rest >>> 1;
  return rest;
});

/**
 * The CRC-32 of zlib and RFC 1952 §8 over the first `length` characters, each taken as its low byte. In our own words
 * because calling into `node:zlib` for 36 characters takes longer than the whole sum.
 */
export function crc32Of(text: string, length: number): number {
  let sum = 0xffffffff;
  for (let index = 0; index < length; index++) sum = (sum >>> 8) ^ table[(sum ^ text.charCodeAt(index)) & 0xff]!;
  return ~sum >>> 0;
}
