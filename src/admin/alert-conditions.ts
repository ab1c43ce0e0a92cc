import type { Clock, EpochMs, Timer } from '../clock.ts';
import type { Alert } from '../management/note.ts';
import type { AdminParts } from '../management/parts.ts';
import { allDoubts, marketsByStatus } from '../management/views.ts';

interface Rule {
  readonly severity: Alert['severity'];
  /** How long it must hold. */
  readonly forMs: number;
  readonly summary: string;
  /** Whether it holds, or what must not have grown within a time. */
  readonly holds: (parts: AdminParts) => boolean | { readonly count: number; readonly withinMs: number };
}

const minuteMs = 60_000;
const dayMs = 86_400_000;

const critical = (forMs: number, summary: string, holds: Rule['holds']): Rule => {
  return { severity: 'critical', forMs, summary, holds };
};
const warning: typeof critical = (...rule) => ({ ...critical(...rule), severity: 'warning' });

/** The rules of `ops/prometheus/alerts.yml` that one process can judge alone, by their names there. Rates and what other processes say are left to Prometheus. */
export const alertRules: Readonly<Record<string, Rule>> = {
  MarketDataLate: warning(30_000, 'Market data is late', (parts) => {
    const ageMs = ageMsOf(parts) ?? 0;
    return ageMs > minuteMs && ageMs <= 5 * minuteMs;
  }),
  MarketDataOutage: critical(
    0,
    'Market data has not arrived for five minutes',
    (parts) => (ageMsOf(parts) ?? 0) > 5 * minuteMs,
  ),
  NoMarketData: critical(2 * minuteMs, 'No market data since the start', (parts) => {
    return statusOf(parts) === 'outage' && ageMsOf(parts) === undefined;
  }),
  FeedOnFallback: warning(5 * minuteMs, 'Market data has been polled for five minutes', ({ market }) => {
    return market.feedStatus.path === 'fallback';
  }),
  MarketsMissing: warning(5 * minuteMs, 'The exchange no longer lists some markets', (parts) => {
    return absencesOf(parts).missing.length > 0;
  }),
  DelistingHeldBack: critical(0, 'Delisting is held back and waits for the operator', (parts) => {
    return absencesOf(parts).isHeldBack;
  }),
  RateEndsSoon: warning(5 * minuteMs, 'A rate expires soon', (parts) =>
    rateLeftMs(parts).some((leftMs) => leftMs > 0 && leftMs < dayMs),
  ),
  RateGone: critical(minuteMs, 'There is no valid rate', (parts) => rateLeftMs(parts).some((leftMs) => leftMs <= 0)),
  PricesHeld: critical(30_000, 'Prices are held back', ({ market: { markets }, clock }) => {
    const offered = markets.catalogue.listed(clock.now()).filter(({ status }) => status !== 'delisted');
    return offered.some((each) => markets.withheldFor(each).length > 0);
  }),
  SourceDoubted: warning(minuteMs, 'Prices of a source are doubted', (parts) => {
    const { markets } = parts.market;
    const isRateDoubted = [...parts.configuration.pricing.converted.keys()].some((quote) =>
      markets.doubts().has(quote),
    );
    return isRateDoubted || allDoubts(parts).length > 0;
  }),
  RecordHasGap: critical(0, 'The record of quotes and answers has a gap', ({ recording }) => {
    const { gaps = 0, gapSince } = recording() ?? {};
    return gapSince !== undefined || { count: gaps, withinMs: 15 * minuteMs };
  }),
  RecordEndsSilent: warning(0, 'A process ended without closing its record', ({ recording }) => {
    return (recording()?.silent ?? []).length > 0;
  }),
  RecordNotWritten: critical(30_000, 'The record of quotes and answers cannot be written', ({ recording }) => {
    return recording()?.trouble !== undefined;
  }),
  MarketsWithoutPrice: warning(10 * minuteMs, 'Traded markets have no price', (parts) => unpricedOf(parts) > 0),
  MostMarketsWithoutPrice: critical(2 * minuteMs, 'More than half of the markets have no price', (parts) => {
    const { trading, paused } = marketsByStatus(parts);
    return unpricedOf(parts) > (trading + paused) / 2;
  }),
  InternalErrors: warning(0, 'A request failed because of a defect', ({ listener }) => {
    return { count: listener.counts.byCode.get('INTERNAL_ERROR') ?? 0, withinMs: 5 * minuteMs };
  }),
  RequestsShed: critical(0, 'Requests are refused because of overload', ({ listener }) => {
    return { count: listener.counts.shed, withinMs: 5 * minuteMs };
  }),
  ConnectionsDropped: critical(0, 'Connections are refused', ({ listener }) => {
    return { count: listener.connectionFigures().dropped, withinMs: 5 * minuteMs };
  }),
  StoreUnreachable: critical(minuteMs, 'The database cannot be read', ({ changes, market }) => {
    return !changes.reachable() || market.snapshots.lastError() !== undefined;
  }),
  StoreDamaged: critical(0, 'The database file is damaged', ({ storeCheck }) => {
    return storeCheck.result()?.finding !== undefined;
  }),
  StoreMassChangeHeld: critical(0, 'Very many keys or windows vanished from the database at once', ({ changes }) => {
    return Object.values(changes.held()).some((count) => count > 0);
  }),
  NoticesDelayed: warning(120 * minuteMs, 'E-mail notices to key holders are not sent', ({ notifier }) => {
    return notifier.figures().pending > 0;
  }),
  LimitsCountedAlone: warning(minuteMs, 'A process counts limits alone', ({ sharedLimits }) => {
    return sharedLimits()?.isUp === false;
  }),
  ClockWrong: warning(minuteMs, 'The clock of a machine disagrees with the exchanges', ({ feed }) => {
    return feed.clock().isWrong;
  }),
};

