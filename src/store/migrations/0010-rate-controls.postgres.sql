create trigger rate_controls_insert after insert on rate_controls
  for each statement execute function raise_market_controls();

create trigger rate_controls_update after update on rate_controls
  for each statement execute function raise_market_controls();

create trigger rate_controls_delete after delete on rate_controls
  for each statement execute function raise_market_controls();

create trigger rate_controls_truncate after truncate on rate_controls
  for each statement execute function raise_market_controls();
