import { type Clock, type Randomness, systemRandomness } from '../src/clock.ts';
import { patientCaller } from '../src/cluster/patient-caller.ts';
import { RedisConnection } from '../src/cluster/redis-connection.ts';
import { type Caller, fenceKey } from '../src/cluster/redis-lease.ts';
import { type Metrics, readMetrics } from '../test/support/metrics-text.ts';
import type { LocalCluster } from './local-cluster.ts';
import type { NodeProcess, Role } from './node-process.ts';
import type { MadeKey } from './secrets.ts';

export type NodeState = 'starting' | 'serving' | 'draining' | 'frozen' | 'silent' | 'dead';

/** One process as it was seen. What it did not say is `undefined`. */
export interface NodeView {
  readonly name: string;
  readonly role: Role;
  readonly pid: number | undefined;
  readonly state: NodeState;
  readonly leads: boolean;
  /** Answered since the look before. */
  readonly requestsPerSecond: number | undefined;
  readonly dataAgeMs: number | undefined;
  /** Whether limits are counted in Redis, or by this process alone. */
  readonly countsInRedis: boolean | undefined;
  readonly storeReachable: boolean | undefined;
}

/** A key's requests in the minute that Redis counts. */
export interface KeyCount {
  readonly label: string;
  readonly lastFour: string;
  readonly used: number;
  readonly limit: number;
}

export interface ClusterView {
  readonly nodes: readonly NodeView[];
  /** The one that leads, by its own word. */
  readonly leader: string | undefined;
  /** The fencing number that may publish; `undefined` while Redis cannot say. */
  readonly fence: number | undefined;
  /** What `/v1/status` says through nginx, or why it does not. */
  readonly publicStatus: string;
  readonly redisIsUp: boolean;
  readonly postgresIsUp: boolean;
  /** `undefined` while Redis cannot say. */
  readonly counts: readonly KeyCount[] | undefined;
}

const patienceMs = 900;
const minuteMs = 60_000;
const counterPrefix = '{mdapi}:limit:key:';

/** Looks at the cluster from outside: the private listeners, the public address, and the counters in Redis. */
export class Looker {
  readonly #cluster: LocalCluster;
  readonly #clock: Clock;
  readonly #connection: RedisConnection;
  readonly #redis: Caller;
  readonly #requests = new Map<string, { readonly total: number; readonly atMs: number }>();
  readonly #seen = new Set<number>();

  constructor(cluster: LocalCluster, clock: Clock, randomness: Randomness = systemRandomness) {
    this.#cluster = cluster;
    this.#clock = clock;
    const address = { host: '127.0.0.1', port: cluster.redisPort, tls: false, user: undefined, password: undefined };
    const observer = { opened: () => {}, lost: () => {} };
    this.#connection = new RedisConnection({ ...address, database: 0 }, clock, randomness, observer);
    this.#redis = patientCaller(this.#connection, clock, patienceMs);
    this.#connection.start();
  }

  stop(): void {
    this.#connection.stop();
  }

  /** Takes about a second at most, whatever does not answer. */
  async look(): Promise<ClusterView> {
    const { nodes, redis, postgres, secrets } = this.#cluster;
    const [views, fence, counts, publicStatus] = await Promise.all([
      Promise.all(nodes.map((node) => this.#lookAt(node))),
      this.#fence(),
      this.#counts([secrets.yours, ...secrets.load]),
      this.#publicStatus(),
    ]);
    const leader = views.find(({ leads }) => leads)?.name;
    return { nodes: views, leader, fence, publicStatus, redisIsUp: redis.isUp, postgresIsUp: postgres.isUp, counts };
  }

  async #lookAt(node: NodeProcess): Promise<NodeView> {
    const { name, role, pid, isFrozen } = node;
    const unknown = { requestsPerSecond: undefined, dataAgeMs: undefined, countsInRedis: undefined };
    const silent = { name, role, pid, leads: false, ...unknown, storeReachable: undefined };
    if (pid === undefined) return { ...silent, state: 'dead' };
    if (isFrozen) return { ...silent, state: 'frozen' };
    try {
      const ask = (path: string) => fetch(node.adminUrl + path, { signal: AbortSignal.timeout(patienceMs) });
      const [text, ready] = await Promise.all([
        ask('/metrics').then((answer) => answer.text()),
        ask('/readyz').then((answer) => answer.json() as Promise<{ phase: NodeState }>),
      ]);
      this.#seen.add(pid);
      return { name, role, pid, state: ready.phase, ...this.#figuresOf(name, pid, readMetrics(text)) };
    } catch {
      return { ...silent, state: this.#seen.has(pid) ? 'silent' : 'starting' };
    }
  }

  #figuresOf(name: string, pid: number, { samples, value }: Metrics) {
    const total = samples
      .filter((sample) => sample.name === 'mdapi_requests_total')
      .reduce((sum, sample) => sum + sample.value, 0);
    const process = `${name} ${pid}`;
    const before = this.#requests.get(process);
    const atMs = this.#clock.monotonicMs();
    this.#requests.set(process, { total, atMs });
    const age = samples.find((sample) => sample.name === 'mdapi_market_data_age_seconds')?.value;
    return {
      leads: value('mdapi_feed_leading') === 1,
      requestsPerSecond: before && (1_000 * (total - before.total)) / (atMs - before.atMs),
      dataAgeMs: age === undefined ? undefined : age * 1_000,
      countsInRedis: value('mdapi_redis_limits_up') === 1,
      storeReachable: value('mdapi_store_reachable') === 1,
    };
  }

  async #fence(): Promise<number | undefined> {
    const fence = await this.#redis(['GET', fenceKey]).catch(() => undefined);
    return typeof fence === 'string' ? Number(fence) : undefined;
  }

  /** A counter's value is its minute and its count; the minute is that of the server's clock. */
  async #counts(keys: readonly MadeKey[]): Promise<readonly KeyCount[] | undefined> {
    try {
      const [seconds] = (await this.#redis(['TIME'])) as [string, string];
      const minute = Math.floor((Number(seconds) * 1_000) / minuteMs);
      const values = (await this.#redis(['MGET', ...keys.map(({ id }) => counterPrefix + id)])) as (string | null)[];
      return keys.map(({ label, lastFour, limitPerMinute }, index) => {
        const [of, count] = (values[index] ?? '').split(':');
        return { label, lastFour, used: Number(of) === minute ? Number(count) : 0, limit: limitPerMinute };
      });
    } catch {
      return undefined;
    }
  }

  async #publicStatus(): Promise<string> {
    const { baseUrl, secrets } = this.#cluster;
    try {
      const headers = { 'X-EXCHANGE-APIKEY': secrets.watching.key };
      const signal = AbortSignal.timeout(patienceMs);
      const answer = await fetch(`${baseUrl}/v1/status`, { headers, signal });
      const body = (await answer.json()) as { status: unknown; code?: string };
      return answer.ok ? String(body.status) : `${answer.status} ${body.code ?? ''}`.trim();
    } catch {
      return 'no answer';
    }
  }
}
