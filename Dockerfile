FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package needs its install script here. The script of the package `node` would install Node, which the base image has.
RUN npm ci --ignore-scripts
COPY tsconfig.json nest-cli.json .swcrc ./
COPY src src
COPY projections projections
COPY embedded embedded
COPY bench bench
COPY sdk sdk
COPY scripts/build.mjs scripts/bundle.mjs scripts/jsx.mjs scripts/pack-sdk.mjs scripts/
COPY docs/audit.md docs/
COPY docs/audit/audit.mjs docs/audit/
COPY docs/partners docs/partners
# The build is a link to a folder; the image gets the folder.
RUN npm run -s build && cp -RL dist compiled

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Optional packages belong to the embedded stores, which a container does not use.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/compiled/src dist/src
COPY --from=build /app/compiled/projections dist/projections
COPY --from=build /app/compiled/chunks dist/chunks
COPY --from=build /app/compiled/packages dist/packages
# The service sends these files.
COPY --from=build /app/compiled/docs dist/docs
COPY package.json LICENSE ./
USER node
EXPOSE 3000
# Run the container with --init, so that its first process forwards signals and reaps child processes.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=10s --start-period=120s --retries=3 CMD ["node", "dist/src/operations/health/check.js"]
CMD ["node", "--enable-source-maps", "dist/src/main.js"]
