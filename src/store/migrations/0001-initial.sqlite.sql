-- They record what changed, whichever program changed it. The digest is recorded, not the key's id: a digest that was deleted or replaced must be
-- forgotten by every server, and nothing else still holds it. This `before` trigger is for `insert or replace`, whose silent deletion fires no
-- `delete` trigger.
create trigger api_keys_replaced before insert on api_keys begin
  insert into access_changes (digest) select digest from api_keys where id = new.id;
end;

create trigger api_keys_inserted after insert on api_keys begin
  insert into access_changes (digest) values (new.digest);
end;

create trigger api_keys_updated after update on api_keys begin
  insert into access_changes (digest) select old.digest where old.digest is not new.digest;
  insert into access_changes (digest) values (new.digest);
end;

create trigger api_keys_deleted after delete on api_keys begin
  insert into access_changes (digest) values (old.digest);
end;

create trigger accounts_inserted after insert on accounts begin
  insert into access_changes (digest) select digest from api_keys where account_id = new.id;
end;

create trigger accounts_updated after update on accounts
  when old.active is not new.active or old.id is not new.id
begin
  insert into access_changes (digest) select digest from api_keys where account_id in (old.id, new.id);
end;

create trigger accounts_deleted after delete on accounts begin
  insert into access_changes (digest) select digest from api_keys where account_id = old.id;
end;

-- Only what an operator decides counts as a market control, so that catalogue loads of the feed are no change.
create trigger markets_inserted after insert on markets
  when new.operator_paused = 1 or coalesce(new.delisted_at_ms, new.held_at_ms, new.accepted_at_ms) is not null
begin
  update change_versions set version = version + 1 where topic = 'market_controls';
end;

create trigger markets_updated after update on markets
  when old.operator_paused is not new.operator_paused or old.delisted_at_ms is not new.delisted_at_ms
    or old.held_at_ms is not new.held_at_ms or old.accepted_at_ms is not new.accepted_at_ms
begin
  update change_versions set version = version + 1 where topic = 'market_controls';
end;

create trigger markets_deleted after delete on markets
begin
  update change_versions set version = version + 1 where topic = 'market_controls';
end;

create trigger maintenance_windows_inserted after insert on maintenance_windows
begin
  update change_versions set version = version + 1 where topic = 'maintenance_windows';
end;

create trigger maintenance_windows_updated after update on maintenance_windows
begin
  update change_versions set version = version + 1 where topic = 'maintenance_windows';
end;

create trigger maintenance_windows_deleted after delete on maintenance_windows
begin
  update change_versions set version = version + 1 where topic = 'maintenance_windows';
end;
