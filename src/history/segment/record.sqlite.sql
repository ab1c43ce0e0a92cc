create table if not exists segment (
  chain integer not null, number integer not null, run integer not null, kind text not null,
  first_ms integer not null, last_ms integer not null, count integer not null,
  low_request integer not null, high_request integer not null, keyframe integer not null,
  hash blob not null, previous blob not null, bytes integer not null, place integer not null,
  digest blob, root blob,
  unique (chain, number)
);
create table if not exists chunk (id integer primary key, data blob not null);
create index if not exists segment_span on segment (kind, chain, last_ms, first_ms, number);
create index if not exists segment_requests on segment (run, low_request) where kind = 'servings';
create table if not exists run (
  run integer primary key, chain integer not null, started_ms integer not null, request_key blob not null
);
create table if not exists hold (
  id integer primary key autoincrement, from_ms integer not null, to_ms integer not null, reason text not null
);
create table if not exists deletion (
  chain integer not null, first integer not null, last integer not null, hash text not null, until_ms integer not null,
  unique (chain, first)
);
create table if not exists sign (chain integer primary key, at_ms integer not null);
create table if not exists ledger (number integer primary key, kind text not null, text text not null, hash blob not null);
pragma user_version = {form};
