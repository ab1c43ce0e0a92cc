import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FakeClock, seededRandomness } from '../../test/support/fake-clock.ts';
import type { EpochMs } from '../ground/clock.ts';
import { silentLog } from '../ground/log.ts';
import type { DecimalString } from '../market/decimal.ts';
import { runsOf, seed } from '../market/seeded.testing.ts';
import type { CurrencyCode, MarketSymbol } from '../market/symbol.ts';
import type { FeedPath, UpstreamMarket, UpstreamTicker } from '../market/upstream.ts';
import type { Catalogue, ExchangeConnector, LiveConnection, LiveEvent, LiveListener } from './connector.ts';
import { defaultTiming } from './parts.ts';
import { FeedSupervisor } from './supervisor.ts';
import { UpstreamError } from './wire.ts';

const symbols = Array.from({ length: 10 }, (_, index) => `C${index}EUR` as MarketSymbol);

/** One connection of the exchange below, with what the exchange itself knows of it. */
class Line implements LiveConnection {
  readonly #clock: FakeClock;
  readonly #listener: LiveListener;
  readonly epoch: number;
  answersPings = true;
  isOpen = false;
  /** Ended by either side. */
  ended: 'terminated' | 'closed' | undefined;
  endedAtMs = 0;
  heardAtMs = 0;
  dataAtMs: number | undefined;
  askedAtMs = Number.POSITIVE_INFINITY;

  constructor(clock: FakeClock, listener: LiveListener, epoch: number) {
    this.#clock = clock;
    this.#listener = listener;
    this.epoch = epoch;
  }

