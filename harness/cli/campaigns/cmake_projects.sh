#!/usr/bin/env bash
# Configures, builds and runs BabelStream and nvbandwidth from their own CMake files, with the toolchain file of `warplab nvcc --cmake`:
# cmake_projects.sh WARPLAB [FOLDER]. FOLDER has their sources, in BabelStream and nvbandwidth; without it, git clones them from GitHub.
# Needs CMake, g++, Boost's program_options, and nvcc by `warplab setup --nvcc`. Exit code 1 if something fails.
set -euo pipefail
warplab=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sources=${2:-$work}
# The commits that were tried.
[ -d "$sources/BabelStream" ] || git clone --quiet https://github.com/UoB-HPC/BabelStream "$sources/BabelStream"
[ -d "$sources/nvbandwidth" ] || git clone --quiet https://github.com/NVIDIA/nvbandwidth "$sources/nvbandwidth"
if [ $# -lt 2 ]; then
    git -C "$sources/BabelStream" checkout --quiet 57637d572532fc028b6c0964944f1afc27ff5436
    git -C "$sources/nvbandwidth" checkout --quiet 66746a3bef61c8c2e12ab34955310da70b9e38cb
fi
toolchain=$("$warplab" nvcc --cmake)

# Configures and builds the project $1 with the other arguments.
build() {
    local project=$1
    shift
    local folder=$work/build-$project
    {
        cmake -S "$sources/$project" -B "$folder" -DCMAKE_TOOLCHAIN_FILE="$toolchain" "$@" && cmake --build "$folder"
    } > "$work/log" 2>&1 || { cat "$work/log"; return 1; }
}
# Runs a program on the emulated device; its output must have the words $1.
run() {
    local words=$1
    shift
    "$warplab" exec --device emulated:h200 "$@" > "$work/log" 2>&1 || { cat "$work/log"; return 1; }
    grep -qe "$words" "$work/log" || { cat "$work/log"; echo "$* did not print: $words"; return 1; }
    echo "$*: as expected"
}

# An architecture that nvcc no longer has.
build BabelStream -DMODEL=cuda -DCUDA_ARCH=sm_60
run '^Triad ' "$work/build-BabelStream/cuda-stream" -s 65536 -n 10
build nvbandwidth
run '^SUM device_local_copy ' "$work/build-nvbandwidth/nvbandwidth" -b 4 -i 1
