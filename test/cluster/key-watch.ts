import { assertSound } from '../faults/oracle.ts';
import type { WireResponse } from '../support/http-client.ts';
import { json } from '../support/listener-harness.ts';
import type { ShippedProxy } from '../support/shipped-proxies.ts';
import { Wire } from '../support/wire.ts';

const pauseMs = 40;
/** So many answers in a row, and a client is served. */
const inARow = 20;
const targets = ['/v1/ticker?symbol=BTCEUR', '/v1/status', '/v1/tickers'];

/** A client with one key that polls through one proxy without end, and holds every answer against those before. */
export class KeyWatch {
  readonly name: string;
  readonly proxy: ShippedProxy['name'];
  /** What went back. */
  readonly back: string[] = [];
  /** What else went wrong: an answer that was lost, or is of another form than documented. */
  readonly faults: string[] = [];
  /** Answers that are no failure. */
  answered = 0;
  slowestMs = 0;
  /** What failures that are as documented said. */
  readonly refusals: string[] = [];
  readonly #key: string;
  readonly #port: number;
  readonly #last = new Map<string, number>();
  readonly #running: Promise<void>;
  #row = 0;
  #stopped = false;

  constructor(proxy: ShippedProxy, key: string) {
    this.name = `${proxy.name}, key …${key.slice(-4)}`;
    this.proxy = proxy.name;
    this.#key = key;
    this.#port = proxy.port;
    this.#running = this.#poll();
  }

  /** Begins to count anew the answers that {@link isServed} wants. */
  expectServed(): void {
    this.#row = 0;
  }

  /** True once many answers in a row were no failure, or something went wrong. */
  isServed(): boolean {
    return this.#row >= inARow || this.back.length + this.faults.length > 0;
  }

  /** Resolves once the last request has its answer. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  async #poll(): Promise<void> {
    let wire: Wire | undefined;
    for (let turn = 0; !this.#stopped; turn++) {
      const target = targets[turn % targets.length]!;
      try {
        // One that says it closes is not asked again.
        if (wire === undefined || wire.isClosed) wire = await Wire.open(this.#port);
        const lines = [`GET ${target} HTTP/1.1`, 'Host: a', `X-EXCHANGE-APIKEY: ${this.#key}`];
        const askedMs = performance.now();
        const response = await wire.ask(`${lines.join('\r\n')}\r\n\r\n`);
        this.slowestMs = Math.max(this.slowestMs, performance.now() - askedMs);
        this.#take(target, response);
        if (response.headers.connection !== 'close') continue;
      } catch (error) {
        this.faults.push(`${target}: ${(error as Error).message}`);
      } finally {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
      wire?.close();
      wire = undefined;
    }
    wire?.close();
  }

  #take(target: string, response: WireResponse): void {
    assertSound(response);
    if (response.status !== 200) {
      this.refusals.push(String(json(response).detail));
      this.#row = 0;
      return;
    }
    this.answered++;
    this.#row++;
    for (const [name, value] of measuresOf(json(response))) {
      const before = this.#last.get(name) ?? 0;
      if (value < before) this.back.push(`${name} of ${target} went back by ${before - value} ms`);
      this.#last.set(name, value);
    }
  }
}

/** What must never get smaller, by name. A price that is older than one before has an older time. */
function measuresOf(body: Record<string, unknown>): readonly [name: string, ms: number][] {
  if (typeof body.lastUpdatedAtMs === 'number') return [['lastUpdatedAt', body.lastUpdatedAtMs]];
  const tickers = (body.tickers ?? [body]) as readonly { symbol: string; timestampMs: number }[];
  return tickers.map(({ symbol, timestampMs }) => [`time of ${symbol}`, timestampMs]);
}
