import type { IncomingMessage } from 'node:http';
import { FaultBoard } from '../../exchange-simulator/fault-board.ts';
import { readFault } from '../../exchange-simulator/fault-request.ts';
import { cnbPath, ecbPath, jsonPath, Rates } from '../../exchange-simulator/rates.ts';
import { fetchedBy } from './exchange-link.ts';
import type { Lane } from './scheduler.ts';
import { type FetchedReply, type OutsideServer, theWorld } from './world.ts';

const latencyMs = 60;
const paths = { cnb: cnbPath, ecb: ecbPath, json: jsonPath } as const;
export type RateSourceName = keyof typeof paths;

/** What a source of rates says instead of the true one. */
export interface RateLie {
  readonly value: string;
  /** The day of its fixing, where that is not the last one. */
  readonly day?: string | undefined;
}

/** A source of the rate, with the faults of the exchange simulator. */
export class RatesModel implements OutsideServer {
  readonly host: string;
  readonly source: RateSourceName;
  readonly #lane: Lane;
  readonly #faults: FaultBoard;
  readonly #rates: Rates;
  #truth: string;
  #lie: RateLie | undefined;

  /** @param truth CZK for one EUR */
  constructor(host: string, source: RateSourceName, truth: string) {
    this.host = host;
    this.source = source;
    this.#truth = truth;
    this.#lane = theWorld().scheduler.lane(host);
    this.#faults = new FaultBoard(this.#lane.clock, { check() {}, begin() {}, end() {}, trigger() {} });
    this.#rates = new Rates(this.#lane.clock, this.#faults);
    this.set(truth);
  }

  get url(): string {
    return `http://${this.host}${paths[this.source]}`;
  }

  /** It gives dates. */
  get isDated(): boolean {
    return this.source !== 'json';
  }

  get truth(): string {
    return this.#truth;
  }

  /** CZK for one EUR from now on. */
  set(rate: string): void {
    this.#truth = rate;
    this.#rates.setEurCzk(this.#lie?.value ?? rate);
  }

  /** @param lie `undefined`: it tells the truth again */
  async lie(lie: RateLie | undefined): Promise<void> {
    this.#lie = lie;
    this.set(this.#truth);
    if (lie?.day === undefined) await this.fault('rate-stale', false);
    else await this.#faults.set(readFault({ fault: 'rate-stale', date: lie.day }));
  }

  async fault(name: 'rate-gone' | 'rate-stale', isOn: boolean): Promise<void> {
    if (isOn) await this.#faults.set(readFault({ fault: name }));
    else await this.#faults.clear(name);
  }

  connect(): never {
    throw new Error('a source of rates has no WebSocket');
  }

  fetch(lane: Lane, url: URL, done: (error: Error | undefined, reply?: FetchedReply) => void): void {
    this.#lane.later(latencyMs, () => {
      const answer = (error: Error | undefined, reply?: FetchedReply) =>
        lane.later(latencyMs, () => done(error, reply));
      this.#rates.handle({ url: url.pathname + url.search } as IncomingMessage, fetchedBy(answer));
    });
  }
}
