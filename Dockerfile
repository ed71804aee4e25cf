# Builds the service and runs it on PostgreSQL, Redis and an outside chain: the embedded parts are left out.
# Node.js is the version that package.json pins, by the digest of its multi-platform index:
#   docker buildx imagetools inspect node:24.21.0-slim --format '{{.Manifest.Digest}}'
FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
COPY web/package.json web/
RUN npm ci --ignore-scripts
COPY bin bin
COPY src src
COPY client client
COPY web web
COPY test test
COPY lint lint
COPY scripts scripts
COPY bench bench
COPY demo demo
COPY schema schema
COPY tsconfig.json mikro-orm.config.ts ./
# The commit of the build, since the context has no repository: --build-arg COMMIT=$(git rev-parse HEAD)
ARG COMMIT
RUN npm run build

FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY client/package.json client/
COPY web/package.json web/
# The optional packages are the pinned Node.js and the embedded chain; this image has its own Node.js.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ENV NODE_ENV=production HOST=0.0.0.0
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=build /app/dist/commit dist/commit
COPY --from=build /app/dist/src dist/src
COPY --from=build /app/dist/schema dist/schema
COPY --from=build /app/dist/graphiql dist/graphiql
COPY --from=build /app/dist/dashboard dist/dashboard
COPY package.json LICENSE ./
COPY schema schema
USER node
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 4000) + '/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# node itself is the first process, so that SIGTERM reaches it.
CMD ["node", "dist/src/main.js"]