  subscribe(asked: readonly MarketSymbol[]): void {
    this.dataAtMs ??= this.#clock.monotonicMs();
    this.askedAtMs = Math.min(this.askedAtMs, this.#clock.monotonicMs());
    for (const symbol of asked) this.#listener({ type: 'accepted', symbol });
  }

  unsubscribe(): void {}

  ping(): void {
    if (this.answersPings) this.tell({ type: 'frame' });
  }

  terminate(): void {
    if (this.ended !== undefined) return;
    this.ended = 'terminated';
    this.endedAtMs = this.#clock.monotonicMs();
  }

  open(): void {
    this.isOpen = true;
    this.tell({ type: 'opened' });
  }

  close(): void {
    this.ended = 'closed';
    this.endedAtMs = this.#clock.monotonicMs();
    this.#listener({ type: 'closed', reason: 'closed', detail: '', retryAfterMs: undefined });
  }

  /** Also after its end: as a frame that was on its way. */
  tell(event: LiveEvent): void {
    if (this.ended === undefined) this.heardAtMs = this.#clock.monotonicMs();
    this.#listener(event);
  }

  tickers(snapshot: boolean, of: readonly MarketSymbol[]): void {
    if (this.ended === undefined) this.dataAtMs = this.#clock.monotonicMs();
    this.tell({
      type: 'ticker',
      isSnapshot: snapshot,
      tickers: of.map((symbol) => ticker(symbol, 'live', this.#clock.now(), this.epoch)),
    });
  }
}

/** A second exchange: the connector's interface in memory, so that a run of a thousand steps takes no real time. */
class MemoryExchange implements ExchangeConnector {
  readonly id = 'memory';
  readonly clock: FakeClock;
  readonly lines: Line[] = [];
  readonly openedAtMs: number[] = [];
  catalogueWorks = true;
  poll:
    | { resolve(tickers: UpstreamTicker[]): void; reject(error: Error): void; readonly path: FeedPath | undefined }
    | undefined;
  /** The feed's path now. */
  path: () => FeedPath | undefined = () => undefined;
  loading = 0;

  constructor(clock: FakeClock) {
    this.clock = clock;
  }

  get line(): Line | undefined {
    return this.lines.at(-1);
  }

  async loadCatalogue(): Promise<Catalogue> {
    this.loading++;
    assert.equal(this.loading, 1, 'two catalogue loads at a time');
    await Promise.resolve();
    this.loading--;
    if (!this.catalogueWorks) throw new UpstreamError('network', 'down');
    return { markets: symbols.map(market), skipped: [], isComplete: true };
  }

  pollTickers(_asked: readonly MarketSymbol[], signal: AbortSignal): Promise<readonly UpstreamTicker[]> {
    assert.equal(this.poll, undefined, 'two polls at a time');
    return new Promise<UpstreamTicker[]>((resolve, reject) => {
      this.poll = { resolve, reject, path: this.path() };
      signal.addEventListener('abort', () => reject(new UpstreamError('aborted', 'stopped')));
    }).finally(() => {
      this.poll = undefined;
    });
  }

  loadCandles(): Promise<never> {
    return Promise.reject(new UpstreamError('refused', 'no candles'));
  }

  openLive(listener: LiveListener): LiveConnection {
    assert.ok(
      this.lines.every((line) => line.ended !== undefined),
      'two connections at a time',
    );
    this.openedAtMs.push(this.clock.monotonicMs());
    const line = new Line(this.clock, listener, this.lines.length + 1);
    this.lines.push(line);
    return line;
  }
}

function market(symbol: MarketSymbol): UpstreamMarket {
  const precision = { pricePrecision: 2, amountPrecision: 8, tickSize: '0.01' as DecimalString };
  const minimum = { minOrderSize: '1' as DecimalString, minOrderValue: undefined };
  const [base, quote] = [symbol.slice(0, -3) as CurrencyCode, 'EUR' as CurrencyCode];
  return { symbol, base, quote, status: 'trading', ...precision, ...minimum };
}

/** The bid tells the connection it came over; 0 is a poll. */
function ticker(symbol: MarketSymbol, path: FeedPath, at: EpochMs, epoch: number): UpstreamTicker {
  const one = '1' as DecimalString;
  const values = { bid: `${epoch}` as DecimalString, ask: one, last: one, high24h: one, low24h: one, volume24h: one };
  const rest = { vwap24h: undefined, priceChangePercent24h: undefined, upstreamTime: undefined };
  return { symbol, ...values, ...rest, path, askedAt: at, receivedAt: at };
}

/** All that the reference model knows. */
interface Model {
  path: FeedPath | undefined;
  fresh: Set<MarketSymbol>;
  updated: boolean;
  /** Whether any connection has ended. */
  everEnded: boolean;
}

class Run {
  readonly clock = new FakeClock();
  readonly exchange = new MemoryExchange(this.clock);
  readonly taken: UpstreamTicker[] = [];
  readonly current: FeedPath[] = [];
  readonly paths: FeedPath[] = [];
  readonly supervisor: FeedSupervisor;
  #ends = 0;

  constructor(seed: number) {
    this.supervisor = new FeedSupervisor({
      connector: this.exchange,
      sink: {
        catalogueLoaded: () => ({ isEvidence: true, withheld: new Set(), lacking: 0, delisted: [] }),
        marketChanged: () => undefined,
        tickerReceived: (received) => {
          this.taken.push(received);
          return undefined;
        },
        referencePricesChanged: () => undefined,
        priceWithdrawn: () => undefined,
        feedCurrent: (path) => this.current.push(path),
        feedPathChanged: (path) => this.paths.push(path),
      },
      clock: this.clock,
      randomness: seededRandomness(seed),
      log: silentLog,
    });
    this.exchange.path = () => this.supervisor.health().path;
    this.supervisor.start();
  }

  /** Which situations this run went through. */
  reached(): string[] {
    const { connectionsEnded, framesDropped } = this.supervisor.health();
    const late = (framesDropped.late ?? 0) > 0 ? ['late'] : [];
    const lives = this.paths.filter((path) => path === 'live').length;
    return [
      ...Object.keys(connectionsEnded),
      ...late,
      ...(lives > 0 ? ['live'] : []),
      ...(lives > 1 ? ['back to live'] : []),
    ];
  }

  /** Checks what must hold after every step, whatever happened. */
  check(model: Model): void {
    const nowMs = this.clock.monotonicMs();
    const { lines, line, openedAtMs } = this.exchange;
    const ended = lines.filter((one) => one.ended !== undefined).length;
    if (ended > this.#ends) {
      Object.assign(model, { path: 'fallback', fresh: new Set(), updated: false, everEnded: true });
      this.#ends = ended;
    }
    if (nowMs >= defaultTiming.liveGraceMs) model.path ??= 'fallback';
    // Without new data the feed looks every five seconds whether enough is live.
    if (line?.isOpen) considerLive(model, line, nowMs - (nowMs % defaultTiming.quietCheckMs));
    const health = this.supervisor.health();
    assert.equal(health.path, model.path);
    assert.equal(health.epoch, lines.length);
    assert.ok(openedAtMs.filter((atMs) => nowMs - atMs < 60_000).length <= 10, 'more than ten connects in a minute');
    if (line !== undefined) this.#checkTimeouts(line, nowMs);
  }

  /** A connection lives exactly as long as the exchange is heard and delivers. */
  #checkTimeouts(line: Line, nowMs: number): void {
    if (!line.isOpen) return;
    const untilMs = line.ended === undefined ? nowMs : line.endedAtMs;
    const silentMs = untilMs - line.heardAtMs;
    const withoutDataMs = untilMs - (line.dataAtMs ?? untilMs);
    if (line.ended === 'terminated')
      assert.equal(Math.max(silentMs, withoutDataMs), 10_000, 'ended too early or too late');
    if (line.ended === undefined) assert.ok(silentMs < 10_000 && withoutDataMs < 10_000, 'kept although silent');
  }
}

type Command = fc.AsyncCommand<Model, Run>;

function command(name: string, run: (model: Model, real: Run) => Promise<void> | void): Command {
  return {
    check: () => true,
    toString: () => name,
    async run(model, real) {
      await run(model, real);
      await real.clock.advance(0);
      real.check(model);
    },
  };
}

function onLine(name: string, run: (line: Line, model: Model, real: Run) => void): Command {
  return command(name, (model, real) => {
    const { line } = real.exchange;
    if (line?.ended === undefined && line?.isOpen) run(line, model, real);
  });
}

/** Fresh symbols and an update together make the path live: nine of ten, and half of them after ten seconds. */
function considerLive(model: Model, line: Line, atMs: number): void {
  const enough = atMs >= line.askedAtMs + 10_000 ? 5 : 9;
  if (model.updated && model.fresh.size >= enough) model.path = 'live';
}

function delivered(model: Model, line: Line, snapshot: boolean, of: readonly MarketSymbol[], nowMs: number): void {
  for (const symbol of of) model.fresh.add(symbol);
  model.updated ||= !snapshot;
  considerLive(model, line, nowMs);
}

const pass = (ms: number) =>
  command(`pass(${ms})`, async (model, real) => {
    for (let leftMs = ms; leftMs > 0; leftMs -= 500) {
      await real.clock.advance(Math.min(500, leftMs));
      real.check(model);
    }
  });

const commands = [
  fc.integer({ min: 1, max: 12_000 }).map(pass),
  fc.integer({ min: 1, max: 2_000 }).map(pass),
  fc.constant(
    command('open', (_model, real) => {
      const { line } = real.exchange;
      if (line?.ended === undefined && line?.isOpen === false) line.open();
    }),
  ),
  fc.constant(
    onLine('snapshots', (line, model, { clock }) => {
      line.tickers(true, symbols);
      delivered(model, line, true, symbols, clock.monotonicMs());
    }),
  ),
  fc.subarray(symbols, { minLength: 1 }).map((some) =>
    onLine(`update(${some.length})`, (line, model, { clock }) => {
      line.tickers(false, some);
      delivered(model, line, false, some, clock.monotonicMs());
    }),
  ),
  fc.constant(onLine('heartbeat', (line) => line.tell({ type: 'frame' }))),
  fc.boolean().map((answers) =>
    onLine(answers ? 'thaw' : 'freeze', (line) => {
      line.answersPings = answers;
    }),
  ),
  fc.constant(
    command('close', (_model, real) => {
      const { line } = real.exchange;
      if (line?.ended === undefined) line?.close();
    }),
  ),
  fc.nat().map((pick) =>
    command('late frame', (_model, real) => {
      const over = real.exchange.lines.filter((line) => line.ended !== undefined);
      const line = over[pick % Math.max(1, over.length)];
      if (line === undefined) return;
      const before = [real.taken.length, real.current.length, real.supervisor.health().framesDropped.late ?? 0];
      line.tickers(false, symbols);
      line.tell({ type: 'closed', reason: 'closed', detail: '', retryAfterMs: undefined });
      const after = [real.taken.length, real.current.length, (real.supervisor.health().framesDropped.late ?? 0) - 2];
      assert.deepEqual(after, before, 'a late frame had an effect');
    }),
  ),
  fc.boolean().map((works) =>
    command(works ? 'poll-ok' : 'poll-fail', async (model, real) => {
      const { poll, clock } = real.exchange;
      const before = real.current.length;
      if (works) poll?.resolve(symbols.map((symbol) => ticker(symbol, 'fallback', clock.now(), 0)));
      else poll?.reject(new UpstreamError('status', 'HTTP status 500'));
      await real.clock.advance(0);
      // A poll of single symbols, begun while the feed was live, says nothing about the feed as a whole.
      const counts = works && poll?.path === 'fallback' && model.path === 'fallback';
      const expected = counts ? ['fallback'] : [];
      assert.deepEqual(real.current.slice(before), expected);
    }),
  ),
  fc.boolean().map((works) =>
    command(`catalogue ${works ? 'works' : 'fails'}`, (_model, real) => {
      real.exchange.catalogueWorks = works;
    }),
  ),
];

test(`whatever happens in whatever order, the feed follows its reference model (seed ${seed})`, async () => {
  const reached: Record<string, number> = {};
  const property = fc.asyncProperty(
    fc.nat(),
    fc.commands(commands, { maxCommands: 120, size: 'max' }),
    async (jitter, steps) => {
      const real = new Run(jitter);
      const model: Model = { path: undefined, fresh: new Set(), updated: false, everEnded: false };
      try {
        await fc.asyncModelRun(() => ({ model, real }), steps);
      } finally {
        real.supervisor.stop();
      }
      for (const name of real.reached()) reached[name] = (reached[name] ?? 0) + 1;
      assert.equal(real.clock.pendingTimers, 0, 'a timer is left after stop');
    },
  );
  await fc.assert(property, { seed, numRuns: runsOf(200) });
  // A run that never gets anywhere proves nothing.
  for (const name of ['live', 'back to live', 'data_silent', 'transport_silent', 'closed', 'late']) {
    assert.ok((reached[name] ?? 0) >= runsOf(5), `only ${reached[name] ?? 0} runs reached ${name}`);
  }
});
