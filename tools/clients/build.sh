#!/usr/bin/env bash
# Makes clients from docs/openapi/v1.json with the generators their developers use, and compiles each with a driver that
# the tests in test/clients run. Wants what README.md lists; writes to tools/clients/build and nowhere else in here.
#   build.sh [hey-api|orval|python|pydantic|go|openapi-go|rust|java|kotlin|csharp]…    the ones that CI runs by default; does nothing for one that is up to date
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

# All its languages wait for one download.
openapi_generator() {
  exec 8>build/lock
  flock 8
  [ -f "$generator" ] && [ -d build/java/libraries ] || mvn -q -B dependency:copy dependency:copy-dependencies
  flock -u 8
  java -jar "$generator" generate -i "$document" --skip-validate-spec "$@" >build/openapi-generator.log
}

make_hey_api() {
  fresh hey-api
  [ -d node_modules ] || npm ci --no-audit
  cd build/hey-api
  node ../../open-enumerations.js "$document" >typescript.json
  node ../../node_modules/@hey-api/openapi-ts/bin/run.js -i typescript.json -o generated -c @hey-api/client-fetch >/dev/null
  node ../../node_modules/typescript/bin/tsc -p .
}

make_orval() {
  fresh orval
  [ -d node_modules/orval ] || npm ci --no-audit
  cd build/orval
  node ../../open-enumerations.js "$document" >typescript.json
  node ../../node_modules/orval/dist/bin/orval.mjs --config orval.config.mjs >orval.log
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

make_pydantic() {
  fresh pydantic
  [ -x build/pydantic/venv/bin/python ] || python3 -m venv build/pydantic/venv
  build/pydantic/venv/bin/pip install --quiet --disable-pip-version-check -r pydantic/requirements.txt
  openapi_generator -g python -o build/pydantic/generated
  build/pydantic/venv/bin/python -m compileall -q build/pydantic/generated
}

make_go() {
  fresh go
  cd build/go
  mkdir -p mdapi
  go tool oapi-codegen -generate types,client -package mdapi -o mdapi/client.gen.go "$document"
  go build -o driver .
}

make_openapi_go() {
  fresh openapi-go
  openapi_generator -g go --additional-properties=packageName=mdapi,withGoMod=false -o build/openapi-go/generated
  mkdir -p build/openapi-go/mdapi
  cp build/openapi-go/generated/*.go build/openapi-go/mdapi
  cd build/openapi-go
  rm -rf generated
  go build -o driver .
}

make_rust() {
  fresh rust
  openapi_generator -g rust --library reqwest -o build/rust/generated
  cargo build --quiet --locked --manifest-path build/rust/Cargo.toml
}

make_java() {
  fresh java
  openapi_generator -g java --library native -o build/java/generated
  find build/java/generated/src/main -name '*.java' >build/java/sources
  javac -nowarn -proc:none -d build/java/compiled -cp 'build/java/libraries/*' build/java/Driver.java @build/java/sources
}

make_kotlin() {
  fresh kotlin
  openapi_generator -g kotlin -o build/kotlin/generated
  cd build/kotlin
  [ -d libraries ] || mvn -q -B dependency:copy-dependencies
  java -cp 'libraries/*' org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -nowarn -no-stdlib -no-reflect -cp "$(printf '%s:' libraries/*.jar)" \
    -d compiled Driver.kt generated/src/main
}

# Mono has C# 7 and Newtonsoft.Json 6: Naming.cs stands in for the one class that is newer.
make_csharp() {
  fresh csharp
  openapi_generator -g csharp --library httpclient --additional-properties=targetFramework=net48,supportsRetry=false \
    -o build/csharp/generated
  cd build/csharp
  mkdir -p compiled
  cp "${NEWTONSOFT:-/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll}" compiled
  find generated/src/Org.OpenAPITools -name '*.cs' ! -name AssemblyInfo.cs >sources
  mcs -langversion:latest -warn:0 -out:compiled/driver.exe -r:compiled/Newtonsoft.Json.dll -r:System.Net.Http -r:System.Runtime.Serialization \
    -r:System.ComponentModel.DataAnnotations -r:System.Web Driver.cs Naming.cs @sources
}

check=false
[ "${1:-}" != --check ] || { check=true; shift; }
for language in "${@:-hey-api orval python pydantic go openapi-go rust java}"; do
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
