import type { DialectName } from '../../exchange-simulator/dialects.ts';
import {
  type ExchangeSimulator,
  type ExchangeSimulatorOptions,
  startExchangeSimulator,
} from '../../exchange-simulator/simulator.ts';
import { turns } from '../../test/support/eventually.ts';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { fixedPort } from '../../test/support/fixed-port.ts';
import { silentLog } from '../ground/log.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import { connectorOptions } from './connector.testing.ts';
import type { AssetNames, ExchangeConnector } from './connector.ts';
import type { ConnectorClass } from './connectors.ts';
import { RecordingSink } from './feed-rig.testing.ts';
import { KrakenConnector } from './kraken/connector.ts';
import type { FeedTiming } from './parts.ts';
import { FeedSupervisor } from './supervisor.ts';

const passDeadlineMs = 60_000;
/** A request and its answer take about three turns of the event loop when both ends are in this process. */
const turnsPerStep = 8;

export interface SimulatorRigOptions {
  /** Kraken by default. */
  readonly dialect?: DialectName;
  readonly connector?: ConnectorClass;
  readonly simulator?: ExchangeSimulatorOptions;
  readonly timing?: Partial<FeedTiming>;
  readonly symbols?: readonly MarketSymbol[];
  readonly assets?: AssetNames;
  readonly frameBytesMax?: number;
}

/** A supervisor against the stand-in exchange, both on one fake clock, over real sockets. */
export class SimulatorRig {
  readonly clock: FakeClock;
  readonly sink = new RecordingSink();
  readonly simulator: ExchangeSimulator;
  readonly connector: ExchangeConnector;
  readonly supervisor: FeedSupervisor;

  private constructor(clock: FakeClock, simulator: ExchangeSimulator, options: SimulatorRigOptions) {
    this.clock = clock;
    this.simulator = simulator;
    const { restUrl, wsUrl: liveUrl } = simulator;
    const { sink } = this;
    const { timing = {}, symbols = 'all', connector: Connector = KrakenConnector, frameBytesMax } = options;
    const quotes = ['EUR' as CurrencyCode];
    const { assets = new Map() } = options;
    const bounds = frameBytesMax === undefined ? {} : { frameBytesMax };
    this.connector = new Connector(connectorOptions({ clock, restUrl, liveUrl, quotes, symbols, assets, ...bounds }));
    const parts = { connector: this.connector, sink, clock, randomness: seededRandomness(4), log: silentLog };
    this.supervisor = new FeedSupervisor({ ...parts, timing });
  }

  /** Starts the exchange alone. */
  static async open(options: SimulatorRigOptions = {}): Promise<SimulatorRig> {
    const clock = new FakeClock();
    const simulator = await startExchangeSimulator({
      clock,
      dialect: options.dialect ?? 'kraken',
      seed: 11,
      updatesPerSecond: 20,
      port: await fixedPort(),
      ...options.simulator,
    });
    return new SimulatorRig(clock, simulator, options);
  }

  /** Starts both, and waits for the live path. */
  static async startLive(options: SimulatorRigOptions = {}): Promise<SimulatorRig> {
    const rig = await SimulatorRig.open(options);
    await rig.becomeLive();
    return rig;
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
    await this.simulator.stop();
  }

  /** Lets time pass on both sides in small steps until `probe` holds. */
  async pass(what: string, probe: () => boolean, stepMs = 200): Promise<void> {
    const startedMs = performance.now();
    while (!probe()) {
      if (performance.now() - startedMs > passDeadlineMs) throw new Error(`timed out waiting for ${what}`);
      await this.clock.advance(stepMs);
      await turns(turnsPerStep);
    }
  }

  async passFor(forMs: number, stepMs = 200): Promise<void> {
    const endMs = this.clock.monotonicMs() + forMs;
    await this.pass(`${forMs} ms`, () => this.clock.monotonicMs() >= endMs, stepMs);
  }
}
