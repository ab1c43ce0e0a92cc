import type { BreachLog } from '../../access/breach-log.ts';
import type { ClientAddresses } from '../../access/client-address.ts';
import type { KeyDirectory } from '../../access/key-directory.ts';
import type { MemoryLimits } from '../../access/limits.ts';
import type { EpochMs, Randomness } from '../../clock.ts';
import type { RateHealth } from '../../feed/rates.ts';
import type { Log } from '../../log.ts';
import type { CurrencyCode } from '../../market/symbol.ts';
import type { Store } from '../../store/store.ts';
import type { FeedTimeline } from '../feed-timeline.ts';
import type { PriceHistory } from '../price-history.ts';
import type { RequestRate } from '../request-rate.ts';
import type { AdminSources } from '../sources.ts';

/** What the operator configured of the management API. */
export interface ManagementSettings {
  /** A secret. `undefined`: only tokens of the store are valid. */
  readonly token: string | undefined;
  readonly sessionForMs: number;
  /** The address the private listener binds. */
  readonly host: string;
  /** Further names requests may be for. */
  readonly hosts: readonly string[];
  /** Whether notices to key holders are sent. */
  readonly mailConfigured: boolean;
  /** No second notice about a key comes sooner. */
  readonly noticesAtMostEveryMs: number;
}

/** What only the management API reads and changes, beside the sources of the private listener. */
export interface ManagementSources {
  readonly store: Store;
  readonly randomness: Randomness;
  readonly settings: ManagementSettings;
  readonly startedAt: EpochMs;
  readonly addresses: ClientAddresses;
  readonly keys: KeyDirectory;
  readonly limits: MemoryLimits;
  readonly breaches: BreachLog;
  readonly rates: () => readonly RateHealth[];
  /** The converted quotes and the currency each is converted from, with its margin in percent. */
  readonly converted: ReadonlyMap<CurrencyCode, { readonly via: CurrencyCode; readonly marginPercent: string }>;
  readonly history: PriceHistory;
  readonly timeline: FeedTimeline;
  readonly requestRate: RequestRate;
  readonly eventLoopDelayMs: () => number;
  /** Where clients find the API; known once the public listener listens. */
  readonly publicUrls: () => { readonly baseUrl: string; readonly errorsUrl: string };
  /** Writes what the feed told of markets to the store now, so that a market can be changed there. Never rejects. */
  readonly remember: () => Promise<void>;
  /** Makes what was written to the store hold on the public listener. Never rejects. */
  readonly follow: () => Promise<void>;
  readonly log: Log;
}

/** All that an operation of the management API can use. */
export interface Management extends AdminSources, ManagementSources {}
