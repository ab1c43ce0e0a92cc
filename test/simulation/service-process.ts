import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfiguration } from '../../src/configuration/load.ts';
import type { Randomness } from '../../src/ground/clock.ts';
import type { Log } from '../../src/ground/log.ts';
import { type Service, startService } from '../../src/main.ts';
import { openStore } from '../../src/store/store.ts';
import type { Release } from './release.ts';
import type { Lane } from './scheduler.ts';
import type { World } from './world.ts';

/** Whoever runs the service starts a process again that could not start. */
const restartAfterMs = 10_000;
/** They ask again so long after it would not take its configuration. */
const reloadAgainAfterMs = 5_000;

/** The former release refuses to start with them. */
const unknownToFormer: readonly string[] = ['rates.compare'];
const own: Release = { loadConfiguration, startService, openStore };

/** A process of the service as `main.ts` makes it, in a lane of its own. */
export class ServiceProcess {
  readonly name: string;
  readonly #world: World;
  readonly #directory: string;
  #settings: Readonly<Record<string, string>>;
  readonly #randomness: Randomness;
  /** How far its machine's clock is off, which a restart does not mend. */
  #offMs = 0;
  #rate = 1;
  #lane: Lane | undefined;
  #service: Service | undefined;
  #isStopping = false;
  #startsAgain = false;
  /** When it was last started, killed, thawed or its clock was set. */
  disturbedAtMs = 0;
  killedAtMs = Number.NEGATIVE_INFINITY;
  /** When it was last told of other sources, or of another order. */
  reloadedAtMs = 0;
  /** The last time that it froze, and that it thawed. */
  frozenAtMs = 0;
  thawedAtMs = 0;

  /** Called whenever it has begun to serve. */
  began: (() => void) | undefined;
  readonly only: 'feed' | 'api' | undefined;
  /** From its next start on it runs the former release. */
  isFormer: boolean;
  readonly #former: Release | undefined;
  #release = own;

  /**
   * @param directory with the database that it shares with the others
   * @param only this part of the service
   * @param former what it runs at first
   */
  constructor(
    world: World,
    name: string,
    directory: string,
    settings: Readonly<Record<string, string>>,
    only?: 'feed' | 'api',
    former?: Release,
  ) {
    this.#former = former;
    this.isFormer = former !== undefined;
    this.only = only;
    this.name = name;
    this.#world = world;
    this.#directory = directory;
    this.#settings = settings;
    this.#randomness = world.generator(name);
    mkdirSync(directory, { recursive: true });
  }

  get isRunning(): boolean {
    return this.#lane?.isDead === false;
  }

  get isServing(): boolean {
    return this.isRunning && this.#service !== undefined;
  }

  get isFrozen(): boolean {
    return this.#lane?.isFrozen === true;
  }

  get offMs(): number {
    return this.lane?.offMs ?? this.#offMs;
  }

  get isDrifting(): boolean {
    return this.#rate !== 1;
  }

  get lane(): Lane | undefined {
    return this.isRunning ? this.#lane : undefined;
  }

