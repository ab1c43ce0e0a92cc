import { type Kysely, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../store-context.ts';

/** They record what changed, whichever program changed it. */
export async function triggersFor(db: Kysely<unknown>): Promise<readonly RawBuilder<unknown>[]> {
  return engineOf(db) === 'postgres' ? await postgresTriggers(db) : sqliteTriggers;
}

/** The channel on which the triggers announce that something changed (`NOTIFY`). The tables say what. */
export const changeChannel = 'mdapi_changes';

/**
 * Makes triggers that do what `sqliteTriggers` do, for each statement rather than for each row.
 *
 * Changes of access are numbered from the row `access` of `change_versions`, not from a sequence. Whoever raises it holds its row until the end of
 * the transaction, so that the next writer waits: numbers become visible in their own order and without gaps, and a reader who has seen a number has
 * seen all before it. A sequence would hand out numbers at once, and one of a transaction that commits late would be passed over.
 *
 * The functions run with the rights of the schema's owner: another program needs rights on the tables it writes, and none on the bookkeeping. They
 * name the schema they were made in, so that a caller's search path cannot lead them elsewhere.
 */
async function postgresTriggers(db: Kysely<unknown>): Promise<readonly RawBuilder<unknown>[]> {
  return [...functions.map(functionIn(await schemaOf(db))), ...statementTriggers];
}

/** The function of a trigger that raises the version of a topic. */
export async function raiseFunction(db: Kysely<unknown>, name: string, topic: string): Promise<RawBuilder<unknown>> {
  return functionIn(await schemaOf(db))({ name, body: raise(topic, 'true') });
}

async function schemaOf(db: Kysely<unknown>): Promise<string> {
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db);
  return rows[0]!.schema;
}

interface TriggerFunction {
  readonly name: string;
  /** PL/pgSQL. */
  readonly body: string;
}

function functionIn(schema: string): (made: TriggerFunction) => RawBuilder<unknown> {
  return ({ name, body }) => sql`create function ${sql.id(name)}() returns trigger language plpgsql
    security definer set search_path = ${sql.id(schema)}, pg_temp as ${sql.lit(body)}`;
}

/**
 * Numbers and records the digests that `found` gives (digest, place), and wakes the listeners. The statement after the
 * lock sees everything that was committed before it.
 */
const record = (found: string) => `
declare
  added bigint;
begin
  if exists (${found}) then
    perform from change_versions where topic = 'access' for update;
    insert into access_changes (seq, digest)
      select version + row_number() over (order by place), found.digest
      from (${found}) as found (digest, place), change_versions where topic = 'access';
    get diagnostics added = row_count;
    update change_versions set version = version + added where topic = 'access';
    perform pg_notify('${changeChannel}', '');
  end if;
  return null;
end`;

/** Raises the version of a topic when `condition` holds, and wakes the listeners. */
const raise = (topic: string, condition: string) => `
begin
  if ${condition} then
    update change_versions set version = version + 1 where topic = '${topic}';
    perform pg_notify('${changeChannel}', '');
  end if;
  return null;
end`;

const isControlled = 'operator_paused = 1 or coalesce(delisted_at_ms, held_at_ms, accepted_at_ms) is not null';
const controlsDiffer = `exists (select from old_rows full join new_rows using (symbol)
    where old_rows.operator_paused is distinct from new_rows.operator_paused
      or old_rows.delisted_at_ms is distinct from new_rows.delisted_at_ms
      or old_rows.held_at_ms is distinct from new_rows.held_at_ms
      or old_rows.accepted_at_ms is distinct from new_rows.accepted_at_ms)`;
/** Each digest once: replaced ones first, then those that hold now. */
const digestsOfBoth = `select digest, max(place) from (
    select digest, seq - 1e18 from old_rows union all select digest, seq from new_rows
  ) as both_rows (digest, place) group by digest`;
const digestsOfAccounts = `select api_keys.digest, api_keys.seq from old_rows
    join new_rows using (id) join api_keys on api_keys.account_id = new_rows.id where old_rows.active <> new_rows.active`;

const functions: readonly TriggerFunction[] = [
  { name: 'record_new_keys', body: record('select digest, seq from new_rows') },
  { name: 'record_changed_keys', body: record(digestsOfBoth) },
  { name: 'record_deleted_keys', body: record('select digest, seq from old_rows') },
  { name: 'record_all_keys', body: record('select digest, seq from api_keys') },
  { name: 'record_keys_of_accounts', body: record(digestsOfAccounts) },
  {
    name: 'raise_market_controls_new',
    body: raise('market_controls', `exists (select from new_rows where ${isControlled})`),
  },
  { name: 'raise_market_controls_changed', body: raise('market_controls', controlsDiffer) },
  { name: 'raise_market_controls', body: raise('market_controls', 'true') },
  { name: 'raise_maintenance_windows', body: raise('maintenance_windows', 'true') },
];

