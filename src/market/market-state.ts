import type { TProperties } from 'typebox';
import { Type } from '../contract/schema-builder.ts';
import type { EpochMs } from '../ground/clock.ts';
import { checkOf } from '../ground/schema-check.ts';
import type { ReviewState } from './catalogue-review.ts';
import type { Doubt, DoubtSubject, PeerDoubts } from './doubts.ts';
import type { ListedBySource, MarketRecord } from './market-catalogue.ts';
import { peerDoubtReasons } from './peer-judgement.ts';
import type { PeerMemory } from './peer-memory.ts';
import { heldRateReasons, type RateBelief } from './rate-law.ts';
import type { SourceReport } from './source-state.ts';
import type { CurrencyCode, MarketSymbol } from './symbol.ts';
import type { AcceptedTicker } from './ticker-acceptance.ts';
import { type ConversionRate, type FeedPath, optionalNames, type ReferencePrices } from './upstream.ts';

/** By name. A map is one, and so is its JSON. */
type Entries<Name, Value> = Iterable<readonly [Name, Value]>;

/**
 * The state of the markets, or the part of it that changed: for a restart, and for the processes that follow the one
 * with the feed. Plain data: it survives JSON, which leaves out members that are `undefined`.
 */
export interface MarketState {
  readonly records?: readonly MarketRecord[] | undefined;
  /** Goes with the records. */
  readonly listed?: ListedBySource | undefined;
  /** The review of what each source lists; goes with the records. */
  readonly reviews?: readonly ReviewState[] | undefined;
  /** Goes with the records: markets that are none any more, see `MarketCatalogue.forgotten`. */
  readonly forgotten?: readonly MarketSymbol[] | undefined;
  readonly tickers: Entries<MarketSymbol, AcceptedTicker>;
  readonly references: Entries<MarketSymbol, ReferencePrices>;
  readonly rates: Entries<CurrencyCode, ConversionRate>;
  /** The beliefs in each rate, the one in force among it. */
  readonly beliefs?: Entries<CurrencyCode, RateBelief> | undefined;
  /** Everything that is doubted of prices and rates. */
  readonly held?: Entries<DoubtSubject, Doubt> | undefined;
  /** All that is doubted of sources by their peers. */
  readonly doubts?: Entries<MarketSymbol, PeerDoubts> | undefined;
  /** Memory of what the sources of each market said of one another. */
  readonly peerMemories?: Entries<MarketSymbol, PeerMemory> | undefined;
  readonly sources?: SourceReport | undefined;
  readonly path?: FeedPath | undefined;
  /** When the feed last proved current; `undefined` when it never delivered. */
  readonly lastUpdatedAt?: EpochMs | undefined;
  /** The fencing number of the leader, and the number of the publication that it is of. */
  readonly position?: readonly [fence: number, number: number] | undefined;
  /** Age of the data when the state was taken, where it may be read much later. */
  readonly ageMs?: number | undefined;
}

/** The version of the form. Processes of different versions do not take each other's states. */
const format = 2;

export function writeState({ tickers, references, rates, beliefs = [], held = [], ...others }: MarketState): string {
  const entries = { tickers: [...tickers], references: [...references], rates: [...rates] };
  return JSON.stringify({ format, ...others, ...entries, beliefs: [...beliefs], held: [...held] });
}

const decimal = Type.String({ pattern: '^-?\\d+(\\.\\d+)?$', maxLength: 64 });
const instant = Type.Integer();
const entriesOf = (value: TProperties) => Type.Array(Type.Tuple([Type.String(), Type.Object(value)]));

const rateValues = {
  base: Type.String(),
  quote: Type.String(),
  mid: decimal,
  source: Type.String(),
  fixingDate: Type.Optional(Type.String()),
  refreshedAt: instant,
};
const rate = Type.Object(rateValues);

/** Checks the values that prices are made of. */
const isState = checkOf(
  Type.Object({
    format: Type.Literal(format),
    tickers: entriesOf({
      bid: decimal,
      ask: decimal,
      high24h: decimal,
      low24h: decimal,
      volume24h: decimal,
      ...Object.fromEntries(optionalNames.map((name) => [name, Type.Optional(decimal)])),
      source: Type.String(),
      capturedAt: instant,
      liveReceivedAt: Type.Optional(instant),
      liveUpstreamTime: Type.Optional(instant),
    }),
    references: entriesOf({
      price1hAgo: Type.Optional(decimal),
      price24hAgo: Type.Optional(decimal),
      price7dAgo: Type.Optional(decimal),
      recordedFor: Type.Optional(instant),
    }),
    rates: entriesOf(rateValues),
    beliefs: Type.Optional(
      entriesOf({
        inForce: Type.Optional(rate),
        isUnconfirmed: Type.Optional(Type.Boolean()),
        anchor: Type.Optional(Type.Object({ mid: decimal, refreshedAt: instant })),
        held: Type.Optional(
          Type.Object({
            reason: Type.Union(heldRateReasons.map((reason) => Type.Literal(reason))),
            since: instant,
            first: rate,
            last: rate,
            isContest: Type.Optional(Type.Boolean()),
          }),
        ),
        awaiting: Type.Optional(Type.Object({ rate, since: instant })),
        witness: Type.Optional(rate),
      }),
    ),
    doubts: Type.Optional(
      Type.Array(
        Type.Tuple([
          Type.String(),
          Type.Array(
            Type.Tuple([
              Type.String(),
              Type.Object({
                bid: decimal,
                ask: decimal,
                since: instant,
                isOutvoted: Type.Boolean(),
                reason: Type.Union(peerDoubtReasons.map((reason) => Type.Literal(reason))),
              }),
            ]),
          ),
        ]),
      ),
    ),
    peerMemories: Type.Optional(
      entriesOf({
        agreed: Type.Array(Type.Tuple([Type.String(), Type.String(), instant])),
        close: Type.Array(Type.Tuple([Type.String(), decimal, instant])),
      }),
    ),
    lastUpdatedAt: Type.Optional(instant),
    position: Type.Optional(Type.Tuple([Type.Integer(), Type.Integer()])),
  }),
);

/**
 * Reads what `writeState` wrote; `undefined` for anything else: another version's format, or one value of a wrong
 * type.
 */
export function readState(text: string): MarketState | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return isState(read) ? (read as MarketState) : undefined;
  } catch {
    return undefined;
  }
}