  start(): void {
    if (this.#isStopping) this.#startsAgain = true;
    if (this.isRunning) return;
    const lane = this.#world.scheduler.lane(this.name);
    lane.isPatient = true;
    lane.stepClock(this.#offMs);
    lane.drift(this.#rate);
    this.#lane = lane;
    this.#service = undefined;
    this.#release = (this.isFormer && this.#former) || own;
    this.#disturbed(this.#release === own ? 'starts' : 'starts as the former release');
    lane.later(0, () => {
      const options = { clock: lane.clock, randomness: this.#randomness, log: this.#log(lane), version: '1.0.0' };
      const reread = async () => this.configuration();
      this.#release.startService({ ...options, configuration: this.configuration(), reread, only: this.only }).then(
        (service) => {
          this.#service = service;
          // It waited for its store, maybe, and takes what the others know only now.
          this.#disturbed('serves');
          this.began?.();
        },
        (error: Error) => {
          this.#world.note(
            this.name,
            `does not start: ${error.message.split('\n')[0]!.replaceAll(this.#directory, '/var/lib/mdapi')}`,
          );
          this.kill();
          this.#world.scheduler.lane('supervisor').later(restartAfterMs, () => this.start());
        },
      );
    });
  }

  configuration() {
    const variable = (key: string) =>
      `MDAPI_${key
        .replaceAll(/([A-Z])/g, '_$1')
        .replaceAll('.', '_')
        .toUpperCase()}`;
    const isKnown = (key: string) => this.#release === own || !unknownToFormer.includes(key);
    const known = Object.entries(this.#settings).filter(([key]) => isKnown(key));
    const environment = known.map(([key, value]) => [variable(key), value]);
    const env = Object.fromEntries(environment) as Record<string, string>;
    const readFile = () => {
      throw Object.assign(new Error('no file'), { code: 'ENOENT' });
    };
    return this.#release.loadConfiguration({ flags: [], env, cwd: join(this.#directory), readFile }).configuration;
  }

  kill(): void {
    if (!this.isRunning) return;
    this.#offMs = this.offMs;
    this.#lane?.kill();
    // One that does not start has told nobody anything.
    if (this.#service !== undefined || this.#isStopping) this.killedAtMs = this.#world.nowMs;
    this.#isStopping = false;
    this.#disturbed('is killed');
  }

  /** Ends it in order, as a signal does. */
  stop(): void {
    const [lane, service] = [this.#lane, this.#service];
    if (lane === undefined || service === undefined || lane.isDead) return;
    this.#disturbed('is stopped');
    this.#service = undefined;
    this.#isStopping = true;
    this.#startsAgain = false;
    const ended = () => {
      this.#isStopping = false;
      this.#offMs = lane.offMs;
      lane.kill();
      if (this.#startsAgain) this.start();
    };
    lane.later(0, () => {
      service.stop().then(ended, (error: Error) => {
        this.#world.note(this.name, `stopped late: ${error.message}`);
        ended();
      });
    });
  }

  freeze(): void {
    this.frozenAtMs = this.#world.nowMs;
    this.lane?.freeze();
    this.#disturbed('freezes');
  }

  thaw(): void {
    if (!this.isFrozen) return;
    this.lane?.thaw();
    this.thawedAtMs = this.#world.nowMs;
    this.#disturbed('thaws');
  }

  /** Sets its clock so far off the true time. */
  setClock(offMs: number): void {
    this.lane?.stepClock(offMs - this.offMs);
    this.#offMs = offMs;
    this.#disturbed(`has its clock set ${offMs} ms off`);
  }

  /** @param rate seconds of its clocks in one of the world */
  drift(rate: number): void {
    this.#rate = rate;
    this.lane?.drift(rate);
    this.#disturbed(`has its clocks run ${rate} times as fast`);
  }

  /** Has it read its configuration again, as a signal does. */
  reload(settings: Readonly<Record<string, string>>): void {
    this.#settings = { ...this.#settings, ...settings };
    this.#reload();
  }

  /** Again where it is refused. */
  #reload(): void {
    this.reloadedAtMs = this.#world.nowMs;
    const [lane, service] = [this.lane, this.#service];
    const again = () => {
      if (service === this.#service) this.#reload();
    };
    if (service !== undefined)
      lane?.later(0, () => void service.reload().catch(() => lane.later(reloadAgainAfterMs, again)));
  }

  #disturbed(what: string): void {
    this.disturbedAtMs = this.#world.nowMs;
    this.#world.note(this.name, what);
  }

  #log(lane: Lane): Log {
    const write = (level: string) => (fields: object, message: string) => {
      if (lane.isDead) return;
      const { err, ...rest } = fields as { err?: Error };
      const more = JSON.stringify({ ...rest, ...(err && { err: err.message }) });
      // Its name is another in each run.
      const told = `${message} ${more}`.replaceAll(this.#directory, '/var/lib/mdapi');
      this.#world.note(this.name, `${level} ${told.slice(0, 300)}`);
    };
    return { debug() {}, info: write('info'), warn: write('warn'), error: write('error') };
  }
}
