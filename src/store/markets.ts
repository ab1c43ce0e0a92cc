import type { Selectable } from 'kysely';
import type { EpochMs } from '../clock.ts';
import { locked, yieldToEvents } from './engine.ts';
import type { MarketTable } from './schema.ts';
import { StorePart } from './store-context.ts';
import { StoreError } from './store-error.ts';

/** What the catalogue says of a market. Decimals are plain text. */
export interface MarketFacts {
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  /** The symbol this market is converted from; `undefined` for one the upstream lists itself. */
  readonly via: string | undefined;
  readonly upstreamStatus: 'trading' | 'paused';
  readonly pricePrecision: number;
  readonly amountPrecision: number;
  readonly tickSize: string;
  readonly minOrderSize: string;
  readonly minOrderValue: string | undefined;
}

/** A market as a server knows it after a catalogue load. */
export interface MarketToSave extends MarketFacts {
  /** The first and the latest of the catalogue loads in a row that lack the market; `undefined` while it is listed. */
  readonly absence: { readonly since: EpochMs; readonly until: EpochMs } | undefined;
  /** Final once stored. */
  readonly delistedAt: EpochMs | undefined;
}

export interface MarketRecord extends MarketToSave {
  readonly operatorPaused: boolean;
  /** Since when an operator holds what makes its prices. */
  readonly heldAt: EpochMs | undefined;
  /** When an operator last took what the guard held of it. */
  readonly acceptedAt: EpochMs | undefined;
  readonly updatedAt: EpochMs;
}

/** Rows of one insert: few statements to compile, and few enough parameters for either engine. */
const rowsPerStatement = 250;

export class Markets extends StorePart {
  /**
   * Writes what a catalogue load led to, all in one transaction. The operator's pause stays as it is, and a market
   * that is delisted already is not touched.
   */
  upsertMany(markets: readonly MarketToSave[]): Promise<void> {
    const { db, clock } = this.context;
    const now = clock.now();
    // In one order for everybody: two servers that each held a row the other one needs would wait for ever.
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
    return (await this.context.db.selectFrom('markets').selectAll().orderBy('symbol').execute()).map(recordOf);
  }

  /** Throws `market_unknown`, `market_delisted`. Setting what is set changes nothing. */
  setOperatorPaused(symbol: string, paused: boolean): Promise<MarketRecord> {
    return this.#change(symbol, { operator_paused: paused ? 1 : 0 });
  }

  /** Since `heldAt`, or no longer. A market that is on hold stays so since when it was. Throws `market_unknown`, `market_delisted`. */
  setHeld(symbol: string, heldAt: EpochMs | undefined): Promise<MarketRecord> {
    return this.#change(symbol, { held_at_ms: heldAt ?? null });
  }

  /** Holds every market that is not delisted, or releases it. Gives how many changed. */
  setAllHeld(heldAt: EpochMs | undefined): Promise<number> {
    const { db, clock, journal } = this.context;
    return db.transaction().execute(async (trx) => {
      const changed = await trx
        .updateTable('markets')
        .set({ held_at_ms: heldAt ?? null, updated_at_ms: clock.now() })
        .where('delisted_at_ms', 'is', null)
        .where('held_at_ms', heldAt === undefined ? 'is not' : 'is', null)
        .returning('symbol')
        .execute();
      const [action, verb] = heldAt === undefined ? ['market.release', 'Released'] : ['market.hold', 'Held'];
      const summary = `${verb} the prices of all ${changed.length} markets that were not.`;
      if (changed.length > 0) await journal(trx, { action, summary, subject: { kind: 'market', id: 'all' } });
      return changed.length;
    });
  }

  /**
   * Pauses every market of the exchange that is not delisted, with which those converted from it are paused, or ends every pause.
   * Gives how many changed.
   */
  setAllPaused(paused: boolean): Promise<number> {
    const { db, clock, journal } = this.context;
    return db.transaction().execute(async (trx) => {
      const all = trx
        .updateTable('markets')
        .set({ operator_paused: paused ? 1 : 0, updated_at_ms: clock.now() })
        .where('delisted_at_ms', 'is', null)
        .where('operator_paused', '=', paused ? 0 : 1)
        .returning('symbol');
      const changed = await (paused ? all.where('via', 'is', null) : all).execute();
      const [action, verb] = paused ? ['market.pause', 'Paused'] : ['market.resume', 'Resumed'];
      const summary = `${verb} trading of all ${changed.length} markets that were not.`;
      if (changed.length > 0) await journal(trx, { action, summary, subject: { kind: 'market', id: 'all' } });
      return changed.length;
    });
  }

