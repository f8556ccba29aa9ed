#!/usr/bin/env bash
# Makes libpg_query available to pccsql: PostgreSQL's own parser as a static library, in the user's cache folder. Prints where.
#
#   scripts/pg_query.sh                 fetches and builds it if it is not there yet (once, about a minute), prints its prefix
#   scripts/pg_query.sh --prefix-only   only prints the prefix; exit status 1 if nothing is installed there
#
#   PCCSQL_PG_QUERY_ARCHIVE   a file to use in place of fetching the source, for machines without a network or cargo
#
# The source is the C tree that the Rust crate pg_query carries, accepted only with the SHA-256 below. Of that crate
# nothing but the tree is used, and no Rust is compiled: cargo fetches, the C compiler builds. Where objcopy is there, only
# pg_query's own functions stay visible, because some of the parser's have namesakes in PostgreSQL's client library. Two
# runs at once wait for each other; the prefix appears whole or not at all. CMake finds it (cmake/postgres.cmake) and
# never fetches.
set -euo pipefail

crate=pg_query
crate_version=6.1.1
archive=$crate-$crate_version.crate
archive_sha256=6ca6fdb8f9d32182abf17328789f87f305dd8c8ce5bf48c5aa2b5cffc94e1c04
build=1  # counts the ways in which this script has built it, so that another one is another prefix

say() { printf '%s\n' "$*" >&2; }
fail() { say "pg_query.sh: $*"; exit 2; }

sha256_of() {
  if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d' ' -f1
}

cache=${XDG_CACHE_HOME:-${HOME:?HOME is not set}/.cache}/pccsql
prefix=$cache/pg_query-$crate_version-$build-$(uname -m)
work=$prefix.part  # all that is not finished; gone when it is
log=$prefix.log

prefix_only=false
while (($# > 0)); do
  case $1 in
    --prefix-only) prefix_only=true ;;
    -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p;}' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) fail "unknown option \`$1\`; there is --prefix-only" ;;
  esac
  shift
done

installed() { [[ -e $prefix/lib/libpg_query.a && -e $prefix/include/pg_query.h ]]; }
if $prefix_only; then
  printf '%s\n' "$prefix"
  installed
  exit
fi

# logged WHAT COMMAND...: its output goes to the log, whose end is shown when it fails.
logged() {
  local what=$1
  shift
  if ! "$@" >>"$log" 2>&1 </dev/null; then
    tail -n 20 "$log" >&2
    fail "$what failed (all of it: $log)"
  fi
}

