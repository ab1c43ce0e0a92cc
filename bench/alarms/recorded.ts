import { readFileSync } from 'node:fs';
import { TopOfBook } from '../../src/feed/top-of-book.ts';
import { type Alarms, JudgedMarket, type Judging, type Quoted } from './judged-market.ts';

/** The best prices of one market as one exchange really sent them. */
export interface Recorded {
  readonly name: string;
  readonly quotes: readonly { readonly atMs: number; readonly quoted: Quoted }[];
}

const folder = new URL('../../exchange-simulator/recordings/', import.meta.url);
/** Several sources repeat one recording so much later. */
const lagsMs = [0, 1_000, 2_500];
const reviewEveryMs = 500;

export function lengthMs({ quotes }: Recorded): number {
  return quotes.at(-1)!.atMs - quotes[0]!.atMs;
}

/** Every recorded market with two quotes or more. No two are of one market at one time. */
export function recordedMarkets(): readonly Recorded[] {
  const found = [...krakens(), ...coinbases(), ...binances(), ...okxes()];
  return [...Map.groupBy(found, ({ name }) => name)].flatMap(([name, quotes]) =>
    quotes.length < 2 ? [] : [{ name, quotes }],
  );
}

/** Replays a market at its own times. */
export function replay({ quotes }: Recorded, sources: number, judging: Judging): Alarms {
  const startMs = quotes[0]!.atMs;
  const market = new JudgedMarket(sources, judging, startMs);
  const events = Array.from({ length: sources }, (_, source) =>
    quotes.map(({ atMs, quoted }) => ({ atMs: atMs + lagsMs[source]!, source, quoted })),
  ).flat();
  events.sort((one, other) => one.atMs - other.atMs);
  let reviewAtMs = startMs;
  for (const { atMs, source, quoted } of events) {
    for (; reviewAtMs < atMs; reviewAtMs += reviewEveryMs) market.review(reviewAtMs);
    market.quoted(source, quoted, 'live', atMs);
  }
  market.review(reviewAtMs);
  return market.alarms;
}

type Found = Recorded['quotes'][number] & { readonly name: string };

function found(name: string, seconds: number, prices: readonly unknown[]): Found {
  const [bid, ask, low24h = bid, high24h = ask] = prices.map(Number) as [number, number, number?, number?];
  return { name, atMs: Math.round(seconds * 1000), quoted: { bid, ask, low24h, high24h } };
}

function lines(file: string) {
  const texts = readFileSync(new URL(file, folder), 'utf8').trim().split('\n');
  return texts.map((text) => JSON.parse(text));
}

function received(file: string): { readonly at: number; readonly frame: Frame }[] {
  return lines(file).flatMap(({ at, received: text }) => (text === undefined ? [] : [{ at, frame: JSON.parse(text) }]));
}

/** The members of any exchange's frames that are read here. */
interface Frame {
  readonly type?: string;
  readonly product_id: string;
  readonly bids: unknown;
  readonly asks: unknown;
  readonly changes: readonly [side: string, price: string, size: string][];
  readonly data: { readonly s: string; readonly b: string; readonly a: string } & readonly {
    readonly instId: string;
    readonly bidPx?: string;
    readonly askPx: string;
    readonly low24h: string;
    readonly high24h: string;
  }[];
}

function krakens(): Found[] {
  return lines('ws-v1-ticker-2021-04-17.jsonl').flatMap(({ receivedAt, frame }) => {
    if (!Array.isArray(frame)) return [];
    const [, { b, a, l, h }, , pair] = frame;
    return found(`Kraken ${pair}`, receivedAt, [b[0], a[0], l[1], h[1]]);
  });
}

function coinbases(): Found[] {
  const books = new Map<string, TopOfBook>();
  return received('coinbase-ws-2021-04-17.jsonl').flatMap(({ at, frame }) => {
    const { type, product_id: product } = frame;
    if (type === 'snapshot') {
      const book = new TopOfBook();
      book.snapshot(frame.bids, frame.asks);
      books.set(product, book);
    }
    const book = books.get(product);
    if (type !== 'l2update' || book === undefined) return [];
    for (const [side, price, size] of frame.changes) book.change(side === 'buy' ? 'bid' : 'ask', price, size);
    const { bid, ask } = book.best;
    return bid === undefined || ask === undefined ? [] : [found(`Coinbase ${product}`, at, [bid, ask])];
  });
}

function binances(): Found[] {
  return received('binance-ws-2021-10-12.jsonl').flatMap(({ at, frame: { data } }) =>
    data?.b === undefined ? [] : [found(`Binance ${data.s}`, at, [data.b, data.a])],
  );
}

function okxes(): Found[] {
  return received('okx-ws-2022-05-13.jsonl').flatMap(({ at, frame: { data = [] as never } }) =>
    data.flatMap(({ instId, bidPx, askPx, low24h, high24h }) =>
      bidPx === undefined ? [] : [found(`OKX ${instId}`, at, [bidPx, askPx, low24h, high24h])],
    ),
  );
}
