#!/usr/bin/env bash
# Makes llama.cpp available to pccsql: a static library for this machine, in the user's cache folder. Prints where.
#
#   scripts/llama.sh                 fetches and builds it if it is not there yet (once, some minutes), prints its prefix
#   scripts/llama.sh --cuda          one that computes on NVIDIA's GPUs; needs the CUDA toolkit
#   scripts/llama.sh --vulkan        one that computes on any GPU with a Vulkan driver; needs glslc and Vulkan's headers
#   scripts/llama.sh --metal         one that computes on a Mac's GPU
#   scripts/llama.sh --cpu           one that computes on the CPU alone
#   scripts/llama.sh --prefix-only   only prints the prefix; exit status 1 if nothing is installed there
#   scripts/llama.sh --http-prefix   only prints where cpp-httplib is; exit status 1 if it is not there
#
# Each kind has a prefix of its own. Without an option it is the kind that PCCSQL_BACKEND names (cpu, cuda, vulkan or
# metal); without that, one for a GPU if it has been made, in the order above; else on a Mac Metal's, elsewhere the CPU's.
#
#   PCCSQL_LLAMA_ARCHIVE   a file to use in place of fetching the source, for machines without a network
#   PCCSQL_CUDA_ARCH       the GPUs to build for, as CMAKE_CUDA_ARCHITECTURES has them (90, or "80;90"); default: native
#
# The source is the tree that PyPI's llama-cpp-python carries in its source distribution, accepted only with the SHA-256
# below. Of that package nothing but the tree is used, and cpp-httplib, which lies in the tree: the HTTP of `pccsql serve` and of
# chat endpoints. Its two files go into a folder of their own, to be compiled with pccsql. An interrupted run goes on where it stopped; two runs at once wait
# for each other; the prefix appears whole or not at all. CMake finds it (cmake/llama.cmake) and never fetches.
set -euo pipefail

package=llama-cpp-python
package_version=0.3.36
archive=llama_cpp_python-$package_version.tar.gz
archive_sha256=832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e
llama_version=0.5.0
http_version=0.58.0

say() { printf '%s\n' "$*" >&2; }
fail() { say "llama.sh: $*"; exit 2; }

sha256_of() {
  if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d' ' -f1
}

on_mac() { [[ $(uname -s) == Darwin ]]; }

# The library uses every instruction this CPU has, so a home folder shared by unlike machines holds one of each.
cpu_key() {
  {
    uname -m
    grep -m1 '^model name' /proc/cpuinfo || sysctl -n machdep.cpu.brand_string
    grep -m1 -E '^(flags|Features)' /proc/cpuinfo || true
  } 2>/dev/null | sha256_of | cut -c1-8
}

cache=${XDG_CACHE_HOME:-${HOME:?HOME is not set}/.cache}/pccsql
key=$(cpu_key)

# prefix_of BACKEND
prefix_of() {
  local kind=$1-
  if [[ $1 == cpu ]]; then kind=; fi
  printf '%s\n' "$cache/llama-$llama_version-$kind$key"
}
installed() { [[ -e $1/lib/cmake/llama/llama-config.cmake ]]; }

http_prefix=$cache/cpp-httplib-$http_version
http_installed() { [[ -e $http_prefix/httplib.cpp ]]; }

choose_backend() {
  local candidate
  for candidate in cuda vulkan metal; do
    if installed "$(prefix_of $candidate)"; then printf '%s\n' $candidate; return; fi
  done
  if on_mac; then echo metal; else echo cpu; fi
}

backend=${PCCSQL_BACKEND:-} prefix_only=false asked_for=
while (($# > 0)); do
  case $1 in
    --prefix-only) prefix_only=true ;;
    --http-prefix) printf '%s\n' "$http_prefix"; http_installed; exit ;;
    --cpu | --cuda | --vulkan | --metal)
      [[ -z $asked_for || $asked_for == "$1" ]] || fail "$asked_for and $1 are two libraries: one at a time"
      asked_for=$1 backend=${1#--} ;;
    -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p;}' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) fail "unknown option \`$1\`; there are --cuda, --vulkan, --metal, --cpu, --prefix-only and --http-prefix" ;;
  esac
  shift
