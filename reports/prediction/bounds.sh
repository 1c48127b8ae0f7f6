#!/usr/bin/env bash
# What Nsight Compute says bounds each kernel of the labs: one launch of each kernel.
#   bounds.sh WARPLAB FOLDER      needs a GPU and the right to read its counters; writes FOLDER/bounds.csv
set -uo pipefail
warplab=$(realpath -e "$1") folder=$(realpath -e "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export WARPLAB_CACHE=$scratch/cache
sizes=(
    "transpose -n 8192 --m 8192"
    "matmul -n 700 --m 1000 --k 500"
    "sort -n 2^22"
    "histogram -n 2^22"
    "reduction -n 2^22"
    "scan -n 2^22"
    "stencil -n 2^22 --width 2048 --height 2048"
    "divergence -n 4194304"
    "occupancy -n 999983"
    "trapezoid -n 2^20"
)
: > "$folder/bounds.csv"
for run in "${sizes[@]}"; do
    read -r -a arguments <<< "$run"
    timeout 25 ncu --csv --page raw --clock-control none --cache-control none --print-kernel-base mangled --print-units base \
        --section SpeedOfLight --section WarpStateStats --section ComputeWorkloadAnalysis --section Occupancy \
        --kernel-id :::2 --target-processes all --log-file "$scratch/log" \
        "$warplab" run "${arguments[@]}" --samples 1 --quiet --no-exercises --out "$scratch/run" --device cuda:0 < /dev/null > "$scratch/out" 2>&1
    code=$?
    rows=$(grep -c '^"[0-9]' "$scratch/log")
    echo "$run: exit code $code, $rows launches"
    [ "$rows" = 0 ] && { tail -3 "$scratch/log"; tail -3 "$scratch/out"; }
    echo "# run $run" >> "$folder/bounds.csv"
    grep '^"' "$scratch/log" >> "$folder/bounds.csv"
done

