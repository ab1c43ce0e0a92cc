import { isoInstant } from '../../contract/instant.ts';
import type { BoardView, MarketView } from '../../management/views.ts';

const nowMs = Date.parse('2026-11-21T10:00:00.500Z');

/** A priced market, captured 0.5 s ago. */
export function market(symbol: string, more: Partial<NonNullable<MarketView['ticker']>> = {}): MarketView {
  const capturedAtMs = more.timestampMs ?? nowMs - 500;
  return {
    symbol,
    status: 'trading',
    ticker: {
      symbol,
      base: symbol.slice(0, 3),
      quote: symbol.slice(3),
      buyPrice: '84631.2',
      sellPrice: '83788.9',
      high24h: '85120.0',
      low24h: '83004.7',
      volume24h: '412.70318822',
      priceChangePercent24h: '-1.05',
      timestamp: isoInstant(capturedAtMs),
      timestampMs: capturedAtMs,
      ...more,
    },
  };
}

/** A board on which all is well. */
export function board(markets: readonly MarketView[], more: Partial<BoardView> = {}): BoardView {
  return {
    service: {
      status: 'operational',
      api: 'operational',
      components: { ticker: 'operational' },
      maintenance: null,
      lastUpdatedAt: isoInstant(nowMs - 400),
      lastUpdatedAtMs: nowMs - 400,
      serverTime: isoInstant(nowMs),
      serverTimeMs: nowMs,
    },
    dataAgeMs: 400,
    feedPath: 'live',
    markets: [...markets],
    ...more,
  };
}

/** Makes a window, as the status has it, from so many to so many minutes after now. */
export function windowBody(fromMinutes: number, toMinutes: number, description: string) {
  const [fromMs, toMs] = [nowMs + fromMinutes * 60_000, nowMs + toMinutes * 60_000];
  return { from: isoInstant(fromMs), fromMs, to: isoInstant(toMs), toMs, description };
}
