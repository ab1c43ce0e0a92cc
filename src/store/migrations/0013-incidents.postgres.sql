create function raise_incidents() returns trigger language plpgsql security definer set search_path = {schema}, pg_temp as $$
begin
  update change_versions set version = version + 1 where topic = 'incidents';
  perform pg_notify('mdapi_changes', '');
  return null;
end
$$;

create trigger incidents_insert after insert on incidents
  for each statement execute function raise_incidents();

create trigger incidents_update after update on incidents
  for each statement execute function raise_incidents();

create trigger incidents_delete after delete on incidents
  for each statement execute function raise_incidents();

create trigger incidents_truncate after truncate on incidents
  for each statement execute function raise_incidents();
