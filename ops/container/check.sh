#!/bin/sh
# Checks the image and the manifests as far as it can without a container engine: does in a temporary folder what the
# Dockerfile does, with its own npm command, and runs the service from there as a user without rights; has Compose and
# kubectl read their files where they are here, and says where they are not. Needs the package registry and `npm ci`.
set -eu
cd "$(dirname "$0")/../.."
PATH="$PWD/node_modules/.bin:$PATH"

IMAGE_PACKAGES=installed node --test --test-timeout=300000 --test-reporter=spec test/container/image.system.test.ts

if docker compose version >/dev/null 2>&1; then
  docker compose --profile cluster config --quiet
  echo "compose.yaml is taken by Compose"
else
  echo "NOT CHECKED: compose.yaml by Compose itself, which is not here"
fi

if command -v kubectl >/dev/null 2>&1; then
  kubectl kustomize ops/kubernetes >/dev/null
  echo "ops/kubernetes is taken by kubectl kustomize"
else
  echo "NOT CHECKED: ops/kubernetes by kubectl, which is not here"
fi