function ageMsOf({ market, clock }: AdminParts): number | undefined {
  return market.feedStatus.ageMs(clock.now(), clock.monotonicMs());
}

function statusOf({ market, clock }: AdminParts) {
  return market.service.read(clock.now()).status;
}

function absencesOf({ market, configuration }: AdminParts) {
  return market.markets.catalogue.absences(configuration.markets.delistAfterMs);
}

function rateLeftMs({ market, configuration, clock }: AdminParts): number[] {
  const quotes = [...configuration.pricing.converted.keys()];
  return quotes.map((quote) => (market.markets.rate(quote)?.validUntil ?? 0) - clock.now());
}

function unpricedOf({ market, clock }: AdminParts): number {
  return [...market.board.unpriced(clock.now())].reduce((sum, [, count]) => sum + count, 0);
}

const lookEveryMs = 5_000;

/** Watches since when each rule holds. */
export class AlertWatch {
  readonly #parts: AdminParts;
  readonly #clock: Clock;
  readonly #since = new Map<string, { readonly at: EpochMs; readonly monotonicMs: number }>();
  readonly #grown = new Map<string, { readonly count: number; readonly monotonicMs: number }>();
  readonly #timer: Timer;

  constructor(parts: AdminParts) {
    this.#parts = parts;
    this.#clock = parts.clock;
    this.#timer = parts.clock.every(lookEveryMs, () => this.#look());
  }

  /** Lists the rules that have held for as long as their rule asks, the most urgent first, of these the latest first. */
  read(): Alert[] {
    const nowMs = this.#clock.monotonicMs();
    const on = [...this.#since].filter(([name, { monotonicMs }]) => nowMs - monotonicMs >= alertRules[name]!.forMs);
    const alerts = on.map(([name, { at }]) => {
      const { severity, summary } = alertRules[name]!;
      return { name, severity, summary, sinceMs: at };
    });
    return alerts.sort((one, other) => one.severity.localeCompare(other.severity) || other.sinceMs - one.sinceMs);
  }

  stop(): void {
    this.#timer.cancel();
  }

  #look(): void {
    const [at, monotonicMs] = [this.#clock.now(), this.#clock.monotonicMs()];
    for (const [name, { holds }] of Object.entries(alertRules)) {
      const held = holds(this.#parts);
      const isOn = typeof held === 'boolean' ? held : this.#hasGrown(name, held, monotonicMs);
      if (!isOn) this.#since.delete(name);
      else if (!this.#since.has(name)) this.#since.set(name, { at, monotonicMs });
    }
  }

  #hasGrown(name: string, { count, withinMs }: { count: number; withinMs: number }, monotonicMs: number): boolean {
    const known = this.#grown.get(name) ?? { count: 0, monotonicMs: Number.NEGATIVE_INFINITY };
    if (count > known.count) this.#grown.set(name, { count, monotonicMs });
    return count > known.count || monotonicMs - known.monotonicMs < withinMs;
  }
}
