#!/usr/bin/env bash
# Tests the steps of .ci/gpu on the emulated device, `check_gpu.sh WARPLAB BUILT`: with a built warplab, and the folder in which
# `.ci/run archive` left the tests. Exit status 1 if a check fails.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
checkout=$(cd "$(dirname "$0")/.." && pwd)
fail() { echo "check_gpu.sh: $*" >&2; exit 1; }

mkdir "$work/built"
cp "$1" "$work/built/warplab"
cp "$2/tests.tar.zst" "$2/cargo-nextest" "$work/built/"
export CI_BUILT=$work/built CI_OUT=$work/out WARPLAB_GPU=emulated:t4 WARPLAB_RUN=--quick WARPLAB_BASELINES=$work/baselines
export WARPLAB_WAIT=1 GITHUB_STEP_SUMMARY=$work/summary GITHUB_REF_NAME=main GITHUB_HEAD_REF=
# With a PATH as on a computer without Rust.
steps() { env PATH=/usr/bin:/bin "$checkout/.ci/gpu" "$@" > "$work/log" 2>&1; }

steps clean measure || { cat "$work/log"; fail "the steps fail"; }
grep -q "main" "$work/out/run/session.json" || fail "the run does not know its branch"
steps compare keep || { cat "$work/log"; fail "the first run is not kept"; }
grep -q '::warning::not compared: .*no baseline' "$work/log" || { cat "$work/log"; fail "it is not said that there is no baseline"; }
# A pull request's run is compared with the main branch's. Unchanged kernels have the same counts; others do not.
export GITHUB_HEAD_REF=change
steps measure compare || { cat "$work/log"; fail "a run differs from another of the same kernels"; }
grep -q "The baseline is $work/baselines/" "$work/log" || { cat "$work/log"; fail "the run is not compared"; }
# An incomplete run is not reported as one without a baseline.
mv "$work/out/run/vecadd.csv" "$work/"
if steps compare; then cat "$work/log"; fail "a run that is not whole passes"; fi
grep -q "is not whole: vecadd" "$work/log" || { cat "$work/log"; fail "it is not said what the run lacks"; }
mv "$work/vecadd.csv" "$work/out/run/"
kept=$(find "$work/baselines" -name vecadd.counters.csv)
python3 - "$kept" << 'END'
import csv, sys
with open(sys.argv[1], newline="") as file:
    rows = list(csv.DictReader(file))
for row in rows:
    if row["global_load_sectors"]:
        row["global_load_sectors"] = str(int(row["global_load_sectors"]) // 2)
with open(sys.argv[1], "w", newline="") as file:
    writer = csv.DictWriter(file, rows[0])
    writer.writeheader()
    writer.writerows(rows)
END
if steps compare; then cat "$work/log"; fail "a run that costs more than its baseline passes"; fi
grep -q '| vecadd | pageable, .* | costs more |' "$work/out/compare.md" || { cat "$work/log"; fail "it is not said what costs more"; }
steps report || { cat "$work/log"; fail "there is no report"; }
grep -q '| vecadd |' "$work/summary" || fail "the job's summary has no table of the labs"
[ -s "$work/out/report.html" ] || fail "there is no page"
# The tests run from the archive if they were built in this folder, as gpu.yml does.
WARPLAB_HOME=$work/home steps tests || { cat "$work/log"; fail "the archive's tests fail"; }
grep -q '<testsuite ' "$work/out/junit.xml" || fail "JUnit has no tests"

# Only processes left by a dead job are killed.
WARPLAB_CI_HOLDS=emulated:t4 sleep 300 &
mine=$!
WARPLAB_CI_HOLDS=emulated:a100 sleep 300 &
other=$!
steps clean || { cat "$work/log"; fail "a GPU cannot be cleaned"; }
if kill -0 "$mine" 2> /dev/null; then fail "a process that a job left is still there"; fi
kill -0 "$other" || fail "a process of another GPU is gone"
kill "$other"

# While another job holds the GPU, this one waits, and then reports it.
flock /tmp/warplab-emulated-t4.lock sleep 3 &
sleep 0.2
if steps clean; then fail "two jobs hold one GPU"; fi
grep -q "another job holds emulated:t4" "$work/log" || { cat "$work/log"; fail "it is not said who holds the GPU"; }
wait %% 2> /dev/null || true

# A command that never ends is killed, which releases the GPU.
printf '#!/bin/sh\nsleep 60\n' > "$work/built/warplab"
if WARPLAB_WAIT=9 WARPLAB_LIMIT=1 steps measure; then fail "a run that does not end passes"; fi
grep -q "was ended after 1 s" "$work/log" || { cat "$work/log"; fail "it is not said that the run was ended"; }
echo "the runner's steps hold one GPU at a time, and leave it clean"
