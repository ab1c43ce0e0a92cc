-- Changes that one person proposed and another one confirms.
create table approvals (
  id {text} primary key not null,
  action {text} not null,
  subject {text} not null,
  change {text} not null,
  basis {text} not null,
  state {text} default 'waiting' not null
    constraint approvals_state check (state in ('waiting', 'confirmed', 'rejected', 'withdrawn', 'expired')),
  proposed_at_ms bigint not null,
  proposed_by {text} not null,
  expires_at_ms bigint not null,
  decided_at_ms bigint,
  decided_by {text}
);

-- The same change waits once.
create unique index approvals_waiting on approvals (change) where state = 'waiting';

create index approvals_proposed on approvals (proposed_at_ms, id);
