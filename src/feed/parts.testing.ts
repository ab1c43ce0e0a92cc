import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { silentLog } from '../ground/log.ts';
import type { FeedSink } from '../market/upstream.ts';
import type { ExchangeConnector } from './connector.ts';
import { FeedCounters } from './health.ts';
import { defaultTiming, type FeedParts } from './parts.ts';

/**
 * Makes what one part of the feed needs under test. A method of the connector or the sink that is not given must not be
 * called.
 */
export function partsForTest(
  changes: Partial<Omit<FeedParts, 'connector' | 'sink'>> & {
    readonly connector?: Partial<ExchangeConnector>;
    readonly sink?: Partial<FeedSink>;
  },
): FeedParts {
  return {
    clock: new FakeClock(),
    randomness: seededRandomness(1),
    log: silentLog,
    timing: defaultTiming,
    counters: new FeedCounters(),
    ...changes,
    connector: (changes.connector ?? {}) as ExchangeConnector,
    sink: (changes.sink ?? {}) as FeedSink,
  };
}
