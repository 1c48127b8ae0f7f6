#!/usr/bin/env bash
# Runs the Indigo programs of HiRace's artifact on the emulated H200 under all checks: `measure.sh WARPLAB INDIGO [FOLDER]`.
#
# INDIGO is a checkout of https://github.com/JohnJacobsonIII/HiRace-Artifact-SC24. Writes FOLDER/warplab.csv (default: here), with a
# row for each program and graph. Needs nvcc (`warplab setup --nvcc`) and Python. MATCH chooses programs by a part of their name, and
# JOBS is the number of programs at once (default: 2). With one job, all 590 took 25 minutes on a busy computer.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
WARPLAB=$(realpath -e "$1") INDIGO=$(realpath -e "$2")/indigo
folder=$(realpath -e "${3:-$here}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export WARPLAB INDIGO here scratch

# Compiles a program, and appends its rows to a file of its own.
one() {
    local code graph check binary
    code=$(basename "$1" .cu)
    binary=$scratch/$code
    check=racecheck
    if [[ $code == *boundsBug* ]]; then check=memcheck; fi
    "$WARPLAB" nvcc -lineinfo -arch=sm_90 -I"$INDIGO/indigo_include" "$1" -o "$binary"
    for graph in DAG_100n_200e power_law_200n_1000e; do
        # The program's own exit status is 0 in any case, and 1 comes from a finding.
        "$WARPLAB" exec --device emulated:h200 --check all --timeout 120 --json "$binary.json" \
            "$binary" "$INDIGO/input/$graph.egr" 256 1024 > "$binary.out" 2> "$binary.err" || [ $? = 1 ] || [ $? = 124 ]
        python3 "$here/table.py" row "$code" "$graph" "$check" "$binary.json" "$binary.out" >> "$binary.csv"
    done
    rm -f "$binary"
}
export -f one

find "$INDIGO/indigo_sources" -name "*${MATCH:-}*.cu" | sort | xargs -P "${JOBS:-2}" -I{} bash -euo pipefail -c 'one {}'
{
    echo code,graph,check,exit_code,findings,line,other_findings,result
    LC_ALL=C sort "$scratch"/*.csv
} > "$folder/warplab.csv"
python3 "$here/table.py" summary "$folder/warplab.csv"
