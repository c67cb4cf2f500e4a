FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# No package has to run anything to be used here; the one that would bring Node is not needed where Node is.
RUN npm ci --ignore-scripts
COPY tsconfig.json nest-cli.json .swcrc ./
COPY src src
COPY projections projections
COPY embedded embedded
COPY bench bench
RUN npm run -s build

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# The embedded stores' packages are the optional ones: here both stores are given.
RUN npm ci --omit=dev --omit=optional --ignore-scripts

FROM node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ENV NODE_ENV=production
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist/src dist/src
COPY --from=build /app/dist/projections dist/projections
COPY package.json LICENSE ./
USER node
EXPOSE 3000
# Run it with --init: it hands signals on and reaps, which the first process of a container has to.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=10s --start-period=120s --retries=3 CMD ["node", "dist/src/app/health/check.js"]
CMD ["node", "--enable-source-maps", "dist/src/main.js"]
