import { eventually } from '../support/eventually.ts';
import { seededRandomness } from '../support/fake-clock.ts';
import type { WireResponse } from '../support/http-client.ts';
import { Wire } from '../support/wire.ts';
import type { NodesBehindNginx } from './nodes-behind-nginx.ts';

/** What is seldom, such as a request that meets a connection at its end, takes many requests to be seen. */
const pauseMsMax = 60;
const targets = ['/v1/tickers', '/v1/ticker?symbol=BTCEUR', '/v1/time', '/v1/status', '/v1/markets'];

/** Clients that poll without end, each on one connection that it keeps. Every answer is held against the document. */
export class PollingClients {
  /** What went wrong: a request without its answer, or an answer that no document has. */
  readonly faults: string[] = [];
  /** What answers that are neither 200 nor 304 said. */
  readonly refusals: string[] = [];
  sent = 0;
  answered = 0;
  readonly #cluster: NodesBehindNginx;
  readonly #randomness = seededRandomness(7);
  #running: readonly Promise<void>[] = [];
  #stopped = false;

  private constructor(cluster: NodesBehindNginx) {
    this.#cluster = cluster;
  }

  /** Resolves once all of them poll. */
  static async start(cluster: NodesBehindNginx, count: number): Promise<PollingClients> {
    const clients = new PollingClients(cluster);
    const wires = await Promise.all(Array.from({ length: count }, () => Wire.open(cluster.nginx.port)));
    clients.#running = wires.map((wire, client) =>
      clients.#poll(wire, client).catch((error) => clients.#failed(error)),
    );
    await clients.moreAnswers(3 * count);
    return clients;
  }

  /** Resolves once this many more requests are answered, or something went wrong. */
  async moreAnswers(count: number): Promise<void> {
    const enough = this.answered + count;
    await eventually('they poll', () => this.answered >= enough || this.faults.length > 0, 30_000);
  }

  /** Resolves once the last request has its answer. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#running);
  }

  async #poll(wire: Wire, client: number): Promise<void> {
    let etag = '"none"';
    while (!this.#stopped) {
      const turn = this.sent++;
      const target = targets[turn % targets.length]!;
      const method = turn % 7 === 0 ? 'HEAD' : 'GET';
      const condition = target === '/v1/tickers' ? [`If-None-Match: ${etag}`] : [];
      const response = await wire.ask(this.#cluster.requestOf(client, method, target, ...condition));
      this.#took(method, target, response);
      if (target === '/v1/tickers') etag = response.headers.etag ?? etag;
      await new Promise((resolve) => setTimeout(resolve, this.#randomness.fraction() * pauseMsMax));
    }
    wire.close();
  }

  #took(method: string, target: string, response: WireResponse): void {
    this.answered++;
    if (response.status !== 200 && response.status !== 304) this.refusals.push(`${response.status} ${response.body}`);
    this.#cluster.validate(method, target, response);
  }

  #failed(error: Error): void {
    this.faults.push(error.message);
  }
}
