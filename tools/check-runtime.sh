#!/usr/bin/env bash
# Compares the packaged runtime with the checksums recorded when it was pinned (tools/runtime.sha256): the one installed here,
# and with --all also those for other platforms, from the package registry. Needs no Node but for --all. Exit code 1: another
# binary, or none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
sums=$PWD/tools/runtime.sha256
command -v sha256sum >/dev/null || sha256sum() { shasum --algorithm 256 "$@"; }

sha256sum --check --ignore-missing "$sums"
[ "${1-}" = --all ] || exit 0

version=$(sed -n 's/^# Node \([0-9.]*\),.*/\1/p' "$sums")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
grep -o 'node_modules/.*' "$sums" | while read -r executable; do
  [ ! -e "$executable" ] || continue
  package=$(cut -d/ -f2 <<<"$executable")
  if ! tarball=$(cd "$folder" && npm pack --silent "$package@$version" 2>/dev/null); then
    echo "NOT CHECKED: the registry does not serve $package@$version"
    continue
  fi
  mkdir -p "$folder/node_modules/$package"
  tar -xzf "$folder/$tarball" -C "$folder/node_modules/$package" --strip-components=1
  rm "$folder/$tarball"
done
[ ! -d "$folder/node_modules" ] || (cd "$folder" && sha256sum --check --ignore-missing "$sums")
