import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Clock, type EpochMs, systemClock, type Timer } from '../../src/ground/clock.ts';
import type { DecimalString } from '../../src/market/decimal.ts';
import type { CurrencyCode } from '../../src/market/symbol.ts';
import { eventually } from '../support/eventually.ts';
import { ListenerHarness } from '../support/listener-harness.ts';
import { pythonEnvironment, pythonNeeds, pythonTools } from '../support/python.ts';

const repository = fileURLToPath(new URL('../../', import.meta.url));
/** Seconds of the service and of the bot in a real one. */
const speed = 24;
const startMs = Date.parse('2026-11-21T10:00:00.000Z');
const hourMs = 3_600_000;

/** The system's clock, faster, from a full minute on. */
class FastClock implements Clock {
  readonly #originMs = systemClock.monotonicMs();

  now(): EpochMs {
    return Math.floor(startMs + this.monotonicMs()) as EpochMs;
  }

  monotonicMs(): number {
    return (systemClock.monotonicMs() - this.#originMs) * speed;
  }

  after(delayMs: number, run: () => void): Timer {
    return systemClock.after(delayMs / speed, run);
  }

  every(periodMs: number, run: () => void): Timer {
    return systemClock.every(periodMs / speed, run);
  }
}

/** The bot as it stands, on a clock as fast as the service's. */
const driver = `import asyncio, time
from bot import AsyncClient, Bot, from_environment
from market_data_client import Clock

class Fast(Clock):
    speed = ${speed}.0
    def wall(self): return time.time() * self.speed
    def steady(self): return time.monotonic() * self.speed

async def main():
    async with AsyncClient(*from_environment(), clock=Fast()) as client:
        await Bot(client, ["BTCEUR", "BTCCZK"], second=1 / Fast.speed).run()

asyncio.run(main())
`;

/** A line of the bot. */
interface Line {
  readonly at: string;
  readonly sell?: string;
  readonly price?: string;
  readonly captured?: string;
  readonly wait?: string;
  readonly reason?: string;
  readonly state?: string;
}

interface Sale {
  /** Seconds since the start, by the bot's idea of the server's clock. */
  readonly at: number;
  readonly symbol: string;
  readonly price: string;
  /** Seconds since the start at which the price was captured. */
  readonly captured: number;
}

/** The exchange's bid less half a percent, cut to cents. */
function sellPriceOf(bid: number): string {
  return (Math.floor((bid * 995) / 10) / 100).toFixed(2);
}

describe('a bot written from the pages for clients', { timeout: 120_000 }, () => {
  const clock = new FastClock();
  const lines: Line[] = [];
  /** What the exchange paid, and when the service learned of it. */
  const truth: { readonly price: string; readonly from: number; readonly to: number }[] = [];
  let api: ListenerHarness;
  let bot: ReturnType<typeof spawn>;
  let refused = '';
  let isFed = true;
  let beat: Timer;

  const passed = () => clock.monotonicMs() / 1_000;

  before(async () => {
    api = await ListenerHarness.start({ clock });
    api.list('BTC');
    setRate(true);
    tick();
    beat = clock.every(1_000, tick);
  });
  after(async () => {
    beat?.cancel();
    bot?.kill();
    await api?.stop();
  });

  /** The exchange's price moves each second, whether or not the service learns of it. */
  function tick(): void {
    const bid = 50_000 + Math.floor(passed());
    if (!isFed) return;
    const from = (clock.now() - startMs) / 1_000;
    api.tick('BTC', `${bid}.00`, `${bid + 10}.00`);
    truth.push({ price: sellPriceOf(bid), from, to: (clock.now() - startMs) / 1_000 });
  }

  /** With a rate, or with one that is past its validity. */
  function setRate(isValid: boolean): void {
    api.markets.rates.take({
      base: 'EUR' as CurrencyCode,
      quote: 'CZK' as CurrencyCode,
      mid: '24.315' as DecimalString,
      source: 'cnb',
      fixingDate: undefined,
      refreshedAt: (clock.now() - (isValid ? 0 : 97 * hourMs)) as EpochMs,
    });
  }

  function startBot(): void {
    const { python } = pythonTools().pythons.at(-1)!;
    const paths = ['client-python/src', 'examples/python-bot'].map((path) => `${repository}${path}`).join(':');
    const env = pythonEnvironment({
      PYTHONPATH: paths,
      MARKET_DATA_BASE_URL: `http://127.0.0.1:${api.port}`,
      MARKET_DATA_API_KEY: api.key,
    });
    bot = spawn(python, ['-u', '-c', driver], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let rest = '';
    bot.stdout!.on('data', (text) => {
      const parts = `${rest}${text}`.split('\n');
      rest = parts.pop()!;
      for (const part of parts) lines.push(JSON.parse(part));
    });
    bot.stderr!.on('data', (text) => {
      refused += text;
    });
  }

  function sales(): Sale[] {
    const secondsOf = (instant: string) => (Date.parse(instant) - startMs) / 1_000;
    return lines.flatMap(({ at, sell, price, captured }) =>
      sell === undefined ? [] : [{ at: secondsOf(at), symbol: sell, price: price!, captured: secondsOf(captured!) }],
    );
  }

  const until = (second: number) => eventually(`second ${second}`, () => passed() >= second, 60_000);
  const soldIn = (from: number, to: number, symbol = 'BTCEUR') =>
    sales().filter((sale) => sale.symbol === symbol && sale.at >= from && sale.at < to);

  test(
    'goes ten minutes through a limit, a missing rate, a window and an outage without a wrong decision',
    pythonNeeds,
    async (t) => {
      startBot();
      await eventually('the bot sells', () => sales().length > 0, 30_000);
      // Python takes its time to start, so that the plan begins with a minute of its own.
      const zero = Math.ceil(passed() / 60) * 60;
      // Long enough before for a client that asks for the status once a minute.
      const from = startMs + (zero + 200) * 1_000;
      api.service.setWindows([
        { from: from as EpochMs, to: (from + 50_000) as EpochMs, description: 'Database upgrade.' },
      ]);
      await until(zero + 65);

      let status = 200;
      while (status !== 429) ({ status } = await api.get('/v1/time'));
      const limited = passed();
      await until(zero + 125);

      setRate(false);
      await until(zero + 165);
      setRate(true);

      await until(zero + 280);
      isFed = false;
      const silent = passed();
      await until(zero + 600);
      isFed = true;
      await until(zero + 660);

      assert.equal(refused, '');
      const all = sales();
      for (const sale of all) {
        const { at, symbol, price, captured } = sale;
        const about = JSON.stringify(sale);
        const then = truth.find((moment) => captured >= moment.from && captured <= moment.to);
        assert.ok(then !== undefined, `the exchange had a price then: ${about}`);
        if (symbol === 'BTCEUR') assert.equal(price, then.price, about);
        assert.ok(at - captured <= 60.5, `not too old: ${about}`);
      }
      const noSales = {
        'while the limit was used up': soldIn(limited + 30, zero + 120),
        'of a market without a rate': soldIn(zero + 150, zero + 165, 'BTCCZK'),
        'near and in the window': soldIn(zero + 175, zero + 250),
        'in the outage': soldIn(silent + 61, zero + 600),
      };
      for (const [when, wrong] of Object.entries(noSales)) assert.deepEqual(wrong, [], when);
      const calm = {
        'at first': soldIn(zero, zero + 60),
        'after the limit': soldIn(zero + 125, zero + 170),
        'in EUR while the rate was missing': soldIn(zero + 135, zero + 165),
        'with a rate again': soldIn(zero + 170, zero + 175, 'BTCCZK').concat(soldIn(zero + 255, zero + 280, 'BTCCZK')),
        'after the window': soldIn(zero + 255, zero + 280),
        'after the outage': soldIn(zero + 610, zero + 660),
      };
      for (const [when, made] of Object.entries(calm)) assert.ok(made.length >= 5, `${when}: ${made.length}`);
      const states = lines.flatMap(({ state }) => state ?? []);
      t.diagnostic(`${all.length} sales; states: ${states.join(', ')}`);
      t.diagnostic(`reasons to wait: ${[...new Set(lines.flatMap(({ reason }) => reason ?? []))].join(', ')}`);
    },
  );
});
