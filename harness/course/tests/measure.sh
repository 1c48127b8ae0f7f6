#!/usr/bin/env bash
# Measures the cost of a class: `measure.sh WARPLAB [LAB] [COUNT]` grades COUNT submissions made by make_class.py (200
# of histogram), prints time and memory, kills a second run half-way and resumes it, and compares the marks of both.
set -euo pipefail
warplab=$(realpath "$1") lab=${2:-histogram} count=${3:-200}
here=$(realpath "$(dirname "$0")")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
python3 "$here/make_class.py" "$lab" "$count" "$place/class"

# Memory of process $1 and its descendants, in KiB: pages that several share count once.
held() {
    local all below next
    all=$1 next=$1
    while below=$(pgrep -d, -P "$next"); do all+=,$below next=$below; done
    for pid in ${all//,/ }; do awk '/^Pss:/ { print $2 }' "/proc/$pid/smaps_rollup" 2> /dev/null || true; done |
        awk '{ sum += $1 } END { print sum + 0 }'
}
results() { find "$1/results" -name '*.json' 2> /dev/null | wc -l; }
start() { "$warplab" class "$lab" "$place/class" --out "$1" --seed 11 > "$1.txt" & }

TIMEFORMAT='%R s, %U s of CPU time by the program and %S s by the system'
time {
    start "$place/whole"
    peak=0
    while kill -0 $! 2> /dev/null; do
        now=$(held $!)
        peak=$((now > peak ? now : peak))
        sleep 1
    done
    wait $! || echo "ended with $?"
}
cat "$place/whole.txt"
echo "$count submissions on $(nproc) cores; $((peak / 1024)) MiB at most"
grep -o 'Grading one took[^<]*' "$place/whole/class.html"

start "$place/killed"
while kill -0 $! 2> /dev/null && [ "$(results "$place/killed")" -lt $((count / 2)) ]; do sleep 0.2; done
kill -KILL $!
wait $! 2> /dev/null || true
kept=$(results "$place/killed")
[ "$kept" -lt "$count" ] || { echo "it had ended before it was killed" >&2; exit 1; }
sleep 1
start "$place/killed"
wait $! || echo "ended with $?"
cmp "$place/whole/marks.csv" "$place/killed/marks.csv"
echo "killed after $kept of $count, and gone on: the same marks"
