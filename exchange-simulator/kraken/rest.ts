import { candleIntervals, candles, lastFinishedS } from '../candles.ts';
import type { CatalogueEntry } from '../catalogue.ts';
import type { Venue } from '../dialect.ts';
import { flagOf, numberOf, textOf } from '../fault-request.ts';
import { json, Refusal, type Reply } from '../reply.ts';
import { assetsAnswer, inventedPair, pairAnswer, tickerAnswer } from './rest-answers.ts';

export const krakenCalls = ['Assets', 'AssetPairs', 'Ticker', 'OHLC', 'Time', 'SystemStatus'];

/** Kraken's public REST calls. */
export class KrakenRest {
  readonly #venue: Venue;
  #pairs: { version: number; body: string } | undefined;
  /** How often invented pairs were renamed. */
  #renamings = 0;

  constructor(venue: Venue) {
    this.#venue = venue;
  }

  answer(call: string, query: URLSearchParams): Reply {
    return json(this.#result(call, query));
  }

  #result(call: string, query: URLSearchParams): string {
    switch (call) {
      case 'Time':
        return this.#time();
      case 'SystemStatus':
        return this.#systemStatus();
      case 'Assets':
        return succeed(JSON.stringify(this.#assets()));
      case 'AssetPairs':
        if (query.get('aclass_base') === 'tokenized_asset') return succeed('{}');
        return this.#assetPairs(query.get('pair'));
      case 'Ticker':
        return succeed(this.#ticker(query.get('pair')));
      case 'OHLC':
        return succeed(this.#candles(query));
      default:
        throw new Refusal('EGeneral:Unknown method');
    }
  }

  #time(): string {
    const unixtime = Math.floor(this.#venue.nowUs() / 1_000_000);
    const [, day, month, year, time] =
      /^..., (..) (...) ..(..) (\S+)/.exec(new Date(unixtime * 1000).toUTCString()) ?? [];
    const weekday = new Date(unixtime * 1000).toUTCString().slice(0, 3);
    return succeed(
      JSON.stringify({ unixtime, rfc1123: `${weekday}, ${day?.replace(/^0/, ' ')} ${month} ${year} ${time} +0000` }),
    );
  }

  #systemStatus(): string {
    const timestamp = `${new Date(this.#venue.nowUs() / 1000).toISOString().slice(0, 19)}Z`;
    return succeed(JSON.stringify({ status: this.#venue.systemStatus, timestamp }));
  }

  #assets(): unknown {
    return this.#venue.faults.find('catalogue-empty') === undefined ? assetsAnswer(this.#listedEntries()) : {};
  }

  #assetPairs(names: string | null): string {
    const { exchange, faults } = this.#venue;
    if (faults.find('catalogue-empty') !== undefined) return succeed('{}');
    if (names !== null) {
      const chosen = names.split(',').map((name) => this.#entryNamed(name));
      return succeed(JSON.stringify(Object.fromEntries(chosen.map((entry) => [entry.id, this.#pairOf(entry)]))));
    }
    if (faults.find('pair-flood') !== undefined) this.#pairs = undefined;
    if (this.#pairs?.version !== exchange.catalogueVersion) {
      const listed = this.#listedEntries().filter(
        ({ pair }) =>
          pair === undefined || faults.all('pair-unlisted').every(({ symbols }) => !symbols?.includes(pair.symbol)),
      );
      const pairs = [...listed.map((entry) => [entry.id, this.#pairOf(entry)]), ...this.#invented()];
      this.#pairs = { version: exchange.catalogueVersion, body: succeed(JSON.stringify(Object.fromEntries(pairs))) };
    }
    return this.#pairs.body;
  }

  /** The pairs of the fault `pair-flood`. */
  #invented(): (readonly [id: string, pair: unknown])[] {
    const flood = this.#venue.faults.find('pair-flood');
    if (flood === undefined) return [];
    if (flagOf(flood, 'changing')) this.#renamings++;
    return Array.from({ length: numberOf(flood, 'count') }, (_, index) => inventedPair(`Q${this.#renamings}Q${index}`));
  }

  #pairOf(entry: CatalogueEntry): unknown {
    const { pair } = entry;
    if (pair === undefined) return entry.recorded;
    const alias = this.#venue.faults.find('pair-alias', pair.symbol);
    const answer = pairAnswer(pair, this.#venue.exchange.markets.get(pair.symbol)?.status ?? 'online');
    return alias === undefined ? answer : { ...answer, wsname: textOf(alias, 'wsname') };
  }

  #listedEntries(): readonly CatalogueEntry[] {
    const { exchange } = this.#venue;
    return [...exchange.entries.values()].filter(
      ({ pair }) => pair === undefined || exchange.listed(pair.symbol) !== undefined,
    );
  }

  #entryNamed(name: string): CatalogueEntry {
    const { exchange } = this.#venue;
    const entry = exchange.entries.get(exchange.byRestName(name)?.pair.id ?? name);
    if (entry === undefined || (entry.pair !== undefined && exchange.listed(entry.pair.symbol) === undefined)) {
      throw new Refusal('EQuery:Unknown asset pair');
    }
    return entry;
  }

  #market(name: string) {
    const market = this.#venue.exchange.byRestName(name);
    if (market === undefined) throw new Refusal('EQuery:Unknown asset pair');
    return market;
  }

  #ticker(names: string | null): string {
    const { traded, faults, clock } = this.#venue;
    const chosen = names === null ? traded : names.split(',').map((name) => this.#market(name));
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
    const nowMs = this.#venue.clock.now();
    const rows = candles(market, interval, nowMs, since === null ? undefined : Number(since));
    return JSON.stringify({ [market.pair.id]: rows, last: lastFinishedS(interval, nowMs) });
  }
}

function succeed(result: string): string {
  return `{"error":[],"result":${result}}`;
}
