create trigger rate_controls_insert after insert on rate_controls begin
  update change_versions set version = version + 1 where topic = 'market_controls';
end;

create trigger rate_controls_update after update on rate_controls begin
  update change_versions set version = version + 1 where topic = 'market_controls';
end;

create trigger rate_controls_delete after delete on rate_controls begin
  update change_versions set version = version + 1 where topic = 'market_controls';
end;
