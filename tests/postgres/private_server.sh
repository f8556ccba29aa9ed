#!/usr/bin/env bash
# A PostgreSQL server of its own for tests: in a folder of its own, on a Unix socket there, as an ordinary user.
#
#   private_server.sh start FOLDER   makes it in FOLDER, which must not be there yet, and starts it; prints the socket's folder
#   private_server.sh restart FOLDER   as if it had crashed
#   private_server.sh stop FOLDER    stops it and removes FOLDER
#
# Nothing that runs already is touched. PCCSQL_PG_BIN names the folder of initdb and postgres where they are neither in PATH
# nor where Debian puts them; without them the exit status is 3.
set -euo pipefail

action=${1:?start or stop} folder=${2:?a folder}

find_bin() {
  local candidate
  for candidate in "${PCCSQL_PG_BIN:-}" /usr/lib/postgresql/*/bin /opt/homebrew/opt/postgresql*/bin \
      "$(dirname "$(command -v initdb || echo /nowhere/x)")"; do
    if [[ -n $candidate && -x $candidate/initdb && -x $candidate/postgres ]]; then printf '%s\n' "$candidate"; return; fi
  done
  return 1
}

# The server refuses to run as root.
as_user() {
  if [[ $(id -u) != 0 ]]; then
    "$@"
  elif id postgres >/dev/null 2>&1; then
    setpriv --reuid=postgres --regid="$(id -g postgres)" --clear-groups "$@"
  else
    setpriv --reuid=nobody --regid="$(id -g nobody)" --clear-groups "$@"
  fi
}

bin=$(find_bin) || { echo 'no PostgreSQL server is installed' >&2; exit 3; }
case $action in
  start)
    mkdir -m 755 "$folder"
    if [[ $(id -u) == 0 ]]; then chown "$(id -u postgres 2>/dev/null || id -u nobody)" "$folder"; fi
    cd "$folder"
    as_user env LC_ALL=C.UTF-8 "$bin/initdb" --pgdata="$folder/data" --username=owner --auth=trust --encoding=UTF8 --no-sync \
      --no-instructions >"$folder.log" 2>&1
    as_user "$bin/pg_ctl" --pgdata="$folder/data" --log="$folder/server.log" --wait --silent \
      -o "-c listen_addresses='' -c unix_socket_directories='$folder' -c fsync=off -c full_page_writes=off -c shared_buffers=64MB -c jit=off -c autovacuum=off" \
      start >>"$folder.log" 2>&1
    printf '%s\n' "$folder"
    ;;
  restart)
    cd /
    as_user "$bin/pg_ctl" --pgdata="$folder/data" --mode=immediate --wait --silent restart >>"$folder.log" 2>&1
    ;;
  stop)
    cd /
    as_user "$bin/pg_ctl" --pgdata="$folder/data" --mode=immediate --silent stop >/dev/null 2>&1 || true
    rm -rf "$folder" "$folder.log"
    ;;
  *) echo "unknown action \`$action\`" >&2; exit 2 ;;
esac
