#!/usr/bin/env bash
# Makes the environments in which the tests run client-python/ and the Python of the guides: one for the oldest and one for
# the newest Python from 3.10 on, in node_modules/.cache/python-client and nowhere else. Does nothing where they are already.
# Looks for python3 and python3.10 to python3.19 on the path, and for versions of pyenv.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

pyright=1.1.414
cache=node_modules/.cache/python-client
stamp=$(cat tools/python-client.sh client-python/requirements-*.txt | sha256sum | cut -c 1-16)

# VERSION PATH of every usable interpreter, the oldest first.
interpreters() {
  local python
  for python in python3 python3.1{0,1,2,3,4,5,6,7,8,9} "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python; do
    "$python" -c 'import ensurepip, platform, sys, venv
if sys.version_info >= (3, 10): print(platform.python_version(), sys.executable)' 2>/dev/null || true
  done | sort -V -u -k 1,1
}

# environment VERSION PATH REQUIREMENTS...: the wheels are kept, so that tests can install them anew without a network.
environment() {
  local folder=$cache/$1 python=$2
  shift 2
  [ "$(cat "$folder/stamp" 2>/dev/null)" = "$stamp" ] && return
  rm -rf "$folder"
  "$python" -m venv "$folder"
  echo "Python ${folder##*/}: $python"
  "$folder/bin/pip" download --quiet --disable-pip-version-check --no-deps --dest "$folder/wheels" "$@"
  "$folder/bin/pip" install --quiet --disable-pip-version-check --no-deps "$folder"/wheels/*.whl
  "$folder/bin/pip" check >/dev/null
  echo "$stamp" >"$folder/stamp"
}

found=$(interpreters)
if [ -z "$found" ]; then
  echo 'there is no Python from 3.10 with venv: apt-get install python3-venv' >&2
  exit 1
fi
read -r oldest oldest_path < <(head -n 1 <<<"$found")
read -r newest newest_path < <(tail -n 1 <<<"$found")
mkdir -p "$cache"
environment "$newest" "$newest_path" -r client-python/requirements-test.txt -r client-python/requirements-check.txt &
beside=$!
[ "$oldest" = "$newest" ] || environment "$oldest" "$oldest_path" -r client-python/requirements-test.txt
wait "$beside"
if [ ! -d "$cache/pyright-$pyright" ]; then
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$cache/pyright-$pyright" "pyright@$pyright" >/dev/null
fi
# What tests read: the versions, then the type checker.
printf '%s\n' "$oldest" "$newest" "pyright-$pyright" >"$cache/made"
