import type { FastifyInstance } from 'fastify';
import type { Randomness } from '../../src/ground/clock.ts';
import { seededRandomness } from '../support/fake-clock.ts';
import { type Lane, Scheduler } from './scheduler.ts';

/** A client's end of a WebSocket. */
export interface LiveClient {
  opened(): void;
  message(data: Buffer, isBinary: boolean): void;
  pong(): void;
  refused(status: number, headers: Readonly<Record<string, string>>): void;
  /** With 1006 it ended without a word. */
  closed(code: number): void;
}

export interface LiveLink {
  send(text: string): void;
  ping(): void;
  /** The client is gone. */
  lost(): void;
}

/** The answer of a server as `fetch` gives it. */
export interface FetchedReply {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly body: readonly Buffer[];
}

/** A server outside the service. */
export interface OutsideServer {
  connect(lane: Lane, url: URL, client: LiveClient): LiveLink;
  /** Calls back in `lane`; with an error where there is no answer. */
  fetch(lane: Lane, url: URL, done: (error: Error | undefined, reply?: FetchedReply) => void): void;
}

/** A connection to Redis, as the client library has it. */
export interface RedisClient {
  readonly lane: Lane;
  answered(answer: unknown, error?: Error): void;
  lost(): void;
}

/** A Redis server as the client library reaches it. */
export interface RedisReached {
  readonly lane: Lane;
  /** How long each way takes. */
  readonly wayMs: number;
  reaches(lane: Lane): boolean;
  connect(client: RedisClient): { send(command: readonly string[]): void; end(): void };
}

/** An answer of the service as its client gets it. */
export interface PublicAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A connection to the service. */
export interface PublicConnection {
  readonly destroyed: boolean;
  /** From now on its client reads so fast: what it has not read waits. */
  reads(bytesPerS: number): void;
  destroy(): void;
}

/** A public listener of the service. */
export interface PublicServer {
  /** `undefined` where nothing listens. */
  connect(address: string): PublicConnection | undefined;
  request(
    connection: PublicConnection,
    target: string,
    headers: Readonly<Record<string, string>>,
    answered: (answer: PublicAnswer) => void,
  ): void;
}

/** What can be wrong with the store. */
export type StoreTrouble = 'lost' | 'read-only' | 'locked';

/** A line of what happened. */
export interface Note {
  readonly atMs: number;
  readonly who: string;
  readonly text: string;
}

/** What the threads of the world's processes are: loaded modules that speak through ports. */
export interface Thread {
  readonly data: unknown;
  readonly port: object;
}

/** The one simulated world of this thread. The doubles of the platform's parts reach it here. */
export class World {
  readonly seed: number;
  readonly randomness: Randomness;
  readonly scheduler: Scheduler;
  readonly notes: Note[] = [];
  /** What happened against the rules, by the process it happened in. */
  readonly failures: string[] = [];
  /** By the host of their URLs. */
  readonly servers = new Map<string, OutsideServer>();
  readonly threads = new Map<string, Thread>();
  /** How long a disk takes, and whether it takes anything. */
  readonly disk = { syncMs: 1, isFull: false };
  /** Of the machine of each process. */
  memoryBytes = 2 ** 30;
  /** What is wrong with the store, for the processes of the service. */
  storeTrouble: StoreTrouble | undefined;
  /** For keys and ids that operators make. */
  readonly operatorRandomness: Randomness;
  redis!: RedisReached;
  /** How often each table of each database file was written; that without a name stands for all of the file. */
  readonly tableVersions = new Map<string, Map<string, number>>();
  /** By the name of their process. */
  readonly privateListeners = new Map<string, FastifyInstance>();
  readonly listeners = new Map<string, PublicServer>();
  readonly mails: { readonly to: string; readonly text: string }[] = [];

  /** @param quiet stretches in which nothing begins or ends, see `Scheduler` */
  constructor(seed: number, quiet: readonly (readonly [number, number])[] = []) {
    this.seed = seed;
    this.randomness = seededRandomness(seed);
    this.operatorRandomness = this.generator('operator');
    this.scheduler = new Scheduler((error, lane) => this.failed(error, lane), quiet);
  }

  get nowMs(): number {
    return this.scheduler.nowMs;
  }

  get lane(): Lane {
    return this.scheduler.current;
  }

  /** A generator of its own, so that what one part draws changes nothing for the others. */
  generator(name: string): Randomness {
    let seed = this.seed;
    for (const character of name) seed = Math.imul(seed ^ character.charCodeAt(0), 0x01000193) >>> 0;
    return seededRandomness(seed);
  }

  note(who: string, text: string): void {
    this.notes.push({ atMs: this.nowMs, who, text });
  }

  failed(error: unknown, lane: Lane): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.failures.push(`${lane.name}: ${text}`);
    this.note(lane.name, `failed: ${text.split('\n')[0]}`);
  }
}

let current: World | undefined;

/** The world that runs. */
export function theWorld(): World {
  if (current === undefined) throw new Error('no world runs');
  return current;
}

/** Makes a world the one that runs, in the place of another. */
export function enter(world: World): World {
  current = world;
  return world;
}
