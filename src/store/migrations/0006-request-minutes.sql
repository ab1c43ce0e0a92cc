-- Answers of the public listener minute by minute, one row for each process. Instants are ends of minutes.
create table request_minutes (
  process {text} not null,
  at_ms bigint not null,
  answers {text} not null,
  errors {text} not null,
  held integer not null,
  primary key (at_ms, process)
);
