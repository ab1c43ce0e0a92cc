-- Incidents that people write. One that was found is adopted under its own id; what was measured stays where it is.
create table incidents (
  id {text} primary key not null,
  found integer not null constraint incidents_found check (found in (0, 1)),
  title {text} not null constraint incidents_title check (length(title) between 1 and 120),
  title_cs {text} constraint incidents_title_cs check (length(title_cs) between 1 and 120),
  parts {text} not null constraint incidents_parts check (parts in ('api', 'market-data', 'api market-data')),
  state {text} not null constraint incidents_state
    check (state in ('investigating', 'identified', 'monitoring', 'resolved')),
  from_ms bigint not null,
  to_ms bigint,
  review {text},
  review_cs {text},
  reviewed_at_ms bigint,
  created_at_ms bigint not null,
  updated_at_ms bigint not null,
  constraint incidents_end check ((state = 'resolved') = (to_ms is not null) and (to_ms is null or to_ms >= from_ms)),
  constraint incidents_review check ((review is null) = (reviewed_at_ms is null) and (review is null or to_ms is not null))
);

create index incidents_from on incidents (from_ms, id);

create table incident_updates (
  incident_id {text} not null references incidents (id) on delete cascade,
  number integer not null,
  state {text} not null constraint incident_updates_state
    check (state in ('investigating', 'identified', 'monitoring', 'resolved')),
  at_ms bigint not null,
  text {text} not null,
  text_cs {text},
  primary key (incident_id, number)
);

insert into change_versions (topic, version) values ('incidents', 0);
