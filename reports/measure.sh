#!/usr/bin/env bash
# Measures a reference folder like `h200` on the GPU of this computer: every run that the documents' figures come from.
#   measure.sh WARPLAB FOLDER [RUN...]      RUN: `.`, `sweep` or `n-...`, a folder of `h200`; all of them where none is named
# FOLDER/RUN must not hold rows yet. On an H200 all runs take about ten minutes, in which nothing else should use the GPU. Small
# sizes are those of prediction/runs.txt, with 40 samples a row. What does not pass is named at the end, and the exit code is 1.
# `DEVICE=emulated SAMPLES=1 measure.sh WARPLAB FOLDER n-65537` tries this without a GPU.
set -uo pipefail
shopt -s nullglob
if [ $# -lt 2 ]; then
    sed -n '2,3s/^# *//p' "$0"
    exit 2
fi
warplab=$(realpath -e "$1") || exit 2
mkdir -p "$2" || exit 2
folder=$(realpath "$2") device=${DEVICE:-cuda:0}
shift 2
cd "$(dirname "$0")" || exit 2

{
    echo ". run all"
    echo "sweep run vecadd --sweep"
    grep '^n-' prediction/runs.txt | sed "s/\$/ --samples ${SAMPLES:-40} --no-exercises/"
    echo "n-268435456 run sort -n 2^28 --variant radix --variant radix-large --no-exercises"
    echo "n-1073741825 run reduction -n 1073741825 --variant vectorized --op sum --no-exercises"
    echo "n-1073741825 run scan -n 1073741825 --variant single-pass --no-exercises"
} > "${list:=$(mktemp)}"
trap 'rm -f "$list"' EXIT
wanted=("$@")
[ $# -gt 0 ] || mapfile -t wanted < <(cut -d ' ' -f 1 "$list" | uniq)

for run in "${wanted[@]}"; do
    if ! grep -q "^${run//./\\.} " "$list"; then
        echo "measure.sh: there is no run $run; there are: $(cut -d ' ' -f 1 "$list" | uniq | xargs)" >&2
        exit 2
    fi
    rows=("$folder/$run"/*.csv)
    if [ ${#rows[@]} -gt 0 ]; then
        echo "measure.sh: $folder/$run holds rows already; name a new folder, or remove them" >&2
        exit 2
    fi
done

failed=()
for run in "${wanted[@]}"; do
    while read -r of arguments; do
        [ "$of" = "$run" ] || continue
        began=$SECONDS
        read -r -a words <<< "$arguments"
        "$warplab" "${words[@]}" --device "$device" --quiet --out "$folder/$run" < /dev/null || failed+=("$run: warplab $arguments")
        echo "$run: warplab $arguments: $((SECONDS - began)) s"
    done < "$list"
done
for line in "${failed[@]}"; do
    echo "did not pass: $line" >&2
done
[ ${#failed[@]} -eq 0 ]
