import { connect, type Socket } from 'node:net';
import { quantile } from '../report/statistics.ts';

// A process of its own: takes a plan as its argument and prints the result.

/** Many clients with a key who behave, and others without one who do not. */
export interface CrowdPlan {
  readonly baseUrl: string;
  readonly keys: readonly string[];
  /** Who keep their connection, read at once and ask again in time. */
  readonly clients: number;
  readonly path: string;
  readonly gzip: boolean;
  readonly everyMs: number;
  /** Clients a second that open a connection for one request; every second one of them without a key. */
  readonly newcomersPerSecond: number;
  /** Addresses of which each holds as many connections as it may, has read a page and sends a byte a second. */
  readonly drippingAddresses: number;
  readonly drippersPerAddress: number;
  readonly seconds: number;
}

export interface CrowdResult {
  /** Of the clients who keep their connection, by status. */
  readonly answers: Readonly<Record<string, number>>;
  /** Of the newcomers with a key, by status; 0 where there was no answer. */
  readonly newcomers: Readonly<Record<string, number>>;
  /** Of those without one. */
  readonly keyless: Readonly<Record<string, number>>;
  /** Connections that the service ended while their clients behaved. */
  readonly cut: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Why connections broke, by the system's code. */
  readonly broken: Readonly<Record<string, number>>;
  /** Of the newest price in an answer, at its arrival. */
  readonly agesMs: readonly number[];
}

/** What one answer was. */
interface Read {
  readonly status: number;
  readonly body: Buffer | undefined;
}

/** As many clients as one address may have connections. */
const clientsPerAddress = 100;
/** Reading every body would take longer than serving it. */
const readEvery = 50;
const dripsMs = 1_000;
const drippedPage = '/docs';

const broken: Record<string, number> = {};

/** A connection that reads answers: what a client needs of HTTP, for the least of this machine's time. */
class Wire {
  readonly socket: Socket;
  readonly #done: (read: Read) => void;
  #head = '';
  #left = 0;
  #chunks: Buffer[] | undefined;
  #keeps = false;

  constructor(baseUrl: string, localAddress: string, done: (read: Read) => void, ended: () => void) {
    const { hostname, port } = new URL(baseUrl);
    this.#done = done;
    this.socket = connect({ host: hostname, port: Number(port), localAddress, noDelay: true });
    this.socket.on('data', (chunk: Buffer) => this.#take(chunk));
    this.socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => count(broken, code)).once('close', ended);
  }

  ask(request: string, keepsBody: boolean): void {
    this.#keeps = keepsBody;
    this.socket.write(request, 'latin1');
  }

  #take(chunk: Buffer): void {
    if (this.#left === 0) {
      this.#head += chunk.toString('latin1');
      const end = this.#head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#head.slice(0, end))?.[1] ?? 0);
      const here = this.#head.length - end - 4;
      this.#chunks = this.#keeps ? [Buffer.from(this.#head.slice(end + 4), 'latin1')] : undefined;
      this.#left = length - here;
    } else {
      this.#left -= chunk.length;
      this.#chunks?.push(chunk);
    }
    if (this.#left > 0) return;
    const status = Number(this.#head.slice(9, 12));
    this.#head = '';
    this.#left = 0;
    this.#done({ status, body: this.#chunks && Buffer.concat(this.#chunks) });
  }
}

/** What happened to everybody. */
class Crowd {
  readonly #plan: CrowdPlan;
  readonly #answers: Record<string, number> = {};
  readonly #newcomers: Record<string, number> = {};
  readonly #keyless: Record<string, number> = {};
  readonly #latenciesMs: number[] = [];
  readonly #agesMs: number[] = [];
  #cut = 0;
  #asked = 0;
  #isOver = false;

  constructor(plan: CrowdPlan) {
    this.#plan = plan;
  }

