#!/usr/bin/env bash
# Runs Schemathesis with all its checks against a listener and the document that listener serves.
# Wants Python 3.10 or later; installs into node_modules/.cache and nowhere else. For CI: `npm test`
# has property tests of its own, in properties.system.test.ts.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=4.32.5
environment=node_modules/.cache/schemathesis-$version
examples=${SCHEMATHESIS_EXAMPLES:-200}
seed=${TEST_SEED:-20261121}

if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  echo 'schemathesis: Python 3.10 or later is not here; nothing was checked' >&2
  exit 2
fi
if [ ! -x "$environment/bin/schemathesis" ]; then
  python3 -m venv "$environment"
  # The extras let its client read the codings it asks for.
  "$environment/bin/pip" install --quiet "schemathesis==$version" 'urllib3[brotli,zstd]'
fi

said=$(mktemp)
node_modules/.bin/node test/faults/schemathesis-listener.ts >"$said" &
listener=$!
trap 'kill "$listener" 2>/dev/null || true; rm -f "$said"' EXIT
for _ in $(seq 100); do
  [ -s "$said" ] && break
  sleep 0.1
done
read -r port key <"$said"

# Stateful testing follows links from one operation to the next; the document has none, for nothing here changes state.
# What it keeps between runs goes beside its installation.
root=$PWD
cd "$environment"
bin/schemathesis --config-file "$root/test/faults/schemathesis.toml" run "http://127.0.0.1:$port/openapi/v1.json" \
  --checks all --phases examples,coverage,fuzzing --header "X-EXCHANGE-APIKEY: $key" \
  --max-examples "$examples" --seed "$seed" --suppress-health-check all

# The listener itself fails when it logged a failure.
kill -TERM "$listener"
wait "$listener"
