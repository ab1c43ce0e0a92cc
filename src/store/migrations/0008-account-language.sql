-- The language of notices to the holder; null: the configured one.
alter table accounts add column language {text} constraint accounts_language check (language in ('en', 'cs'));
