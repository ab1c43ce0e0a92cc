import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ExchangeSimulator } from '../../exchange-simulator/simulator.ts';
import { installed, type ServingProcess } from '../faults/serving-process.ts';
import { eventually } from '../support/eventually.ts';
import { fixedPort } from '../support/fixed-port.ts';
import { RedisServer } from '../support/redis.ts';
import { type ShippedProxy, startProxies } from '../support/shipped-proxies.ts';
import { KeyWatch } from './key-watch.ts';
import { isAsked, keysForNodes } from './keys-for-nodes.ts';

const startWithinMs = 30_000;
const settleWithinMs = 40_000;
/** Reading the metrics of a process that has just begun takes it time that its clients need. */
const lookEveryMs = 250;

interface Parts {
  readonly redis: RedisServer;
  readonly proxies: readonly ShippedProxy[];
  readonly watches: readonly KeyWatch[];
  readonly keys: readonly string[];
  readonly ports: readonly number[];
  readonly startOn: (port: number) => Promise<ServingProcess>;
}

/** The proxies as they are shipped, all in front of the same two nodes, with clients that poll through each of them. */
export class WatchedProxies {
  readonly redis: RedisServer;
  readonly proxies: readonly ShippedProxy[];
  /** One of each key through each proxy. */
  readonly watches: readonly KeyWatch[];
  readonly #parts: Parts;
  readonly #nodes: ServingProcess[];

  private constructor(parts: Parts, nodes: readonly ServingProcess[]) {
    this.#parts = parts;
    this.redis = parts.redis;
    this.proxies = parts.proxies;
    this.watches = parts.watches;
    this.#nodes = [...nodes];
  }

  /** As they are now, in the order of their ports. */
  get nodes(): readonly ServingProcess[] {
    return [...this.#nodes];
  }

  /** Resolves once the nodes are ready and the clients poll. */
  static async start(
    t: Pick<TestContext, 'after'>,
    exchange: Parameters<typeof installed>[1] | ExchangeSimulator,
  ): Promise<WatchedProxies> {
    const redis = await RedisServer.start(t);
    const { installation, start, ...credentials } = await installed(t, exchange, {
      server: { baseUrl: 'https://api.example.com', trustedProxies: ['127.0.0.1'], shutdownDeadline: '10s' },
    });
    installation.env.MDAPI_REDIS = redis.url;
    const startOn = (port: number) => {
      installation.env.MDAPI_SERVER_PORT = String(port);
      return start();
    };
    const ports = [await fixedPort(), await fixedPort()];
    const nodes = [await startOn(ports[0]!), await startOn(ports[1]!)];
    await Promise.all(nodes.map(untilReady));
    const proxies = await startProxies(t, ports);
    const throughs = proxies.map(({ port }) => port);
    const keys = await keysForNodes(throughs, nodes, credentials);
    const watches = proxies.flatMap((proxy) => keys.map((key) => new KeyWatch(proxy, key)));
    const watched = new WatchedProxies({ redis, proxies, watches, keys, ports, startOn }, nodes);
    t.after(() => watched.stopWatching());
    return watched;
  }

  /** Stops a node, starts it again, and resolves once each proxy asks it again. */
  async restart(index: number): Promise<void> {
    await this.stop(index);
    await this.settled('on the other node');
    const node = await this.#parts.startOn(this.#parts.ports[index]!);
    this.#nodes[index] = node;
    await untilReady(node);
    await this.isBack(index);
    await this.settled('on both');
  }

  /** Resolves once each proxy sends its keys to the node again. */
  async isBack(index: number): Promise<void> {
    const { proxies, keys } = this.#parts;
    const node = this.#nodes[index]!;
    // One after the other: what a node counts does not say which proxy asked.
    for (const { name, port } of proxies) {
      await eventually(`${name} asks it again`, () => isAsked(node, port, keys), settleWithinMs, lookEveryMs);
    }
  }

  /** Resolves once the node has ended. */
  async stop(index: number): Promise<void> {
    const node = this.#nodes[index]!;
    node.signal('SIGTERM');
    assert.deepEqual(await node.ended, { code: 0, signal: null });
  }

  /** Resolves once every client got many answers in a row. Fails where one saw something go back, or lost an answer. */
  async settled(when: string): Promise<void> {
    for (const watch of this.watches) watch.expectServed();
    for (const watch of this.watches) {
      await eventually(`${when}: ${watch.name}`, () => watch.isServed(), settleWithinMs);
    }
    for (const { name, back, faults } of this.watches) assert.deepEqual([...back, ...faults], [], `${when}: ${name}`);
  }

  /** How many nodes run a feed for themselves. */
  async alone(): Promise<number> {
    const values = await Promise.all(
      this.nodes.map(async (node) => (await node.metrics()).value('mdapi_feed_alone') ?? 0),
    );
    return values.reduce((sum, value) => sum + value, 0);
  }

  /** Resolves once the last requests have their answers. */
  async stopWatching(): Promise<void> {
    await Promise.all(this.watches.map((watch) => watch.stop()));
  }
}

function untilReady(node: ServingProcess): Promise<unknown> {
  return eventually('it is ready', async () => (await node.admin('/readyz')).status === 200, startWithinMs);
}
