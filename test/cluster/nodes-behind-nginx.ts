import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { installed, type ServingProcess } from '../faults/serving-process.ts';
import { ApiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { fixedPort } from '../support/fixed-port.ts';
import type { WireResponse } from '../support/http-client.ts';
import { Nginx } from '../support/nginx.ts';
import { RedisServer } from '../support/redis.ts';
import { TcpProxy } from '../support/tcp-proxy.ts';
import { Wire } from '../support/wire.ts';
import { keysForNodes } from './keys-for-nodes.ts';

const askedWithinMs = 40_000;
/** Reading the metrics of a process that has just begun takes it time that its clients need. */
const lookEveryMs = 250;

interface Parts {
  readonly nginx: Nginx;
  /** A client through nginx. */
  readonly api: ApiClient;
  /** At least one that nginx sends to each node. */
  readonly keys: readonly string[];
  readonly ports: readonly number[];
  readonly startOn: (port: number) => Promise<ServingProcess>;
  /** Between the nodes and Redis. */
  readonly way: TcpProxy;
  readonly env: Record<string, string>;
}

/** Two nodes on one database, each on a port that it keeps over restarts, with nginx in front. */
export class NodesBehindNginx {
  readonly nginx: Nginx;
  readonly api: ApiClient;
  readonly #nodes: ServingProcess[];
  readonly #parts: Parts;

  private constructor(parts: Parts, nodes: readonly ServingProcess[]) {
    this.#parts = parts;
    this.nginx = parts.nginx;
    this.api = parts.api;
    this.#nodes = [...nodes];
  }

  /** As they are now, in the order of their ports. */
  get nodes(): readonly ServingProcess[] {
    return [...this.#nodes];
  }

  /**
   * Resolves once both nodes have prices.
   * @param server settings of that section
   */
  static async start(
    t: Pick<TestContext, 'after'>,
    exchange: ExchangeSimulator,
    server: object = {},
  ): Promise<NodesBehindNginx> {
    const [ownPort, ...ports] = [await fixedPort(), await fixedPort(), await fixedPort()];
    const baseUrl = `http://127.0.0.1:${ownPort}`;
    // Two services share one database only with Redis between them.
    const redis = await RedisServer.start(t);
    const way = await TcpProxy.listen({ targetPort: redis.port });
    t.after(() => way.close());
    const { installation, start, ...credentials } = await installed(t, exchange, {
      server: { baseUrl, trustedProxies: ['127.0.0.1'], shutdownDeadline: '10s', ...server },
    });
    installation.env.MDAPI_REDIS = `redis://127.0.0.1:${way.port}`;
    const startOn = (port: number) => {
      installation.env.MDAPI_SERVER_PORT = String(port);
      return start();
    };
    const nodes = [await startOn(ports[0]!), await startOn(ports[1]!)];
    const nginx = await Nginx.start(t, ownPort, ports);
    const keys = await keysForNodes([ownPort], nodes, credentials);
    const api = await ApiClient.of(`http://127.0.0.1:${ownPort}`, credentials.key);
    const cluster = new NodesBehindNginx({ nginx, api, keys, ports, startOn, way, env: installation.env }, nodes);
    await eventually('prices', () => cluster.#bothHavePrices(), 30_000);
    return cluster;
  }

  /** Sets how long the nodes that are started from now on go on taking connections once they are to stop. */
  setDrainDelay(duration: string): void {
    this.#parts.env.MDAPI_SERVER_DRAIN_DELAY = duration;
  }

  /** Each answer of Redis comes so much later from now on. */
  delayRedis(latencyMs: number): void {
    this.#parts.way.set('down', { latencyMs });
  }

  /** Stops a node, starts it again on its port, and resolves once requests come to it again. */
  async restart(node: ServingProcess): Promise<void> {
    await this.stop(node);
    const next = await this.startAgain(node);
    await eventually('nginx asks it again', async () => (await requestsOf(next)) > 20, askedWithinMs, lookEveryMs);
  }

  /** Starts a node that has ended again on its port, and resolves once it is ready. */
  async startAgain(node: ServingProcess): Promise<ServingProcess> {
    const index = this.#nodes.indexOf(node);
    const next = await this.#parts.startOn(this.#parts.ports[index]!);
    this.#nodes[index] = next;
    await eventually('it is ready', async () => (await next.admin('/readyz')).status === 200);
    return next;
  }

  /** Resolves once the node has ended, having said nothing of a failure. */
  async stop(node: ServingProcess): Promise<void> {
    node.signal('SIGTERM');
    assert.deepEqual(await node.ended, { code: 0, signal: null });
    assert.deepEqual(node.failures, []);
  }

  /** nginx sends each of the keys to one node, and at least one to each. */
  async #bothHavePrices(): Promise<boolean> {
    const wire = await Wire.open(this.nginx.port);
    let have = true;
    for (const key of this.#parts.keys) {
      have &&= (await wire.ask(this.#requestWith(key, 'GET', '/v1/tickers'))).status === 200;
    }
    wire.close();
    return have;
  }

  /** A request of the client, as it is on the wire. */
  request(method: string, target: string, ...headers: readonly string[]): string {
    return this.#requestWith(this.api.key, method, target, ...headers);
  }

  /** A request of one of many clients, of whom some ask one node and some the other. */
  requestOf(client: number, method: string, target: string, ...headers: readonly string[]): string {
    const { keys } = this.#parts;
    return this.#requestWith(keys[client % keys.length]!, method, target, ...headers);
  }

  #requestWith(key: string, method: string, target: string, ...headers: readonly string[]): string {
    const lines = [`Host: 127.0.0.1:${this.nginx.port}`, `X-EXCHANGE-APIKEY: ${key}`, ...headers];
    return `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  }

  /** Throws unless the answer is one the document describes. What nginx says of itself is left aside. */
  validate(method: string, target: string, { headers, ...rest }: WireResponse): void {
    const { server, ...others } = headers;
    assert.equal(server, 'nginx');
    this.api.validate(method, target, { headers: others, ...rest });
  }
}

async function requestsOf(node: ServingProcess): Promise<number> {
  const { samples } = await node.metrics();
  const counts = samples.filter(({ name }) => name === 'mdapi_requests_total').map(({ value }) => value);
  return counts.reduce((sum, value) => sum + value, 0);
}
