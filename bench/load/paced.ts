import { connect, type Socket } from 'node:net';

// A process of its own: takes a plan as its argument and prints the result.

/** Requests at one pace to several servers in turn, so that whatever disturbs one disturbs the others alike. */
export interface PacedPlan {
  readonly baseUrls: readonly string[];
  readonly path: string;
  readonly keys: readonly string[];
  /** For each server. */
  readonly connections: number;
  /** Requests a second to each server. */
  readonly rate: number;
  readonly seconds: number;
  /** Of them at the beginning, not counted. */
  readonly warmUpSeconds: number;
}

/** What came of it for one server, in the order of the plan. */
export interface PacedResult {
  /** From the moment a request is written to the last byte of its answer, for each that was counted. */
  readonly latenciesMs: readonly number[];
  /** Answers with a status other than 200. */
  readonly failures: number;
  /** Requests not sent because every connection waited for an answer: the server could not keep up. */
  readonly unsent: number;
}

class Connection {
  isFree = true;
  readonly #socket: Socket;
  #text = '';
  #sentMs = 0;
  readonly #done: (status: number, latencyMs: number) => void;

  constructor(baseUrl: string, done: (status: number, latencyMs: number) => void) {
    const { hostname, port } = new URL(baseUrl);
    this.#done = done;
    this.#socket = connect({ host: hostname, port: Number(port), noDelay: true });
    this.#socket.setEncoding('latin1').on('data', (text) => this.#take(String(text)));
  }

  send(request: string): void {
    this.isFree = false;
    this.#text = '';
    this.#sentMs = performance.now();
    this.#socket.write(request, 'latin1');
  }

  end(): void {
    this.#socket.destroy();
  }

  #take(text: string): void {
    this.#text += text;
    const headEnd = this.#text.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#text.slice(0, headEnd))?.[1] ?? 0);
    if (this.#text.length < headEnd + 4 + length) return;
    this.isFree = true;
    this.#done(Number(this.#text.slice(9, 12)), performance.now() - this.#sentMs);
  }
}

class Server {
  readonly latenciesMs: number[] = [];
  failures = 0;
  unsent = 0;
  readonly #connections: readonly Connection[];
  readonly #requests: readonly string[];
  #turn = 0;

  constructor(baseUrl: string, { connections, path, keys }: PacedPlan, counts: () => boolean) {
    const done = (status: number, latencyMs: number) => {
      if (status !== 200) this.failures++;
      else if (counts()) this.latenciesMs.push(latencyMs);
    };
    this.#connections = Array.from({ length: connections }, () => new Connection(baseUrl, done));
    const head = `GET ${path} HTTP/1.1\r\nHost: ${new URL(baseUrl).host}\r\nX-EXCHANGE-APIKEY: `;
    this.#requests = keys.map((key) => `${head}${key}\r\n\r\n`);
  }

  send(): void {
    const turn = this.#turn++;
    const count = this.#connections.length;
    for (let tried = 0; tried < count; tried++) {
      const connection = this.#connections[(turn + tried) % count]!;
      if (!connection.isFree) continue;
      connection.send(this.#requests[turn % this.#requests.length]!);
      return;
    }
    this.unsent++;
  }

  end(): PacedResult {
    for (const connection of this.#connections) connection.end();
    const { latenciesMs, failures, unsent } = this;
    return { latenciesMs, failures, unsent };
  }
}

function run(plan: PacedPlan): void {
  const startedMs = performance.now();
  const elapsedSeconds = () => (performance.now() - startedMs) / 1000;
  const counts = () => elapsedSeconds() > plan.warmUpSeconds;
  const servers = plan.baseUrls.map((baseUrl) => new Server(baseUrl, plan, counts));
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.floor(Math.min(elapsedSeconds(), plan.seconds) * plan.rate * servers.length);
    for (; sent < due; sent++) servers[sent % servers.length]!.send();
    if (elapsedSeconds() < plan.seconds + 0.5) return;
    clearInterval(timer);
    process.stdout.write(`${JSON.stringify(servers.map((server) => server.end()))}\n`);
  }, 1);
}

if (process.argv[1] === new URL(import.meta.url).pathname) run(JSON.parse(process.argv[2]!) as PacedPlan);
