create table record_identity (id text not null, form integer not null)

insert into record_identity values (substr(md5(random()::text || clock_timestamp()::text), 1, 8), {form})

create table record_chain (chain integer generated always as identity primary key)

create table record_segment (
  chain integer not null, number bigint not null, run integer not null, kind text not null,
  first_ms bigint not null, last_ms bigint not null, count integer not null,
  low_request bigint not null, high_request bigint not null, keyframe bigint not null,
  hash bytea not null, previous bytea not null, bytes integer not null, data bytea not null,
  primary key (chain, number, first_ms)
) partition by range (first_ms)

-- Segments are compressed already, so that the engine stores them as they are.
alter table record_segment alter column data set storage external

create index record_segment_span on record_segment (kind, chain, last_ms, first_ms, number)

create index record_segment_requests on record_segment (run, low_request) where kind = 'servings'

create table record_run (
  run integer generated always as identity primary key, chain integer not null, started_ms bigint not null,
  request_key bytea not null
)

create table record_hold (
  id integer generated always as identity primary key, from_ms bigint not null, to_ms bigint not null,
  reason text not null
)

create table record_deletion (
  chain integer not null, first bigint not null, last bigint not null, hash text not null, until_ms bigint not null,
  primary key (chain, first)
)
