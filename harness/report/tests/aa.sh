#!/usr/bin/env bash
# A/A: runs of one program that are compared with each other, so that every alarm is a false one; and slowdowns planted
# into their samples, which must be caught.
#
#   harness/report/tests/aa.sh WARPLAB FOLDER RUNS PLANTED ARGUMENTS OF warplab run...
#   harness/report/tests/aa.sh target/release/warplab /tmp/aa 11 5 all --quick --device cuda:0
#
# makes RUNS runs in FOLDER (those that are there stay), compares all pairs in their order (11 runs are 55 pairs), and
# plants a slowdown of 3 % in PLANTED cases of each of the first five pairs. Prints the false alarms, and what was
# caught. Needs Python 3. Ends with 1 if anything alarmed for nothing or was missed.
set -euo pipefail
warplab=$1 folder=$2 runs=$3 planted=$4
shift 4
mkdir -p "$folder"
for i in $(seq "$runs"); do
    [ -e "$folder/run$i/done" ] && continue
    "$warplab" run "$@" --out "$folder/run$i" --quiet
    touch "$folder/run$i/done"
done
exec python3 "$(dirname "$0")/aa.py" "$warplab" "$folder" "$runs" "$planted"
