import { isoInstant } from '../contract/instant.ts';
import type { Clock, EpochMs, Timer } from '../ground/clock.ts';
import type { Note } from '../management/note.ts';
import type { AdminParts } from '../management/parts.ts';
import { marketsByStatus } from '../management/views.ts';
import { runningWindow } from '../market/maintenance.ts';
import type { ConditionView } from '../operator/alert.ts';
import type { AlertFact } from '../store/alerts.ts';
import table from './alert-conditions.json' with { type: 'json' };
import { certificateNotes, doubtNotes, isNothingArriving, sourceNotes } from './readiness.ts';

/** Holds while it has grown within a time. */
type Growth = { readonly count: number; readonly withinMs: number };
/** A thing for which a condition holds. */
type Finding = Partial<Omit<AlertFact, 'name' | 'event'>>;
/** A key that the limit refused, with the minutes in which it did. */
type RefusedKey = Awaited<ReturnType<AdminParts['store']['breaches']['mostRefused']>>[number];
type Find = (parts: AdminParts, refused: readonly RefusedKey[]) => boolean | Growth | Iterable<Finding>;

const minuteMs = 60_000;
const dayMs = 86_400_000;
const keysMax = 20;

type Condition = Pick<AlertFact, 'event' | 'severity' | 'summary'> & { readonly forMs: number };

/** Each with what its findings do not say otherwise; `forMs` is how long it must hold. */
export const conditions = table as Readonly<Record<string, Condition>>;

/**
 * Everything that one process can judge alone: what the rules of `ops/prometheus/alerts.yml` ask, by their names there, and what has no rule there.
 * Rates and what other processes say are left to Prometheus.
 */
const finds: Readonly<Record<keyof typeof table, Find>> = {
  *MarketDataLate(parts) {
    const ageMs = ageMsOf(parts) ?? 0;
    if (ageMs > minuteMs && ageMs <= 5 * minuteMs) yield asUrgentAsCause(parts);
  },
  MarketDataOutage: (parts) => (ageMsOf(parts) ?? 0) > 5 * minuteMs,
  NoMarketData: (parts) => statusOf(parts) === 'outage' && ageMsOf(parts) === undefined,
  *FeedOnFallback(parts) {
    if (parts.market.feedStatus.path === 'fallback') yield asUrgentAsCause(parts);
  },
  MarketsMissing: (parts) => absencesOf(parts).missing.length > 0,
  DelistingHeldBack: (parts) => absencesOf(parts).isHeldBack,
  RateEndsSoon: (parts) => rateLeftMs(parts).some((leftMs) => leftMs > 0 && leftMs < dayMs),
  RateGone: (parts) => rateLeftMs(parts).some((leftMs) => leftMs <= 0),
  PricesHeld({ market: { markets }, clock }) {
    const offered = markets.catalogue.listed(clock.now()).filter(({ status }) => status !== 'delisted');
    return offered.some((each) => markets.withheldFor(each).length > 0);
  },
  *SourceDoubted(parts) {
    for (const [cause, note] of doubtNotes(parts)) yield findingOf(cause, note);
    const doubts = parts.market.markets.doubts();
    for (const quote of parts.configuration.pricing.converted.keys()) if (doubts.has(quote)) yield { subject: quote };
  },
  RecordHasGap({ recording }) {
    const { gaps = 0, gapSince } = recording() ?? {};
    return gapSince !== undefined || { count: gaps, withinMs: 15 * minuteMs };
  },
  *RecordEndsSilent({ recording }) {
    for (const { chain, at } of recording()?.silent ?? []) {
      const summary = `the process of chain ${chain} is silent: its part of the record ends at ${isoInstant(at)}`;
      yield { subject: String(chain), summary };
    }
  },
  RecordNotWritten: ({ recording }) => recording()?.trouble !== undefined,
  MarketsWithoutPrice: (parts) => unpricedOf(parts) > 0,
  MostMarketsWithoutPrice(parts) {
    const { trading, paused } = marketsByStatus(parts);
    return unpricedOf(parts) > (trading + paused) / 2;
  },
  InternalErrors: ({ listener }) => {
    return { count: listener.counts.byCode.get('INTERNAL_ERROR') ?? 0, withinMs: 5 * minuteMs };
  },
  RequestsShed: ({ listener }) => ({ count: listener.counts.shed, withinMs: 5 * minuteMs }),
  ConnectionsDropped: ({ listener }) => ({ count: listener.connectionFigures().dropped, withinMs: 5 * minuteMs }),
  StoreUnreachable: ({ changes, market }) => !changes.reachable() || market.snapshots.lastError() !== undefined,
  StoreDamaged: ({ storeCheck }) => storeCheck.result()?.finding !== undefined,
  StoreMassChangeHeld: ({ changes }) => Object.values(changes.held()).some((count) => count > 0),
  NoticesDelayed: ({ notifier }) => notifier.figures().pending > 0,
  LimitsCountedAlone: ({ sharedLimits }) => sharedLimits()?.isUp === false,
  ClockWrong: ({ feed }) => feed.clock().isWrong,
  *SourceLost(parts) {
    for (const [source, note] of sourceNotes(parts)) yield findingOf(source, note);
  },
  CertificateEndsSoon: (parts) => certificateFindings(parts, 'warning'),
  CertificateExpired: (parts) => certificateFindings(parts, 'critical'),
  *StatusChanged({ market: { service }, clock }) {
    const { ticker, api } = service.read(clock.now());
    if (api === 'maintenance' || ticker === 'operational') return;
    const severity = ticker === 'outage' ? 'critical' : 'warning';
    yield { subject: ticker, severity, summary: `market data: ${ticker}` };
  },
  *Maintenance({ market: { service }, clock }) {
    const window = runningWindow(service.announced, clock.now());
    if (window === undefined) return;
    const summary = `maintenance until ${isoInstant(window.to)}: ${window.description}`;
    yield { subject: isoInstant(window.from), summary, isExact: true };
  },
  *KeyBreachesLimit({ configuration: { notices } }, refused) {
    for (const { keyId, minutes, refused: count } of refused)
      if (minutes >= notices.breachedMinutes)
        yield { subject: keyId, summary: `the limit refused ${count} requests of key ${keyId} in ${minutes} minutes` };
  },
};

