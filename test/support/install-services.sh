#!/bin/sh
# Installs the services that tests use for real. `npm test` runs it first (pretest), and `npm run test:scale` with `scale`, for
# the proxies that only its tests use; nothing happens when all are there.
# What can't be had is named and its tests are skipped; in CI that is a failure.
set -eu

# command|command that does as well where the first can't be had|Debian package|service that the package starts|what is
# skipped without it
services='redis-server||redis-server|redis-server|tests of leases and rate limits on Redis
pg_createcluster||postgresql|postgresql|tests of stores in PostgreSQL
chromium-headless-shell|chromium|chromium-headless-shell||tests in a browser'
proxies='nginx||nginx-light|nginx|the rolling restart behind nginx
caddy||caddy|caddy|the rolling restart behind Caddy'
[ "${1:-}" != scale ] || services="$services
$proxies"

# The lines of `services` whose command is not there; with `or-else` those whose other command is not there either.
missing() {
  printf '%s\n' "$services" | while IFS='|' read -r program other rest; do
    command -v "$program" >/dev/null 2>&1 ||
      { [ "${1:-}" = or-else ] && [ -n "$other" ] && command -v "$other" >/dev/null 2>&1; } ||
      printf '%s\n' "$program|$other|$rest"
  done
}

wanted=$(missing)
[ -n "$wanted" ] || exit 0

if [ "$(id -u)" = 0 ] && [ -f /etc/debian_version ] && command -v apt-get >/dev/null 2>&1; then
  packages=$(printf '%s\n' "$wanted" | cut -d '|' -f 3)
  log=$(mktemp)
  export DEBIAN_FRONTEND=noninteractive
  # Without a network it gives up soon. Unquoted: one word per option and package.
  patience='-o Acquire::Retries=1 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20'
  if apt-get $patience update -qq >"$log" 2>&1 &&
    apt-get $patience install -y -qq --no-install-recommends $packages >>"$log" 2>&1; then
    # Tests start their own, on ports of their own.
    printf '%s\n' "$wanted" | cut -d '|' -f 4 | while read -r service; do
      [ -z "$service" ] || service "$service" stop >/dev/null 2>&1 || true
    done
  else
    echo "Could not install:" $packages >&2
    tail -n 5 "$log" >&2
  fi
  rm -f "$log"
fi

wanted=$(missing or-else)
[ -n "$wanted" ] || exit 0

printf '%s\n' "$wanted" | while IFS='|' read -r program other package service skipped; do
  echo "$program is not installed (Debian package $package). Skipped without it: $skipped." >&2
done
[ "${CI:-}" != true ] || exit 1
