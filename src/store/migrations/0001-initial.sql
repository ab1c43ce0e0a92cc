create table accounts (
  id {text} primary key not null,
  email {text} not null,
  active integer default 1 not null constraint accounts_active check (active in (0, 1)),
  created_at_ms bigint not null
);

create unique index accounts_email on accounts (lower(email));

create index accounts_created on accounts (created_at_ms, id);

create table api_keys (
  seq {serial},
  id {text} not null unique,
  account_id {text} not null references accounts (id),
  label {text} default '' not null,
  digest {bytes} not null unique constraint api_keys_digest check (length(digest) = 32),
  last_four {text} not null constraint api_keys_last_four check (length(last_four) = 4),
  status {text} default 'active' not null
    constraint api_keys_status check (status in ('active', 'disabled', 'revoked')),
  created_at_ms bigint not null,
  expires_at_ms bigint,
  limit_per_minute integer constraint api_keys_limit check (limit_per_minute between 1 and 1000000),
  replaced_by {text}
);

create index api_keys_account_status on api_keys (account_id, status, seq);

create index api_keys_account_seq on api_keys (account_id, seq);

create index api_keys_status_seq on api_keys (status, seq);

create table markets (
  symbol {text} primary key not null,
  base {text} not null,
  quote {text} not null,
  via {text},
  upstream_status {text} not null
    constraint markets_upstream_status check (upstream_status in ('trading', 'paused')),
  price_precision integer not null,
  amount_precision integer not null,
  tick_size {text} not null,
  min_order_size {text} not null,
  min_order_value {text},
  operator_paused integer default 0 not null
    constraint markets_operator_paused check (operator_paused in (0, 1)),
  delisted_at_ms bigint,
  held_at_ms bigint,
  accepted_at_ms bigint,
  missing_since_ms bigint,
  missing_until_ms bigint,
  updated_at_ms bigint not null
);

create table maintenance_windows (
  id {text} primary key not null,
  from_ms bigint not null,
  to_ms bigint not null,
  description {text} not null,
  created_at_ms bigint not null,
  cancelled_at_ms bigint,
  ended_at_ms bigint,
  constraint maintenance_windows_order check (from_ms <= to_ms)
);

create table snapshots (
  name {text} primary key not null,
  payload {text} not null,
  saved_at_ms bigint not null
);

-- Without foreign keys: a notice is a record of what was said, and stays when its key or account is deleted.
create table breaches (
  key_id {text} not null,
  minute_start_ms bigint not null constraint breaches_minute check (minute_start_ms % 60000 = 0),
  refused bigint not null,
  limit_per_minute integer not null,
  constraint breaches_key_minute primary key (key_id, minute_start_ms)
);

create index breaches_minute_key on breaches (minute_start_ms, key_id, refused);

-- The unique number makes a decision once: two deciders that saw the same notices give theirs the same number.
create table notices (
  id {text} primary key not null,
  key_id {text} not null,
  account_id {text} not null,
  kind {text} not null constraint notices_kind check (kind in ('repeated_breaches')),
  number integer not null,
  created_at_ms bigint not null,
  last_minute_ms bigint not null,
  figures {text} not null,
  status {text} not null constraint notices_status
    check (status in ('pending', 'sending', 'sent', 'failed', 'recorded', 'unconfirmed')),
  attempts integer default 0 not null,
  next_attempt_at_ms bigint not null,
  claimed_until_ms bigint,
  sent_at_ms bigint,
  message_id {text},
  last_error {text},
  constraint notices_decided_once unique (key_id, kind, number)
);

create index notices_status_due on notices (status, next_attempt_at_ms);

create index notices_created on notices (created_at_ms, id);

create table audit_log (
  id {text} primary key not null,
  at_ms bigint not null,
  actor {text} not null,
  action {text} not null,
  subject_kind {text} not null,
  subject_id {text} not null,
  summary {text} not null,
  details {text} not null
);

create index audit_log_at on audit_log (at_ms, id);

create index audit_log_subject on audit_log (subject_id, at_ms, id);

-- The digest as hexadecimal text: bytes would have a type of their own in each engine.
create table operator_tokens (
  id {text} primary key not null,
  name {text} not null,
  digest {text} not null unique,
  role {text} not null
    constraint operator_tokens_role check (role in ('read-only', 'support', 'operator', 'admin')),
  created_at_ms bigint not null,
  expires_at_ms bigint,
  revoked_at_ms bigint,
  last_used_at_ms bigint
);

create unique index operator_tokens_name on operator_tokens (name) where revoked_at_ms is null;

create table access_changes (
  seq {serial_of_trigger},
  digest {bytes} not null
);

create table change_versions (
  topic {text} primary key not null,
  version bigint not null
);

insert into change_versions (topic, version)
  values ('market_controls', 0), ('maintenance_windows', 0), ('access', 0), ('losses_accepted', 0);
