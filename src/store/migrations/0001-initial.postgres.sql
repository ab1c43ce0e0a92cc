-- Triggers that do what those for SQLite do, for each statement rather than for each row.
--
-- Changes of access are numbered from the row `access` of `change_versions`, not from a sequence. Whoever raises it holds its row until the end of
-- the transaction, so that the next writer waits: numbers become visible in their own order and without gaps, and a reader who has seen a number has
-- seen all before it. A sequence would hand out numbers at once, and one of a transaction that commits late would be passed over.
--
-- The functions run with the rights of the schema's owner: another program needs rights on the tables it writes, and none on the bookkeeping. They
-- name the schema they were made in, so that a caller's search path cannot lead them elsewhere.
--
-- Each function `record_…` numbers and records the digests of one query (digest, place), and wakes the listeners. The statement after the lock sees
-- everything that was committed before it.
create function record_new_keys() returns trigger language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare
  added bigint;
begin
  if exists (select digest, seq from new_rows) then
    perform from change_versions where topic = 'access' for update;
    insert into access_changes (seq, digest)
      select version + row_number() over (order by place), found.digest
      from (select digest, seq from new_rows) as found (digest, place), change_versions where topic = 'access';
    get diagnostics added = row_count;
    update change_versions set version = version + added where topic = 'access';
    perform pg_notify('mdapi_changes', '');
  end if;
  return null;
end
$$;

-- Each digest once: replaced ones first, then those that hold now.
create function record_changed_keys() returns trigger language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare
  added bigint;
begin
  if exists (select digest, max(place) from (
    select digest, seq - 1e18 from old_rows union all select digest, seq from new_rows
  ) as both_rows (digest, place) group by digest) then
    perform from change_versions where topic = 'access' for update;
    insert into access_changes (seq, digest)
      select version + row_number() over (order by place), found.digest
      from (select digest, max(place) from (
    select digest, seq - 1e18 from old_rows union all select digest, seq from new_rows
  ) as both_rows (digest, place) group by digest) as found (digest, place), change_versions where topic = 'access';
    get diagnostics added = row_count;
    update change_versions set version = version + added where topic = 'access';
    perform pg_notify('mdapi_changes', '');
  end if;
  return null;
end
$$;

create function record_deleted_keys() returns trigger language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare
  added bigint;
begin
  if exists (select digest, seq from old_rows) then
    perform from change_versions where topic = 'access' for update;
    insert into access_changes (seq, digest)
      select version + row_number() over (order by place), found.digest
      from (select digest, seq from old_rows) as found (digest, place), change_versions where topic = 'access';
    get diagnostics added = row_count;
    update change_versions set version = version + added where topic = 'access';
    perform pg_notify('mdapi_changes', '');
  end if;
  return null;
end
$$;

create function record_all_keys() returns trigger language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare
  added bigint;
begin
  if exists (select digest, seq from api_keys) then
    perform from change_versions where topic = 'access' for update;
    insert into access_changes (seq, digest)
      select version + row_number() over (order by place), found.digest
      from (select digest, seq from api_keys) as found (digest, place), change_versions where topic = 'access';
    get diagnostics added = row_count;
    update change_versions set version = version + added where topic = 'access';
    perform pg_notify('mdapi_changes', '');
  end if;
  return null;
end
$$;

create function record_keys_of_accounts() returns trigger language plpgsql security definer set search_path = {schema}, pg_temp as $$
declare
  added bigint;
begin
  if exists (select api_keys.digest, api_keys.seq from old_rows
    join new_rows using (id) join api_keys on api_keys.account_id = new_rows.id where old_rows.active <> new_rows.active) then
    perform from change_versions where topic = 'access' for update;
    insert into access_changes (seq, digest)
      select version + row_number() over (order by place), found.digest
      from (select api_keys.digest, api_keys.seq from old_rows
    join new_rows using (id) join api_keys on api_keys.account_id = new_rows.id where old_rows.active <> new_rows.active) as found (digest, place), change_versions where topic = 'access';
    get diagnostics added = row_count;
    update change_versions set version = version + added where topic = 'access';
    perform pg_notify('mdapi_changes', '');
  end if;
  return null;
end
$$;

-- Each function `raise_…` raises the version of a topic, and wakes the listeners.
create function raise_market_controls_new() returns trigger language plpgsql security definer set search_path = {schema}, pg_temp as $$
begin
  if exists (select from new_rows where operator_paused = 1 or coalesce(delisted_at_ms, held_at_ms, accepted_at_ms) is not null) then
    update change_versions set version = version + 1 where topic = 'market_controls';
    perform pg_notify('mdapi_changes', '');
  end if;
  return null;
end
$$;

create function raise_market_controls_changed() returns trigger language plpgsql security definer set search_path = {schema}, pg_temp as $$
begin
  if exists (select from old_rows full join new_rows using (symbol)
    where old_rows.operator_paused is distinct from new_rows.operator_paused
      or old_rows.delisted_at_ms is distinct from new_rows.delisted_at_ms
      or old_rows.held_at_ms is distinct from new_rows.held_at_ms
      or old_rows.accepted_at_ms is distinct from new_rows.accepted_at_ms) then
    update change_versions set version = version + 1 where topic = 'market_controls';
    perform pg_notify('mdapi_changes', '');
  end if;
  return null;
end
$$;

create function raise_market_controls() returns trigger language plpgsql security definer set search_path = {schema}, pg_temp as $$
begin
  if true then
    update change_versions set version = version + 1 where topic = 'market_controls';
    perform pg_notify('mdapi_changes', '');
  end if;
  return null;
end
$$;

create function raise_maintenance_windows() returns trigger language plpgsql security definer set search_path = {schema}, pg_temp as $$
begin
  if true then
    update change_versions set version = version + 1 where topic = 'maintenance_windows';
    perform pg_notify('mdapi_changes', '');
  end if;
  return null;
end
$$;

create trigger api_keys_inserted after insert on api_keys referencing new table as new_rows
  for each statement execute function record_new_keys();

create trigger api_keys_updated after update on api_keys referencing old table as old_rows new table as new_rows
  for each statement execute function record_changed_keys();

create trigger api_keys_deleted after delete on api_keys referencing old table as old_rows
  for each statement execute function record_deleted_keys();

create trigger api_keys_truncated before truncate on api_keys
  for each statement execute function record_all_keys();

-- An account that has keys can be neither deleted nor given another id: the foreign key of its keys refuses it.
create trigger accounts_updated after update on accounts referencing old table as old_rows new table as new_rows
  for each statement execute function record_keys_of_accounts();

create trigger markets_inserted after insert on markets referencing new table as new_rows
  for each statement execute function raise_market_controls_new();

create trigger markets_updated after update on markets referencing old table as old_rows new table as new_rows
  for each statement execute function raise_market_controls_changed();

create trigger markets_deleted after delete on markets
  for each statement execute function raise_market_controls();

create trigger markets_truncated before truncate on markets
  for each statement execute function raise_market_controls();

create trigger maintenance_windows_insert after insert on maintenance_windows
  for each statement execute function raise_maintenance_windows();

create trigger maintenance_windows_update after update on maintenance_windows
  for each statement execute function raise_maintenance_windows();

create trigger maintenance_windows_delete after delete on maintenance_windows
  for each statement execute function raise_maintenance_windows();

create trigger maintenance_windows_truncate after truncate on maintenance_windows
  for each statement execute function raise_maintenance_windows();
