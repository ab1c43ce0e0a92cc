import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { fixedPort } from '../../test/support/fixed-port.ts';

/** One REST answer. `hang`: the request is never answered. `cut`: the connection breaks half-way through the body. */
export interface RestAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly how?: 'answer' | 'hang' | 'cut';
  /** Gets a function that sends the answer. */
  readonly wait?: (proceed: () => void) => void;
}

/** The server side of one live connection. */
export interface Peer {
  readonly socket: WebSocket;
  readonly raw: Socket;
  /** Every object that the client sent. */
  readonly received: readonly Record<string, unknown>[];
  /** Names subscribed now. */
  readonly subscribed: Set<string>;
  send(frame: object | string): void;
}

type Message = Record<string, unknown> & { params?: { channel?: string; symbol?: string[] } };

/**
 * A small server for tests that speaks Kraken's protocol on real sockets. It acknowledges subscriptions and
 * answers requests; everything else is up to the test, which can replace the protocol as well.
 */
export class ScriptedExchange {
  readonly #http = createServer((request, response) => this.#answer(request, response));
  readonly #live = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  readonly #sockets = new Set<Socket>();
  readonly peers: Peer[] = [];
  readonly requests: string[] = [];
  #port: number | undefined;
  upgrades = 0;
  /** Left out of the names of calls. */
  restPath = '/0/public/';
  /** Requests waiting for an answer that never comes. */
  hanging = 0;
  /** Answers over REST; `undefined` gives 404. */
  rest: (call: string, parameters: URLSearchParams) => RestAnswer | undefined = () => undefined;
  /** How an upgrade is answered: a status refuses it, `hang` leaves it open. */
  upgrade: () => 'accept' | 'hang' | { status: number; headers: string } = () => 'accept';
  /** Right after the upgrade. */
  greet: (peer: Peer) => void = () => undefined;
  /** `accept`, `reject` or `ignore` a symbol's subscription. */
  judge: (name: string) => 'accept' | 'reject' | 'ignore' = () => 'accept';
  /** The snapshot's entry for a symbol; `undefined` sends none. */
  snapshot: (name: string) => string | undefined = () => undefined;
  answersPings = true;
  /** Handles a message of a client, by default as Kraken does. */
  receive: (peer: Peer, text: string) => void = (peer, text) => this.#received(peer, JSON.parse(text) as Message);

  constructor() {
    this.#http.on('upgrade', (request, socket, head) => this.#upgrade(request, socket, head));
    this.#http.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => undefined);
    });
  }

  /** Listens on a free port, and after `close` on the same one again. */
  async listen(): Promise<void> {
    this.#port ??= await fixedPort();
    await new Promise<void>((resolve) => this.#http.listen(this.port, '127.0.0.1', resolve));
  }

  /** The port it listens on, or last listened on. */
  get port(): number {
    if (this.#port === undefined) throw new Error('it has not listened yet');
    return this.#port;
  }

  get restUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get liveUrl(): string {
    return `ws://127.0.0.1:${this.port}/v2`;
  }

  /** The newest live connection. */
  get peer(): Peer {
    const newest = this.peers.at(-1);
    if (newest === undefined) throw new Error('no client has connected');
    return newest;
  }

  /** Live connections whose socket is still open; idle REST connections are kept for reuse and do not count. */
  get openPeers(): number {
    return this.peers.filter(({ raw }) => !raw.destroyed).length;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://exchange.invalid');
    const call = url.pathname.replace(this.restPath, '');
    this.requests.push(`${call}${url.search}`);
    const answer = this.rest(call, url.searchParams) ?? { status: 404, body: 'not found' };
    if (answer.how === 'hang') {
      this.hanging++;
      response.on('close', () => {
        this.hanging--;
      });
      return;
    }
    if (answer.wait === undefined) this.#write(answer, request, response);
    else answer.wait(() => this.#write(answer, request, response));
  }

  #write(answer: RestAnswer, request: IncomingMessage, response: ServerResponse): void {
    const body = answer.body ?? '';
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...answer.headers,
    };
    response.writeHead(answer.status ?? 200, headers);
    if (answer.how !== 'cut') response.end(body);
    else response.write(body.slice(0, body.length / 2), () => request.socket.destroy());
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.upgrades++;
    const how = this.upgrade();
    if (how === 'hang') return;
    if (how !== 'accept') {
      socket.end(`HTTP/1.1 ${how.status} No\r\n${how.headers}Content-Length: 0\r\nConnection: close\r\n\r\n`);
      return;
    }
    this.#live.handleUpgrade(request, socket, head, (client) => this.#welcome(client, request.socket));
  }

  #welcome(socket: WebSocket, raw: Socket): void {
    const received: Record<string, unknown>[] = [];
    const subscribed = new Set<string>();
    const send = (frame: object | string) => socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
    const peer: Peer = { socket, raw, received, subscribed, send };
    this.peers.push(peer);
    socket.on('error', () => undefined);
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      if (text.startsWith('{')) received.push(JSON.parse(text));
      this.receive(peer, text);
    });
    this.greet(peer);
  }

  #received(peer: Peer, message: Message): void {
    if (message.method === 'ping' && this.answersPings) peer.send({ method: 'pong', req_id: message.req_id });
    if (message.params?.channel !== 'ticker') return;
    for (const name of message.params.symbol ?? []) {
      if (message.method === 'subscribe') this.#subscribe(peer, name);
      else if (message.method === 'unsubscribe') this.#unsubscribe(peer, name);
    }
  }

  #subscribe(peer: Peer, symbol: string): void {
    const verdict = this.judge(symbol);
    if (verdict === 'reject') {
      peer.send({ method: 'subscribe', success: false, error: `Currency pair not supported ${symbol}`, symbol });
    } else if (verdict === 'accept') {
      peer.subscribed.add(symbol);
      const result = { channel: 'ticker', event_trigger: 'bbo', snapshot: true, symbol };
      peer.send({ method: 'subscribe', result, success: true });
      const entry = this.snapshot(symbol);
      if (entry !== undefined) peer.send(`{"channel":"ticker","type":"snapshot","data":[${entry}]}`);
    }
  }

  #unsubscribe(peer: Peer, symbol: string): void {
    peer.subscribed.delete(symbol);
    peer.send({ method: 'unsubscribe', result: { channel: 'ticker', symbol }, success: true });
  }
}
