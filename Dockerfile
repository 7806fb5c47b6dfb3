# Dependencies first, so that a change of the source does not install them again. npm installs exactly what its lock file
# says; Bun itself comes with the image below.
FROM node:22-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY sdk/package.json ./sdk/
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
 && rm -rf node_modules/bun node_modules/@oven

FROM oven/bun:1.4.5-slim
WORKDIR /app
ENV NODE_ENV=production \
    MIMALLOC_PURGE_HOLES=0 \
    MIMALLOC_PURGE_DELAY=10000 \
    TROUPE_HOST=0.0.0.0 \
    TROUPE_STORE=sqlite:/data/troupe.db
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json tsconfig.json ./
COPY machines ./machines
COPY storage ./storage
COPY sdk/src ./sdk/src
COPY src ./src
COPY cli ./cli
RUN bun src/server/compile.ts \
 && mkdir /data && chown bun:bun /data \
 && printf '#!/bin/sh\nexec bun /app/cli/main.ts "$@"\n' > /usr/local/bin/troupe \
 && chmod 755 /usr/local/bin/troupe
USER bun
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
  CMD ["bun", "-e", "const answer = await fetch(`http://127.0.0.1:${process.env.PORT ?? 3000}/healthz`); process.exit(answer.ok ? 0 : 1)"]
CMD ["bun", "src/main.ts"]
