import Big from 'big.js';
import { sleep, systemClock } from '../../src/ground/clock.ts';
import { Asker } from './asker.ts';
import { control, type FaultySource } from './feed-faults.ts';
import type { SoakRecord } from './record.ts';

/** A market that no fault is about, with more decimals than its price needs. */
const market = { exchangeSymbol: 'ADA/EUR', symbol: 'ADAEUR', decimals: 6 } as const;
const feePercent = '0.5';
/** From one price to the next, in the last decimal: fees and rounding leave no two alike. */
const step = 10;
const everyMs = 1_000;
const askEveryMs = 200;
/**
 * A price may be dated this long after it was replaced on every exchange: some exchanges collect changes for a second,
 * some date nothing, and a faulty network holds what is not dated back for another.
 */
export const datedLateMs = 3_000;

export interface KnownPricesSettings {
  readonly sources: readonly FaultySource[];
  readonly baseUrl: string;
  readonly adminUrl: string;
  readonly key: string;
  readonly record: SoakRecord;
  readonly signal: AbortSignal;
}

interface KnownPrice {
  readonly sellPrice: string;
  /** When every exchange had another price; `undefined` while this is the last one. */
  replacedAtMs: number | undefined;
}

/**
 * Sets the price of one market on every exchange once a second, each price once only, so that what clients are served
 * tells from when it is: a price may not be dated after it was replaced, nor be one that no exchange ever had.
 */
export async function followKnownPrices(settings: KnownPricesSettings): Promise<void> {
  const known = new Map<string, KnownPrice>();
  await Promise.all([setPrices(settings, known), readPrices(settings, known)]);
}

async function setPrices({ sources, adminUrl, signal }: KnownPricesSettings, known: Map<string, KnownPrice>) {
  const start = await startPrice(adminUrl);
  const tick = new Big(10).pow(-market.decimals);
  let before: KnownPrice | undefined;
  for (let index = 1; !signal.aborted; index++) {
    const bid = start.plus(tick.times(step * index));
    const ask = bid.plus(tick);
    const price: KnownPrice = { sellPrice: clientPrice(bid, -1), replacedAtMs: undefined };
    known.set(clientPrice(ask, 1), price);
    const texts = { bid: bid.toFixed(market.decimals), ask: ask.toFixed(market.decimals) };
    const body = { symbol: market.exchangeSymbol, ...texts };
    await Promise.all(sources.map(({ controlUrl }) => control(`${controlUrl}/prices`, 'POST', body)));
    if (before !== undefined) before.replacedAtMs = Date.now();
    before = price;
    await sleep(systemClock, everyMs, signal);
  }
}

/** What the market costs now, so that no guard minds the first price. */
async function startPrice(adminUrl: string): Promise<Big> {
  const response = await fetch(`${adminUrl}/prices/${market.symbol}`, { headers: { Connection: 'close' } });
  return new Big(((await response.json()) as { readonly bid: string }).bid);
}

/** As the service makes it: with the fee, buying rounded up and selling down. */
function clientPrice(price: Big, direction: 1 | -1): string {
  const factor = new Big(1).plus(new Big(feePercent).times('0.01').times(direction));
  return price
    .times(factor)
    .round(market.decimals, direction === 1 ? Big.roundUp : Big.roundDown)
    .toFixed(market.decimals);
}

async function readPrices(settings: KnownPricesSettings, known: ReadonlyMap<string, KnownPrice>): Promise<void> {
  const { baseUrl, key, record, signal } = settings;
  const asker = new Asker(baseUrl, true);
  const headers = { 'X-EXCHANGE-APIKEY': key };
  let isFollowing = false;
  while (!signal.aborted) {
    const sentAtMs = Date.now();
    // The others count what is not answered.
    const answer = await asker.get(`/v1/ticker?symbol=${market.symbol}`, headers).catch(() => undefined);
    if (answer?.status === 200) {
      const ticker = JSON.parse(answer.body.toString('utf8')) as ServedPrice;
      const price = known.get(ticker.buyPrice);
      isFollowing ||= price !== undefined;
      if (isFollowing) check(record, ticker, price, sentAtMs);
    }
    await sleep(systemClock, askEveryMs, signal);
  }
  asker.close();
}

interface ServedPrice {
  readonly buyPrice: string;
  readonly sellPrice: string;
  readonly timestampMs: number;
}

function check(record: SoakRecord, ticker: ServedPrice, known: KnownPrice | undefined, sentAtMs: number): void {
  const { buyPrice, sellPrice, timestampMs } = ticker;
  const during = `${record.running('fault')}, event loop up to ${record.lateMsLately.toFixed(0)} ms late`;
  record.known.answers++;
  if (known?.sellPrice !== sellPrice) {
    record.known.faults.push(`no exchange ever had the price of ${buyPrice} and ${sellPrice} (${during})`);
    return;
  }
  const { replacedAtMs = Number.POSITIVE_INFINITY } = known;
  const lateMs = timestampMs - replacedAtMs;
  if (lateMs > record.known.datedLateMsMax) record.known.datedLateMsMax = lateMs;
  if (lateMs > datedLateMs)
    record.known.faults.push(`${buyPrice} was replaced ${lateMs} ms before the time it is dated (${during})`);
  const behindMs = sentAtMs - replacedAtMs;
  if (behindMs <= record.known.behindMsMax) return;
  record.known.behindMsMax = behindMs;
  record.known.behindDuring = during;
}
