import { hash as digestOf } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';

/**
 * Reads quotes of a record as `docs/record-format.md` says, with nothing of the program: whoever has the page can do
 * the same.
 */
class Bytes {
  readonly data: Buffer;
  at = 0;

  constructor(data: Uint8Array) {
    this.data = Buffer.from(data);
  }

  byte(): number {
    return this.data[this.at++]!;
  }

  count(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  }

  difference(): number {
    const count = this.count();
    return count % 2 === 0 ? count / 2 : -(count + 1) / 2;
  }

  raw(length: number): Buffer {
    this.at += length;
    return this.data.subarray(this.at - length, this.at);
  }

  text(): string {
    return this.raw(this.count()).toString();
  }

  counts(length: number): number[] {
    return Array.from({ length }, () => this.count());
  }
}

function block(data: Uint8Array): Bytes {
  const bytes = new Bytes(data);
  const length = bytes.count();
  const content = zstdDecompressSync(bytes.data.subarray(bytes.at));
  if (content.length !== length) throw new Error('another length');
  return new Bytes(content);
}

function namesIn(bytes: Bytes, known: readonly string[]): string[] {
  let place = -1;
  return Array.from({ length: bytes.count() }, () => {
    const code = bytes.count();
    if (code === 0) return bytes.text();
    const difference = code - 1;
    place += 1 + (difference % 2 === 0 ? difference / 2 : -(difference + 1) / 2);
    return known[place]!;
  });
}

type Row = Readonly<Record<string, string | number | undefined>>;
const prices = { bid: 8, ask: 10, buyPrice: 12, sellPrice: 14 };
const statistics = { high24h: 16, low24h: 18, volume24h: 20, vwap24h: 22 };
const changes = { priceChangePercent1h: 24, priceChangePercent24h: 26, priceChangePercent7d: 28 };

function quotesIn(data: Uint8Array, known: readonly string[]): Row[] {
  const bytes = new Bytes(data);
  const format = bytes.byte();
  const isBlock = bytes.byte() === 1;
  const written = bytes.raw(bytes.count());
  const index = isBlock ? block(written) : new Bytes(written);
  const perGroup = index.count();
  const counts = index.counts(index.count());
  const [extra, ...groups] = index.counts(1 + Math.ceil(counts.length / perGroup));
  const codes = format === 2 ? [...Array(30).keys()] : index.counts(index.count());
  const names = namesIn(index, known);
  bytes.raw(extra!);
  return groups.flatMap((length, group) => {
    const content = block(bytes.raw(length));
    const lengths = content.counts(codes.length);
    const columns = new Map(codes.map((code, place) => [code, new Bytes(content.raw(lengths[place]!))]));
    const first = group * perGroup;
    return counts
      .slice(first, first + perGroup)
      .flatMap((count, place) => rowsOf(names[first + place]!, count, columns, names));
  });
}

function rowsOf(symbol: string, count: number, columns: ReadonlyMap<number, Bytes>, names: readonly string[]): Row[] {
  const column = (code: number) => columns.get(code)!;
  const decimals = new Map<number, () => string | undefined>();
  const ratios = { bid: 1, ask: 1 };
  const decimal = (code: number, ratio: () => number) => {
    const known = decimals.get(code) ?? decimalsOf(column(code), column(code + 1), ratio);
    decimals.set(code, known);
    return known();
  };
  let [at, age] = [0, 0];
  let last: Row = {};
  const rows: Row[] = [];
  for (let left = count; left > 0; left--) {
    at += column(0).difference();
    const [sub, state] = [column(1).count(), column(2).byte()];
    if (state > 0) {
      rows.push({ symbol, at, sub, state });
      continue;
    }
    age += column(4).difference();
    const source = names[column(3).count()]!;
    const [rate, terms] = [names[column(5).count()]!, names[column(6).count()]!];
    const changed = column(7).byte() === 1;
    const bid = decimal(prices.bid, () => 1);
    ratios.bid = ratioOf(bid, last.bid);
    const ask = decimal(prices.ask, () => ratios.bid);
    ratios.ask = ratioOf(ask, last.ask);
    const buyPrice = decimal(prices.buyPrice, () => ratios.ask);
    const sellPrice = decimal(prices.sellPrice, () => ratios.bid);
    const read = Object.entries({ ...statistics, ...changes }).map(([name, code]) => [
      name,
      changed ? decimal(code, () => 1) : last[name],
    ]);
    const made = { source, capturedAt: at - age, bid, ask, buyPrice, sellPrice, rate, terms };
    last = { symbol, at, sub, state, ...made, ...Object.fromEntries(read) };
    rows.push(last);
  }
  return rows;
}

