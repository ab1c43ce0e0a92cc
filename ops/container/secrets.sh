#!/bin/sh
# Creates random secrets for compose.yaml's cluster in ./secrets. Existing ones stay.
set -eu
umask 022
cd "$(dirname "$0")/../.."

if [ -e secrets ]; then
  echo "./secrets is there already. To start anew, remove it and the volume of PostgreSQL, which keeps its password." >&2
  exit 1
fi

random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
postgres=$(random)
valkey=$(random)

# The folder is closed to other users. The files in it are readable, because the container's user has another id and
# Compose passes them on unchanged.
mkdir -m 0700 secrets
printf '%s\n' "$postgres" >secrets/postgres-password
printf 'postgres://mdapi:%s@postgres:5432/mdapi?sslmode=disable\n' "$postgres" >secrets/store
printf 'redis://:%s@valkey:6379\n' "$valkey" >secrets/redis
printf 'requirepass %s\nprotected-mode no\n' "$valkey" >secrets/valkey.conf
echo "made ./secrets"
