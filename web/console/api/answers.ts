/** Bodies of the management API, as far as the console reads them. Its own document, `/api/openapi.json`, has the whole. */

/** An instant twice: ISO 8601 text and epoch milliseconds. */
type Instant<Name extends string> = { readonly [K in Name]: string } & { readonly [K in `${Name}Ms`]: number };
type InstantOrNull<Name extends string> = { readonly [K in Name]: string | null } & {
  readonly [K in `${Name}Ms`]: number | null;
};
type Counts = Readonly<Record<string, number>>;

export type StatusBody = {
  readonly status: string;
  readonly api: string;
  readonly components: { readonly ticker: string };
  readonly maintenance: (Instant<'from'> & Instant<'to'> & { readonly description: string }) | null;
} & InstantOrNull<'lastUpdatedAt'> &
  Instant<'serverTime'>;

export type Overview = {
  readonly version: string;
  /** Where clients reach the service. */
  readonly baseUrl: string;
  readonly phase: 'starting' | 'serving' | 'draining';
  readonly ready: boolean;
  readonly notes: readonly string[];
  readonly status: StatusBody;
  readonly dataAgeMs: number | null;
  readonly storeReachable: boolean;
  readonly markets: {
    readonly listed: number;
    readonly trading: number;
    readonly paused: number;
    readonly delisted: number;
    readonly priced: number;
    readonly unpriced: Counts;
  };
  readonly requests: {
    readonly total: number;
    readonly byStatusClass: Counts;
    readonly problems: Counts;
    readonly limited: Counts;
    readonly perSecond: number;
  };
  readonly connections: { readonly open: number; readonly dropped: number; readonly cut: number };
  readonly keys: { readonly held: number };
  readonly eventLoopDelayP99Ms: number;
  readonly residentBytes: number;
  readonly uptimeSeconds: number;
  readonly notices: { readonly pending: number; readonly mailConfigured: boolean };
} & Instant<'startedAt'> &
  Instant<'serverTime'>;

export type Ticker = {
  readonly symbol: string;
  readonly buyPrice: string;
  readonly sellPrice: string;
  readonly high24h: string;
  readonly low24h: string;
  readonly volume24h: string;
  readonly vwap24h?: string;
  readonly priceChangePercent1h?: string;
  readonly priceChangePercent24h?: string;
  readonly priceChangePercent7d?: string;
} & Instant<'timestamp'>;

export type Market = {
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly status: string;
  readonly pausedBy: readonly ('exchange' | 'operator')[];
  readonly operatorPaused: boolean;
  readonly convertedFrom: string | null;
  readonly pricePrecision: number;
  readonly amountPrecision: number;
  readonly tickSize: string;
  readonly minOrderSize: string;
  readonly minOrderValue: string | null;
  readonly ticker: Ticker | null;
  readonly unpriced: string | null;
  readonly ageMs: number | null;
  readonly spread: string | null;
  readonly spreadPercent: string | null;
} & InstantOrNull<'delistedAt'>;

export type BoardMarket = Market & { readonly spark: readonly number[] };
export type MarketsBody = { readonly markets: readonly BoardMarket[] } & Instant<'serverTime'>;

export interface PriceStep {
  readonly step: string;
  readonly value: string;
}

export type PriceReport = {
  readonly symbol: string;
  readonly exchangeSymbol: string;
  readonly pricePrecision: number;
  readonly bid: string;
  readonly ask: string;
  readonly rate:
    | ({
        readonly mid: string;
        readonly source: string;
        readonly fixingDate: string | null;
        readonly marginPercent: string;
      } & Instant<'refreshedAt'> &
        Instant<'validUntil'>)
    | null;
  readonly buy: readonly PriceStep[];
  readonly sell: readonly PriceStep[];
} & Instant<'timestamp'>;

export interface MarketBody {
  readonly market: Market;
  readonly upstream: ({ readonly bid: string; readonly ask: string } & Instant<'timestamp'>) | null;
  readonly price: PriceReport | null;
}

/** For drawing only. */
export interface HistoryPoint {
  readonly atMs: number;
  readonly bid: number | null;
  readonly ask: number | null;
  readonly buy: number | null;
  readonly sell: number | null;
}

export interface HistoryBody {
  readonly symbol: string;
  readonly everyMs: number;
  readonly points: readonly HistoryPoint[];
}

/** Plain figures of the feed; the page shows those it knows. */
export type FeedHealth = Readonly<Record<string, unknown>>;

