#!/usr/bin/env bash
# Compiles program.cpp with CUDA 12.9's headers from PyPI, and runs it with our libcudart.so.12: on the embedded machine, or with
# `gpu` on a GPU, there once with NVIDIA's runtime as well.
#   harness/libcudart/tests/edition_12/run.sh WARPLAB [gpu]
# Needs python3 with pip, PyPI and g++. The exit code is 1 if a run fails.
set -euo pipefail
warplab=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m pip install -q --disable-pip-version-check --no-deps --target "$work/wheels" nvidia-cuda-runtime-cu12==12.9.79 \
  nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-cuda-nvcc-cu12==12.9.86
cuda=$work/wheels/nvidia
"$warplab" driver --out "$work/ours" > "$work/log"
g++ -std=c++17 -I"$cuda/cuda_runtime/include" -I"$cuda/cuda_nvrtc/include" -I"$cuda/cuda_nvcc/include" "$here/program.cpp" \
  -o "$work/program" -L"$work/ours" -l:libcudart.so.12 -L"$cuda/cuda_nvrtc/lib" -l:libnvrtc.so.12 -Wl,-rpath,"$cuda/cuda_nvrtc/lib"
if [ "${2:-}" = gpu ]; then
  rm "$work"/ours/libcuda.so*
  LD_LIBRARY_PATH=$cuda/cuda_runtime/lib "$work/program"
  LD_LIBRARY_PATH=$work/ours "$work/program"
else
  "$warplab" exec --device emulated --check all "$work/program"
fi
