#!/usr/bin/env bash
# Makes clients from docs/openapi/v1.json with the generators their developers use, and compiles each with a driver that
# the tests in test/clients run. Wants what README.md lists; writes to tools/clients/build and nowhere else in here.
#   build.sh [hey-api|python|go|java]…    all by default; does nothing for one that is up to date
#   build.sh --check hey-api|python|…          fails unless that one is up to date
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here"
document=${OPENAPI_DOCUMENT:-$here/../../docs/openapi/v1.json}
generator=build/openapi-generator/openapi-generator-cli-7.25.0.jar
mkdir -p build

# fresh FOLDER: an empty folder below build with the files of the language, to generate into.
fresh() {
  rm -rf "build/$1/generated" "build/$1/compiled"
  mkdir -p "build/$1"
  cp -r "$1/." "build/$1/"
}

make_hey_api() {
  fresh hey-api
  [ -d node_modules ] || npm ci --no-audit
  cd build/hey-api
  node ../../open-enumerations.js "$document" >typescript.json
  node ../../node_modules/@hey-api/openapi-ts/bin/run.js -i typescript.json -o generated -c @hey-api/client-fetch >/dev/null
  node ../../node_modules/typescript/bin/tsc -p .
}

make_python() {
  fresh python
  [ -x build/python/venv/bin/openapi-python-client ] || {
    python3 -m venv build/python/venv
    build/python/venv/bin/pip install --quiet --disable-pip-version-check -r python/requirements.txt
  }
  build/python/venv/bin/openapi-python-client generate --config python/config.yaml --path "$document" \
    --output-path build/python/generated --overwrite --meta none
  build/python/venv/bin/python -m compileall -q build/python/generated
}

make_go() {
  fresh go
  cd build/go
  mkdir -p mdapi
  go tool oapi-codegen -generate types,client -package mdapi -o mdapi/client.gen.go "$document"
  go build -o driver .
}

make_java() {
  fresh java
  [ -f "$generator" ] && [ -d build/java/libraries ] || mvn -q -B dependency:copy dependency:copy-dependencies
  java -jar "$generator" generate -i "$document" --skip-validate-spec -g java --library native -o build/java/generated >build/java/generator.log
  find build/java/generated/src/main -name '*.java' >build/java/sources
  javac -nowarn -proc:none -d build/java/compiled -cp 'build/java/libraries/*' build/java/Driver.java @build/java/sources
}

check=false
[ "${1:-}" != --check ] || { check=true; shift; }
for language in "${@:-hey-api python go java}"; do
  for each in $language; do
    stamp=$(cat "$document" build.sh open-enumerations.js pom.xml package-lock.json $(find "$each" -type f | sort) | sha256sum)
    [ "$(cat "build/$each.stamp" 2>/dev/null)" = "$stamp" ] && continue
    [ $check = false ] || exit 1
    rm -f "build/$each.stamp"
    at=$SECONDS
    ( "make_${each//-/_}" )
    echo "$stamp" >"build/$each.stamp"
    echo "$each: made in $((SECONDS - at)) s"
  done
done
