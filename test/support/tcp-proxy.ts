import { connect, createServer, type Server, type Socket } from 'node:net';
import { type Clock, type Randomness, systemClock } from '../../src/ground/clock.ts';
import { seededRandomness } from './fake-clock.ts';
import { fixedPort } from './fixed-port.ts';
import { noToxics, TcpPump, type Toxics } from './tcp-pump.ts';

/** `up` is from the client to the target. */
export type ProxyDirection = 'up' | 'down' | 'both';

export interface TcpProxyOptions {
  /** Port on this machine, for a target that is known already. */
  readonly targetPort?: number;
  readonly clock?: Clock;
  /** For jitter. */
  readonly randomness?: Randomness;
}

interface Pair {
  readonly client: Socket;
  readonly target: Socket;
  readonly ended: AbortController;
  /** It lived through a black hole, and nothing comes through it any more. */
  isLost: boolean;
}

/**
 * A TCP proxy between a client and a target on this machine, which breaks the network on demand. What is
 * switched on holds at once, for open connections too, until it is switched off.
 */
export class TcpProxy {
  readonly port: number;
  readonly #clock: Clock;
  readonly #randomness: Randomness;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #targetPort: number;
  #up: Toxics = noToxics;
  #down: Toxics = noToxics;
  #isBlackHole = false;
  #accepted = 0;

  private constructor(port: number, options: TcpProxyOptions) {
    const { targetPort = 0, clock = systemClock, randomness = seededRandomness(1) } = options;
    this.port = port;
    this.#targetPort = targetPort;
    this.#clock = clock;
    this.#randomness = randomness;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => this.#accept(client));
  }

  /** Listens on a free port, which stays its own while it refuses. */
  static async listen(options: TcpProxyOptions = {}): Promise<TcpProxy> {
    const proxy = new TcpProxy(await fixedPort(), options);
    await proxy.#listen();
    return proxy;
  }

  /** Connections clients hold open. */
  get open(): number {
    return [...this.#pairs].filter(({ client }) => !client.destroyed).length;
  }

  /** Connections taken since the start. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Connections from now on go to this port. */
  forwardTo(targetPort: number): void {
    this.#targetPort = targetPort;
  }

  /** Changes what the wire does to bytes; what is not named stays. */
  set(direction: ProxyDirection, toxics: Partial<Toxics>): void {
    if (direction !== 'down') this.#up = { ...this.#up, ...toxics };
    if (direction !== 'up') this.#down = { ...this.#down, ...toxics };
  }

  /**
   * Loses every byte and every closing of either side, while the sockets stay open: a cable pulled, a NAT that
   * forgot. Connections that lived through it never come back; those made after `clear` are whole. A connection
   * made meanwhile is accepted and hears nothing.
   */
  blackHole(): void {
    this.#isBlackHole = true;
    for (const pair of this.#pairs) pair.isLost = true;
  }

  /** Tears down every open connection on both sides with a TCP reset. */
  reset(): void {
    for (const { client, target, ended } of this.#pairs) {
      ended.abort();
      client.resetAndDestroy();
      target.resetAndDestroy();
    }
  }

  /** Refuses new connections (ECONNREFUSED); open ones go on. */
  refuse(): void {
    if (this.#server.listening) this.#server.close();
  }

  /** Everything is as at the start. Connections lost in a black hole end on the target's side. */
  async clear(): Promise<void> {
    this.#up = noToxics;
    this.#down = noToxics;
    this.#isBlackHole = false;
    for (const pair of this.#pairs) if (pair.isLost && pair.client.destroyed) this.#end(pair);
    if (!this.#server.listening) await this.#listen();
  }

  /** Ends everything. */
  async close(): Promise<void> {
    for (const pair of this.#pairs) this.#end(pair);
    if (this.#server.listening) await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  #listen(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: '127.0.0.1', port: this.port }, () => {
        this.#server.removeListener('error', reject);
        resolve();
      });
    });
  }

  #accept(client: Socket): void {
    this.#accepted++;
    const target = connect({ host: '127.0.0.1', port: this.#targetPort, allowHalfOpen: true, noDelay: true });
    const pair: Pair = { client, target, ended: new AbortController(), isLost: this.#isBlackHole };
    this.#pairs.add(pair);
    this.#pump(pair, client, target, () => this.#up);
    this.#pump(pair, target, client, () => this.#down);
    this.#passFailures(pair, client, target);
    this.#passFailures(pair, target, client);
  }

  #pump(pair: Pair, from: Socket, to: Socket, toxics: () => Toxics): void {
    const pump = new TcpPump(from, to, {
      clock: this.#clock,
      randomness: this.#randomness,
      toxics,
      isLost: () => pair.isLost,
      limitReached: () => this.#end(pair),
      signal: pair.ended.signal,
    });
    from.on('data', (bytes: Buffer) => pump.take(bytes));
    from.on('end', () => (pair.isLost ? from.destroy() : pump.take('end')));
  }

  #passFailures(pair: Pair, socket: Socket, other: Socket): void {
    socket.on('error', () => {
      if (!pair.isLost) other.resetAndDestroy();
    });
    socket.on('close', () => {
      if (other.destroyed) this.#end(pair);
    });
  }

  #end(pair: Pair): void {
    pair.ended.abort();
    pair.client.destroy();
    pair.target.destroy();
    this.#pairs.delete(pair);
  }
}