export type FeedSpan = { readonly state: 'live' | 'fallback' | 'outage' } & Instant<'from'> & InstantOrNull<'to'>;

export interface FeedBody {
  readonly path: 'live' | 'fallback' | null;
  readonly dataAgeMs: number | null;
  readonly health: FeedHealth;
  readonly timeline: readonly FeedSpan[];
}

export type Rate = {
  readonly via: string;
  readonly quote: string;
  readonly source: string;
  readonly mid: string | null;
  readonly fixingDate: string | null;
  readonly ageMs: number | null;
  readonly valid: boolean;
  readonly marginPercent: string;
  readonly lastOutcome: string | null;
} & InstantOrNull<'refreshedAt'> &
  InstantOrNull<'validUntil'>;

export interface RatesBody {
  readonly rates: readonly Rate[];
}

export type Account = {
  readonly id: string;
  readonly email: string;
  readonly active: boolean;
  readonly keys: { readonly active: number; readonly disabled: number; readonly revoked: number };
} & Instant<'createdAt'>;

export type Key = {
  readonly id: string;
  readonly accountId: string;
  readonly accountEmail: string;
  readonly label: string;
  readonly lastFour: string;
  readonly status: 'active' | 'disabled' | 'revoked';
  readonly state: 'active' | 'disabled' | 'revoked' | 'expired' | 'account_inactive';
  readonly limitPerMinute: number | null;
  readonly replacedBy: string | null;
} & Instant<'createdAt'> &
  InstantOrNull<'expiresAt'>;

export type AccountPage = { readonly accounts: readonly Account[]; readonly next: string | null };
export type AccountBody = Account & { readonly keysList: readonly Key[] };
export type MadeKey = { readonly key: Key; readonly text: string };

export type Breach = { readonly refused: number; readonly limitPerMinute: number } & Instant<'minute'>;

export interface KeyUsage {
  readonly key: Key;
  readonly limitPerMinute: number;
  readonly currentMinute: {
    readonly used: number;
    readonly refused: number;
    readonly remaining: number;
  } & Instant<'startedAt'>;
  readonly breaches: readonly Breach[];
  readonly notices: readonly Notice[];
}

export interface UsageBody {
  readonly keys: readonly {
    readonly key: Key;
    readonly used: number;
    readonly refused: number;
    readonly limitPerMinute: number;
    readonly breachedMinutes24h: number;
    readonly refused24h: number;
  }[];
}

export type MaintenanceWindow = {
  readonly id: string;
  readonly description: string;
  readonly state: 'announced' | 'running' | 'ended' | 'cancelled';
} & Instant<'from'> &
  Instant<'to'> &
  Instant<'createdAt'> &
  InstantOrNull<'endedAt'> &
  InstantOrNull<'cancelledAt'>;

export interface WindowsBody {
  readonly windows: readonly MaintenanceWindow[];
}

export interface WindowPreview {
  readonly valid: true;
  readonly before: StatusBody;
  readonly during: {
    readonly status: StatusBody;
    readonly ticker: {
      readonly httpStatus: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Readonly<Record<string, unknown>>;
    };
  };
  readonly retryAfterSeconds: number;
  readonly overlaps: readonly MaintenanceWindow[];
}

export type Notice = {
  readonly id: string;
  readonly keyId: string;
  readonly label: string;
  readonly lastFour: string;
  readonly accountEmail: string | null;
  readonly status: string;
  readonly attempts: number;
  readonly lastError: string | null;
  readonly breachedMinutes: number;
  readonly requestsRefused: number;
  readonly limitPerMinute: number;
} & Instant<'createdAt'> &
  InstantOrNull<'sentAt'>;

export interface NoticesBody {
  readonly mailConfigured: boolean;
  readonly notices: readonly Notice[];
}

export interface NoticePreview {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export type AuditEntry = {
  readonly id: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: { readonly kind: string; readonly id: string };
  readonly summary: string;
  readonly details: Readonly<Record<string, unknown>>;
} & Instant<'at'>;

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  readonly next: string | null;
}

export type OperatorToken = {
  readonly id: string;
  readonly name: string;
  readonly state: string;
} & Instant<'createdAt'> &
  InstantOrNull<'expiresAt'> &
  InstantOrNull<'revokedAt'> &
  InstantOrNull<'lastUsedAt'>;

export interface TokensBody {
  readonly tokens: readonly OperatorToken[];
}
