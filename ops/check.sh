#!/bin/sh
# Checks the alert rules and runs their tests with promtool. Exit code 0: all is well; 1: a rule is
# wrong; 2: promtool is not installed.
set -eu
cd "$(dirname "$0")/prometheus"

if ! command -v promtool >/dev/null 2>&1; then
  cat >&2 <<'TEXT'
promtool is not here. It comes with Prometheus:
  Debian, Ubuntu   apt-get install --no-install-recommends prometheus   (this starts a server:
                   systemctl disable --now prometheus, unless you want it)
  macOS            brew install prometheus
  any              the archive for your system at https://prometheus.io/download/
  container        docker run --rm --entrypoint sh -v "$PWD:/repo" prom/prometheus /repo/ops/check.sh
TEXT
  exit 2
fi

promtool check rules alerts.yml
promtool test rules alerts.test.yml
