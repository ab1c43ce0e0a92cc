-- Messages to operators, until they were accepted and for a while after.
create table deliveries (
  id {text} primary key not null,
  destination {text} not null,
  content {text} not null,
  status {text} not null constraint deliveries_status check (status in ('pending', 'sent', 'failed')),
  attempts integer default 0 not null,
  created_at_ms bigint not null,
  next_attempt_at_ms bigint not null,
  claimed_until_ms bigint,
  sent_at_ms bigint,
  message_id {text},
  last_error {text}
);

create index deliveries_queue on deliveries (destination, status, created_at_ms, id);

create index deliveries_created on deliveries (created_at_ms, id);

-- Alerts that are on.
create table alerts (
  id {text} primary key not null,
  name {text} not null,
  subject {text} not null,
  content {text} not null,
  raised_at_ms bigint not null,
  last_seen_ms bigint not null,
  unique (name, subject)
);
