alter table record_segment add column if not exists digest bytea, add column if not exists root bytea

create table if not exists record_sign (chain integer primary key, at_ms bigint not null)

create table if not exists record_journal (
  chain integer not null, place bigint not null, data bytea not null, primary key (chain, place)
)

create table if not exists record_ledger (
  number bigint primary key, kind text not null, text text not null, hash bytea not null
)
