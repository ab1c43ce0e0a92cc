-- From when to when each process ran: one row each, so that a time in which none ran shows.
create table process_lives (
  id {text} primary key not null,
  role {text} not null constraint process_lives_role check (role in ('all', 'api', 'feed')),
  since_ms bigint not null,
  seen_ms bigint not null
);

-- Up to when it is decided, for each component, in which times no process ran.
create table status_judged (
  component {text} primary key not null,
  until_ms bigint not null
);

-- A downtime that touched a window anywhere was planned as a whole. No more of a day is than its windows cover; a day
-- without a window is left as it is, and so is less than a minute, which processes take to learn of the end of one.
update status_days
set
  outage_ms = outage_ms + maintenance_ms - covered_ms,
  maintenance_ms = covered_ms
from (
  select
    day_ms as covered_day_ms,
    component as covered_component,
    sum(
      case when to_ms < day_ms + 86400000 then to_ms else day_ms + 86400000 end
      - case when from_ms > day_ms then from_ms else day_ms end
    ) as covered_ms
  from status_days
  inner join maintenance_windows on to_ms > day_ms and from_ms < day_ms + 86400000
  where cancelled_at_ms is null
  group by day_ms, component
) as covered
where day_ms = covered_day_ms and component = covered_component and maintenance_ms > covered_ms + 60000;
