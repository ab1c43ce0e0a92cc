import { refused } from './postgres-errors.ts';
import { type KeptTables, PostgresModel } from './postgres-model.ts';
import type { Session } from './postgres-session.ts';
import type { PostgresClient, PostgresLink } from './postgres-socket.ts';
import { PostgresWire } from './postgres-wire.ts';
import type { Lane } from './scheduler.ts';
import { type StoreTrouble, theWorld } from './world.ts';

/** Each way takes so long, by the seed. */
const wayMs = [0.2, 4] as const;
/** A server that came up takes connections after it. */
const startsWithinMs = 400;
const slowMsMax = 7_000;
/** Of the statements while connections are cut. */
const cutShare = 0.08;
/** Nobody is told how to reach a standby that takes over sooner. */
const takenOverAfterMs = 1_500;
const connectionsMax = 100;

/** The PostgreSQL server of the world: the model, with connections, and what can be wrong with it. Operators come when nothing is. */
export class PostgresServer {
  readonly lane: Lane = theWorld().scheduler.lane('postgres');
  readonly model = new PostgresModel(this.lane.clock);
  readonly #randomness = theWorld().generator('postgres');
  readonly #wayMs = wayMs[0] + (wayMs[1] - wayMs[0]) * this.#randomness.fraction() ** 2;
  readonly #connections = new Set<Connection>();
  /** Processes that cannot reach it. */
  readonly #unreachableFor = new Set<string>();
  #trouble: StoreTrouble | undefined;
  #isDown = false;
  #startedAtMs = Number.NEGATIVE_INFINITY;
  #locking: Session | undefined;

  constructor() {
    this.model.workMs = () => this.#workMs;
  }

  /** Ends what is wrong, and has something else be wrong. @param processes those that cannot reach it, when it is split */
  trouble(trouble: StoreTrouble | undefined, processes: readonly string[] = []): void {
    if (this.#trouble === 'hung') this.lane.thaw();
    if (this.#isDown) this.#start();
    this.model.isStandby = false;
    this.#locking?.end();
    this.#locking = undefined;
    this.#unreachableFor.clear();
    this.#trouble = trouble;
    if (trouble === 'lost') this.#stop();
    if (trouble === 'hung') this.lane.freeze();
    if (trouble === 'locked') this.#lock();
    if (trouble === 'read-only') this.#becomeStandby();
    if (trouble === 'split') for (const name of processes) this.#unreachableFor.add(name);
    for (const connection of [...this.#connections]) if (!this.reaches(connection.lane)) connection.lose();
  }

  /** Another server takes its place, which had not got the latest commits, and takes no change until the trouble ends. @returns how many it lacks */
  failOver(sinceMs: number): number {
    this.trouble('failed over');
    this.#stop();
    const lost = this.model.loseCommitsSince(sinceMs);
    this.model.isStandby = true;
    this.lane.later(takenOverAfterMs, () => this.#start());
    return lost;
  }

  /** Puts what was kept in the place of all, as a restored dump does. */
  restore(kept: KeptTables): void {
    this.#stop();
    this.model.restore(kept);
    this.#start();
  }

  reaches(lane: Lane): boolean {
    return !this.#isDown && !this.#unreachableFor.has(lane.root.name);
  }

  connect(client: PostgresClient): PostgresLink {
    const { lane } = theWorld();
    const connection: Connection = new Connection(this, lane, client, () => this.#connections.delete(connection));
    // A server that hangs takes connections.
    lane.later(2 * this.#wayMs, () => {
      if (connection.isOver) return;
      if (!this.reaches(lane))
        return client.closed(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
      this.#connections.add(connection);
      client.connected();
    });
    return connection;
  }

  get wayMs(): number {
    return this.#wayMs;
  }

  /** Why it takes no connection now. */
  refusal() {
    if (this.lane.clock.monotonicMs() < this.#startedAtMs + startsWithinMs) return refused('57P03');
    return this.model.sessions.length >= connectionsMax
      ? refused('53300', 'sorry, too many clients already')
      : undefined;
  }

  fateOf(lane: Lane) {
    if (this.#trouble !== 'unsteady' || !lane.root.isPatient) return undefined;
    const drawn = this.#randomness.fraction();
    return drawn < cutShare / 2 ? 'lost before' : drawn < cutShare ? 'lost after' : undefined;
  }

  get #workMs(): number {
    if (this.#trouble !== 'slow') return 0;
    return slowMsMax * this.#randomness.fraction() ** 2;
  }

  #stop(): void {
    this.#isDown = true;
    for (const connection of [...this.#connections]) connection.lose();
    for (const session of this.model.sessions) session.end();
  }

  #start(): void {
    if (!this.#isDown) return;
    this.#isDown = false;
    this.#startedAtMs = this.lane.clock.monotonicMs();
  }

  /** Promised to nobody, it is made a standby of another: it ends all connections. */
  #becomeStandby(): void {
    for (const session of this.model.sessions) session.terminate(refused('57P01'));
    this.model.isStandby = true;
  }

  /** Another program locks every table, as a backup that nobody ends. */
  #lock(): void {
    this.#locking = this.model.connect({ notified() {}, ended() {} });
    this.model.lockTables(this.#locking);
  }
}

class Connection implements PostgresLink {
  readonly lane: Lane;
  isOver = false;
  readonly #server: PostgresServer;
  readonly #client: PostgresClient;
  readonly #wire: PostgresWire;
  readonly #ended: () => void;
  readonly #release: () => void;
  #lastAtMs = 0;

  constructor(server: PostgresServer, lane: Lane, client: PostgresClient, ended: () => void) {
    this.#server = server;
    this.lane = lane;
    this.#client = client;
    this.#ended = ended;
    this.#wire = new PostgresWire({
      model: server.model,
      send: (bytes) => this.#arrives(() => this.#client.data(bytes)),
      close: () => this.#arrives(() => this.#client.closed()),
      fateOf: () => server.fateOf(lane),
      refusal: () => server.refusal(),
    });
    this.#release = lane.own(() => this.end());
  }

  send(bytes: Buffer): void {
    this.#server.lane.later(this.#server.wayMs, () => {
      if (!this.isOver) this.#wire.receive(bytes);
    });
  }

  /** The client ends it, or is gone. */
  end(): void {
    if (this.isOver) return;
    this.#over();
    this.#server.lane.later(this.#server.wayMs, () => this.#wire.end());
  }

  /** The network ends it: both sides learn of it. */
  lose(): void {
    if (this.isOver) return;
    this.#over();
    this.#wire.end();
    this.lane.later(this.#server.wayMs, () => {
      this.#client.closed(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
    });
  }

  #over(): void {
    this.isOver = true;
    this.#release();
    this.#ended();
  }

  #arrives(run: () => void): void {
    const { nowMs } = theWorld();
    this.#lastAtMs = Math.max(this.#lastAtMs, nowMs + this.#server.wayMs);
    this.lane.later(this.#lastAtMs - nowMs, () => {
      if (!this.isOver) run();
    });
  }
}
