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
