# Sourced by ./pccsql and ./test: finds what a build needs and is not there, installs it where that is allowed, and runs
# CMake quietly. Expects `root`, the folder of the checkout. Functions return non-zero after saying why.

say() { printf '%s\n' "$*" >&2; }

# missing_packages TOOLS HEADERS: the Debian packages that are not there, one a line. TOOLS are `command=package` words.
# HEADERS are `header=package` words, looked for by the compiler itself, so that copies outside /usr count too.
missing_packages() {
  local pair probe='' compiler
  compiler=$(command -v "${CXX:-g++}" || command -v g++ || true)
  [[ -n $compiler ]] || echo g++
  for pair in $1; do command -v "${pair%%=*}" >/dev/null || echo "${pair#*=}"; done
  for pair in $2; do
    if [[ -z $compiler ]]; then
      [[ -e /usr/include/${pair%%=*} ]] || echo "${pair#*=}"
    fi
    probe+="#if !__has_include(<${pair%%=*}>)"$'\n'"missing ${pair#*=}"$'\n#endif\n'
  done
  if [[ -n $compiler ]]; then "$compiler" -std=c++20 -E -P -x c++ - <<<"$probe" | sed -n 's/^missing //p'; fi
}

# install_packages LOG PACKAGE...: by apt-get as root or through a sudo that asks nothing; else says what to install.
install_packages() {
  local log=$1 as_root=()
  shift
  if ! command -v apt-get >/dev/null || { ((EUID != 0)) && ! sudo -n true 2>/dev/null; }; then
    say "pccsql needs packages that are not installed. On Debian:"
    say "  apt-get install $*"
    return 1
  fi
  ((EUID == 0)) || as_root=(sudo -n)
  say "installing $* …"
  local get=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qy -o DPkg::Lock::Timeout=120)
  # A fresh machine knows no package lists: only then are they fetched.
  if ! "${get[@]}" install --no-install-recommends "$@" >"$log" 2>&1 </dev/null; then
    "${get[@]}" update >>"$log" 2>&1 </dev/null || true
    if ! "${get[@]}" install --no-install-recommends "$@" >>"$log" 2>&1 </dev/null; then
      tail -n 30 "$log" >&2
      say "installing failed (all of it: $log). Please install: $*"
      return 1
    fi
  fi
}

# need FOLDER TOOLS HEADERS: makes sure of all of them.
need() {
  local folder=$1 packages
  mapfile -t packages < <(missing_packages "$2" "$3")
  ((${#packages[@]} == 0)) || install_packages "$folder/install.log" "${packages[@]}"
}

build_tools='cmake=cmake ninja=ninja-build'
build_headers='sqlite3.h=libsqlite3-dev nlohmann/json.hpp=nlohmann-json3-dev
  yaml-cpp/yaml.h=libyaml-cpp-dev CLI/CLI.hpp=libcli11-dev httplib.h=libcpp-httplib-dev openssl/ssl.h=libssl-dev histedit.h=libedit-dev'

# configure FOLDER CMAKE-ARGUMENT...
configure() {
  local folder=$1 arguments=()
  shift
  # A folder that was copied or moved with its checkout remembers the old place, which CMake refuses.
  if [[ -e $folder/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    arguments+=(--fresh -DPCCSQL_UNITY=ON)
  elif [[ ! -e $folder/CMakeCache.txt ]]; then
    arguments+=(-DPCCSQL_UNITY=ON)  # from nothing it takes half the time; a folder that is configured stays as it is
  fi
  if command -v ccache >/dev/null; then arguments+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  cmake -S "$root" -B "$folder" -G Ninja "${arguments[@]}" "$@"
}

# show_progress: of ninja's lines on standard input how far it is, on a terminal, in one line that is written again and
# again and gone at the end.
show_progress() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ ^\[[0-9]+/[0-9]+\] ]]; then printf '\r%s' "${BASH_REMATCH[0]}" >&2; fi
  done
  printf '\r\033[K' >&2
}

# run_ninja FOLDER TARGETS LOG
run_ninja() {  # not through cmake, which is slow to pass Ctrl-C on
  if [[ -t 2 ]]; then
    ninja -C "$1" $2 2>&1 </dev/null | tee -a "$3" | show_progress
  else
    ninja -C "$1" $2 >>"$3" 2>&1 </dev/null
  fi
}

# build FOLDER TARGETS CMAKE-ARGUMENT...: configures and builds, both into FOLDER/build.log; its end is shown on failure.
# The caller has set pipefail.
build() {
  local folder=$1 targets=$2 log=$1/build.log
  shift 2
  if ! configure "$folder" "$@" >"$log" 2>&1 </dev/null || ! run_ninja "$folder" "$targets" "$log"; then
    tail -n 30 "$log" >&2
    say "the build failed (all of it: $log)"
    return 1
  fi
}

# Whether FOLDER was configured with llama.cpp.
has_llama() { grep -qs '^llama_DIR:PATH=/' "$1/CMakeCache.txt"; }

# Whether FOLDER was configured with PostgreSQL.
has_postgres() {
  grep -qs '^PCCSQL_LIBPQ:FILEPATH=/' "$1/CMakeCache.txt" && grep -qs '^PCCSQL_PG_QUERY:FILEPATH=/' "$1/CMakeCache.txt"
}

# get_postgres FOLDER CMAKE-ARGUMENT...: libpq, libpg_query and a server's programs, where they may be installed. What runs
# already is left alone.
get_postgres() {
  local folder=$1
  shift
  if ! compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null && ! command -v initdb >/dev/null; then
    install_packages "$folder/install.log" postgresql || return 1
  fi
  configure "$folder" "$@" >"$folder/build.log" 2>&1 </dev/null || true  # what is wrong, build() will say
  if has_postgres "$folder"; then return; fi
  need "$folder" 'pg_config=libpq-dev cargo=cargo' '' && bash "$root/scripts/pg_query.sh" >/dev/null
}

# get_llama FOLDER CMAKE-ARGUMENT...: makes llama.cpp where CMake finds none. Without a network there will be none.
get_llama() {
  local folder=$1
  shift
  configure "$folder" "$@" >"$folder/build.log" 2>&1 </dev/null || true  # what is wrong, build() will say
  if has_llama "$folder"; then return; fi
  need "$folder" 'python3=python3 pip3=python3-pip' '' || true
  bash "$root/scripts/llama.sh" >/dev/null
}
