create table status_days (
  day_ms bigint not null,
  component {text} not null,
  operational_ms bigint not null,
  degraded_ms bigint not null,
  maintenance_ms bigint not null,
  outage_ms bigint not null,
  primary key (day_ms, component)
);

create table status_incidents (
  id {text} primary key not null,
  component {text} not null,
  state {text} not null constraint status_incidents_state check (state in ('degraded', 'outage')),
  from_ms bigint not null,
  to_ms bigint
);

create index status_incidents_from on status_incidents (from_ms, id);