  /** Takes what the guard holds of a market now. Throws `market_unknown`, `market_delisted`. */
  acceptHeld(symbol: string, at: EpochMs): Promise<MarketRecord> {
    return this.#change(symbol, { accepted_at_ms: at });
  }

  /** Final. `reason` is a phrase for the audit log. Throws `market_unknown`, `market_delisted`. */
  delist(symbol: string, at: EpochMs, reason?: string): Promise<MarketRecord> {
    return this.#change(symbol, { delisted_at_ms: at }, reason);
  }

  #change(symbol: string, change: Control, reason?: string): Promise<MarketRecord> {
    const { db, clock, journal } = this.context;
    return db.transaction().execute(async (trx) => {
      const asked = trx.selectFrom('markets').selectAll().where('symbol', '=', symbol);
      const before = await locked(trx, asked, 'markets').executeTakeFirst();
      if (before === undefined) {
        throw new StoreError('market_unknown', `There is no market ${symbol}. See \`mdapi markets list\`.`);
      }
      if (before.delisted_at_ms !== null) {
        throw new StoreError('market_delisted', `The market ${symbol} is delisted, which is final.`);
      }
      const { operator_paused: paused, held_at_ms: heldAt } = change;
      const isHeldAlready = heldAt !== undefined && (heldAt === null) === (before.held_at_ms === null);
      if (isHeldAlready || paused === before.operator_paused) return recordOf(before);
      const row = await trx
        .updateTable('markets')
        .set({ ...change, updated_at_ms: clock.now() })
        .where('symbol', '=', symbol)
        .returningAll()
        .executeTakeFirstOrThrow();
      await journal(trx, { ...entryOf(symbol, change, reason), subject: { kind: 'market', id: symbol } });
      return recordOf(row);
    });
  }
}

/** What an operator decides about a market. */
type Control = Partial<
  Pick<Selectable<MarketTable>, 'operator_paused' | 'delisted_at_ms' | 'held_at_ms' | 'accepted_at_ms'>
>;

function entryOf(
  symbol: string,
  { operator_paused, delisted_at_ms, held_at_ms, accepted_at_ms }: Control,
  reason?: string,
) {
  if (accepted_at_ms !== undefined) {
    return { action: 'market.accept', summary: `Accepted what the guard held of ${symbol}.` };
  }
  if (held_at_ms !== undefined) {
    return held_at_ms === null
      ? { action: 'market.release', summary: `Released the prices of ${symbol}.` }
      : { action: 'market.hold', summary: `Held the prices of ${symbol}.` };
  }
  if (operator_paused === undefined) {
    const details = { delistedAtMs: delisted_at_ms ?? null };
    return {
      action: 'market.delist',
      summary: `Delisted ${symbol}, for good${reason === undefined ? '' : `: ${reason}`}.`,
      details,
    };
  }
  return operator_paused === 1
    ? { action: 'market.pause', summary: `Paused trading of ${symbol}.` }
    : { action: 'market.resume', summary: `Resumed trading of ${symbol}.` };
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

function recordOf(row: Selectable<MarketTable>): MarketRecord {
  return {
    symbol: row.symbol,
    base: row.base,
    quote: row.quote,
    via: row.via ?? undefined,
    upstreamStatus: row.upstream_status,
    pricePrecision: row.price_precision,
    amountPrecision: row.amount_precision,
    tickSize: row.tick_size,
    minOrderSize: row.min_order_size,
    minOrderValue: row.min_order_value ?? undefined,
    operatorPaused: row.operator_paused === 1,
    heldAt: row.held_at_ms ?? undefined,
    acceptedAt: row.accepted_at_ms ?? undefined,
    delistedAt: row.delisted_at_ms ?? undefined,
    absence:
      row.missing_since_ms === null || row.missing_until_ms === null
        ? undefined
        : { since: row.missing_since_ms, until: row.missing_until_ms },
    updatedAt: row.updated_at_ms,
  };
}
