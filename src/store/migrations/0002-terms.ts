import { type Kysely, type Migration, type RawBuilder, sql } from 'kysely';
import { engineOf } from '../store-context.ts';
import { raiseFunction } from './triggers.ts';

/** Dated terms, and tokens that may only read prices. */
export const termsMigration: Migration = {
  async up(db) {
    const steps = engineOf(db) === 'postgres' ? await postgresSteps(db) : sqliteSteps;
    for (const statement of steps) await statement.execute(db);
  },
};

const table = (text: RawBuilder<unknown>) => sql`create table terms (
  id ${text} primary key not null,
  from_ms bigint not null,
  scope ${text} not null constraint terms_scope check (scope in ('service', 'quote', 'market')),
  subject ${text} not null,
  fee_percent ${text},
  margin_percent ${text},
  price_precision ${text},
  rounding ${text} constraint terms_rounding check (rounding in ('outward', 'nearest', 'inherit')),
  created_at_ms bigint not null,
  cancelled_at_ms bigint,
  constraint terms_subject check ((scope = 'service') = (subject = '')),
  constraint terms_value check (coalesce(fee_percent, margin_percent, price_precision, rounding) is not null)
)`;
const topic = sql`insert into change_versions (topic, version) values ('terms', 0)`;
const roles = sql`check (role in ('prices', 'read-only', 'support', 'operator', 'admin'))`;

const raise = sql`update change_versions set version = version + 1 where topic = 'terms'`;

/** SQLite cannot change a constraint: the table is made anew. Nothing refers to it. */
const sqliteSteps: readonly RawBuilder<unknown>[] = [
  table(sql`text`),
  topic,
  ...['insert', 'update', 'delete'].map(
    (change) => sql`create trigger ${sql.id(`terms_${change}`)} after ${sql.raw(change)} on terms begin ${raise}; end`,
  ),
  sql`create table new_operator_tokens (
    id text primary key not null,
    name text not null,
    digest text not null unique,
    role text not null constraint operator_tokens_role ${roles},
    created_at_ms bigint not null,
    expires_at_ms bigint,
    revoked_at_ms bigint,
    last_used_at_ms bigint
  )`,
  sql`insert into new_operator_tokens (id, name, digest, role, created_at_ms, expires_at_ms, revoked_at_ms, last_used_at_ms)
    select id, name, digest, role, created_at_ms, expires_at_ms, revoked_at_ms, last_used_at_ms from operator_tokens`,
  sql`drop table operator_tokens`,
  sql`alter table new_operator_tokens rename to operator_tokens`,
  sql`create unique index operator_tokens_name on operator_tokens (name) where revoked_at_ms is null`,
];

async function postgresSteps(db: Kysely<unknown>): Promise<readonly RawBuilder<unknown>[]> {
  return [
    table(sql`text collate "C"`),
    topic,
    await raiseFunction(db, 'raise_terms', 'terms'),
    ...['insert', 'update', 'delete', 'truncate'].map(
      (change) => sql`create trigger ${sql.id(`terms_${change}`)} after ${sql.raw(change)} on terms
        for each statement execute function raise_terms()`,
    ),
    sql`alter table operator_tokens drop constraint operator_tokens_role`,
    sql`alter table operator_tokens add constraint operator_tokens_role ${roles}`,
  ];
}
