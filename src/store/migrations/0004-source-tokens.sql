-- Tokens of the operator's own engines, each for one source. Digests are compared byte by byte in either engine.
create table source_tokens (
  id {text} primary key not null,
  source {text} not null,
  digest {text} not null unique constraint source_tokens_digest check (length(digest) = 64),
  created_at_ms bigint not null,
  revoked_at_ms bigint
);
