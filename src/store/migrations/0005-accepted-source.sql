-- The source that an operator accepted. It changes with `accepted_at_ms`, whose triggers announce it.
alter table markets add column accepted_source text;
