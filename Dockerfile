# One image for every service: the command picks the app, as in `node dist/apps/gateway/main.js`.

FROM node:24-bookworm-slim AS packages
WORKDIR /app
ENV SCARF_ANALYTICS=false
COPY package.json package-lock.json .npmrc ./
# These packages bring Node 24 to machines with an older Node; the image has its own.
RUN npm pkg delete optionalDependencies

FROM packages AS build
RUN npm ci --include=dev
COPY nest-cli.json tsconfig.json ./
COPY scripts scripts
COPY libs libs
COPY apps apps
RUN npm run build

FROM packages AS production
RUN npm ci --omit=dev

# The agent alone, for customers: `docker build --target agent`. It is the npm package with what it depends on.
FROM packages AS agent-packages
WORKDIR /agent
COPY --from=build /app/dist/packages/agent ./
RUN npm install --omit=dev --no-package-lock

FROM node:24-bookworm-slim AS agent
# The folder of the agent's own key belongs to the user of the agent, and so does a new volume that Docker mounts there.
ENV NODE_ENV=production BATUTA_AGENT_STATE_FOLDER=/var/lib/batuta-agent
RUN install -d -m 700 -o 10001 -g 10001 /var/lib/batuta-agent
WORKDIR /agent
COPY --from=agent-packages /agent ./
USER 10001:10001
ENTRYPOINT ["node", "bin/batuta-agent.js"]

FROM node:24-bookworm-slim
# A small young generation costs little speed and saves 16 MB in each process.
# One V8 worker thread: four of them compete with the main thread for the processors of a busy node.
# One malloc arena: the threads of Node allocate little, and each further arena keeps megabytes.
# malloc returns what the compilers of V8 have used: blocks from 32 KB on at once, and others as soon as 64 KB are free at the end of the arena.
ENV NODE_ENV=production NODE_OPTIONS="--max-semi-space-size=8 --v8-pool-size=1" \
    MALLOC_ARENA_MAX=1 MALLOC_MMAP_THRESHOLD_=32768 MALLOC_TRIM_THRESHOLD_=65536 MALLOC_TOP_PAD_=65536
WORKDIR /app
COPY --from=production /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/scripts/healthcheck.mjs ./
COPY package.json ./
# For `docker run` and compose; Kubernetes has probes of its own. Programs without a port, such as migrate, disable it.
HEALTHCHECK --interval=5s --timeout=5s --start-period=120s --retries=3 CMD ["node", "healthcheck.mjs"]
# By number: Kubernetes cannot tell of a name that it is not root.
USER 10001:10001
