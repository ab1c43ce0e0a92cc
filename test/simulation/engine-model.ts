import type { RedisServer } from './redis-server.ts';
import { theWorld } from './world.ts';

/** The only market of the engine, which no exchange has. */
export const engineMarket = { base: 'ENG', quote: 'EUR' } as const;
export const engineSymbol = `${engineMarket.base}${engineMarket.quote}`;
/** What it says of the last 24 hours. */
export const engineRange = { high24h: '70.00', low24h: '30.00', volume24h: '12.5' } as const;
const stream = '{mdapi}:source:engine';
/** Below the three seconds after which the service takes an engine for silent. */
const turnEveryMs = 1_000;
const quietTurnEveryMs = 2_400;
const tickerEveryTurns = 2;
const centsMin = 4_000;
const centsMax = 6_000;
/** What an older run still believes, so many cents below the price. */
const outdatedCents = 37;
/** What the service knows of epochs was written down by then. */
const rememberedAfterMs = 60_000;

type Told = (bid: string, ask: string) => void;

interface Run {
  readonly epoch: number;
  readonly answersReadTo: string;
  readonly seq: number;
}

/**
 * The operator's own engine, which writes its prices to a stream of Redis. An older run of it, which everybody took for
 * ended, can wake and write too: the service has to refuse it by its epoch.
 */
export class EngineModel {
  /** When it last wrote anything. */
  heardAtMs = Number.NEGATIVE_INFINITY;
  readonly #redis: RedisServer;
  readonly #told: Told;
  readonly #lane = theWorld().scheduler.lane('engine');
  readonly #randomness = theWorld().generator('engine');
  #cents = 5_000;
  #turns = 0;
  #isSilent = false;
  #epoch = 2;
  #current: Run | undefined;
  #older: Run | undefined;

  /** @param told learns each honest quote, the moment it holds */
  constructor(redis: RedisServer, told: Told) {
    this.#redis = redis;
    this.#told = told;
    this.#turn();
  }

  /** Ends the run; the next has a higher epoch. */
  stop(): void {
    this.#isSilent = true;
    this.#current = undefined;
  }

  start(): void {
    if (!this.#isSilent) return;
    this.#isSilent = false;
    this.#epoch++;
  }

  /** The run ends, and one that ended long ago writes in its place; or the next takes over. */
  wakeOlder(isOn: boolean): void {
    this.#older = isOn ? { epoch: this.#epoch - 1, answersReadTo: '0-0', seq: 0 } : undefined;
    if (isOn) this.stop();
    else this.start();
  }

  mend(): void {
    this.wakeOlder(false);
    this.start();
  }

  #turn(): void {
    const { isQuiet } = theWorld().scheduler;
    this.#lane.later(isQuiet ? quietTurnEveryMs : turnEveryMs, () => this.#turn());
    if (!this.#redis.isUp) return;
    this.#turns++;
    const isDue = this.#turns % tickerEveryTurns === 0;
    if (!this.#isSilent) {
      if (isDue) this.#move();
      if (this.#current?.epoch !== this.#epoch) this.#current = this.#greet(this.#epoch);
      this.#current = this.#work(this.#current, this.#cents, isDue);
      this.heardAtMs = theWorld().nowMs;
    }
    const isRemembered = theWorld().nowMs - this.#redis.soundSinceMs > rememberedAfterMs;
    if (this.#older === undefined || !isRemembered) return;
    if (this.#older.seq === 0) this.#older = this.#greet(this.#older.epoch);
    this.#older = this.#work(this.#older, this.#cents - outdatedCents, isDue);
  }

  #move(): void {
    const step = Math.round(20 * (this.#randomness.fraction() - 0.5));
    this.#cents = Math.min(centsMax, Math.max(centsMin, this.#cents + step));
    const { bid, ask } = pricesOf(this.#cents);
    this.#told(bid, ask);
  }

  #greet(epoch: number): Run {
    const [last] = this.#redis.model.execute(['XREVRANGE', `${stream}:answers`, '+', '-', 'COUNT', '1']) as [[string]?];
    this.#write(epoch, { type: 'hello', protocol: 1, epoch });
    return { epoch, answersReadTo: last?.[0] ?? '0-0', seq: 1 };
  }

  /** Does what the service asks for, and says that it is there. */
  #work(run: Run, cents: number, isDue: boolean): Run {
    const { epoch } = run;
    let { seq, answersReadTo } = run;
    const answers = this.#redis.model.execute(['XREAD', 'STREAMS', `${stream}:answers`, answersReadTo]) as
      | [[string, [string, string[]][]]]
      | null;
    const asked = new Set<string>();
    for (const [id, [, of, , text]] of answers?.[0][1] ?? []) {
      answersReadTo = id;
      if (Number(of) === epoch) asked.add(JSON.parse(text!).type);
    }
    if (asked.has('error')) this.#write(epoch, { type: 'hello', protocol: 1, epoch });
    if (asked.has('resync')) {
      const sizes = { pricePrecision: 2, amountPrecision: 8, tickSize: '0.01', minOrderSize: '0.001' };
      this.#write(epoch, { type: 'catalogue', markets: [{ ...engineMarket, status: 'trading', ...sizes }] });
      this.#write(epoch, { type: 'snapshot', phase: 'begin' });
      this.#writeTicker(epoch, seq++, cents);
      this.#write(epoch, { type: 'snapshot', phase: 'end' });
    } else if (isDue) this.#writeTicker(epoch, seq++, cents);
    this.#write(epoch, { type: 'heartbeat', lastSeq: seq - 1 });
    return { epoch, answersReadTo, seq };
  }

  #writeTicker(epoch: number, seq: number, cents: number): void {
    const time = this.#lane.clock.now();
    this.#write(epoch, { type: 'ticker', seq, symbol: engineSymbol, time, ...pricesOf(cents), ...engineRange });
  }

  #write(epoch: number, message: object): void {
    const fields = ['epoch', String(epoch), 'message', JSON.stringify(message)];
    this.#redis.model.execute(['XADD', stream, 'MAXLEN', '~', '1000', '*', ...fields]);
  }
}

function pricesOf(cents: number) {
  return { bid: (cents / 100).toFixed(2), ask: ((cents + 4) / 100).toFixed(2) };
}