function ratioOf(value: unknown, before: unknown): number {
  const ratio = before === undefined ? 1 : Number(value) / Number(before);
  return Number.isFinite(ratio) ? ratio : 1;
}

function decimalsOf(forms: Bytes, values: Bytes, ratio: () => number): () => string | undefined {
  let [number, places] = [0, 0];
  return () => {
    const form = forms.byte();
    if (form === 3) return undefined;
    if (form === 2) return values.text();
    if (form === 1) {
      places = values.count();
      number = values.difference();
    } else {
      const expected = Math.floor(number * ratio() + 0.5);
      number = values.difference() + (Math.abs(expected) < 10 ** 15 ? expected : 0);
    }
    const digits = String(Math.abs(number)).padStart(places + 1, '0');
    const [whole, rest] = [digits.slice(0, digits.length - places), digits.slice(digits.length - places)];
    return `${number < 0 ? '-' : ''}${whole}${places === 0 ? '' : `.${rest}`}`;
  };
}

const facts = 'chain number run kind first_ms last_ms count low_request high_request keyframe bytes'.split(' ');

function sha256(...parts: readonly (string | Uint8Array)[]): Buffer {
  return digestOf('sha256', Buffer.concat(parts.map((part) => Buffer.from(part))), 'buffer');
}

/** The quotes of the segments of chain 1, in their order. Throws on a hash that is not as it was. */
export function documentedQuotes(database: DatabaseSync): Row[] {
  const names = new Map<number, readonly string[]>();
  const read: Row[] = [];
  const deletions = database.prepare('select last, hash from deletion').all();
  const deleted = new Map(deletions.map(({ last, hash }) => [last, hash as string]));
  let previous = '0'.repeat(64);
  for (const segment of database.prepare('select * from segment order by number').all()) {
    const { hash, previous: before, place, digest, root, ...said } = segment;
    const chunks = database.prepare('select data from chunk where id >= ? order by id').all(place!);
    const all = Buffer.concat(chunks.map(({ data }) => data as Uint8Array));
    const data = all.subarray(0, said.bytes as number);
    previous = deleted.get((said.number as number) - 1) ?? previous;
    const digests = !digest ? [] : [sha256(data), ...(root === null ? [] : [root as Uint8Array])];
    const line = [
      ...facts.map((name) => said[name]),
      ...digests.map((each) => Buffer.from(each as Uint8Array).toString('hex')),
    ].join(' ');
    const before32 = Buffer.from(previous, 'hex');
    previous = (!digest ? sha256(before32, `${line}\n`, data) : sha256(before32, sha256(line))).toString('hex');
    const asWritten = Buffer.from(hash as Uint8Array).toString('hex');
    if (previous !== asWritten || before === undefined)
      throw new Error(`segment ${said.number} is not as it was written`);
    if (said.kind === 'keyframe') {
      const bytes = new Bytes(data);
      names.set(said.number as number, namesIn(block(bytes.raw(bytes.count())), []));
    }
    if (said.kind === 'quotes') read.push(...quotesIn(data, names.get(said.keyframe as number) ?? []));
  }
  return read;
}
