import { isDeepStrictEqual } from 'node:util';
import type { Static } from 'typebox';
import type { Configuration } from '../configuration/configuration.ts';
import { ConfigurationError } from '../configuration/load.ts';
import type { Log } from '../ground/log.ts';
import { SerialQueue } from '../ground/serial-queue.ts';
import { coded, line, listOf } from '../operator/fields.ts';
import type { Store } from '../store/store.ts';
import { Problem } from './problems.ts';

const source = line('The id of a source.', 'kraken', 32);

/** Whose audit log says what was done. */
interface Audited {
  readonly audit: Pick<Store['audit'], 'record'>;
}

interface SourceReloadParts {
  /** The one that the service started with. */
  readonly configuration: Configuration;
  /**
   * Reads it again. Throws `ConfigurationError`, also for what only a restart changes; `undefined` where it was not
   * read from anywhere.
   */
  readonly reread?: (() => Promise<Configuration>) | undefined;
  readonly feed: { reconfigure(next: Configuration, renewed: ReadonlySet<string>): Promise<void> };
  readonly store: Audited;
  readonly log: Log;
}

/** A change of the sources, by its code. */
export const SourceChangeSchema = coded('SourceChangeCode', 'A change of the sources.', {
  added: { source },
  removed: { source },
  changed: { source },
  paused: { source },
  resumed: { source },
  order: { sources: listOf(source, 'All of them, in order of preference.', 50) },
  'pricing.sources': {},
});

export type SourceChange = Static<typeof SourceChangeSchema>;

/** The ids of the sources in order of preference, and what is not as before, in words and by codes. */
export interface SourceChanges {
  readonly sources: string[];
  readonly changes: string[];
  readonly changeCodes: SourceChange[];
}

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

  async #run({ audit }: Audited): Promise<SourceChanges> {
    const { feed, log } = this.#parts;
    const next = await this.#read();
    const done = sourceChanges(this.#running, next);
    if (done.changes.length === 0) return done;
    const summary = `Reloaded the sources: ${done.changes.join('; ')}.`;
    await audit.record({
      action: 'sources.reload',
      subject: { kind: 'source', id: 'sources' },
      summary,
      details: { ...done },
    });
    const renewed = done.changeCodes.flatMap(({ code, values }) => (code === 'changed' ? values.source : []));
    await feed.reconfigure(next, new Set(renewed));
    this.#running = next;
    log.info(done, 'the sources were reloaded');
    return done;
  }

  async #read(): Promise<Configuration> {
    const { reread } = this.#parts;
    if (reread === undefined) {
      const said = { code: 'configuration_none', values: {} } as const;
      throw new Problem('CONFLICT', 'This service has no configuration to read again.', { said });
    }
    try {
      return await reread();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      const errors = error.problems.map(({ where, key, what }) => ({ field: key ?? where, message: what }));
      const detail = `The configuration is refused, and nothing was changed. ${error.message}`;
      const said = { code: 'configuration_refused', values: { why: error.message } } as const;
      throw new Problem('CONFLICT', detail, { errors, said });
    }
  }
}

function sourceChanges(before: Configuration, after: Configuration): SourceChanges {
  const known = new Map(before.sources.map((each) => [each.id, each]));
  const sources = after.sources.map(({ id }) => id);
  const changeCodes = after.sources.flatMap((each): SourceChange[] => {
    const { id, isPaused } = each;
    const values = { source: id };
    const was = known.get(id);
    if (was === undefined) return [{ code: 'added', values }];
    const changed: SourceChange[] = isDeepStrictEqual({ ...was, isPaused }, each) ? [] : [{ code: 'changed', values }];
    if (was.isPaused === isPaused) return changed;
    return [...changed, { code: isPaused ? 'paused' : 'resumed', values }];
  });
  for (const id of known.keys())
    if (!sources.includes(id)) changeCodes.push({ code: 'removed', values: { source: id } });
  if (!isDeepStrictEqual(sources, [...known.keys()])) changeCodes.push({ code: 'order', values: { sources } });
  if (!isDeepStrictEqual(before.pricing.sources, after.pricing.sources))
    changeCodes.push({ code: 'pricing.sources', values: {} });
  return { sources, changes: changeCodes.map(changeText), changeCodes };
}

function changeText({ code, values }: SourceChange): string {
  if (code === 'pricing.sources') return code;
  return `${code} ${code === 'order' ? values.sources.join(', ') : values.source}`;
}
