-- The folder `export` beside which DuckDB was started. `place` orders what was published and answered within one instant.
SET TimeZone = 'UTC';
CREATE OR REPLACE VIEW quotes AS SELECT *, epoch_ms("at") * 1000000 + sub AS place FROM 'export/quotes-*.parquet';
CREATE OR REPLACE VIEW answers AS SELECT *, epoch_ms("at") * 1000000 + sub AS place FROM 'export/answers-*.parquet';
CREATE OR REPLACE VIEW facts AS SELECT * FROM 'export/facts-*.parquet';
