import type { Randomness } from '../../src/ground/clock.ts';

/** Bytes on which parsers often disagree. */
const interesting = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  '%',
  '%00',
  '?',
  '#',
  '\r\n\r\n',
  'HTTP/1.1',
  'Host: b\r\n',
  'Content-Length: 5\r\n',
  'Content-Length: 0\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Connection: close\r\n',
  'Connection: Upgrade\r\nUpgrade: websocket\r\n',
  'Expect: 100-continue\r\n',
  'X-Request-Id: <script>\r\n',
  'X-Forwarded-For: ::1, ,unknown\r\n',
  'If-None-Match: *\r\n',
  'Accept-Encoding: gzip;q=2, *;q=x\r\n',
  '__proto__: x\r\n',
  '0\r\n\r\n',
  'ffffffffffffffff\r\n',
  '\xff\xfe',
  'A'.repeat(9000),
];

type Mutation = (bytes: Buffer, random: Chooser, corpus: readonly string[]) => Buffer;

/** Whole numbers below a bound, and elements of a list. */
export class Chooser {
  readonly #randomness: Randomness;

  constructor(randomness: Randomness) {
    this.#randomness = randomness;
  }

  below(bound: number): number {
    return Math.floor(this.#randomness.fraction() * bound);
  }

  of<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }
}

const mutations: readonly Mutation[] = [
  function flipBits(bytes, random) {
    const flipped = Buffer.from(bytes);
    for (let times = 1 + random.below(8); times > 0; times--)
      flipped[random.below(bytes.length)]! ^= 1 << random.below(8);
    return flipped;
  },
  function remove(bytes, random) {
    const [start, end] = rangeIn(bytes, random);
    return Buffer.concat([bytes.subarray(0, start), bytes.subarray(end)]);
  },
  function duplicate(bytes, random) {
    const [start, end] = rangeIn(bytes, random);
    return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]);
  },
  function truncate(bytes, random) {
    return bytes.subarray(0, random.below(bytes.length));
  },
  function insert(bytes, random) {
    const at = random.below(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(random.of(interesting), 'latin1'), bytes.subarray(at)]);
  },
  function injectHeader(bytes, random) {
    const at = bytes.indexOf('\r\n') + 2;
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(random.of(interesting), 'latin1'), bytes.subarray(at)]);
  },
  function splice(bytes, random, corpus) {
    const other = Buffer.from(random.of(corpus), 'latin1');
    return Buffer.concat([bytes.subarray(0, random.below(bytes.length)), other.subarray(random.below(other.length))]);
  },
  function noise(bytes, random) {
    const [start, end] = rangeIn(bytes, random);
    return Buffer.concat([
      bytes.subarray(0, start),
      Buffer.from(Array.from({ length: end - start }, () => random.below(256))),
      bytes.subarray(end),
    ]);
  },
  function pipeline(bytes, random, corpus) {
    return Buffer.concat([bytes, Buffer.from(random.of(corpus), 'latin1'), bytes]);
  },
];

/** One to three mutations of one text of the corpus. */
export function mutated(corpus: readonly string[], random: Chooser): Buffer {
  let bytes = Buffer.from(random.of(corpus), 'latin1');
  for (let times = 1 + random.below(3); times > 0 && bytes.length > 0; times--) {
    bytes = Buffer.from(random.of(mutations)(bytes, random, corpus));
  }
  return bytes;
}

/** The same bytes in one to five parts. */
export function inParts(bytes: Buffer, random: Chooser): readonly Buffer[] {
  const cuts = Array.from({ length: random.below(5) }, () => random.below(bytes.length + 1)).sort((a, b) => a - b);
  return [0, ...cuts].map((start, index) => bytes.subarray(start, cuts[index] ?? bytes.length));
}

function rangeIn(bytes: Buffer, random: Chooser): [start: number, end: number] {
  const start = random.below(bytes.length);
  return [start, Math.min(bytes.length, start + 1 + random.below(20))];
}
