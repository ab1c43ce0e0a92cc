import type { Randomness } from '../../src/ground/clock.ts';
import type { ServiceProcess } from './service-process.ts';
import type { PublicAnswer, PublicConnection, PublicServer, World } from './world.ts';

/** An answer, and what its client knows about it. */
export interface Witnessed extends PublicAnswer {
  /** The process that answered. */
  readonly by: string;
  readonly key: string;
  readonly target: string;
  /** The body; of a 304 the one that its client has, `undefined` where it has none. */
  readonly shown: string | undefined;
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
}

const networkMs = 3;
/** While the world is quiet it asks so many times less often. */
const quietTimes = 12;

/** A client that polls the public API at the intervals that the contract recommends, wherever a balancer sends it. */
export class Client {
  readonly name: string;
  key: string;
  readonly #world: World;
  readonly #processes: readonly ServiceProcess[];
  readonly #address: string;
  readonly #randomness: Randomness;
  readonly #witnessed: (answer: Witnessed) => void;
  readonly #connections = new Map<PublicServer, PublicConnection>();
  /** The last answers, by their target, where it asks for changes only. */
  readonly #held: Map<string, { readonly tag: string; readonly body: string }> | undefined;
  #bytesPerS = Number.POSITIVE_INFINITY;

  /** @param isConditional it asks for what changed since its last answer, as RFC 9110 §13 has it */
  constructor(
    world: World,
    name: string,
    key: string,
    processes: readonly ServiceProcess[],
    witnessed: (answer: Witnessed) => void,
    isConditional = false,
  ) {
    this.#world = world;
    this.name = name;
    this.key = key;
    this.#processes = processes;
    this.#witnessed = witnessed;
    this.#held = isConditional ? new Map() : undefined;
    this.#randomness = world.generator(`client ${name}`);
    this.#address = `198.51.100.${1 + Math.floor(this.#randomness.fraction() * 250)}`;
  }

  /** Another key from now on. */
  use(key: string): void {
    this.key = key;
  }

  /** From now on it reads so fast. */
  reads(bytesPerS: number): void {
    this.#bytesPerS = bytesPerS;
    for (const connection of this.#connections.values()) connection.reads(bytesPerS);
  }

  /**
   * Asks for a target again and again.
   * @param everyMs from one request to the next, about
   * @param againWithinMs each time it asks twice, the second time so soon, and sees what goes back for a moment only;
   * not while the world is quiet, when processes tell each other of changes less often
   */
  poll(target: string, everyMs: number, againWithinMs?: number): void {
    const { scheduler } = this.#world;
    const { clock } = scheduler.lane(`client ${this.name}`);
    const ask = () => {
      const more = scheduler.isQuiet ? quietTimes : 1;
      clock.after(more * everyMs * (0.9 + 0.2 * this.#randomness.fraction()), ask);
      if (againWithinMs === undefined) return this.ask(target);
      for (const delayMs of [0, againWithinMs * this.#randomness.fraction()])
        clock.after(delayMs, () => scheduler.isQuiet || this.ask(target));
    };
    clock.after(everyMs * this.#randomness.fraction(), ask);
  }

  /** Asks once. Nobody learns of a request that is not answered. */
  ask(target: string, from = this.#processes): void {
    const offered = from.filter(({ isRunning }) => isRunning);
    const chosen = offered[Math.floor(this.#randomness.fraction() * offered.length)];
    const server = chosen && this.#world.listeners.get(chosen.name);
    const lane = chosen?.lane;
    if (server === undefined || lane === undefined) return;
    const { key } = this;
    const askedAtMs = this.#world.nowMs;
    lane.later(networkMs, () => {
      const open = this.#connections.get(server);
      const connection = open?.destroyed === false ? open : server.connect(this.#address);
      if (connection === undefined) return;
      this.#connections.set(server, connection);
      connection.reads(this.#bytesPerS);
      const held = this.#held?.get(target);
      const condition = held && { 'if-none-match': held.tag };
      const headers = { host: 'api.example.com', 'x-exchange-apikey': key, ...condition };
      server.request(connection, target, headers, (answer) => {
        const answeredAtMs = this.#world.nowMs;
        const { status, headers, body } = answer;
        if (status === 200 && headers.etag !== undefined) this.#held?.set(target, { tag: headers.etag, body });
        const shown = status === 304 ? held?.body : body;
        this.#witnessed({ ...answer, by: chosen!.name, key, target, shown, askedAtMs, answeredAtMs });
      });
    });
  }
}
