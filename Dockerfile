# The image of the Market Data API. docs/operators/containers.md explains how to build and run it.
#
# The base image's Node is exactly the one of package.json's optionalDependencies: so the platform packages that bring it
# elsewhere are left out, and the launcher runs the program in its own process, which is PID 1 and gets the signals.
# The digest decides which image is taken, whatever the tag says; so the build asks that image for its version.

FROM node:26.10.0-trixie-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1 AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN ["npm", "ci", "--omit=dev", "--omit=optional", "--no-audit"]

# What clients install from /clients, made with the tools of a developer, which the image lacks.
FROM node:26.10.0-trixie-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1 AS clients
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN ["npm", "ci", "--no-audit"]
COPY client client
COPY client-python client-python
COPY tools/client-packages tools/client-packages
RUN ["node", "tools/client-packages/make.ts"]

FROM node:26.10.0-trixie-slim@sha256:ec7758ee051e457b468b32bde57b0879010b325bb9862718e9615225ce4aaae1
# Nothing is installed in a running container, so npm is removed; its user has no shell and no home.
RUN test "$(node --version)" = v26.10.0 \
  && rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn* \
  && groupadd --gid 10001 mdapi \
  && useradd --uid 10001 --gid mdapi --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin mdapi \
  && install --directory --mode=0700 --owner=mdapi --group=mdapi /data \
  && ln --symbolic /app/bin/mdapi.js /usr/local/bin/mdapi

WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=clients /app/client-packages client-packages
COPY package.json LICENSE NOTICE ./
COPY bin bin
COPY client/README.md client/
COPY client-python/README.md client-python/
COPY docs/clients docs/clients
COPY docs/runbook.md docs/
COPY exchange-simulator exchange-simulator
COPY ops/container/healthcheck.js ops/container/
COPY web web
COPY src src
COPY ops/container/mdapi.yaml /etc/mdapi/

ARG REVISION=unknown
LABEL org.opencontainers.image.title="Market Data API" \
      org.opencontainers.image.description="Read-only HTTP API for exchange market data and final client prices" \
      org.opencontainers.image.version="1.1.0" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.licenses="Apache-2.0"

# Nobody reaches a container's loopback. The private listener stays on it unless configured otherwise.
ENV NODE_ENV=production MDAPI_SERVER_HOST=0.0.0.0

# A number, so that a platform can see that it is not root.
USER 10001:10001
VOLUME ["/data"]
# Here every command finds the configuration without an option.
WORKDIR /etc/mdapi
EXPOSE 8080 9090
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --start-interval=1s --retries=3 \
  CMD ["node", "/app/ops/container/healthcheck.js"]
ENTRYPOINT ["node", "/app/bin/mdapi.js"]
CMD ["serve"]
