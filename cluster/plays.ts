import { type Clock, sleep } from '../src/clock.ts';
import { eventually } from '../test/support/eventually.ts';
import type { Load } from './load.ts';
import type { LocalCluster } from './local-cluster.ts';
import type { ClusterView } from './look.ts';
import type { NodeProcess } from './node-process.ts';

/** Tells what happens, in a sentence. */
export type Tell = (text: string) => void;

/** What a service manager does with a process that died. */
const restartAfterMs = 10_000;
/** nginx leaves a node alone for two seconds after it could not be asked; see ops/nginx/mdapi.conf. */
const betweenNodesMs = 3_000;
const readyWithinMs = 60_000;

export const playKeys = {
  k: 'kill the leader (-9)',
  f: 'freeze or thaw it',
  r: 'kill or start Redis',
  p: 'kill or start PostgreSQL',
  d: 'deploy: restart the API nodes in turn',
  l: 'start or stop a small load',
} as const;

type PlayKey = keyof typeof playKeys;

/** What somebody does to the cluster, and what comes of it. One of each at a time. */
export class Plays {
  readonly #cluster: LocalCluster;
  readonly #clock: Clock;
  readonly #load: Load;
  readonly #tell: Tell;
  readonly #ended: AbortSignal;
  readonly #busy = new Set<PlayKey>();
  #view: ClusterView | undefined;
  #leader: string | undefined;
  #fence: number | undefined;
  #frozen: NodeProcess | undefined;
  /** When the leader was last done harm. */
  #harmedAtMs: number | undefined;

  constructor(cluster: LocalCluster, clock: Clock, load: Load, tell: Tell, ended: AbortSignal) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#load = load;
    this.#tell = tell;
    this.#ended = ended;
  }

  /** Whether this key does something. What it does goes on by itself, and its failures are told. */
  press(key: string): boolean {
    if (!isPlayKey(key)) return false;
    if (this.#busy.has(key)) {
      this.#tell(`still at it: ${playKeys[key]}`);
      return true;
    }
    this.#busy.add(key);
    this.#play(key)
      .catch((error: Error) => this.#ended.aborted || this.#tell(`failed: ${error.message}`))
      .finally(() => this.#busy.delete(key));
    return true;
  }

  /** Is told of every look. Tells who leads when that is another, or under another number, than before. */
  saw(view: ClusterView): void {
    this.#view = view;
    const { leader, fence } = view;
    if (leader === undefined || fence === undefined) return;
    if (leader === this.#leader && fence === this.#fence) return;
    this.#leader = leader;
    this.#fence = fence;
    const sinceMs = this.#harmedAtMs === undefined ? undefined : this.#clock.monotonicMs() - this.#harmedAtMs;
    this.#harmedAtMs = undefined;
    const later = sinceMs === undefined ? '' : `, ${(sinceMs / 1_000).toFixed(1)} s later`;
    this.#tell(`${leader} leads${later} (fencing number ${fence})`);
  }

  async #play(key: PlayKey): Promise<void> {
    if (key === 'k') await this.#killLeader();
    if (key === 'f') this.#freezeOrThaw();
    if (key === 'r') await this.#toggle(this.#cluster.redis, 'prices stand still and each node counts by itself');
    if (key === 'p') await this.#toggle(this.#cluster.postgres, 'all is served from memory');
    if (key === 'd') await this.#deploy();
    if (key === 'l') this.#toggleLoad();
  }

  #leading(): NodeProcess | undefined {
    const leader = this.#view?.leader;
    const node = this.#cluster.nodes.find(({ name }) => name === leader);
    if (node === undefined) this.#tell('nobody leads at the moment');
    return node;
  }

  async #killLeader(): Promise<void> {
    const node = this.#leading();
    if (node === undefined) return;
    this.#harmedAtMs = this.#clock.monotonicMs();
    await node.kill();
    this.#tell(
      `${node.name} was killed; it is started again in ${restartAfterMs / 1_000} s, as a service manager would`,
    );
    void this.#restartLater(node);
  }

  async #restartLater(node: NodeProcess): Promise<void> {
    await sleep(this.#clock, restartAfterMs, this.#ended);
    if (this.#ended.aborted) return;
    await node.start();
    this.#tell(`${node.name} was started again; it stands by`);
  }

  #freezeOrThaw(): void {
    if (this.#frozen?.isFrozen) {
      this.#frozen.thaw();
      this.#tell(`${this.#frozen.name} goes on; its fencing number is refused if another leads by now`);
      this.#frozen = undefined;
      return;
    }
    const node = this.#leading();
    if (node === undefined) return;
    this.#harmedAtMs = this.#clock.monotonicMs();
    node.freeze();
    this.#frozen = node;
    this.#tell(`${node.name} stands still; f has it go on`);
  }

  async #toggle(server: LocalCluster['redis'], meanwhile: string): Promise<void> {
    await server.toggle();
    this.#tell(server.isUp ? `${server.name} is back` : `${server.name} was killed: ${meanwhile}`);
  }

  async #deploy(): Promise<void> {
    const nodes = this.#cluster.nodes.filter(({ role }) => role === 'api');
    for (const node of nodes) {
      this.#tell(`${node.name} is restarted`);
      await node.stop();
      await node.start();
      await eventually(`${node.name} is ready`, () => this.#ended.aborted || isReady(node), readyWithinMs);
      await sleep(this.#clock, betweenNodesMs, this.#ended);
      if (this.#ended.aborted) return;
    }
    this.#tell('all API nodes were restarted');
  }

  #toggleLoad(): void {
    this.#load.toggle();
    this.#tell(this.#load.isOn ? 'a small load has begun, one of its clients asks too often' : 'the load has ended');
  }
}

function isPlayKey(key: string): key is PlayKey {
  return key in playKeys;
}

async function isReady(node: NodeProcess): Promise<boolean> {
  const answer = await fetch(`${node.adminUrl}/readyz`).catch(() => undefined);
  await answer?.arrayBuffer();
  return answer?.ok === true;
}
