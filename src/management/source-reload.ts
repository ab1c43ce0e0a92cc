import { isDeepStrictEqual } from 'node:util';
import type { Configuration } from '../configuration/configuration.ts';
import { ConfigurationError } from '../configuration/load.ts';
import type { Log } from '../log.ts';
import { SerialQueue } from '../serial-queue.ts';
import type { Store } from '../store/store.ts';
import { Problem } from './problems.ts';

type Sources = Pick<Configuration, 'sources' | 'pricing'>;

interface SourceReloadParts {
  /** The one that the service started with. */
  readonly configuration: Configuration;
  /** Reads it again. Throws `ConfigurationError`, also for what only a restart changes; `undefined` where it was not read from anywhere. */
  readonly reread?: (() => Promise<Configuration>) | undefined;
  readonly feed: { reconfigure(next: Configuration, renewed: ReadonlySet<string>): Promise<void> };
  readonly store: Store;
  readonly log: Log;
}

export type SourceChanges = ReturnType<typeof sourceChanges>;

/** Takes over the sources of the configuration while the service runs: all that changed, or, where any of it is refused, nothing. */
export class SourceReload {
  readonly #parts: SourceReloadParts;
  #running: Configuration;
  readonly #queue = new SerialQueue();

  constructor(parts: SourceReloadParts) {
    this.#parts = parts;
    this.#running = parts.configuration;
  }

  /** Throws a `Problem` that says what is refused. @param store its actor is who the audit log says did it */
  run(store: Pick<Store, 'audit'> = this.#parts.store): Promise<SourceChanges> {
    return this.#queue.run(() => this.#run(store));
  }

  /** The same for a signal, which only the log can answer. */
  async bySignal(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      const { log } = this.#parts;
      if (error instanceof Problem) log.warn({ reason: error.message }, 'the sources stay as they are');
      else log.error({ err: error }, 'the sources could not be reloaded and stay as they are');
    }
  }

  async #run({ audit }: Pick<Store, 'audit'>): Promise<SourceChanges> {
    const { feed, log } = this.#parts;
    const next = await this.#read();
    const changes = sourceChanges(this.#running, next);
    const summary = summaryOf(changes);
    if (summary === undefined) return changes;
    await audit.record({
      action: 'sources.reload',
      subject: { kind: 'source', id: 'sources' },
      summary: `Reloaded the sources: ${summary}.`,
      details: { ...changes },
    });
    await feed.reconfigure(next, new Set(changes.changed));
    this.#running = next;
    log.info({ ...changes }, 'the sources were reloaded');
    return changes;
  }

  async #read(): Promise<Configuration> {
    const { reread } = this.#parts;
    if (reread === undefined) throw new Problem('CONFLICT', 'This service has no configuration to read again.');
    try {
      return await reread();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      const errors = error.problems.map(({ where, key, what }) => ({ field: key ?? where, message: what }));
      throw new Problem('CONFLICT', `The configuration is refused, and nothing was changed. ${error.message}`, {
        errors,
      });
    }
  }
}

/** Compares what is configured with what runs. */
function sourceChanges(before: Sources, after: Sources) {
  const known = new Map(before.sources.map((source) => [source.id, source]));
  const stay = after.sources.filter(({ id }) => known.has(id));
  const idsOf = (sources: Sources['sources']) => sources.map(({ id }) => id);
  const turned = (isPaused: boolean) =>
    stay.filter((source) => source.isPaused === isPaused && known.get(source.id)!.isPaused !== isPaused);
  const isRemaining = ({ id }: Sources['sources'][number]) => after.sources.some((source) => source.id === id);
  const [own, ownBefore] = [after.pricing.sources, before.pricing.sources];
  const markets = [...new Set([...ownBefore.keys(), ...own.keys()])];
  return {
    sources: idsOf(after.sources),
    added: idsOf(after.sources.filter(({ id }) => !known.has(id))),
    removed: idsOf(before.sources.filter((source) => !isRemaining(source))),
    changed: idsOf(
      stay.filter((source) => !isDeepStrictEqual({ ...known.get(source.id), isPaused: source.isPaused }, source)),
    ),
    paused: idsOf(turned(true)),
    resumed: idsOf(turned(false)),
    reordered: !isDeepStrictEqual(idsOf(stay), idsOf(before.sources.filter(isRemaining))),
    markets: markets.filter((symbol) => !isDeepStrictEqual(own.get(symbol), ownBefore.get(symbol))),
  };
}

/** `added bitvavo; paused kraken`; `undefined` where nothing changed. */
function summaryOf({ sources, reordered, ...named }: SourceChanges): string | undefined {
  const parts = Object.entries(named).flatMap(([name, ids]) => (ids.length === 0 ? [] : [`${name} ${ids.join(', ')}`]));
  if (reordered) parts.push(`order ${sources.join(', ')}`);
  return parts.length === 0 ? undefined : parts.join('; ');
}
