#!/bin/sh
# Compares texture fetches on a GPU with those on the emulated device, bit by bit.
#
#     compare.sh [WARPLAB [FOLDER]]
#
# WARPLAB is the command (default: `warplab`); nvcc must be set up. FOLDER (default: a new one) gets the two records,
# `gpu.txt` and `emulated.txt`, and `difference.txt`: for each case the number of fetches that differ, and the first of
# them. On a computer without a GPU only `emulated.txt` is written. The exit code is 1 if a fetch differs.
set -eu
warplab=${1:-warplab}
folder=${2:-$(mktemp -d)}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
"$warplab" nvcc "$here/record.cu" -o "$folder/record"
# The last case is a deliberate mistake, so the exit code is ignored.
"$warplab" exec --device emulated:h200 "$folder/record" >"$folder/emulated.txt" || true
if ! nvidia-smi -L >/dev/null 2>&1; then
    echo "there is no GPU here; the emulated device's record is $folder/emulated.txt"
    exit 0
fi
"$warplab" exec --device cuda:0 "$folder/record" >"$folder/gpu.txt" || true
python3 "$here/difference.py" "$folder/gpu.txt" "$folder/emulated.txt" | tee "$folder/difference.txt"
# The last line is `N of M fetches differ`.
tail -n 1 "$folder/difference.txt" | grep -q '^0 '
