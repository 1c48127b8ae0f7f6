#!/usr/bin/env bash
# Counts the kernels of units.cu and of textures.cu: on a GPU by Nsight Compute (`ncu`), or on the emulated H200.
#   measure.sh ncu WARPLAB FOLDER        needs an H200 or H100, the right to read its counters, and nvcc;
#                                        writes FOLDER/ncu.csv and FOLDER/textures.csv
#   measure.sh emulated WARPLAB FOLDER   writes FOLDER/emulated.jsonl
# compare.py sets one against the other. Caches are emptied before each pass, and clocks left alone: counts do not depend on them.
set -euo pipefail
how=$1 warplab=$(realpath -e "$2") folder=$(realpath -e "$3")
here=$(realpath "$(dirname "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for program in units textures; do
    read -ra options < <(sed -n 's,^// nvcc: ,,p' "$here/$program.cu")
    "$warplab" nvcc "${options[@]}" -lineinfo "$here/$program.cu" -o "$scratch/$program" 2> "$scratch/nvcc.log" || {
        cat "$scratch/nvcc.log"
        exit 1
    }
done
if [ "$how" = emulated ]; then
    : > "$folder/emulated.jsonl"
    for program in units textures; do
        WARPLAB_COSTS=1 WARPLAB_LAUNCHES=$scratch/launches \
            "$warplab" exec --device emulated:h200 "$scratch/$program" 2> /dev/null
        cat "$scratch/launches" >> "$folder/emulated.jsonl"
        rm "$scratch/launches"
    done
    exit
fi

# The counters of the comparison, and some that may explain a difference. A part has not all of them.
cat > "$scratch/wanted" <<'END'
l1tex__t_requests_pipe_tex_mem_texture
l1tex__t_sectors_pipe_tex_mem_texture
l1tex__t_requests_pipe_tex_mem_surface_op_ld
l1tex__t_sectors_pipe_tex_mem_surface_op_ld
l1tex__t_requests_pipe_tex_mem_surface_op_st
l1tex__t_sectors_pipe_tex_mem_surface_op_st
l1tex__t_requests_pipe_tex_mem_surface_op_red
l1tex__t_sectors_pipe_tex_mem_surface_op_red
l1tex__m_xbar2l1tex_read_sectors_mem_texture
l1tex__m_xbar2l1tex_read_sectors_mem_surface_op_ld
l1tex__m_l1tex2xbar_write_sectors_mem_surface_op_st
l1tex__m_xbar2l1tex_read_sectors_mem_lg_op_ld
l1tex__m_l1tex2xbar_write_sectors_mem_lg_op_st
l1tex__m_l1tex2xbar_write_sectors_mem_global_op_red
l1tex__m_l1tex2xbar_write_sectors_mem_global_op_atom
l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld
l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st
l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_red
l1tex__tmain_requests
sm__inst_executed_pipe_tma
lts__t_sectors_srcunit_tex_op_read
lts__t_sectors_srcunit_tex_op_write
lts__t_sectors_srcunit_tex_op_red
lts__t_sectors_srcunit_tex_op_atom
smsp__inst_executed_op_texture
smsp__inst_executed_op_surface_ld
smsp__inst_executed_op_surface_st
sm__inst_executed_pipe_tensor_op_gmma
smsp__sass_inst_executed_op_shared_gmma
smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_gmma
sm__ops_path_tensor_op_hgmma_src_fp16
sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32
sm__ops_path_tensor_op_hgmma_src_tf32_dst_fp32
sm__ops_path_tensor_src_fp8
sm__ops_path_tensor_op_igmma_src_int8
END
ncu --query-metrics --chips gh100 2> /dev/null | awk '{ print $1 }' | grep -E '^[a-z0-9]+__' | sort -u > "$scratch/known" || true
asked() { paste -sd, <(sed 's/$/.sum/' "$1"); }
profile() { # PROGRAM FILE METRICS
    LD_LIBRARY_PATH=${runtime:-}:${LD_LIBRARY_PATH:-} timeout 100 ncu --csv --page raw --clock-control none --cache-control all \
        --print-kernel-base function --metrics "$3" --log-file "$scratch/log" "$scratch/$1" > "$scratch/said" 2>&1 ||
        { tail -n 5 "$scratch/log" "$scratch/said" >&2; return 1; }
    grep '^"' "$scratch/log" | python3 -c '
import csv, sys
reader = csv.DictReader(sys.stdin)
keep = ["ID", "Kernel Name", "Grid Size", "Block Size"] + sys.argv[1].split(",")
writer = csv.DictWriter(sys.stdout, [k for k in keep if k in (reader.fieldnames or [])], extrasaction="ignore", lineterminator="\n")
writer.writeheader()
writer.writerows(row for row in reader if row["ID"])
' "$3" > "$2"
}
# The runtime next to nvcc: `lib64` of an installed toolkit, `lib` of what PyPI has.
nvcc=$(sed -n 's/^set(CMAKE_CUDA_COMPILER "\(.*\)")$/\1/p' "$("$warplab" nvcc --cmake)")
runtime=$(dirname "$(dirname "$nvcc")")
runtime=$runtime/$([ -e "$runtime/lib64/libcudart.so.13" ] && echo lib64 || echo lib)
grep -xFf "$scratch/known" "$scratch/wanted" > "$scratch/there" || cp "$scratch/wanted" "$scratch/there"
profile units "$folder/ncu.csv" "$(asked "$scratch/there")"
grep -E 'pipe_tex|_mem_(texture|surface)|^lts__' "$scratch/there" > "$scratch/of_textures"
profile textures "$folder/textures.csv" "$(asked "$scratch/of_textures")"
wc -l "$folder/ncu.csv" "$folder/textures.csv"
