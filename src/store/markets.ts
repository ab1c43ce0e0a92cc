import type { Selectable, SqlBool } from 'kysely';
import type { EpochMs } from '../ground/clock.ts';
import { sql } from './kysely.ts';
import { type RecordOf, recordOf } from './record.ts';
import type { MarketTable } from './schema.ts';
import { type AuditChange, StorePart, yieldToEvents } from './store-context.ts';
import { StoreError, type StoreErrorValues } from './store-error.ts';

/** A market as a server knows it after a catalogue load. */
export type MarketToSave = Omit<
  MarketRecord,
  'operatorPaused' | 'heldAt' | 'acceptedAt' | 'acceptedSource' | 'updatedAt'
>;

/** Decimals are plain text. */
export interface MarketRecord extends Omit<RecordOf<MarketTable>, 'operatorPaused' | 'missingSince' | 'missingUntil'> {
  readonly operatorPaused: boolean;
  /** The first and the latest of the catalogue loads in a row that lack the market; `undefined` while it is listed. */
  readonly absence: { readonly since: EpochMs; readonly until: EpochMs } | undefined;
}

/** Rows of one insert: few statements to compile, and few enough parameters for either engine. */
const rowsPerStatement = 250;
/** The most markets that one entry of the audit log names. */
const namesKept = 1_000;

export class Markets extends StorePart {
  /**
   * Writes what a catalogue load led to, in one transaction. The operator's pause, and a market that is delisted
   * already, stay as they are.
   */
  upsertMany(markets: readonly MarketToSave[]): Promise<void> {
    const { db, clock } = this.context;
    const now = clock.now();
    // In one order everywhere: two servers that each held a row the other needs would deadlock.
    const rows = markets.toSorted((a, b) => (a.symbol < b.symbol ? -1 : 1)).map((market) => columnsOf(market, now));
    const columns = Object.keys(rows[0] ?? {}) as (keyof ReturnType<typeof columnsOf>)[];
    return db.transaction().execute(async (trx) => {
      for (let start = 0; start < rows.length; start += rowsPerStatement) {
        await trx
          .insertInto('markets')
          .values(rows.slice(start, start + rowsPerStatement))
          .onConflict((conflict) =>
            conflict
              .column('symbol')
              .doUpdateSet(({ ref }) => Object.fromEntries(columns.map((name) => [name, ref(`excluded.${name}`)])))
              .where('markets.delisted_at_ms', 'is', null),
          )
          .execute();
        await yieldToEvents();
      }
    });
  }

  /** All ever seen, by symbol, delisted ones among them. */
  async list(): Promise<readonly MarketRecord[]> {
    return (await this.context.db.selectFrom('markets').selectAll().orderBy('symbol').execute()).map(marketOf);
  }

  /** Throws `market_unknown`, `market_delisted`. Setting what is set changes nothing. */
  setOperatorPaused(symbol: string, paused: boolean): Promise<MarketRecord> {
    return this.#change(symbol, paused ? 'pause' : 'resume', { operator_paused: paused ? 1 : 0 });
  }

  /**
   * Since `heldAt`, or no longer. A market that is on hold stays so since when it was. Throws `market_unknown`,
   * `market_delisted`.
   */
  setHeld(symbol: string, heldAt: EpochMs | undefined): Promise<MarketRecord> {
    return this.#change(symbol, heldAt === undefined ? 'release' : 'hold', { held_at_ms: heldAt ?? null });
  }

  /** Holds every market that is not delisted, or releases it. Gives how many changed. */
  setAllHeld(heldAt: EpochMs | undefined): Promise<number> {
    return this.#changeAll(heldAt === undefined ? 'release' : 'hold', { held_at_ms: heldAt ?? null });
  }

  /**
   * Pauses every market of the exchange that is not delisted, and with it those converted from it, or ends every pause.
   * Gives how many changed.
   */
  setAllPaused(paused: boolean): Promise<number> {
    return this.#changeAll(paused ? 'pause' : 'resume', { operator_paused: paused ? 1 : 0 });
  }

  /**
   * Takes what is doubted of a market now, of one source or of whichever is. Throws `market_unknown`,
   * `market_delisted`.
   */
  acceptDoubted(symbol: string, at: EpochMs, source?: string): Promise<MarketRecord> {
    return this.#change(symbol, 'accept', { accepted_at_ms: at, accepted_source: source ?? null });
  }

  /**
   * Final, unless no longer due once the store lets it write. `reason` is a phrase for the audit log. Throws
   * `market_unknown`, `market_delisted`.
   */
  delist(symbol: string, at: EpochMs, reason?: string, isDue?: () => boolean): Promise<MarketRecord> {
    return this.#change(symbol, 'delist', { delisted_at_ms: at }, reason, isDue);
  }

  /**
   * Removes markets that never were any, and those converted from them, unless an operator decided on one. Gives how
   * many went.
   */
  forget(symbols: readonly string[]): Promise<number> {
    const { db, audit } = this.context;
    return db.transaction().execute(async (trx) => {
      const gone: string[] = [];
      for (let start = 0; start < symbols.length; start += rowsPerStatement) {
        const some = symbols.slice(start, start + rowsPerStatement);
        const rows = await trx
          .deleteFrom('markets')
          .where(({ or, eb }) => or([eb('symbol', 'in', some), eb('via', 'in', some)]))
          .where(({ and, eb }) =>
            and([eb('operator_paused', '=', 0), eb('delisted_at_ms', 'is', null), eb('held_at_ms', 'is', null)]),
          )
          .returning('symbol')
          .execute();
        for (const { symbol } of rows) gone.push(symbol);
        await yieldToEvents();
      }
      const summary = `Removed ${gone.length} markets that never had a price and are listed as ended.`;
      const subject = { kind: 'market', id: 'all' } as const;
      const details = { count: gone.length, symbols: gone.toSorted().slice(0, namesKept) };
      if (gone.length > 0) await audit(trx, { action: 'market.forget', summary, subject, details });
      return gone.length;
    });
  }

