import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock, Timer } from '../src/clock.ts';
import { candleIntervals, candles, lastFinishedS } from './candles.ts';
import { type CatalogueEntry, type CatalogueEra, recordedBytes } from './catalogue.ts';
import type { Exchange } from './exchange.ts';
import type { FaultBoard } from './fault-board.ts';
import { type Fault, numberOf, textOf } from './fault-request.ts';
import { json, type Reply, send, sendHalf, text } from './reply.ts';
import { assetsAnswer, pairAnswer, tickerAnswer } from './rest-answers.ts';

export interface RestOptions {
  readonly clock: Clock;
  readonly exchange: Exchange;
  readonly faults: FaultBoard;
  readonly era: CatalogueEra;
  /** Whether the whole recorded catalogue is listed, so that its bytes can be served unchanged. */
  readonly isWholeRecording: boolean;
}

/** A refusal with the exchange's error text; the answer is still HTTP 200. */
class Refusal extends Error {}

const prefix = '/0/public/';

/** The public REST calls of the exchange, on `/0/public/…`. */
export class Rest {
  /** How many requests each call got. */
  readonly requests: Record<string, number> = {};
  readonly #options: RestOptions;
  readonly #pending = new Set<Timer>();
  #pairs: { version: number; body: string } | undefined;

  constructor(options: RestOptions) {
    this.#options = options;
  }

