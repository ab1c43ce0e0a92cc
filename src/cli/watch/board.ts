import { didYouMean } from '../../configuration/spelling.ts';
import { type Clock, sleep, withTimeout } from '../../ground/clock.ts';
import type { BoardView, MarketView } from '../../management/views.ts';
import { type DecimalString, roundTo, toBig } from '../../market/decimal.ts';
import { parseSymbol } from '../../market/symbol.ts';
import { CommandError, exitCodes, marketDelisted } from '../failure.ts';

/** The markets that are watched, and how often. */
export interface Watching {
  readonly url: string;
  readonly intervalMs: number;
  /** The symbols as they were typed; empty for all markets that are not delisted. */
  readonly symbols: readonly string[];
  readonly first: Watched;
}

/** One request to the server; `why` completes the sentence "No answer from …:". */
export type Look =
  | { readonly kind: 'seen'; readonly view: BoardView }
  | { readonly kind: 'lost'; readonly why: string };

/** A market on the board, compared with the previous look. */
export interface Row {
  readonly market: MarketView;
  /** The spread in percent of the middle of both prices, two decimals; `undefined` without a price. */
  readonly spreadPercent: string | undefined;
  /** Whether anything but the age changed. */
  readonly isChanged: boolean;
}

/** The latest board. */
export interface Watched {
  readonly view: BoardView;
  /** In the order of the board. */
  readonly rows: readonly Row[];
  /** Whether anything of the service but the age changed. */
  readonly isServiceChanged: boolean;
}

const timeoutMs = 5_000;
const foreign: Look = { kind: 'lost', why: 'what answers is no server of this version' };

/** Asks once. Never throws: no answer in 5 s, or one that is not ours, is `lost`. */
export async function lookAt(url: string, clock: Clock, signal: AbortSignal): Promise<Look> {
  return withTimeout(clock, timeoutMs, async (late) => {
    try {
      const response = await fetch(`${url}/board`, { signal: AbortSignal.any([signal, late]) });
      const body: unknown = await response.json();
      return isBoard(body) ? { kind: 'seen', view: body } : foreign;
    } catch (error) {
      if (error instanceof SyntaxError) return foreign;
      return { kind: 'lost', why: late.aborted ? `nothing in ${timeoutMs / 1000} s` : reasonOf(error) };
    }
  });
}

/** Asks every `intervalMs`, from start to start, until `signal` aborts. */
export async function* looks({ url, intervalMs }: Watching, clock: Clock, signal: AbortSignal): AsyncGenerator<Look> {
  while (!signal.aborted) {
    const startedMs = clock.monotonicMs();
    const look = await lookAt(url, clock, signal);
    if (signal.aborted) return;
    yield look;
    await sleep(clock, Math.max(0, intervalMs - (clock.monotonicMs() - startedMs)), signal);
  }
}

function isBoard(body: unknown): body is BoardView {
  return (
    typeof body === 'object' && body !== null && 'service' in body && 'markets' in body && Array.isArray(body.markets)
  );
}

/** The platform hides the reason behind a general "fetch failed". */
function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: NodeJS.ErrnoException };
  const known: Record<string, string> = { ECONNREFUSED: 'connection refused', ENOTFOUND: 'the host is unknown' };
  return known[cause?.code ?? ''] ?? cause?.message ?? (error as Error).message;
}

/**
 * Compares a new look at the board with the one before. Throws `CommandError` for a wanted symbol that is not on the
 * board, with the nearest one that is, unless the server has no catalogue yet.
 */
export function watchedNext(before: Watched | undefined, view: BoardView, wanted: readonly string[]): Watched {
  const known = new Map(before?.rows.map((row) => [row.market.symbol, row]));
  return {
    view,
    rows: selected(view.markets, wanted).map((market) => rowNext(known.get(market.symbol), market)),
    isServiceChanged: before === undefined || serviceState(before.view) !== serviceState(view),
  };
}

/** The distance of the two prices in percent of their middle, two decimals. */
export function spreadPercent(buyPrice: string, sellPrice: string): string {
  const [buy, sell] = [toBig(buyPrice as DecimalString), toBig(sellPrice as DecimalString)];
  return roundTo(buy.minus(sell).times(200).div(buy.plus(sell)).toFixed() as DecimalString, 2, 'half-even');
}

function selected(markets: readonly MarketView[], wanted: readonly string[]): readonly MarketView[] {
  if (wanted.length === 0) return markets.filter((market) => market.status !== 'delisted');
  if (markets.length === 0) return [];
  const bySymbol = new Map(markets.map((market) => [market.symbol, market]));
  const texts = [...new Set(wanted)];
  const unknown = texts.filter((text) => !bySymbol.has(parseSymbol(text) ?? ''));
  if (unknown.length > 0) {
    const hintFor = (text: string) => didYouMean(text.toUpperCase(), bySymbol.keys());
    const sentences = unknown.map((text) => `There is no market "${text}".${hintFor(text)}`);
    throw new CommandError(exitCodes.notFound, 'market_unknown', sentences.join(' '));
  }
  const symbols = new Set<string | undefined>(texts.map(parseSymbol));
  const found = markets.filter(({ symbol }) => symbols.has(symbol));
  const delisted = found.find(({ status }) => status === 'delisted');
  if (delisted !== undefined) throw marketDelisted(delisted.symbol);
  return found;
}

function rowNext(before: Row | undefined, market: MarketView): Row {
  const { ticker } = market;
  return {
    market,
    spreadPercent: ticker && spreadPercent(ticker.buyPrice, ticker.sellPrice),
    isChanged: before === undefined || marketState(before.market) !== marketState(market),
  };
}

function marketState({ status, ticker, unpriced }: MarketView): string {
  return [status, unpriced, ticker?.buyPrice, ticker?.sellPrice].join(' ');
}

function serviceState({ service: { maintenance, status, components }, feedPath }: BoardView): string {
  return JSON.stringify([status, components, feedPath, maintenance]);
}
