#!/usr/bin/env bash
# On a computer with a GPU: compiles the programs here and those of the labs by `warplab nvcc`, runs each over NVIDIA's
# driver, once with NVIDIA's runtime and once with ours, and compares their output with the files next to them.
#
#   harness/libcudart/tests/on_gpu.sh WARPLAB [PROGRAM.cu...]
#
# At the end it compares the results of invalid calls with errors/errors.csv.
#
# Needs nvcc 13.0 (by `warplab setup --nvcc`, or installed), and a C++ compiler. Several programs are compiled at a time. Each program has a line in the result: its name, and `same`
# or the difference. Programs without a difference belong in tests/programs/seen.txt. The exit code is 1 if one differs.
# A program with a recorded exit code contains mistakes that only the machine's checks find: here it ends with 0.
set -uo pipefail
warplab=$(realpath "$1")
shift
root=$(realpath "$(dirname "$0")/../../..")
if [ $# -eq 0 ]; then set -- "$root"/harness/libcudart/tests/programs/*.cu "$root"/labs/*/program.cu; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$warplab" driver --out "$work/ours" > /dev/null || exit 4
rm "$work"/ours/libcuda.so* "$work"/ours/libnvidia-ml.so*
toolchain=$("$warplab" nvcc --cmake) || exit 4
nvcc=$(sed -n 's/^set(CMAKE_CUDA_COMPILER "\(.*\)")$/\1/p' "$toolchain")
# The runtime next to nvcc: `lib64` of an installed toolkit, `lib` of the PyPI package.
nvidia=$(dirname "$(dirname "$nvcc")")
nvidia=$nvidia/$([ -e "$nvidia/lib64/libcudart.so.13" ] && echo lib64 || echo lib)
export warplab root work nvidia

noted() { sed -n "s,^// $2: ,,p" "$1" | head -n 1; }
one() {
    local source=$1 said=same scratch runtime whose code
    scratch=$(mktemp -d -p "$work")
    read -ra options <<< "$(noted "$source" nvcc)"
    read -ra arguments <<< "$(noted "$source" run)"
    if ! "$warplab" nvcc "$source" -o "$scratch/program" "${options[@]}" > "$scratch/log" 2>&1; then
        said="does not compile: $(head -n 1 "$scratch/log")"
    else
        for runtime in "$nvidia" "$work/ours"; do
            whose=$([ "$runtime" = "$nvidia" ] && echo "NVIDIA's runtime" || echo "our runtime")
            LD_LIBRARY_PATH=$runtime timeout 120 "$scratch/program" "${arguments[@]}" > "$scratch/out" 2> "$scratch/err"
            code=$?
            if [ "$code" != 0 ] || ! cmp -s "$scratch/out" "${source%.cu}.out"; then
                said="differs with $whose: exit code $code, $(diff "$scratch/out" "${source%.cu}.out" | head -n 3 | tr '\n' ' ')"
                break
            fi
        done
    fi
    echo "${source#"$root"/} $said"
    [ "$said" = same ]
}
export -f noted one
bad=0
printf '%s\0' "$@" | xargs -0 -P "$((($(nproc) + 1) / 2))" -I{} bash -uc 'one "$1"' one {} || bad=1
# Every call with invalid arguments: compares the results of NVIDIA's runtime, and of ours over NVIDIA's driver, with errors.csv,
# which has ours over the embedded one. Differences are shown: < is in the file, > is the result here.
errors=$root/harness/libcudart/tests/errors
if "$warplab" nvcc -std=c++20 -w "$errors/errors.cpp" -o "$work/errors" > "$work/log" 2>&1; then
    for runtime in "$nvidia" "$work/ours"; do
        whose=$([ "$runtime" = "$nvidia" ] && echo "NVIDIA's runtime" || echo "our runtime")
        LD_LIBRARY_PATH=$runtime timeout 1200 "$work/errors" > "$work/out" 2> "$work/err"
        echo "errors.csv, $whose: $(diff "$errors/errors.csv" "$work/out" | grep -c '^>') of $(wc -l < "$work/out") rows differ"
        diff "$errors/errors.csv" "$work/out" | grep '^[<>]'
    done
else
    echo "errors.cpp does not compile: $(head -n 1 "$work/log")"
    bad=1
fi
exit $bad
