import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import { ListenerHarness } from '../../test/support/listener-harness.ts';
import { type ClientOptions, createClient, type Fetch, type MarketDataClient } from '../src/index.ts';

/** One request as the client sent it. */
export interface Sent {
  readonly path: string;
  /** Of the fake clock. */
  readonly atMs: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined until it is answered, and when it is not. */
  status: number | undefined;
}

/** Time that stands still, real sockets, and a fetch that tells when nothing is under way. */
export class Drive {
  readonly clock: FakeClock;
  readonly sent: Sent[] = [];
  /** Requests of which a test knows that nobody will answer. */
  hanging = () => 0;
  readonly #random = seededRandomness(11);
  #underWay = 0;

  constructor(clock = new FakeClock()) {
    this.clock = clock;
  }

  readonly random = () => this.#random.fraction();

  readonly fetch: Fetch = async (url, init) => {
    const { pathname, search } = new URL(url);
    const entry: Sent = { path: pathname + search, atMs: this.clock.now(), headers: init.headers, status: undefined };
    this.sent.push(entry);
    this.#underWay++;
    try {
      const response = await globalThis.fetch(url, init);
      const text = await response.text();
      entry.status = response.status;
      return { status: response.status, headers: response.headers, text: async () => text };
    } finally {
      this.#underWay--;
    }
  };

  options(baseUrl: string, apiKey: string, more: Partial<ClientOptions> = {}): ClientOptions {
    return { baseUrl, apiKey, fetch: this.fetch, clock: this.clock, random: this.random, ...more };
  }

  /** Lets time pass in small steps, each begun only when every answer has come. */
  async pass(ms: number, stepMs = 100): Promise<void> {
    await this.quiet();
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      await this.clock.advance(Math.min(stepMs, ms - passedMs));
      await this.quiet();
    }
  }

  /** Lets time pass until the promise is settled, and gives what it gives. Fails after an hour of fake time. */
  async until<T>(promise: Promise<T>, stepMs = 50): Promise<T> {
    let isSettled = false;
    const settle = () => {
      isSettled = true;
    };
    promise.then(settle, settle);
    await this.quiet();
    for (let passedMs = 0; !isSettled; passedMs += stepMs) {
      if (passedMs > 3_600_000) throw new Error('nothing happened within an hour');
      await this.clock.advance(stepMs);
      await this.quiet();
    }
    return promise;
  }

  async quiet(): Promise<void> {
    for (let calmTurns = 0; calmTurns < 4; ) {
      await new Promise((resolve) => setImmediate(resolve));
      calmTurns = this.#underWay <= this.hanging() ? calmTurns + 1 : 0;
    }
  }

  /** Instants at which a path was asked for, in milliseconds since the first. */
  askedAt(path: string): number[] {
    const times = this.sent.filter((entry) => entry.path === path).map(({ atMs }) => atMs);
    return times.map((atMs) => atMs - times[0]!);
  }

  statuses(): (number | undefined)[] {
    return this.sent.map(({ status }) => status);
  }
}

/** The real listener over the same fake clock, with two markets, prices and a rate. */
export class World extends Drive {
  /** The listener there is now. */
  api: ListenerHarness;

  private constructor(api: ListenerHarness, clock: FakeClock) {
    super(clock);
    this.api = api;
  }

  static async start(limits: { key?: number } = {}): Promise<World> {
    const clock = new FakeClock();
    const api = await ListenerHarness.start({ clock, limits });
    api.list('BTC', 'ETH');
    api.tick('BTC', '50000.00', '50010.00');
    api.tick('ETH', '2000.00', '2001.00');
    api.rate('24.315');
    return new World(api, clock);
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.api.port}`;
  }

  client(more: Partial<ClientOptions> = {}): MarketDataClient {
    return createClient(this.options(this.baseUrl, this.api.key, more));
  }

  /** A new process takes over the address, knowing the keys and nothing else. */
  async restart(): Promise<void> {
    this.api = await ListenerHarness.start({ clock: this.clock, port: this.api.port });
  }

  stop(): Promise<void> {
    return this.api.stop();
  }
}