const fresh = sql`referencing new table as new_rows`;
const both = sql`referencing old table as old_rows new table as new_rows`;
const gone = sql`referencing old table as old_rows`;
const nothing = sql``;

function trigger(name: string, when: string, table: string, rows: RawBuilder<unknown>, run: string) {
  return sql`create trigger ${sql.id(name)} ${sql.raw(when)} on ${sql.id(table)} ${rows}
    for each statement execute function ${sql.id(run)}()`;
}

const windows = 'maintenance_windows';

/** An account that has keys can be neither deleted nor given another id: the foreign key of its keys refuses it. */
const statementTriggers: readonly RawBuilder<unknown>[] = [
  trigger('api_keys_inserted', 'after insert', 'api_keys', fresh, 'record_new_keys'),
  trigger('api_keys_updated', 'after update', 'api_keys', both, 'record_changed_keys'),
  trigger('api_keys_deleted', 'after delete', 'api_keys', gone, 'record_deleted_keys'),
  trigger('api_keys_truncated', 'before truncate', 'api_keys', nothing, 'record_all_keys'),
  trigger('accounts_updated', 'after update', 'accounts', both, 'record_keys_of_accounts'),
  trigger('markets_inserted', 'after insert', 'markets', fresh, 'raise_market_controls_new'),
  trigger('markets_updated', 'after update', 'markets', both, 'raise_market_controls_changed'),
  trigger('markets_deleted', 'after delete', 'markets', nothing, 'raise_market_controls'),
  trigger('markets_truncated', 'before truncate', 'markets', nothing, 'raise_market_controls'),
  ...['insert', 'update', 'delete', 'truncate'].map((change) =>
    trigger(`${windows}_${change}`, `after ${change}`, windows, nothing, 'raise_maintenance_windows'),
  ),
];

/**
 * The digest is recorded, not the key's id: a digest that was deleted or replaced must be forgotten by every server, and nothing else still holds it.
 * The `before` trigger is for `insert or replace`, whose silent deletion fires no `delete` trigger.
 */
const rowTriggers: readonly RawBuilder<unknown>[] = [
  sql`create trigger api_keys_replaced before insert on api_keys begin
    insert into access_changes (digest) select digest from api_keys where id = new.id;
  end`,
  sql`create trigger api_keys_inserted after insert on api_keys begin
    insert into access_changes (digest) values (new.digest);
  end`,
  sql`create trigger api_keys_updated after update on api_keys begin
    insert into access_changes (digest) select old.digest where old.digest is not new.digest;
    insert into access_changes (digest) values (new.digest);
  end`,
  sql`create trigger api_keys_deleted after delete on api_keys begin
    insert into access_changes (digest) values (old.digest);
  end`,
  sql`create trigger accounts_inserted after insert on accounts begin
    insert into access_changes (digest) select digest from api_keys where account_id = new.id;
  end`,
  sql`create trigger accounts_updated after update on accounts
    when old.active is not new.active or old.id is not new.id begin
    insert into access_changes (digest) select digest from api_keys where account_id in (old.id, new.id);
  end`,
  sql`create trigger accounts_deleted after delete on accounts begin
    insert into access_changes (digest) select digest from api_keys where account_id = old.id;
  end`,
];

const raiseMarketControls = sql`update change_versions set version = version + 1 where topic = 'market_controls'`;
const raiseWindows = sql`update change_versions set version = version + 1 where topic = 'maintenance_windows'`;

/** Only what an operator decides counts as a market control, so that catalogue loads of the feed are no change. */
const topicTriggers: readonly RawBuilder<unknown>[] = [
  sql`create trigger markets_inserted after insert on markets
    when new.operator_paused = 1 or coalesce(new.delisted_at_ms, new.held_at_ms, new.accepted_at_ms) is not null begin ${raiseMarketControls}; end`,
  sql`create trigger markets_updated after update on markets
    when old.operator_paused is not new.operator_paused or old.delisted_at_ms is not new.delisted_at_ms
      or old.held_at_ms is not new.held_at_ms or old.accepted_at_ms is not new.accepted_at_ms
    begin ${raiseMarketControls}; end`,
  sql`create trigger markets_deleted after delete on markets begin ${raiseMarketControls}; end`,
  sql`create trigger maintenance_windows_inserted after insert on maintenance_windows begin ${raiseWindows}; end`,
  sql`create trigger maintenance_windows_updated after update on maintenance_windows begin ${raiseWindows}; end`,
  sql`create trigger maintenance_windows_deleted after delete on maintenance_windows begin ${raiseWindows}; end`,
];

const sqliteTriggers: readonly RawBuilder<unknown>[] = [...rowTriggers, ...topicTriggers];
