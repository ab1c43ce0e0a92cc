import type { EpochMs } from '../ground/clock.ts';
import type { Database } from './schema.ts';
import { Snapshots } from './snapshots.ts';
import { StorePart } from './store-context.ts';

/** Decisions on the list of one source, by symbol. */
export interface ListDecisionRecord {
  readonly source: string;
  /** New markets that were accepted last, however many they are at once. */
  readonly accepted: readonly string[];
  /** New markets that are never offered. */
  readonly rejected: readonly string[];
  /** Markets that are not delisted for what the list lacked until `keptAt`. */
  readonly kept: readonly string[];
  readonly keptAt: EpochMs;
}

const snapshotName = 'listDecisions';
/** Several whole lists; the oldest go. */
const namesMax = 50_000;

/** Keeps operators' decisions on the lists of sources. A change counts as one of the operator's market controls. */
export class ListDecisions extends StorePart {
  list(): Promise<readonly ListDecisionRecord[]> {
    return this.#read(this.context.db);
  }

  /** New markets of a source are offered, also where they were rejected before. */
  accept(source: string, symbols: readonly string[]): Promise<void> {
    const names = new Set(symbols);
    return this.#change(source, 'accept', symbols, (before) => ({
      ...before,
      accepted: symbols,
      rejected: before.rejected.filter((symbol) => !names.has(symbol)),
    }));
  }

  /** New markets of a source are never offered. */
  reject(source: string, symbols: readonly string[]): Promise<void> {
    const names = new Set(symbols);
    return this.#change(source, 'reject', symbols, (before) => ({
      ...before,
      accepted: before.accepted.filter((symbol) => !names.has(symbol)),
      rejected: [...new Set([...before.rejected, ...symbols])].slice(-namesMax),
    }));
  }

  /** Markets that the list has lacked until `keptAt` are not delisted for it. */
  keep(source: string, symbols: readonly string[], keptAt: EpochMs): Promise<void> {
    return this.#change(source, 'keep', symbols, (before) => ({
      ...before,
      kept: [...new Set([...before.kept, ...symbols])].slice(-namesMax),
      keptAt,
    }));
  }

  #change(
    source: string,
    verb: keyof typeof sentences,
    symbols: readonly string[],
    change: (before: ListDecisionRecord) => ListDecisionRecord,
  ): Promise<void> {
    const { db, clock, audit } = this.context;
    return db.transaction().execute(async (trx) => {
      // First: it holds back another change until this one is written.
      await trx
        .updateTable('change_versions')
        .set(({ eb }) => ({ version: eb('version', '+', 1) }))
        .where('topic', '=', 'market_controls')
        .execute();
      const before = await this.#read(trx);
      const own = before.find((each) => each.source === source) ?? undecided(source);
      const after = [...before.filter((each) => each.source !== source), change(own)];
      await new Snapshots({ db: trx, clock }).save(snapshotName, JSON.stringify(after));
      const [sentence, action] = sentences[verb];
      await audit(trx, {
        action,
        subject: { kind: 'source', id: source },
        summary: `${sentence} ${source}: ${namesText(symbols)}.`,
        details: { count: symbols.length, first: symbols.slice(0, auditedMax), decision: verb },
      });
    });
  }

  async #read(db: Database): Promise<readonly ListDecisionRecord[]> {
    const { clock } = this.context;
    const stored = await new Snapshots({ db, clock }).load(snapshotName);
    return stored === undefined ? [] : (JSON.parse(stored.payload) as ListDecisionRecord[]);
  }
}

/** Names that an entry of the audit log gives. */
const auditedMax = 20;

const sentences = {
  accept: ['Accepted new markets of', 'catalogue.accept'],
  reject: ['Rejected new markets of', 'catalogue.reject'],
  keep: ['Kept markets that are missing from the list of', 'catalogue.reject'],
} as const;

function undecided(source: string): ListDecisionRecord {
  return { source, accepted: [], rejected: [], kept: [], keptAt: 0 as EpochMs };
}

function namesText(symbols: readonly string[]): string {
  const more = symbols.length - 5;
  return `${symbols.slice(0, 5).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
