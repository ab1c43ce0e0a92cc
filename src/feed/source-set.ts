import { isDeepStrictEqual } from 'node:util';
import type { ExchangeConnector } from './connector.ts';
import type { FeedSupervisor } from './supervisor.ts';

/** A source as it is configured, as far as it decides what runs. */
interface SetSource {
  readonly id: string;
  readonly kind: string;
  readonly isPaused: boolean;
}

/** A supervisor as far as a set asks anything of it. */
type SetSupervisor = Pick<FeedSupervisor, 'retime'>;

/** A source with what runs it. Each runs once. */
export interface RunningSource<
  Config extends SetSource = SetSource,
  Supervisor extends SetSupervisor = FeedSupervisor,
> {
  readonly config: Config;
  readonly connector: ExchangeConnector;
  readonly supervisor: Supervisor;
  /** The supervisor, and what reads an engine's stream. */
  readonly parts: readonly { start(): void; stop(): void | Promise<void> }[];
}

/** The number in an engine's heartbeat proves that no price of it is missing. */
export const engineKinds: ReadonlySet<string> = new Set(['push', 'redis-stream']);
/**
 * Where another source can take over, a dead connection and prices that stop must be found out within its five seconds.
 */
const severalTiming = { takeoverAfterMs: 4_000, steadyPauseMaxMs: 1_500 };

/** The sources of a feed. */
export class SourceSet<Config extends SetSource, Supervisor extends SetSupervisor = FeedSupervisor> {
  readonly #make: (config: Config) => RunningSource<Config, Supervisor>;
  readonly #aloneTakeoverAfterMs: number;
  #isStarted = false;
  /** In order of preference. */
  all: readonly RunningSource<Config, Supervisor>[] = [];
  /** By id. The same object always, as are the connectors. */
  readonly supervisors = new Map<string, Supervisor>();
  /** The connectors of sources that are not paused. */
  readonly connectors: ExchangeConnector[] = [];

  /** @param aloneTakeoverAfterMs `takeoverAfterMs` where no other source can take over */
  constructor(
    configs: readonly Config[],
    make: (config: Config) => RunningSource<Config, Supervisor>,
    aloneTakeoverAfterMs: number,
  ) {
    this.#make = make;
    this.#aloneTakeoverAfterMs = aloneTakeoverAfterMs;
    this.replace(configs);
  }

  /**
   * A source that stays as it is keeps its connection; one that is gone, paused or another now loses it at once.
   * Returns those.
   */
  replace(configs: readonly Config[]): readonly RunningSource<Config, Supervisor>[] {
    const before = this.all;
    this.all = configs.map(
      (config) => before.find((each) => isDeepStrictEqual(each.config, config)) ?? this.#make(config),
    );
    const gone = this.#isStarted ? before.filter((each) => !this.all.includes(each)) : [];
    for (const each of gone) void stop(each);
    const active = this.all.filter(({ config }) => !config.isPaused);
    this.supervisors.clear();
    for (const { config, supervisor } of this.all) this.supervisors.set(config.id, supervisor);
    this.connectors.splice(0, this.connectors.length, ...active.map(({ connector }) => connector));
    const alone = { takeoverAfterMs: this.#aloneTakeoverAfterMs, steadyPauseMaxMs: 0 };
    const timing = active.length < 2 ? alone : severalTiming;
    for (const { config, supervisor } of active)
      supervisor.retime(engineKinds.has(config.kind) ? { ...timing, steadyPauseMaxMs: 0 } : timing);
    if (this.#isStarted) for (const each of active) if (!before.includes(each)) start(each);
    return gone;
  }

  start(): void {
    this.#isStarted = true;
    for (const each of this.all) start(each);
  }

  /** Resolves when nothing is read any more. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    await Promise.all(this.all.map(stop));
  }
}

type Startable = Pick<RunningSource, 'config' | 'parts'>;

function start({ config, parts }: Startable): void {
  if (!config.isPaused) for (const part of parts) part.start();
}

async function stop({ config, parts }: Startable): Promise<void> {
  if (!config.isPaused) await Promise.all(parts.map((part) => part.stop()));
}
