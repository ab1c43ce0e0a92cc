import { turns } from '../../test/support/eventually.ts';
import { type FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { silentLog } from '../ground/log.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import { connectorOptions } from './connector.testing.ts';
import type { AssetNames, ExchangeConnector } from './connector.ts';
import type { ConnectorClass } from './connectors.ts';
import { RecordingSink } from './feed-rig.testing.ts';
import type { FeedTiming } from './parts.ts';
import { FeedSupervisor } from './supervisor.ts';

const passDeadlineMs = 60_000;
/** Nothing of the feed takes longer on the rig's clock than its longest interval. */
const passedMsMax = 400_000;
/** A request and its answer take about three turns of the event loop when both ends are in this process. */
const turnsPerStep = 8;
const eur = 'EUR' as CurrencyCode;

export interface ExchangeRigOptions {
  readonly timing?: Partial<FeedTiming>;
  readonly quotes?: readonly CurrencyCode[];
  readonly symbols?: 'all' | readonly MarketSymbol[];
  readonly assets?: AssetNames;
  readonly frameBytesMax?: number;
}

/** An exchange of a test, on the rig's clock. */
interface TestExchange {
  readonly restUrl: string;
  readonly liveUrl: string;
  stop(): Promise<void>;
}

/** A supervisor and its connector against an exchange, all on one fake clock, over real sockets. */
export class ExchangeRig<Exchange extends TestExchange = TestExchange> {
  readonly clock: FakeClock;
  readonly exchange: Exchange;
  readonly sink: RecordingSink;
  readonly connector: ExchangeConnector;
  readonly supervisor: FeedSupervisor;

  constructor(clock: FakeClock, exchange: Exchange, Connector: ConnectorClass, options: ExchangeRigOptions = {}) {
    this.clock = clock;
    this.exchange = exchange;
    const { restUrl, liveUrl } = exchange;
    const { timing = {}, quotes = [eur], symbols = 'all', assets = new Map(), frameBytesMax } = options;
    this.sink = new RecordingSink(quotes);
    const bounds = frameBytesMax === undefined ? {} : { frameBytesMax };
    this.connector = new Connector(connectorOptions({ clock, restUrl, liveUrl, quotes, symbols, assets, ...bounds }));
    this.supervisor = new FeedSupervisor({
      connector: this.connector,
      sink: this.sink,
      clock,
      randomness: seededRandomness(4),
      log: silentLog,
      timing,
    });
  }

  get health() {
    return this.supervisor.health();
  }

  /** The market's state as the market room has it. */
  status(symbol: string): string | undefined {
    return this.sink.markets.catalogue.find(symbol as MarketSymbol)?.status;
  }

  async becomeLive(): Promise<void> {
    this.supervisor.start();
    await this.pass('the live path', () => this.health.path === 'live');
  }

  async stop(): Promise<void> {
    this.supervisor.stop();
    await this.exchange.stop();
  }

  /** Lets time pass on both sides in small steps until `probe` holds; `state` tells what there is instead. */
  async pass(what: string, probe: () => boolean, stepMs = 200, state = () => this.#state): Promise<void> {
    const startedMs = performance.now();
    const endMs = this.clock.monotonicMs() + passedMsMax;
    while (!probe()) {
      const isLate = performance.now() - startedMs > passDeadlineMs || this.clock.monotonicMs() > endMs;
      if (isLate) throw new Error(`timed out waiting for ${what}: ${state()}`);
      await this.clock.advance(stepMs);
      await turns(turnsPerStep);
    }
  }

  async passFor(forMs: number, stepMs = 200): Promise<void> {
    const endMs = this.clock.monotonicMs() + forMs;
    await this.pass(`${forMs} ms`, () => this.clock.monotonicMs() >= endMs, stepMs);
  }

  get #state(): string {
    const { path, connection, symbolsSubscribed, connectionsEnded, framesDropped, tickersRejected } = this.health;
    return JSON.stringify({ path, connection, symbolsSubscribed, connectionsEnded, framesDropped, tickersRejected });
  }

  /** Lets time pass until a promise is settled either way. */
  async settled(promise: Promise<unknown>): Promise<void> {
    let isSettled = false;
    const note = () => {
      isSettled = true;
    };
    promise.then(note, note);
    await this.pass('an answer', () => isSettled);
  }
}
