import { type RawBuilder, sql } from 'kysely';

/**
 * The digest is recorded, not the key's id: a digest that was deleted or replaced must be forgotten by every
 * server, and nothing else still holds it. The `before` trigger is for `insert or replace`, whose silent deletion fires
 * no `delete` trigger.
 */
const accessTriggers: readonly RawBuilder<unknown>[] = [
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

/** Only what an operator decides counts as a market control, so that catalogue loads of the feed wake no listener. */
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

export const sqliteTriggers: readonly RawBuilder<unknown>[] = [...accessTriggers, ...topicTriggers];