  start(): void {
    const { clients, everyMs, drippingAddresses, drippersPerAddress, newcomersPerSecond } = this.#plan;
    for (let index = 0; index < clients; index++) {
      setTimeout(() => this.#poll(index, addressOf(1, index / clientsPerAddress)), (index * everyMs) / clients);
    }
    for (let index = 0; index < drippingAddresses * drippersPerAddress; index++) {
      this.#drip(addressOf(2, index / drippersPerAddress));
    }
    let count = 0;
    if (newcomersPerSecond > 0) setInterval(() => this.#come(count++), 1_000 / newcomersPerSecond);
  }

  end(): CrowdResult {
    this.#isOver = true;
    const latency = (share: number) => (this.#latenciesMs.length === 0 ? 0 : quantile(this.#latenciesMs, share));
    return {
      answers: this.#answers,
      newcomers: this.#newcomers,
      keyless: this.#keyless,
      cut: this.#cut,
      p50Ms: latency(0.5),
      p99Ms: latency(0.99),
      broken,
      agesMs: this.#agesMs,
    };
  }

  /** Asks on one connection until it is cut, and then on another. */
  #poll(index: number, address: string): void {
    const { baseUrl, path, everyMs, gzip, keys } = this.#plan;
    const request = requestOf(baseUrl, path, keys[index % keys.length], gzip);
    let askedMs = 0;
    const ask = () => {
      askedMs = performance.now();
      wire.ask(request, !gzip && this.#asked++ % readEvery === 0);
    };
    const wire = new Wire(
      baseUrl,
      address,
      ({ status, body }) => {
        count(this.#answers, status);
        if (status === 200) this.#latenciesMs.push(performance.now() - askedMs);
        if (status === 200 && body !== undefined) this.#agesMs.push(Date.now() - newestMs(body));
        setTimeout(ask, Math.max(0, askedMs + everyMs - performance.now()));
      },
      () => {
        if (this.#isOver) return;
        this.#cut++;
        setTimeout(() => this.#poll(index, address), everyMs);
      },
    );
    wire.socket.once('connect', ask);
  }

  #come(index: number): void {
    const { baseUrl, keys } = this.#plan;
    const hasKey = index % 2 === 0;
    const counts = hasKey ? this.#newcomers : this.#keyless;
    let isAnswered = false;
    const wire: Wire = new Wire(
      baseUrl,
      // Few enough of each address that its limit of failed authentication refuses none.
      addressOf(3, index % 250),
      ({ status }) => {
        isAnswered = true;
        count(counts, status);
        wire.socket.destroy();
      },
      () => {
        if (!isAnswered && !this.#isOver) count(counts, 0);
      },
    );
    const path = hasKey && index % 4 === 0 ? '/v1/ticker?symbol=BTCEUR' : '/v1/time';
    wire.socket.once('connect', () =>
      wire.ask(requestOf(baseUrl, path, hasKey ? keys[index % keys.length] : undefined), false),
    );
  }

  /** Reads a page whole, and then sends the next request a byte a second, again whenever it is ended. */
  #drip(address: string): void {
    const { baseUrl } = this.#plan;
    const request = requestOf(baseUrl, drippedPage);
    let timer: NodeJS.Timeout | undefined;
    const drip = () => {
      let sent = 0;
      timer ??= setInterval(() => wire.socket.write(request.charAt(sent++) || 'a'), dripsMs);
    };
    const wire = new Wire(baseUrl, address, drip, () => {
      clearInterval(timer);
      if (!this.#isOver) setTimeout(() => this.#drip(address), dripsMs);
    });
    wire.socket.once('connect', () => wire.ask(request, false));
  }
}

/** One of a thousand addresses of this machine, for each kind of client others. */
function addressOf(kind: number, index: number): string {
  return `127.0.${kind}.${1 + Math.floor(index)}`;
}

function requestOf(baseUrl: string, path: string, key?: string, gzip = false): string {
  const coding = gzip ? 'Accept-Encoding: gzip\r\n' : '';
  const secret = key === undefined ? '' : `X-EXCHANGE-APIKEY: ${key}\r\n`;
  return `GET ${path} HTTP/1.1\r\nHost: ${new URL(baseUrl).host}\r\n${secret}${coding}\r\n`;
}

function count(counts: Record<string, number>, status: number | string): void {
  counts[status] = (counts[status] ?? 0) + 1;
}

function newestMs(body: Buffer): number {
  return Math.max(...Array.from(body.toString('latin1').matchAll(/"timestampMs":(\d+)/g), ([, ms]) => Number(ms)));
}

const plan = JSON.parse(process.argv[2]!) as CrowdPlan;
const crowd = new Crowd(plan);
crowd.start();
setTimeout(() => {
  process.stdout.write(`${JSON.stringify(crowd.end())}\n`, () => process.exit());
}, plan.seconds * 1_000);
