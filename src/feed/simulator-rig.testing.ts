import { loadCatalogue, tickText } from '../../exchange-simulator/catalogue.ts';
import type { DialectName } from '../../exchange-simulator/dialects.ts';
import {
  type ExchangeSimulator,
  type ExchangeSimulatorOptions,
  startExchangeSimulator,
} from '../../exchange-simulator/simulator.ts';
import { FakeClock } from '../../test/support/fake-clock.ts';
import { fixedPort } from '../../test/support/fixed-port.ts';
import type { MarketSymbol } from '../market/symbol.ts';
import type { ConnectorClass } from './connectors.ts';
import { ExchangeRig, type ExchangeRigOptions } from './exchange-rig.testing.ts';
import {
  bannedWords,
  type ExchangeFault,
  type ExchangeUnderTest,
  type ExpectedDigits,
  type ExpectedMarket,
} from './exchange-under-test.testing.ts';
import { KrakenConnector } from './kraken/connector.ts';

export interface SimulatorRigOptions extends ExchangeRigOptions {
  /** Kraken by default. */
  readonly dialect?: DialectName;
  readonly connector?: ConnectorClass;
  readonly simulator?: ExchangeSimulatorOptions;
}

/** A rig against the stand-in exchange. */
export class SimulatorRig extends ExchangeRig<SimulatedExchange> {
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
    const exchange = new SimulatedExchange(simulator, options.simulator?.markets);
    return new SimulatorRig(clock, exchange, options.connector ?? KrakenConnector, options);
  }

  /** Starts both, and waits for the live path. */
  static async startLive(options: SimulatorRigOptions = {}): Promise<SimulatorRig> {
    const rig = await SimulatorRig.open(options);
    await rig.becomeLive();
    return rig;
  }

  get simulator(): ExchangeSimulator {
    return this.exchange.simulator;
  }
}

/** The stand-in exchange as one under test. */
class SimulatedExchange implements ExchangeUnderTest {
  readonly simulator: ExchangeSimulator;
  readonly #count: number | undefined;
  #prices = 0;

  constructor(simulator: ExchangeSimulator, count: number | undefined) {
    this.simulator = simulator;
    this.#count = count;
  }

  get restUrl(): string {
    return this.simulator.restUrl;
  }

  get liveUrl(): string {
    return this.simulator.wsUrl;
  }

  get markets(): readonly ExpectedMarket[] {
    return loadCatalogue({ markets: this.#count, quotes: ['EUR'] }).flatMap(({ pair }) => {
      if (pair === undefined || pair.quote !== 'EUR') return [];
      return {
        symbol: `${pair.base}${pair.quote}` as MarketSymbol,
        pricePrecision: pair.priceDecimals,
        amountPrecision: pair.lotDecimals,
        tickSize: tickText(pair),
        status: 'trading',
      };
    });
  }

  get subscriptions(): number {
    return this.simulator.state().subscriptions;
  }

  get requestsTotal(): number {
    return Object.values(this.simulator.state().requests).reduce((sum, count) => sum + count, 0);
  }

  get connectsTotal(): number {
    return this.simulator.state().connectsTotal;
  }

  price(symbol: MarketSymbol): ExpectedDigits {
    const unit = ++this.#prices;
    const [bid, ask] = [`500${unit}0.10`, `500${unit}0.30`];
    const [high, low, volume] = ['60000.00', '40000.50', '270638.50461281'];
    this.simulator.setPrice({ symbol: pairOf(symbol), bid, ask, high, low, last: `500${unit}0.20`, volume });
    const digits = { bid, ask, high24h: high, low24h: low, volume24h: volume };
    return { live: digits, fallback: digits };
  }

  async set(fault: ExchangeFault): Promise<void> {
    if (fault.fault === 'ban') {
      const words = bannedWords(fault.until);
      const body = JSON.stringify({ message: words });
      const { status } = fault;
      await this.simulator.faults.set(
        status === 'own' ? { fault: 'rest-error', message: words } : { fault: 'rest-says', status, body },
      );
      return;
    }
    await this.simulator.faults.set('symbol' in fault ? { ...fault, symbol: pairOf(fault.symbol) } : fault);
  }

  async clear(): Promise<void> {
    await this.simulator.faults.clear();
  }

  burst(): void {
    for (const { symbol } of this.markets) this.price(symbol);
  }

  stop(): Promise<void> {
    return this.simulator.stop();
  }
}

/** `BTC/EUR` */
function pairOf(symbol: MarketSymbol): string {
  return symbol.replace(/EUR$/, '/EUR');
}
