# syntax=docker/dockerfile:1
# One image for every program of ours:
#   docker build --build-arg SERVICE=gateway -t game-item-inventory/gateway .
# SERVICE is gateway, refresh-collector, billing-ledger, revision-store, event-stream or
# platform-simulator. Everything before the last two stages is the same for all of them.
# `npm run -s image-digests` moves the digests of the bases. RUNTIME_IMAGE holds the C libraries that Node
# needs: no shell, no package manager. Any image of Debian 12 with libstdc++ can take its place,
# NODE_IMAGE itself among them.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:2fe369e969550cde8e867afc3fe370b260140cab4a23d467074295b42163d553
ARG RUNTIME_IMAGE=gcr.io/distroless/cc-debian12:nonroot@sha256:9dac0a79194e45a7da0158a9c6da57b217585af0786db3845d1f0ec1a0dd182f

FROM ${NODE_IMAGE} AS base
# The preinstalled npm keeps its cache in a mount: it is never part of a layer.
ENV npm_config_cache=/tmp/npm-cache

# Manifests alone: what follows is built anew only when one of them changed.
FROM base AS manifests
WORKDIR /source
COPY . .
RUN ["node", "scripts/image.js", "manifests", "/manifests"]

FROM base AS compiled
WORKDIR /source
COPY --from=manifests /manifests/ ./
RUN --mount=type=cache,target=/tmp/npm-cache \
    npm install --ignore-scripts --no-audit --no-fund --loglevel=error
COPY . .
RUN ["npm", "run", "build"]

FROM compiled AS program
ARG SERVICE
RUN --mount=type=cache,target=/tmp/npm-cache \
    node scripts/image.js program "${SERVICE}" /program

FROM ${RUNTIME_IMAGE}
ARG SERVICE
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="game-item-inventory ${SERVICE}" \
      org.opencontainers.image.description="Complete item inventories of game platform accounts" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.licenses="UNLICENSED" \
      org.opencontainers.image.base.name="gcr.io/distroless/cc-debian12:nonroot"
ENV PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production OTEL_SERVICE_NAME=${SERVICE}
COPY --from=base /usr/local/bin/node /usr/local/bin/node
# Owned by root and written by nobody: the process needs no file of its own.
COPY --from=program /program /app
WORKDIR /app
# As a number, so that an orchestrator can see that it is not root.
USER 1000:1000
# Longer than the longest graceful stop is for whoever starts it: see docs/operators/deploying.md.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --start-interval=1s --retries=3 \
    CMD ["node", "/app/healthcheck.js"]
ENTRYPOINT ["node", "main.js"]
