#!/usr/bin/env bash
# Installs the ClickHouse engine that tests of `mdapi history ship` run: chdb, the engine as a library, half a gigabyte in
# node_modules/.cache/clickhouse and nowhere else. Does nothing where it is already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

chdb=3.4.0
folder=node_modules/.cache/clickhouse
[ "$(cat "$folder/made" 2>/dev/null)" = "$chdb" ] && exit
rm -rf "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$folder" "chdb@$chdb" >/dev/null
echo "$chdb" >"$folder/made"
