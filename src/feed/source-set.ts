import { isDeepStrictEqual } from 'node:util';
import type { ExchangeConnector } from './connector.ts';
import type { FeedSupervisor } from './supervisor.ts';

/** A source as it is configured, as far as it decides what runs. */
interface SetSource {
  readonly id: string;
  readonly kind: string;
  readonly isPaused: boolean;
}

/** A source with what runs it. Each runs once. */
export interface RunningSource<Config extends SetSource = SetSource> {
  readonly config: Config;
  readonly connector: ExchangeConnector;
  readonly supervisor: FeedSupervisor;
  /** Reads what an engine writes to a stream. */
  readonly reader: { start(): void; stop(): Promise<void> } | undefined;
}

/** The number in an engine's heartbeat proves that no price of it is missing. */
export const engineKinds: ReadonlySet<string> = new Set(['push', 'redis-stream']);
/** Where another source can take over, a dead connection and prices that stop must be found out within its five seconds. */
const severalTiming = { silentAfterMs: 4_000, steadyPauseMaxMs: 1_500 };

/** The sources of a feed, in order of preference. */
export class SourceSet<Config extends SetSource> {
  readonly #make: (config: Config) => RunningSource<Config>;
  readonly #aloneSilentAfterMs: number;
  #all: readonly RunningSource<Config>[] = [];
  #isStarted = false;
  /** By id. The same object always, as are the connectors. */
  readonly supervisors = new Map<string, FeedSupervisor>();
  /** The connectors of sources that are not paused. */
  readonly connectors: ExchangeConnector[] = [];

  /** @param aloneSilentAfterMs `silentAfterMs` where no other source can take over */
  constructor(configs: readonly Config[], make: (config: Config) => RunningSource<Config>, aloneSilentAfterMs: number) {
    this.#make = make;
    this.#aloneSilentAfterMs = aloneSilentAfterMs;
    this.replace(configs);
  }

  get all(): readonly RunningSource<Config>[] {
    return this.#all;
  }

  /** A source that stays as it is keeps its connection; one that is gone, paused or another now loses it at once. */
  replace(configs: readonly Config[]): void {
    const before = this.#all;
    this.#all = configs.map(
      (config) => before.find((each) => isDeepStrictEqual(each.config, config)) ?? this.#make(config),
    );
    for (const gone of this.#isStarted ? before : []) if (!this.#all.includes(gone)) void stop(gone);
    const active = this.#all.filter(({ config }) => !config.isPaused);
    this.supervisors.clear();
    for (const { config, supervisor } of this.#all) this.supervisors.set(config.id, supervisor);
    this.connectors.splice(0, this.connectors.length, ...active.map(({ connector }) => connector));
    for (const { config, supervisor } of active) {
      const { silentAfterMs, steadyPauseMaxMs } = severalTiming;
      const isAlone = active.length < 2;
      supervisor.retime({
        silentAfterMs: isAlone ? this.#aloneSilentAfterMs : silentAfterMs,
        steadyPauseMaxMs: isAlone || engineKinds.has(config.kind) ? 0 : steadyPauseMaxMs,
      });
    }
    if (this.#isStarted) for (const each of active) if (!before.includes(each)) start(each);
  }

  start(): void {
    this.#isStarted = true;
    for (const each of this.#all) start(each);
  }

  /** Resolves when nothing is read any more. */
  async stop(): Promise<void> {
    this.#isStarted = false;
    await Promise.all(this.#all.map(stop));
  }
}

function start({ config, supervisor, reader }: RunningSource): void {
  if (config.isPaused) return;
  supervisor.start();
  reader?.start();
}

async function stop({ config, supervisor, reader }: RunningSource): Promise<void> {
  if (config.isPaused) return;
  supervisor.stop();
  await reader?.stop();
}
