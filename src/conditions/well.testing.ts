import { FakeClock } from '../../test/support/fake-clock.ts';
import { Board } from '../board/board.ts';
import { ServiceBoard } from '../board/service-board.ts';
import type { ErrorCode } from '../contract/errors.ts';
import type { ClockReading } from '../feed/clock-watch.ts';
import type { EpochMs } from '../ground/clock.ts';
import type { OverloadCause } from '../http/overload.ts';
import type { DecimalString } from '../market/decimal.ts';
import { Markets } from '../market/markets.ts';
import { FeedStatus } from '../market/service-status.ts';
import type { CurrencyCode } from '../market/symbol.ts';
import type { RefusedKey } from '../store/breaches.ts';
import type { Observed, ObservedSource, Phase } from './observed.ts';
import type { WatchParts } from './watch.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

type Mutable<Of> = { -readonly [Name in keyof Of]: Of[Name] };

/** A process of which all is well unless a test says otherwise: it changes `state`, or the parts of the market. */
export function wellProcess() {
  const clock = new FakeClock();
  const feedStatus = new FeedStatus();
  const markets = new Markets(
    { feePercent: '0.5' as DecimalString, converted: new Map(), pricePrecision: new Map(), rateValidForMs: minuteMs },
    { quotes: new Set(['EUR' as CurrencyCode]), symbols: 'all' },
  );
  const service = new ServiceBoard(feedStatus, clock);
  feedStatus.feedCurrent('live', clock.now(), clock.monotonicMs());
  const reading: Mutable<ClockReading> = { bySource: new Map(), offsetMs: undefined, isWrong: false };
  const held = { keys: 0, windows: 0, terms: 0 };
  const wellRecord: NonNullable<ReturnType<Observed['recording']>> = {
    gaps: 0,
    gapSince: undefined,
    silent: [],
    doubt: undefined,
    trouble: undefined,
  };
  const state = {
    phase: 'serving' as Phase,
    sources: [] as ObservedSource[],
    clock: reading,
    cause: undefined as OverloadCause | undefined,
    problems: new Map<ErrorCode, number>(),
    shed: 0,
    dropped: 0,
    certificateExpiresAt: undefined as EpochMs | undefined,
    isReachable: true,
    held,
    trouble: undefined as Error | undefined,
    finding: undefined as string | undefined,
    kept: undefined as string | undefined,
    made: undefined as string | undefined,
    keys: 1,
    record: { ...wellRecord } as Mutable<typeof wellRecord> | undefined,
    mail: { isFailing: false, pending: 0 },
    limits: undefined as ReturnType<Observed['sharedLimits']>,
    sharing: undefined as ReturnType<Observed['replication']>,
    refused: (_after: EpochMs): readonly RefusedKey[] => [],
    raiseAfterMs: 0,
  };
  const observed: WatchParts = {
    clock,
    configuration: {
      pricing: { converted: new Map() },
      markets: { delistAfterMs: dayMs },
      notices: { breachedMinutes: 3, withinMs: 60 * minuteMs },
      get alerts() {
        return { raiseAfterMs: state.raiseAfterMs };
      },
    },
    phase: () => state.phase,
    market: { service, feedStatus, markets, board: new Board(markets), snapshots: { lastError: () => state.trouble } },
    feed: { clock: () => reading, sources: () => state.sources },
    listener: {
      counts: {
        byCode: state.problems,
        get shed() {
          return state.shed;
        },
      },
      connectionFigures: () => ({ dropped: state.dropped }),
      overload: {
        get cause() {
          return state.cause;
        },
      },
      certificateExpiresAt: () => state.certificateExpiresAt,
    },
    store: {
      get kept() {
        return state.kept;
      },
      get made() {
        return state.made;
      },
      breaches: { mostRefused: async (after) => state.refused(after) },
    },
    access: {
      directory: {
        get size() {
          return state.keys;
        },
      },
    },
    changes: { reachable: () => state.isReachable, held: () => held },
    storeCheck: { result: () => ({ finding: state.finding }) },
    recording: () => state.record,
    notifier: { figures: () => state.mail },
    sharedLimits: () => state.limits,
    replication: () => state.sharing,
  };
  return { clock, feedStatus, markets, service, state, observed };
}

/** A source whose connection was lost some time ago. */
export function lostSource(id: string, lastLiveDataAgeMs: number) {
  const health: Mutable<ObservedSource['health']> = {
    connection: 'waiting',
    lastLiveDataAgeMs,
    epoch: 2,
    lastCatalogueAt: undefined,
    catalogueLoads: {},
  };
  return { id, isPaused: false, health };
}
