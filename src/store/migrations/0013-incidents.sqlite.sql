create trigger incidents_insert after insert on incidents begin
  update change_versions set version = version + 1 where topic = 'incidents';
end;

create trigger incidents_update after update on incidents begin
  update change_versions set version = version + 1 where topic = 'incidents';
end;

create trigger incidents_delete after delete on incidents begin
  update change_versions set version = version + 1 where topic = 'incidents';
end;