need_tools() {
  local tool missing=()
  for tool in "${CC:-cc}=gcc" ar=binutils tar=tar; do
    command -v "${tool%=*}" >/dev/null || missing+=("${tool##*=}")
  done
  ((${#missing[@]} == 0)) || fail "needs packages that are not installed. On Debian: apt-get install ${missing[*]}"
}

is_genuine() { [[ -f $1 && $(sha256_of <"$1") == "$archive_sha256" ]]; }

# must_be_genuine FILE
must_be_genuine() {
  is_genuine "$1" || fail "the SHA-256 of $1 is $(sha256_of <"$1"), not $archive_sha256: not used"
}

fetch() {
  if is_genuine "$work/$archive"; then return; fi
  if [[ -n ${PCCSQL_PG_QUERY_ARCHIVE:-} ]]; then
    [[ -f $PCCSQL_PG_QUERY_ARCHIVE ]] || fail "PCCSQL_PG_QUERY_ARCHIVE: there is no file \`$PCCSQL_PG_QUERY_ARCHIVE\`"
    must_be_genuine "$PCCSQL_PG_QUERY_ARCHIVE"
    cp "$PCCSQL_PG_QUERY_ARCHIVE" "$work/$archive"
    return
  fi
  command -v cargo >/dev/null || fail 'needs cargo to fetch the source. On Debian: apt-get install cargo. Or give the crate as PCCSQL_PG_QUERY_ARCHIVE'
  say "fetching the source of libpg_query (crate $crate $crate_version, 2 MB) …"
  # A package that depends on the crate, in a folder of its own: what cargo is told by the user's settings still holds.
  rm -rf "$work/fetch"
  mkdir -p "$work/fetch"
  cat >"$work/fetch/Cargo.toml" <<TOML
[package]
name = "fetch"
version = "0.0.0"
edition = "2021"
[lib]
path = "fetch.rs"
[dependencies]
$crate = "=$crate_version"
TOML
  : >"$work/fetch/fetch.rs"
  if ! (cd "$work/fetch" && cargo fetch) >>"$log" 2>&1 </dev/null; then
    tail -n 5 "$log" >&2
    fail "could not fetch $crate $crate_version with \`cargo fetch\`: is the network reachable? (all of it: $log)"
  fi
  local got
  got=$(find "${CARGO_HOME:-$HOME/.cargo}/registry/cache" -name "$archive" -type f | head -n 1)
  [[ -n $got ]] || fail "cargo left no $archive in ${CARGO_HOME:-$HOME/.cargo}/registry/cache"
  must_be_genuine "$got"
  cp "$got" "$work/$archive.part"
  mv "$work/$archive.part" "$work/$archive"
  rm -rf "$work/fetch"
}

unpack() {
  rm -rf "$work/source"
  mkdir "$work/source"
  logged 'unpacking' tar -xzf "$work/$archive" -C "$work/source" --strip-components=2 --no-same-owner \
    "${archive%.crate}/libpg_query"
}

compile_one() {
  local object=$1
  object=$objects/${object//\//_}.o
  # shellcheck disable=SC2086
  ${launcher:-} ${CC:-cc} -O2 -fPIC -w -I. -I./vendor -I./src/postgres/include -I./src/include -c "$1" -o "$object"
}

make_library() {
  say "building libpg_query (once, about a minute; log: $log) …"
  objects=$work/objects launcher=
  if command -v ccache >/dev/null; then launcher=ccache; fi
  rm -rf "$objects" "$work/install"
  mkdir -p "$objects" "$work/install/lib" "$work/install/include" "$work/install/share/doc/libpg_query"
  export objects launcher
  export -f compile_one
  cd "$work/source"
  logged 'compiling libpg_query' bash -euo pipefail -c \
    'printf "%s\0" src/*.c src/postgres/*.c vendor/protobuf-c/protobuf-c.c vendor/xxhash/xxhash.c protobuf/pg_query.pb-c.c |
       xargs -0 -n 1 -P "$(nproc 2>/dev/null || sysctl -n hw.ncpu)" bash -euo pipefail -c '\''compile_one "$1"'\'' compile'
  cd "$work"
  if command -v objcopy >/dev/null; then
    logged 'joining its objects' ld -r -o "$objects/all" "$objects"/*.o
    logged 'hiding its inner names' objcopy --wildcard --keep-global-symbol='pg_query_*' "$objects/all" "$objects/pg_query.all"
    logged 'making the library' ar crs "$work/install/lib/libpg_query.a" "$objects/pg_query.all"
  else
    logged 'making the library' ar crs "$work/install/lib/libpg_query.a" "$objects"/*.o
  fi
  cp "$work/source/pg_query.h" "$work/install/include/pg_query.h"
  cp "$work/source/README.md" "$work/install/share/doc/libpg_query/README.md"
}

if ! installed; then
  need_tools
  mkdir -p "$cache" || fail "cannot make \`$cache\`"
  exec 9>"$prefix.lock"
  if command -v flock >/dev/null; then flock 9; fi  # a Mac has none
  if ! installed; then  # no other run has just made it
    mkdir -p "$work"
    : >"$log"
    fetch
    unpack
    make_library
    rm -rf "$prefix"
    touch "$work/install"  # ./pccsql builds again when a prefix is newer than its last build
    mv "$work/install" "$prefix"
    rm -rf "$work"
  fi
fi
printf '%s\n' "$prefix"
