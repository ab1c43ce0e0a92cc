-- Dated terms, and tokens that may only read prices.
create table terms (
  id {text} primary key not null,
  from_ms bigint not null,
  scope {text} not null constraint terms_scope check (scope in ('service', 'quote', 'market')),
  subject {text} not null,
  fee_percent {text},
  margin_percent {text},
  price_precision {text},
  rounding {text} constraint terms_rounding check (rounding in ('outward', 'nearest', 'inherit')),
  created_at_ms bigint not null,
  cancelled_at_ms bigint,
  constraint terms_subject check ((scope = 'service') = (subject = '')),
  constraint terms_value check (coalesce(fee_percent, margin_percent, price_precision, rounding) is not null)
);

insert into change_versions (topic, version) values ('terms', 0);
