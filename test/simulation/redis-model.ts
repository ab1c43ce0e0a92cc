import { hash } from 'node:crypto';
import type { Clock } from '../../src/ground/clock.ts';
import { type Run, scriptNamed } from './redis-scripts.ts';

/** Where an entry of a stream stands. Its id says the same. */
interface Place {
  readonly atMs: number;
  readonly number: number;
}

interface Entry extends Place {
  readonly id: string;
  readonly members: readonly string[];
}

interface Value {
  readonly kind: 'string' | 'stream' | 'hash';
  text: string;
  readonly entries: Entry[];
  readonly fields: Map<string, string>;
  expiresAtMs: number;
}

interface Waiting {
  readonly key: string;
  readonly answer: () => void;
}

/** What a server answers that refuses a command. */
export class RedisError extends Error {}

const wrongType = () => new RedisError('WRONGTYPE Operation against a key holding the wrong kind of value');
/** A node of a stream holds so many entries; `MAXLEN ~` removes whole ones. */
const entriesInNode = 100;

/**
 * The commands of Redis that the service sends, on a clock. It answers as a real server does; one suite compares the
 * two.
 */
export class RedisModel {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #values = new Map<string, Value>();
  readonly #scripts = new Map<string, string>();
  readonly #waiting = new Set<Waiting>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** All of it is gone, as after a restart without persistence. */
  flush(): void {
    this.#values.clear();
    this.#scripts.clear();
  }

  /** Throws `RedisError`. */
  execute([name = '', ...args]: readonly string[]): unknown {
    switch (name.toUpperCase()) {
      case 'PING':
        return 'PONG';
      case 'TIME': {
        const now = this.#clock.now();
        return [String(Math.floor(now / 1_000)), String((now % 1_000) * 1_000)];
      }
      case 'GET':
        return this.#find(args[0]!, 'string')?.text ?? null;
      case 'MGET':
        return args.map((key) => {
          const value = this.#live(key);
          return value?.kind === 'string' ? value.text : null;
        });
      case 'SET':
        return this.#set(args);
      case 'DEL':
        return args.filter((key) => this.#live(key) !== undefined && this.#values.delete(key)).length;
      case 'FLUSHALL':
        this.#values.clear();
        return 'OK';
      case 'SCRIPT':
        this.#scripts.clear();
        return 'OK';
      case 'HSET':
        return this.#hashSet(args);
      case 'HGETALL':
        return [...(this.#find(args[0]!, 'hash')?.fields ?? [])].flat();
      case 'XADD':
        return this.#append(args);
      case 'XRANGE':
      case 'XREVRANGE':
        return this.#range(name.toUpperCase() === 'XREVRANGE', args);
      case 'XREAD':
        return this.#read(args);
      case 'EVAL':
        this.#scripts.set(hash('sha1', args[0]!), args[0]!);
        return this.#run(args[0]!, args.slice(1));
      case 'EVALSHA': {
        const script = this.#scripts.get(args[0]!);
        if (script === undefined) throw new RedisError('NOSCRIPT No matching script. Please use EVAL.');
        return this.#run(script, args.slice(1));
      }
      default:
        throw new RedisError(`ERR unknown command '${name}'`);
    }
  }

  /** Waits for a stream to grow. @returns takes the wait back */
  whenGrown(key: string, answer: () => void): () => void {
    const waiting = { key, answer };
    this.#waiting.add(waiting);
    return () => this.#waiting.delete(waiting);
  }

  #run(script: string, [count = '0', ...rest]: readonly string[]): unknown {
    const call: Run = (...command) => this.execute(command);
    const run = scriptNamed(script);
    return run(call, rest.slice(0, Number(count)), rest.slice(Number(count)));
  }

  #live(key: string): Value | undefined {
    const value = this.#values.get(key);
    if (value === undefined || value.expiresAtMs > this.#clock.now()) return value;
    this.#values.delete(key);
    return undefined;
  }

  #find(key: string, kind: Value['kind']): Value | undefined {
    const value = this.#live(key);
    if (value !== undefined && value.kind !== kind) throw wrongType();
    return value;
  }

  #make(key: string, kind: Value['kind']): Value {
    const found = this.#find(key, kind);
    if (found !== undefined) return found;
    const made = {
      kind,
      text: '',
      entries: [],
      fields: new Map<string, string>(),
      expiresAtMs: Number.POSITIVE_INFINITY,
    };
    this.#values.set(key, made);
    return made;
  }

  #set([key = '', text = '', option, forMs]: readonly string[]): unknown {
    this.#values.delete(key);
    const value = this.#make(key, 'string');
    value.text = text;
    if (option !== undefined) value.expiresAtMs = this.#clock.now() + Number(forMs);
    return 'OK';
  }

  #hashSet([key = '', ...members]: readonly string[]): number {
    const { fields } = this.#make(key, 'hash');
    const before = fields.size;
    for (let at = 0; at < members.length; at += 2) fields.set(members[at]!, members[at + 1]!);
    return fields.size - before;
  }

  #append([key = '', ...rest]: readonly string[]): string {
    const trims = rest[0] === 'MAXLEN';
    const members = rest.slice(trims ? 4 : 1);
    const { entries } = this.#make(key, 'stream');
    const last = entries.at(-1) ?? { atMs: 0, number: 0 };
    const now = this.#clock.now();
    const place = now > last.atMs ? { atMs: now, number: 0 } : { atMs: last.atMs, number: last.number + 1 };
    const id = `${place.atMs}-${place.number}`;
    entries.push({ id, ...place, members });
    if (trims && entries.length >= Number(rest[2]) + entriesInNode) entries.splice(0, entriesInNode);
    for (const waiting of [...this.#waiting]) if (waiting.key === key) waiting.answer();
    return id;
  }

  #range(isBackwards: boolean, [key = '', from = '', to = '', , count]: readonly string[]): unknown {
    const entries = this.#find(key, 'stream')?.entries ?? [];
    const [low, high] = isBackwards ? [to, from] : [from, to];
    const first = low === '-' ? 0 : firstFrom(entries, placeOf(low));
    const { atMs, number } = placeOf(high);
    const end = high === '+' ? entries.length : firstFrom(entries, { atMs, number: number + 1 });
    const limit = count === undefined ? entries.length : Number(count);
    const chosen = isBackwards
      ? entries.slice(Math.max(first, end - limit), end).reverse()
      : entries.slice(first, Math.min(end, first + limit));
    return chosen.map(({ id, members }) => [id, [...members]]);
  }

  #read(args: readonly string[]): unknown {
    const at = args.indexOf('STREAMS');
    const [key = '', after = ''] = args.slice(at + 1);
    const limit = args[0] === 'COUNT' ? Number(args[1]) : Number.POSITIVE_INFINITY;
    const entries = this.#find(key, 'stream')?.entries ?? [];
    const { atMs, number } = placeOf(after);
    const first = firstFrom(entries, { atMs, number: number + 1 });
    const found = entries.slice(first, first + limit).map(({ id, members }) => [id, [...members]]);
    return found.length === 0 ? null : [[key, found]];
  }
}

function placeOf(id: string): Place {
  const [atMs = 0, number = 0] = id.split('-').map(Number);
  return { atMs, number };
}

/**
 * The index of the first entry that is not before a place. Entries are in their order, and most questions are about the
 * last ones.
 */
function firstFrom(entries: readonly Place[], { atMs, number }: Place): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const entry = entries[middle]!;
    if (entry.atMs < atMs || (entry.atMs === atMs && entry.number < number)) low = middle + 1;
    else high = middle;
  }
  return low;
}
