#!/usr/bin/env bash
# Makes an adapter of one's own: from copies of Spider and BIRD and a model to a GGUF adapter, by one command, on a machine with a
# GPU and PyTorch.
#
#   scripts/train/make_adapter.sh --spider DIR --bird DIR --out FOLDER [--model FILE.gguf] [-- options of train.py]
#
# FOLDER gets training.jsonl, what was left out of it and why (training.txt), the log (train.log) and adapter.gguf. The data
# step needs no GPU, and the same inputs give the same data. Without --model it is the default model, which is fetched if
# it is not there. train.py --help tells the rest.
set -euo pipefail

here=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")" && pwd)
pccsql=${PCCSQL:-$here/../../pccsql}
spider='' bird='' out='' model=''
fail() { echo "make_adapter.sh: $*" >&2; exit 2; }
while (($# > 0)); do
  case $1 in
    --spider | --bird | --out | --model) [[ $# -ge 2 ]] || fail "$1 needs a value"; printf -v "${1#--}" %s "$2"; shift 2 ;;
    --) shift; break ;;
    -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$here/make_adapter.sh"; exit 0 ;;
    *) fail "unknown option \`$1\`; see --help" ;;
  esac
done
[[ -n $out && -n $spider$bird ]] || fail "--out and one of --spider and --bird are needed; see --help"
python3 -c 'import numpy, torch' 2>/dev/null || fail "python3 has no PyTorch, or no NumPy"

mkdir -p "$out"
data=(--out "$out/training.jsonl")
if [[ -n $spider ]]; then data+=(--spider "$spider"); fi
if [[ -n $bird ]]; then data+=(--bird "$bird"); fi
if [[ -n $model ]]; then data+=(--model "$model"); fi
"$pccsql" suite training "${data[@]}" | tee "$out/training.txt"
if [[ -z $model ]]; then model=$("$pccsql" model path qwen2.5-coder-1.5b); fi
python3 "$here/train.py" --model "$model" --data "$out/training.jsonl" --out "$out/adapter.gguf" --log "$out/train.log" "$@"