done
case ${backend:=$(choose_backend)} in
  cpu | cuda | vulkan) ;;
  metal) on_mac || fail 'Metal is there on a Mac only; for other GPUs there are --cuda and --vulkan' ;;
  *) fail "PCCSQL_BACKEND is \`$backend\`; it may be cpu, cuda, vulkan or metal" ;;
esac
prefix=$(prefix_of "$backend")
work=$prefix.part  # all that is not finished; gone when it is
log=$prefix.log

if $prefix_only; then
  printf '%s\n' "$prefix"
  installed "$prefix"
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

# Where CMake looks for nvcc, too.
find_nvcc() {
  local folder
  if command -v nvcc; then return; fi
  for folder in "${CUDA_PATH:-/usr/local/cuda}" /usr/local/cuda; do
    if [[ -x $folder/bin/nvcc ]]; then printf '%s\n' "$folder/bin/nvcc"; return; fi
  done
  return 1
}

# has_header NAME: whether the compiler finds it, wherever it is.
has_header() {
  printf '#if !__has_include(<%s>)\n#error\n#endif\n' "$1" | "${CXX:-c++}" -std=c++17 -E -x c++ - >/dev/null 2>&1
}

need_tools() {
  local tool missing=()
  for tool in cmake=cmake ninja=ninja-build "${CC:-cc}=gcc" "${CXX:-c++}=g++" tar=tar; do
    command -v "${tool%=*}" >/dev/null || missing+=("${tool##*=}")
  done
  if [[ $backend == vulkan ]]; then
    command -v glslc >/dev/null || missing+=(glslc)
    if command -v "${CXX:-c++}" >/dev/null; then
      has_header vulkan/vulkan.hpp || missing+=(libvulkan-dev)
      has_header spirv/unified1/spirv.hpp || missing+=(spirv-headers)
    fi
  fi
  ((${#missing[@]} == 0)) || fail "needs packages that are not installed. On Debian: apt-get install ${missing[*]}"
  if [[ $backend == cuda ]]; then
    nvcc=$(find_nvcc) || fail "needs nvcc, CUDA's compiler, which is neither in PATH nor in ${CUDA_PATH:-/usr/local/cuda}/bin. \
It comes with NVIDIA's package cuda-toolkit-12-8 (or another of 12 or newer), or Debian's nvidia-cuda-toolkit"
  fi
}

find_pip() {
  local candidate
  for candidate in 'python3 -m pip' pip3 pip; do
    if $candidate --version >/dev/null 2>&1; then printf '%s\n' "$candidate"; return; fi
  done
  fail 'needs pip to fetch the source. On Debian: apt-get install python3-pip python3-venv'
}

is_genuine() { [[ -f $1 && $(sha256_of <"$1") == "$archive_sha256" ]]; }

# must_be_genuine FILE
must_be_genuine() {
  is_genuine "$1" || fail "the SHA-256 of $1 is $(sha256_of <"$1"), not $archive_sha256: not used"
}

fetch() {
  if is_genuine "$work/$archive"; then return; fi
  if [[ -n ${PCCSQL_LLAMA_ARCHIVE:-} ]]; then
    [[ -f $PCCSQL_LLAMA_ARCHIVE ]] || fail "PCCSQL_LLAMA_ARCHIVE: there is no file \`$PCCSQL_LLAMA_ARCHIVE\`"
    must_be_genuine "$PCCSQL_LLAMA_ARCHIVE"
    cp "$PCCSQL_LLAMA_ARCHIVE" "$work/$archive"
    return
  fi
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
  must_be_genuine "$got"
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
  say "building llama.cpp for $backend (once, some minutes; log: $log) …"
  # Threads of its own instead of OpenMP's: one library then serves g++, clang++ and the thread sanitizer alike.
  local options=(-DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DCMAKE_POSITION_INDEPENDENT_CODE=ON
    -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DLLAMA_BUILD_IS_DEV=OFF -DLLAMA_ALL_WARNINGS=OFF
    -DLLAMA_BUILD_COMMON=OFF -DLLAMA_BUILD_TOOLS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_TESTS=OFF
    -DLLAMA_BUILD_SERVER=OFF -DLLAMA_BUILD_APP=OFF -DGGML_NATIVE=ON -DGGML_OPENMP=OFF -DGGML_METAL=OFF)
  case $backend in
    # Without NCCL, which serves several GPUs at once: it would be linked wherever it happens to be installed.
    cuda) options+=(-DGGML_CUDA=ON -DGGML_CUDA_NCCL=OFF -DCMAKE_CUDA_COMPILER="$nvcc"
      -DCMAKE_CUDA_ARCHITECTURES="${PCCSQL_CUDA_ARCH:-native}") ;;
    vulkan) options+=(-DGGML_VULKAN=ON) ;;
    # The shaders travel inside the library, so that the program finds them wherever it is.
    metal) options+=(-DGGML_METAL=ON -DGGML_METAL_EMBED_LIBRARY=ON) ;;
  esac
  if command -v ccache >/dev/null; then
    options+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DGGML_CCACHE=OFF)
  fi
  # Its messages name source files: without the folder of this machine, which would travel with every program.
  local -x CFLAGS="${CFLAGS:-} -ffile-prefix-map=$work/source/=" CXXFLAGS="${CXXFLAGS:-} -ffile-prefix-map=$work/source/="
  logged 'configuring llama.cpp' cmake -S "$work/source" -B "$work/build" -G Ninja "${options[@]}"
  logged 'building llama.cpp' cmake --build "$work/build" --parallel "$(nproc 2>/dev/null || sysctl -n hw.ncpu)"
  rm -rf "$work/install"
  logged 'installing llama.cpp' cmake --install "$work/build" --prefix "$work/install"
  mkdir -p "$work/install/share/doc/llama.cpp"
  cp "$work/source/LICENSE" "$work/install/share/doc/llama.cpp/LICENSE"
}

