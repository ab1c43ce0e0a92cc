import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { BreachLog } from '../access/breach-log.ts';
import { ClientAddresses } from '../access/client-address.ts';
import { KeyDirectory } from '../access/key-directory.ts';
import { MemoryLimits } from '../access/limits.ts';
import { Board } from '../board/board.ts';
import { ServiceBoard } from '../board/service-board.ts';
import type { SharedLimitFigures } from '../cluster/redis-limits.ts';
import { fromYaml } from '../configuration/configuration.testing.ts';
import { silentLog } from '../ground/log.ts';
import { RequestCounts } from '../http/request-counts.ts';
import { Guard } from '../market/guard.ts';
import { Markets } from '../market/markets.ts';
import { everyEuroMarket, pricingPolicy } from '../market/samples.testing.ts';
import { FeedStatus } from '../market/service-status.ts';
import type { AdminParts } from './parts.ts';

type Market = AdminParts['market'];

/** The parts of a service that a test gives; those of the market by themselves. */
type Given = Partial<Omit<AdminParts, 'market'> & Pick<Market, 'markets' | 'feedStatus' | 'guard'>>;

/** Figures of limits that are counted in Redis, before any request. */
export const inRedis: SharedLimitFigures = {
  isUp: true,
  reason: '',
  fallbacks: 0,
  countedShared: 0,
  countedAlone: 0,
  refusedUnasked: 0,
  positionsStored: 0,
  boardWaits: { reached: 0, in_vain: 0 },
  clockSkewMs: undefined,
};

/** A part that no test gives: whoever uses it is told which. Throws at once where anything of it is asked for. */
function notGiven<Part extends object>(name: string): Part {
  const refuse = (_: object, member: string | symbol): never => {
    throw new Error(`${name}.${String(member)} is asked for, and this test gives no ${name}`);
  };
  return new Proxy({}, { get: refuse }) as Part;
}

/**
 * The parts of a service that alone serves nothing yet, but for those that a test gives. Each new member has its place
 * here.
 */
export function adminParts(given: Given = {}): AdminParts {
  const byDefault = fromYaml('');
  const {
    markets = new Markets(pricingPolicy(), everyEuroMarket),
    feedStatus = new FeedStatus(),
    guard = new Guard(byDefault.guard),
    ...others
  } = given;
  const { clock = new FakeClock(), configuration = byDefault } = others;
  const randomness = seededRandomness(1);
  const directory = new KeyDirectory();
  return {
    version: '1.0.0',
    clock,
    configuration,
    randomness,
    log: silentLog,
    phase: () => 'serving',
    store: notGiven('store'),
    market: {
      markets,
      board: new Board(markets),
      service: new ServiceBoard(feedStatus, clock),
      feedStatus,
      guard,
      snapshots: { save: async () => {}, lastError: () => undefined },
    },
    access: {
      directory,
      limits: new MemoryLimits(randomness),
      breaches: new BreachLog(directory),
      addresses: new ClientAddresses([]),
    },
    feed: {
      sources: () => [],
      rates: () => [],
      clock: () => ({ bySource: new Map(), offsetMs: undefined, isWrong: false }),
      engine: () => undefined,
    },
    reload: notGiven('reload'),
    listener: {
      counts: new RequestCounts(),
      recent: { find: () => undefined },
      connectionFigures: () => notGiven('connection figures'),
      overload: { signal: undefined, cause: undefined },
      certificateExpiresAt: () => undefined,
    },
    delay: notGiven('delay'),
    changes: { reachable: () => true, held: () => ({ keys: 0, windows: 0, terms: 0 }), look: async () => {} },
    storeCheck: { result: () => undefined },
    recording: () => undefined,
    record: undefined,
    notifier: notGiven('notifier'),
    subscribing: notGiven('subscribing'),
    heartbeat: { figures: () => undefined },
    sharedNames: undefined,
    publicUrls: () => ({ baseUrl: 'https://api.example.com', errorsUrl: 'https://api.example.com/errors' }),
    sharedLimits: () => undefined,
    replication: () => undefined,
    ...others,
  };
}
