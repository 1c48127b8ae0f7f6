#!/usr/bin/env bash
# Counts the same launches twice: on a GPU by Nsight Compute (`ncu`), and on the emulated H200.
#   measure.sh ncu WARPLAB FOLDER        needs a GPU and the right to read its counters; writes FOLDER/ncu.csv
#   measure.sh emulated WARPLAB FOLDER   writes FOLDER/emulated.jsonl
# compare.py sets one against the other. Clocks are left alone: counts do not depend on them.
# FOLDER/ptx.txt says what PTX was counted: where NVRTC is found the kernels are compiled for the part, on both sides (the emulated
# part has the H200's compute capability), and the same version of NVRTC gives the same texts, whose hashes follow.
# `run hello` was seen to exit with 1 under ncu, presumably because the lab counts the lines that its kernels print and a profiler runs
# a kernel several times; its counts are as good as the others'.
set -euo pipefail
how=$1 warplab=$(realpath -e "$2") folder=$(realpath -e "$3")
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

export WARPLAB_CACHE=$scratch/cache
mkdir -p "$WARPLAB_CACHE/ptx"

metrics=l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum
metrics+=,l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum,l1tex__t_requests_pipe_lsu_mem_global_op_red.sum
metrics+=,smsp__inst_executed_op_shared_ld.sum,smsp__inst_executed_op_shared_st.sum,smsp__inst_executed_op_shared_atom.sum
metrics+=,smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
metrics+=,smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum
metrics+=,smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum
metrics+=,smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm.sum
metrics+=,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
metrics+=,smsp__inst_executed.sum,smsp__thread_inst_executed.sum,smsp__sass_branch_targets_threads_divergent.sum

# Each kernel file of a run, and where its PTX came from.
origins() {
    python3 -c '
import json, sys
for session in json.load(open(sys.argv[1]))["sessions"]:
    for lab in session["labs"]:
        for file, origin in lab["ptx"].items():
            print(f"{file}: {origin}")
' "$scratch/run/session.json"
}

# The columns that matter, of the raw page's hundreds.
trim() {
    python3 -c '
import csv, sys
lines = [line for line in sys.stdin if line.startswith("\"")]
reader = csv.DictReader(lines)
keep = ["ID", "Kernel Name", "Grid Size", "Block Size"] + sys.argv[1].split(",")
writer = csv.DictWriter(sys.stdout, [k for k in keep if k in (reader.fieldnames or [])], extrasaction="ignore", lineterminator="\n")
writer.writeheader()
# What the harness itself launches before each sample is not a kernel of a lab.
writer.writerows(row for row in reader if row["ID"] and row["Kernel Name"] != "keeps_the_device_busy")
' "$metrics"
}

[ "$how" = ncu ] && : > "$folder/ncu.csv"
[ "$how" = emulated ] && : > "$folder/emulated.jsonl"

grep -v '^#' runs.txt | while read -r -a arguments; do
    run=("$warplab" "${arguments[@]}" --samples 1 --quiet --out "$scratch/run")
    code=0
    if [ "$how" = ncu ]; then
        echo "# ${arguments[*]}" >> "$folder/ncu.csv"
        ncu --csv --page raw --clock-control none --cache-control none --print-kernel-base mangled \
            --metrics "$metrics" \
            --target-processes all --graph-profiling node \
            --log-file "$scratch/log" "${run[@]}" --device cuda:0 < /dev/null || code=$?
        trim < "$scratch/log" >> "$folder/ncu.csv"
    else
        rm -f "$scratch/log"
        WARPLAB_LAUNCHES=$scratch/log "${run[@]}" --device emulated:h200 < /dev/null || code=$?
        echo "# ${arguments[*]}" >> "$folder/emulated.jsonl"
        cat "$scratch/log" >> "$folder/emulated.jsonl"
    fi
    echo "${arguments[*]}: exit code $code"
    origins >> "$scratch/origins"
    rm -f "$scratch/run/session.json"
    {
        sort -u "$scratch/origins"
        find "$WARPLAB_CACHE/ptx" -name '*.ptx' -exec sha256sum {} + | cut -d' ' -f1 | sort
    } > "$folder/ptx.txt"
done
