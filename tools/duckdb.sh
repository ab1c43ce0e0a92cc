#!/usr/bin/env bash
# Installs the DuckDB that tests read exports with, in node_modules/.cache/duckdb and nowhere else. Does nothing where it is already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

duckdb=1.5.6-r.1
folder=node_modules/.cache/duckdb
[ "$(cat "$folder/made" 2>/dev/null)" = "$duckdb" ] && exit
rm -rf "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$folder" "@duckdb/node-api@$duckdb" >/dev/null
echo "$duckdb" >"$folder/made"
