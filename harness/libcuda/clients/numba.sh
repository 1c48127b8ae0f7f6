#!/usr/bin/env bash
# Runs the CUDA tests that numba ships against this driver: its driver layer over ctypes, and kernels that NVVM compiles from
# Python. Needs python3 (3.10 to 3.13) with pip and PyPI; about ten minutes on two cores.
# WARPLAB_TIMEOUT: seconds for one module (900).
#   clients/numba.sh [FOLDER WITH libcuda.so.1 [MODULE...]]     a MODULE is one of numba.cuda.tests: cudadrv.test_cuda_memory
. "$(dirname "${BASH_SOURCE[0]}")/library.sh"
cd "$WORK"
[ -d numba ] || python3 -m venv numba
numba/bin/pip install -q numba==0.61.2 'numpy<2.2' psutil \
  nvidia-cuda-nvcc-cu12==12.4.131 nvidia-cuda-nvrtc-cu12==12.4.127 nvidia-cuda-runtime-cu12==12.4.127
site=$(numba/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')

# A toolkit folder in the layout that numba expects, built from the wheels.
mkdir -p toolkit/lib64
ln -sfn "$site/nvidia/cuda_nvcc/nvvm" toolkit/nvvm
ln -sfn "$site/nvidia/cuda_runtime/include" toolkit/include
ln -sf "$site"/nvidia/cuda_nvrtc/lib/*.so* "$site"/nvidia/cuda_runtime/lib/*.so* toolkit/lib64/
ln -sf libnvrtc.so.12 toolkit/lib64/libnvrtc.so
ln -sf libcudart.so.12 toolkit/lib64/libcudart.so
export CUDA_HOME=$WORK/toolkit NUMBA_CUDA_DRIVER=$LIBRARY_DIR/libcuda.so.1
export LD_LIBRARY_PATH=$LIBRARY_DIR:$CUDA_HOME/nvvm/lib64:$CUDA_HOME/lib64
export NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS=0 NUMBA_CUDA_WARN_ON_IMPLICIT_COPY=0

modules=("${@:2}")
if [ ${#modules[@]} = 0 ]; then
  mapfile -t modules < <(cd "$site/numba/cuda/tests" && ls cudadrv/test_*.py cudapy/test_*.py | sed 's|/|.|; s|\.py$||')
fi
mkdir -p numba-logs
: > numba.results
for module in "${modules[@]}"; do
  log=$WORK/numba-logs/$module.log
  rc=0
  # One process per module: a test that hangs or crashes affects only its own module.
  timeout "${WARPLAB_TIMEOUT:-900}" numba/bin/python "$ROOT/harness/libcuda/clients/outcomes.py" "numba.cuda.tests.$module" numba.results \
    > "$log" 2>&1 || rc=$?
  # A failed test exits with 1.
  [ "$rc" -le 1 ] || printf '%s\tended with status %s\n' "$module" "$rc" >> numba.results
  echo "$module: $(grep -E '^(OK|FAILED|NO TESTS RAN)' "$log" || echo "ended with status $rc")"
done
echo "numba 0.61.2 (logs: $WORK/numba-logs)"
verdict numba.results "$ROOT/harness/libcuda/clients/numba.known"
