import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Connection } from '../../exchange-simulator/ws-connection.ts';
import type { Lane } from './scheduler.ts';
import { type FetchedReply, type LiveClient, theWorld } from './world.ts';

/** What the network does to frames on their way to the service. */
export interface Network {
  delayMs: number;
  doubledShare: number;
  shuffledShare: number;
}

/** The exchange that an end of a connection belongs to. */
interface LinkOwner {
  readonly network: Network;
  /** When anybody who runs last got anything from it. */
  heardAtMs: number;
}

/** The exchange's end of a WebSocket, as its dialect writes to it. */
export class Link {
  readonly OPEN = 1;
  readonly bufferedAmount = 0;
  readyState = 0;
  connection: Connection | undefined;
  readonly #exchange: LinkOwner;
  readonly #lane: Lane;
  readonly #client: LiveClient;
  readonly #delayMs: () => number;
  #received: ((text: string) => void) | undefined;
  #lastAtMs = 0;

  constructor(exchange: LinkOwner, lane: Lane, client: LiveClient, delayMs: () => number) {
    this.#exchange = exchange;
    this.#lane = lane;
    this.#client = client;
    this.#delayMs = delayMs;
  }

  open(connection: Connection, received: (text: string) => void): void {
    this.connection = connection;
    this.#received = received;
    this.readyState = 1;
    this.#deliver(() => this.#client.opened());
  }

  received(text: string): void {
    if (this.readyState === 1 && this.connection?.frozen === false) this.#received?.(text);
  }

  pinged(): void {
    if (this.readyState !== 1 || this.connection?.frozen !== false) return;
    this.#deliver(() => {
      this.#exchange.heardAtMs = theWorld().nowMs;
      this.#client.pong();
    });
  }

  send(message: string | Buffer, { binary }: { readonly binary: boolean }): void {
    const { doubledShare, shuffledShare } = this.#exchange.network;
    const data = Buffer.from(message as string);
    const deliver = () => {
      this.#exchange.heardAtMs = theWorld().nowMs;
      this.#client.message(data, binary);
    };
    const { randomness } = theWorld();
    this.#deliver(deliver, shuffledShare > 0 && randomness.fraction() < shuffledShare);
    if (doubledShare > 0 && randomness.fraction() < doubledShare) this.#deliver(deliver);
  }

  close(code: number): void {
    this.#deliver(() => this.#client.closed(code));
    this.readyState = 3;
  }

  refuse(status: number, headers: Readonly<Record<string, string>>): void {
    this.#deliver(() => this.#client.refused(status, headers));
  }

  terminate(): void {
    this.close(1006);
  }

  pause(): void {}
  resume(): void {}

  /** The client is gone, and hears nothing more. */
  end(): void {
    this.readyState = 3;
  }

  /** One after the other. @param overtakes later than what follows */
  #deliver(run: () => void, overtakes = false): void {
    const { nowMs } = theWorld();
    const atMs = Math.max(nowMs + this.#delayMs(), this.#lastAtMs);
    if (!overtakes) this.#lastAtMs = atMs;
    this.#lane.later(atMs - nowMs + (overtakes ? 5_000 : 0), run);
  }
}

export function socketOf(link: Link): Socket {
  const nothing = () => {};
  const reset = () => link.close(1006);
  const members = { remoteAddress: '192.0.2.1', remotePort: 1, write: reset, cork: nothing, uncork: nothing };
  return { ...members, resetAndDestroy: reset } as unknown as Socket;
}

/** A response whose answer is fetched. */
export function fetchedBy(answer: (error: Error | undefined, reply?: FetchedReply) => void): ServerResponse {
  let status = 200;
  const headers = new Headers();
  const response = {
    destroyed: false,
    writeHead(code: number, given: Readonly<Record<string, string | number>>) {
      status = code;
      for (const [name, value] of Object.entries(given)) headers.set(name, String(value));
    },
    write: () => answer(new Error('ECONNRESET')),
    end(body: string | Buffer) {
      answer(undefined, { ok: status >= 200 && status < 300, status, headers, body: [Buffer.from(body as string)] });
    },
  };
  return response as unknown as ServerResponse;
}

/** An answer as a cache gives it: it says how old it is. */
export function aged(reply: FetchedReply, sinceMs: number): FetchedReply {
  const headers = new Headers(reply.headers);
  headers.set('age', String(Math.floor((theWorld().nowMs - sinceMs) / 1_000)));
  return { ...reply, headers };
}
