#!/bin/sh
# Compares tensor copies on a GPU with those on the emulated device, bit by bit.
#
#     compare.sh [WARPLAB [FOLDER]]
#
# WARPLAB is the command (default: `warplab`); nvcc must be set up. FOLDER (default: a new one) gets the two records,
# `gpu.txt` and `emulated.txt`, and `difference.txt`. Each line of a record is a case: the driver's result for the
# tensor map, and a digest of the copy's output. On a computer without a GPU only `emulated.txt` is written. The exit
# code is 1 if a line differs.
set -eu
warplab=${1:-warplab}
folder=${2:-$(mktemp -d)}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
"$warplab" nvcc -arch=sm_90 -std=c++17 "$here/record.cu" -o "$folder/record"
"$warplab" exec --device emulated:h200 "$folder/record" >"$folder/emulated.txt"
if ! nvidia-smi -L >/dev/null 2>&1; then
    echo "there is no GPU here; the emulated device's record is $folder/emulated.txt"
    exit 0
fi
"$warplab" exec --device cuda:0 "$folder/record" >"$folder/gpu.txt" || echo "the record on the GPU is not whole"
if diff "$folder/gpu.txt" "$folder/emulated.txt" >"$folder/difference.txt"; then
    echo "$(wc -l <"$folder/gpu.txt") cases, and no difference"
else
    head -n 40 "$folder/difference.txt"
    echo "$(grep -c '^<' "$folder/difference.txt") of $(wc -l <"$folder/gpu.txt") cases differ"
    exit 1
fi
