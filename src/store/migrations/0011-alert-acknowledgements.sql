-- Alerts that nobody acknowledged are told again.
alter table alerts add column told_at_ms bigint;

update alerts set told_at_ms = raised_at_ms;

alter table alerts add column repeats integer default 0 not null;

alter table alerts add column escalated_at_ms bigint;

alter table alerts add column acknowledged_at_ms bigint;

alter table alerts add column acknowledged_by {text};

-- Since when a subscriber could not be reached, and when that had lasted too long.
alter table subscriptions add column failing_since_ms bigint;

alter table subscriptions add column disabled_at_ms bigint;

-- How the messages to a subscriber are sent: apart from those of others.
alter table subscription_messages add column lane {text} default 'news' not null;

update subscription_messages set lane = 'confirm' where content = '{}';

drop index subscription_messages_due;

create index subscription_messages_due on subscription_messages (status, lane, next_attempt_at_ms, id);