  /** Answers one request as the active faults demand. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://exchange');
    if (!url.pathname.startsWith(prefix)) {
      send(response, text(404, 'Not Found'));
      return;
    }
    const call = url.pathname.slice(prefix.length);
    this.requests[call] = (this.requests[call] ?? 0) + 1;
    const slow = this.#fault('rest-slow', call);
    if (slow === undefined) this.#answer(call, url.searchParams, response);
    else this.#later(numberOf(slow, 'delayMs'), () => this.#answer(call, url.searchParams, response));
  }

  stop(): void {
    for (const timer of this.#pending) timer.cancel();
  }

  #later(delayMs: number, run: () => void): void {
    const timer = this.#options.clock.after(delayMs, () => {
      this.#pending.delete(timer);
      run();
    });
    this.#pending.add(timer);
  }

  #answer(call: string, query: URLSearchParams, response: ServerResponse): void {
    if (response.destroyed) return;
    const reply = this.#failure(call) ?? json(this.#body(call, query));
    if (this.#fault('rest-truncated', call) === undefined) send(response, reply);
    else sendHalf(response, reply);
  }

  #failure(call: string): Reply | undefined {
    const limited = this.#fault('rest-429', call);
    if (limited !== undefined)
      return { ...text(429, 'Too Many Requests'), retryAfterS: numberOf(limited, 'retryAfterS') };
    const broken = this.#fault('rest-500', call);
    if (broken !== undefined) return text(numberOf(broken, 'status'), 'Internal Server Error');
    const page = '<!doctype html><title>Just a moment</title>';
    return this.#fault('rest-html', call) && { status: 200, contentType: 'text/html', body: page };
  }

  #body(call: string, query: URLSearchParams): string | Buffer {
    const failing = this.#fault('rest-error', call);
    try {
      if (failing !== undefined) throw new Refusal(textOf(failing, 'message'));
      return this.#result(call, query);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return JSON.stringify({ error: [error.message] });
    }
  }

  #result(call: string, query: URLSearchParams): string | Buffer {
    switch (call) {
      case 'Time':
        return this.#time();
      case 'SystemStatus':
        return this.#systemStatus();
      case 'Assets':
        return succeed(JSON.stringify(this.#assets()));
      case 'AssetPairs':
        return this.#assetPairs(query.get('pair'));
      case 'Ticker':
        return succeed(this.#ticker(query.get('pair')));
      case 'OHLC':
        return succeed(this.#candles(query));
      default:
        throw new Refusal('EGeneral:Unknown method');
    }
  }

  #nowMs(): number {
    const skew = this.#options.faults.find('clock-skew');
    return this.#options.clock.now() + (skew === undefined ? 0 : numberOf(skew, 'ms'));
  }

  #time(): string {
    const unixtime = Math.floor(this.#nowMs() / 1000);
    const [, day, month, year, time] =
      /^..., (..) (...) ..(..) (\S+)/.exec(new Date(unixtime * 1000).toUTCString()) ?? [];
    const weekday = new Date(unixtime * 1000).toUTCString().slice(0, 3);
    return succeed(
      JSON.stringify({ unixtime, rfc1123: `${weekday}, ${day?.replace(/^0/, ' ')} ${month} ${year} ${time} +0000` }),
    );
  }

  #systemStatus(): string {
    const fault = this.#options.faults.find('system-status');
    const timestamp = `${new Date(this.#nowMs()).toISOString().slice(0, 19)}Z`;
    return succeed(JSON.stringify({ status: fault === undefined ? 'online' : textOf(fault, 'status'), timestamp }));
  }

  #assets(): unknown {
    return this.#options.faults.find('catalogue-empty') === undefined ? assetsAnswer(this.#listedEntries()) : {};
  }

  #assetPairs(names: string | null): string | Buffer {
    const { exchange, era, faults, isWholeRecording } = this.#options;
    if (faults.find('catalogue-empty') !== undefined) return succeed('{}');
    if (names !== null) {
      const chosen = names.split(',').map((name) => this.#entryNamed(name));
      return succeed(JSON.stringify(Object.fromEntries(chosen.map((entry) => [entry.id, this.#pairOf(entry)]))));
    }
    if (era === '2021' && isWholeRecording && exchange.catalogueVersion === 0) return recordedBytes();
    if (this.#pairs?.version !== exchange.catalogueVersion) {
      const listed = this.#listedEntries().filter(
        ({ pair }) =>
          pair === undefined || faults.all('pair-unlisted').every(({ symbols }) => !symbols?.includes(pair.symbol)),
      );
      const pairs = listed.map((entry) => [entry.id, this.#pairOf(entry)]);
      this.#pairs = { version: exchange.catalogueVersion, body: succeed(JSON.stringify(Object.fromEntries(pairs))) };
    }
    return this.#pairs.body;
  }

  #pairOf(entry: CatalogueEntry): unknown {
    const { pair } = entry;
    if (pair === undefined || this.#options.era === '2021') return entry.recorded;
    const alias = this.#options.faults.find('pair-alias', pair.symbol);
    const answer = pairAnswer(pair, this.#options.exchange.markets.get(pair.symbol)?.status ?? 'online');
    return alias === undefined ? answer : { ...answer, wsname: textOf(alias, 'wsname') };
  }

  #listedEntries(): readonly CatalogueEntry[] {
    const { exchange } = this.#options;
    return [...exchange.entries.values()].filter(
      ({ pair }) => pair === undefined || exchange.listed(pair.symbol) !== undefined,
    );
  }

  #entryNamed(name: string): CatalogueEntry {
    const { exchange } = this.#options;
    const entry = exchange.entries.get(exchange.byRestName(name)?.pair.id ?? name);
    if (entry === undefined || (entry.pair !== undefined && exchange.listed(entry.pair.symbol) === undefined)) {
      throw new Refusal('EQuery:Unknown asset pair');
    }
    return entry;
  }

  #market(name: string) {
    const market = this.#options.exchange.byRestName(name);
    if (market === undefined) throw new Refusal('EQuery:Unknown asset pair');
    return market;
  }

  #ticker(names: string | null): string {
    const { exchange, faults, clock } = this.#options;
    const chosen =
      names === null
        ? [...exchange.markets.values()].filter((market) => market.status !== 'delisted')
        : names.split(',').map((name) => this.#market(name));
    const nowMs = clock.now();
    return `{${chosen.map((market) => tickerAnswer(market, faults, nowMs)).join(',')}}`;
  }

  #candles(query: URLSearchParams): string {
    const name = query.get('pair');
    const interval = Number(query.get('interval') ?? 1);
    const since = query.get('since');
    if (name === null || !candleIntervals.includes(interval) || (since !== null && !/^\d{1,12}$/.test(since))) {
      throw new Refusal('EGeneral:Invalid arguments');
    }
    const market = this.#market(name);
    const nowMs = this.#options.clock.now();
    const rows = candles(market, interval, nowMs, since === null ? undefined : Number(since));
    return JSON.stringify({ [market.pair.id]: rows, last: lastFinishedS(interval, nowMs) });
  }

  #fault(name: Parameters<FaultBoard['find']>[0], call: string): Fault | undefined {
    return this.#options.faults.all(name).find((fault) => ['all', call].includes(textOf(fault, 'call') ?? ''));
  }
}

function succeed(result: string): string {
  return `{"error":[],"result":${result}}`;
}
