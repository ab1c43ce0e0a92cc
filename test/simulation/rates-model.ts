import type { IncomingMessage } from 'node:http';
import { FaultBoard } from '../../exchange-simulator/fault-board.ts';
import { readFault } from '../../exchange-simulator/fault-request.ts';
import { cnbPath, Rates } from '../../exchange-simulator/rates.ts';
import { fetchedBy } from './exchange-link.ts';
import type { Lane } from './scheduler.ts';
import { type FetchedReply, type OutsideServer, theWorld } from './world.ts';

const latencyMs = 60;

/** The Czech National Bank, with the rates and faults of the exchange simulator. */
export class RatesModel implements OutsideServer {
  readonly url = `http://bank${cnbPath}`;
  readonly #lane = theWorld().scheduler.lane('bank');
  readonly #faults = new FaultBoard(this.#lane.clock, { check() {}, begin() {}, end() {}, trigger() {} });
  readonly #rates = new Rates(this.#lane.clock, this.#faults);

  /** CZK for one EUR from now on. */
  set(rate: string): void {
    this.#rates.setEurCzk(rate);
  }

  async fault(name: 'rate-gone' | 'rate-stale', isOn: boolean): Promise<void> {
    if (isOn) await this.#faults.set(readFault({ fault: name }));
    else await this.#faults.clear(name);
  }

  connect(): never {
    throw new Error('the bank has no WebSocket');
  }

  fetch(lane: Lane, url: URL, done: (error: Error | undefined, reply?: FetchedReply) => void): void {
    this.#lane.later(latencyMs, () => {
      const answer = (error: Error | undefined, reply?: FetchedReply) =>
        lane.later(latencyMs, () => done(error, reply));
      this.#rates.handle({ url: url.pathname + url.search } as IncomingMessage, fetchedBy(answer));
    });
  }
}
