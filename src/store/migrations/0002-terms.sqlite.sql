create trigger terms_insert after insert on terms begin
  update change_versions set version = version + 1 where topic = 'terms';
end;

create trigger terms_update after update on terms begin
  update change_versions set version = version + 1 where topic = 'terms';
end;

create trigger terms_delete after delete on terms begin
  update change_versions set version = version + 1 where topic = 'terms';
end;

-- SQLite cannot change a constraint: the table is made anew. Nothing refers to it.
create table new_operator_tokens (
  id text primary key not null,
  name text not null,
  digest text not null unique,
  role text not null constraint operator_tokens_role check (role in ('prices', 'read-only', 'support', 'operator', 'admin')),
  created_at_ms bigint not null,
  expires_at_ms bigint,
  revoked_at_ms bigint,
  last_used_at_ms bigint
);

insert into new_operator_tokens (id, name, digest, role, created_at_ms, expires_at_ms, revoked_at_ms, last_used_at_ms)
  select id, name, digest, role, created_at_ms, expires_at_ms, revoked_at_ms, last_used_at_ms
  from operator_tokens;

drop table operator_tokens;

alter table new_operator_tokens rename to operator_tokens;

create unique index operator_tokens_name on operator_tokens (name) where revoked_at_ms is null;