# Whole or not at all, as the library.
install_http() {
  local from=$work/source/vendor/cpp-httplib part=$http_prefix.part.$$
  rm -rf "$part"
  mkdir "$part"
  cp "$from/httplib.h" "$from/httplib.cpp" "$from/LICENSE" "$part"
  grep -q "CPPHTTPLIB_VERSION \"$http_version\"" "$part/httplib.h" || fail "the source holds no cpp-httplib $http_version"
  mv "$part" "$http_prefix"
  touch "$prefix"  # ./pccsql builds again when a prefix is newer than its last build
}

if ! installed "$prefix" || ! http_installed; then
  installed "$prefix" || need_tools
  mkdir -p "$cache" || fail "cannot make \`$cache\`"
  exec 9>"$prefix.lock"
  if command -v flock >/dev/null; then flock 9; fi  # a Mac has none
  if ! installed "$prefix"; then  # no other run has just made it
    mkdir -p "$work"
    : >"$log"
    fetch
    unpack
    make_library
    http_installed || install_http
    rm -rf "$prefix"
    touch "$work/install"
    mv "$work/install" "$prefix"
    rm -rf "$work"
  elif ! http_installed; then
    # The library is there; without a network that is enough for everything but HTTP.
    mkdir -p "$work"
    : >"$log"
    if (fetch && unpack && install_http); then
      rm -rf "$work"
    else
      say 'cpp-httplib could not be fetched: no `pccsql serve` until this script can'
    fi
  fi
fi
printf '%s\n' "$prefix"
