-- Who is told of incidents and maintenance. Ended ones are deleted.
create table subscriptions (
  id {text} primary key not null,
  kind {text} not null constraint subscriptions_kind check (kind in ('mail', 'webhook')),
  target {text} not null,
  receiver {text} not null unique,
  language {text} not null constraint subscriptions_language check (language in ('en', 'cs')),
  secret {text},
  asked integer not null,
  asked_at_ms bigint not null,
  confirmed_at_ms bigint
);

create index subscriptions_asked on subscriptions (asked_at_ms);

create table subscription_tokens (
  digest {text} primary key not null,
  subscription_id {text} not null references subscriptions (id) on delete cascade,
  purpose {text} not null constraint subscription_tokens_purpose check (purpose in ('confirm', 'end')),
  created_at_ms bigint not null
);

create index subscription_tokens_of on subscription_tokens (subscription_id);

create table subscription_messages (
  id {text} primary key not null,
  destination {text} not null references subscriptions (id) on delete cascade,
  content {text} not null,
  status {text} not null constraint subscription_messages_status
    check (status in ('pending', 'sending', 'sent', 'failed', 'unconfirmed')),
  attempts integer default 0 not null,
  created_at_ms bigint not null,
  next_attempt_at_ms bigint not null,
  claimed_until_ms bigint,
  sent_at_ms bigint,
  message_id {text},
  last_error {text}
);

create index subscription_messages_queue on subscription_messages (destination, status, created_at_ms, id);

create index subscription_messages_due on subscription_messages (status, next_attempt_at_ms, id);

-- What subscribers were told, once each.
create table status_news (
  subject {text} not null,
  event {text} not null,
  told_at_ms bigint not null,
  primary key (subject, event)
);
