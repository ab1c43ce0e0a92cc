import { isDeepStrictEqual } from 'node:util';
import type { Configuration } from '../configuration/configuration.ts';
import { ConfigurationError } from '../configuration/load.ts';
import type { Log } from '../ground/log.ts';
import { SerialQueue } from '../ground/serial-queue.ts';
import type { Store } from '../store/store.ts';
import { Problem } from './problems.ts';

interface SourceReloadParts {
  /** The one that the service started with. */
  readonly configuration: Configuration;
  /**
   * Reads it again. Throws `ConfigurationError`, also for what only a restart changes; `undefined` where it was not
   * read from anywhere.
   */
  readonly reread?: (() => Promise<Configuration>) | undefined;
  readonly feed: { reconfigure(next: Configuration, renewed: ReadonlySet<string>): Promise<void> };
  readonly store: Pick<Store, 'audit'>;
  readonly log: Log;
}

/** The ids of the sources in order of preference, and what is not as before, in words. */
export type SourceChanges = Record<'sources' | 'changes', string[]>;

/**
 * Takes over the sources of the configuration while the service runs: all that changed, or, where any of it is refused,
 * nothing.
 */
export class SourceReload {
  readonly #parts: SourceReloadParts;
  #running: Configuration;
  readonly #queue = new SerialQueue();

  constructor(parts: SourceReloadParts) {
    this.#parts = parts;
    this.#running = parts.configuration;
  }

  /** Throws a `Problem` that says what is refused. @param store its actor is who the audit log says did it */
  async run(store = this.#parts.store): Promise<SourceChanges> {
    try {
      return await this.#queue.run(() => this.#run(store));
    } catch (error) {
      const why = error instanceof Problem ? { reason: error.message } : { err: error };
      this.#parts.log.warn(why, 'the sources were not reloaded and stay as they are');
      throw error;
    }
  }

  async #run({ audit }: Pick<Store, 'audit'>): Promise<SourceChanges> {
    const { feed, log } = this.#parts;
    const next = await this.#read();
    const done = sourceChanges(this.#running, next);
    if (done.changes.length === 0) return done;
    const summary = `Reloaded the sources: ${done.changes.join('; ')}.`;
    await audit.record({
      action: 'sources.reload',
      subject: { kind: 'source', id: 'sources' },
      summary,
      details: done,
    });
    const renewed = done.sources.filter((id) => done.changes.includes(`changed ${id}`));
    await feed.reconfigure(next, new Set(renewed));
    this.#running = next;
    log.info(done, 'the sources were reloaded');
    return done;
  }

  async #read(): Promise<Configuration> {
    const { reread } = this.#parts;
    if (reread === undefined) throw new Problem('CONFLICT', 'This service has no configuration to read again.');
    try {
      return await reread();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      const errors = error.problems.map(({ where, key, what }) => ({ field: key ?? where, message: what }));
      const detail = `The configuration is refused, and nothing was changed. ${error.message}`;
      throw new Problem('CONFLICT', detail, { errors });
    }
  }
}

function sourceChanges(before: Configuration, after: Configuration): SourceChanges {
  const known = new Map(before.sources.map((source) => [source.id, source]));
  const sources = after.sources.map(({ id }) => id);
  const changes = after.sources.flatMap((source) => {
    const { id, isPaused } = source;
    const was = known.get(id);
    if (was === undefined) return [`added ${id}`];
    const turned = was.isPaused === isPaused ? [] : [`${isPaused ? 'paused' : 'resumed'} ${id}`];
    return isDeepStrictEqual({ ...was, isPaused }, source) ? turned : [`changed ${id}`, ...turned];
  });
  for (const id of known.keys()) if (!sources.includes(id)) changes.push(`removed ${id}`);
  if (!isDeepStrictEqual(sources, [...known.keys()])) changes.push(`order ${sources.join(', ')}`);
  if (!isDeepStrictEqual(before.pricing.sources, after.pricing.sources)) changes.push('pricing.sources');
  return { sources, changes };
}