/** Late and polled data say the same as missing data: one trouble is not told as `now` and as `soon`. */
function asUrgentAsCause(parts: AdminParts): Finding {
  return isNothingArriving(parts) ? { severity: 'critical' } : {};
}

function findingOf(subject: string, { level, text }: Note): Finding {
  return { subject, severity: level, summary: text };
}

function certificateFindings(parts: AdminParts, level: Note['level']): Finding[] {
  const notes = [...certificateNotes(parts)].filter((note) => note.level === level);
  return notes.map((note) => findingOf('server.tls', note));
}

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
const severities: readonly AlertFact['severity'][] = ['critical', 'warning', 'info'];

interface Held {
  readonly at: EpochMs;
  readonly monotonicMs: number;
  readonly forMs: number;
  readonly fact: AlertFact;
}

/** Watches which conditions hold and since when: for the overview, and for whom alerts are sent to. */
export class AlertWatch {
  readonly #parts: AdminParts;
  readonly #clock: Clock;
  #held: ReadonlyMap<string, Held> = new Map();
  readonly #grown = new Map<string, { readonly count: number; readonly monotonicMs: number }>();
  readonly #timer: Timer;
  #refused: readonly RefusedKey[] = [];
  #asking: Promise<void> | undefined;

  constructor(parts: AdminParts) {
    this.#parts = parts;
    this.#clock = parts.clock;
    this.#timer = parts.clock.every(lookEveryMs, () => this.#look());
  }

  /** Lists what has held for as long as its condition asks, the most urgent first, of these the latest first. */
  read(): ConditionView[] {
    const on = [...this.#held.values()].filter((held) => this.#heldMs(held) >= held.forMs);
    const rank = ({ severity }: ConditionView) => severities.indexOf(severity);
    const views = on.map(({ at, fact: { name, subject, severity, summary } }) => {
      return { name, subject, severity, summary, sinceMs: at };
    });
    return views.sort((one, other) => rank(one) - rank(other) || other.sinceMs - one.sinceMs);
  }

  /** Gives all that holds, and whether it has for long enough to be told; `undefined` while the process does not know yet, or not any more. */
  facts(): (AlertFact & { readonly isDue: boolean })[] | undefined {
    if (this.#parts.phase() !== 'serving') return undefined;
    const { raiseAfterMs } = this.#parts.configuration.alerts;
    return [...this.#held.values()].map((held) => {
      const waitMs = held.fact.isExact ? 0 : Math.max(held.forMs, raiseAfterMs);
      return { ...held.fact, isDue: this.#heldMs(held) >= waitMs };
    });
  }

  async stop(): Promise<void> {
    this.#timer.cancel();
    await this.#asking;
  }

  #heldMs({ monotonicMs }: Held): number {
    return this.#clock.monotonicMs() - monotonicMs;
  }

  #look(): void {
    const [at, monotonicMs] = [this.#clock.now(), this.#clock.monotonicMs()];
    const held = new Map<string, Held>();
    for (const [name, { event, severity, forMs, summary }] of Object.entries(conditions)) {
      const found = finds[name as keyof typeof table](this.#parts, this.#refused);
      for (const finding of this.#findings(name, found)) {
        const fact = { name, event, severity, summary, subject: event, ...finding };
        const key = `${name} ${fact.subject}`;
        held.set(key, { ...(this.#held.get(key) ?? { at, monotonicMs }), forMs, fact });
      }
    }
    this.#held = held;
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
  }

  #findings(name: string, found: ReturnType<Find>): Iterable<Finding> {
    if (typeof found === 'object' && !('count' in found)) return found;
    return (typeof found === 'object' ? this.#hasGrown(name, found) : found) ? [{}] : [];
  }

  /** Asks the store for the next look. While it does not answer, which is a condition of its own, the last answer stays. */
  async #ask(): Promise<void> {
    const { store, configuration } = this.#parts;
    const since = (this.#clock.now() - configuration.notices.withinMs) as EpochMs;
    this.#refused = await store.breaches.mostRefused(since, keysMax).catch(() => this.#refused);
  }

  #hasGrown(name: string, { count, withinMs }: Growth): boolean {
    const monotonicMs = this.#clock.monotonicMs();
    const known = this.#grown.get(name) ?? { count: 0, monotonicMs: Number.NEGATIVE_INFINITY };
    if (count > known.count) this.#grown.set(name, { count, monotonicMs });
    return count > known.count || monotonicMs - known.monotonicMs < withinMs;
  }
}
