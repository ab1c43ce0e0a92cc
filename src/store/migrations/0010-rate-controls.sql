-- What an operator decided of the rate of a quote currency.
create table rate_controls (
  quote {text} primary key not null,
  held_at_ms bigint,
  accepted_at_ms bigint,
  accepted_mid {text}
);
