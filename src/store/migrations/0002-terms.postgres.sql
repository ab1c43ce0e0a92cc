create function raise_terms() returns trigger language plpgsql security definer set search_path = {schema}, pg_temp as $$
begin
  if true then
    update change_versions set version = version + 1 where topic = 'terms';
    perform pg_notify('mdapi_changes', '');
  end if;
  return null;
end
$$;

create trigger terms_insert after insert on terms
  for each statement execute function raise_terms();

create trigger terms_update after update on terms
  for each statement execute function raise_terms();

create trigger terms_delete after delete on terms
  for each statement execute function raise_terms();

create trigger terms_truncate after truncate on terms
  for each statement execute function raise_terms();

alter table operator_tokens drop constraint operator_tokens_role;

alter table operator_tokens add constraint operator_tokens_role
  check (role in ('prices', 'read-only', 'support', 'operator', 'admin'));