  #change(
    symbol: string,
    verb: keyof typeof sentences,
    change: Control,
    reason?: string,
    isDue = () => true,
  ): Promise<MarketRecord> {
    const { transact, clock, audit } = this.context;
    return transact(async (trx) => {
      const asked = trx.selectFrom('markets').selectAll().where('symbol', '=', symbol);
      const before = await asked.forUpdate().executeTakeFirst();
      if (before === undefined) throw marketUnknown({ symbol });
      if (before.delisted_at_ms !== null) throw marketDelisted({ symbol });
      const { operator_paused: paused, held_at_ms: heldAt } = change;
      const isHeldAlready = heldAt !== undefined && (heldAt === null) === (before.held_at_ms === null);
      const isPausedAlready = paused === before.operator_paused;
      if (isHeldAlready || isPausedAlready) return marketOf(before);
      if (!isDue()) return marketOf(before);
      const row = await trx
        .updateTable('markets')
        .set({ ...change, updated_at_ms: clock.now() })
        .where('symbol', '=', symbol)
        .returningAll()
        .executeTakeFirstOrThrow();
      await audit(trx, entryOf(symbol, verb, change, reason));
      return marketOf(row);
    });
  }

  #changeAll(verb: keyof typeof changeable, change: Control): Promise<number> {
    const { db, clock, audit } = this.context;
    return db.transaction().execute(async (trx) => {
      const changed = await trx
        .updateTable('markets')
        .set({ ...change, updated_at_ms: clock.now() })
        .where('delisted_at_ms', 'is', null)
        .where(changeable[verb])
        .returning('symbol')
        .execute();
      const summary = `${sentences[verb]} all ${changed.length} markets that were not.`;
      const subject = { kind: 'market', id: 'all' } as const;
      const details = { count: changed.length };
      if (changed.length > 0) await audit(trx, { action: `market.${verb}`, summary, subject, details });
      return changed.length;
    });
  }
}

/** How the audit log begins to say what an operator did. */
const sentences = {
  pause: 'Paused trading of',
  resume: 'Resumed trading of',
  hold: 'Held the prices of',
  release: 'Released the prices of',
  accept: 'Accepted what was doubted of',
  delist: 'Delisted',
} as const;

/** Which markets a change of all is for. */
const changeable = {
  pause: sql<SqlBool>`operator_paused = 0 and via is null`,
  resume: sql<SqlBool>`operator_paused = 1`,
  hold: sql<SqlBool>`held_at_ms is null`,
  release: sql<SqlBool>`held_at_ms is not null`,
} as const;

/** An operator's decision about a market. */
type Control = Partial<
  Pick<
    Selectable<MarketTable>,
    'operator_paused' | 'delisted_at_ms' | 'held_at_ms' | 'accepted_at_ms' | 'accepted_source'
  >
>;

function entryOf(symbol: string, verb: keyof typeof sentences, change: Control, reason?: string): AuditChange {
  const { accepted_source: source, delisted_at_ms: delistedAt } = change;
  const ofSource = source == null ? '' : ` from ${source}`;
  const forGood = delistedAt == null ? '' : ', for good';
  const because = reason === undefined ? '' : `: ${reason}`;
  const entry: AuditChange = {
    action: `market.${verb}`,
    subject: { kind: 'market', id: symbol },
    summary: `${sentences[verb]} ${symbol}${ofSource}${forGood}${because}.`,
  };
  if (source != null) return { ...entry, details: { source } };
  return delistedAt == null ? entry : { ...entry, details: { delistedAtMs: delistedAt, reason: reason ?? null } };
}

function columnsOf(market: MarketToSave, now: EpochMs) {
  return {
    symbol: market.symbol,
    base: market.base,
    quote: market.quote,
    via: market.via ?? null,
    upstream_status: market.upstreamStatus,
    price_precision: market.pricePrecision,
    amount_precision: market.amountPrecision,
    tick_size: market.tickSize,
    min_order_size: market.minOrderSize,
    min_order_value: market.minOrderValue ?? null,
    missing_since_ms: market.absence?.since ?? null,
    missing_until_ms: market.absence?.until ?? null,
    delisted_at_ms: market.delistedAt ?? null,
    updated_at_ms: now,
  };
}

function marketOf(row: Selectable<MarketTable>): MarketRecord {
  const { missingSince: since, missingUntil: until, operatorPaused, ...record } = recordOf(row);
  const absence = since === undefined || until === undefined ? undefined : { since, until };
  return { ...record, operatorPaused: operatorPaused === 1, absence };
}

export function marketUnknown(values: StoreErrorValues['market_unknown']) {
  return new StoreError('market_unknown', values, `There is no market ${values.symbol}. See \`mdapi markets list\`.`);
}

export function marketDelisted(values: StoreErrorValues['market_delisted']) {
  return new StoreError('market_delisted', values, `The market ${values.symbol} is delisted, which is final.`);
}
