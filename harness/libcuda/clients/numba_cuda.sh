#!/usr/bin/env bash
# Runs the tests that NVIDIA's numba-cuda ships against this driver: numba's CUDA target since it left numba, over cuda.bindings
# and cuda.core. Needs python3 (3.10 to 3.13) with pip and PyPI.
# WARPLAB_TIMEOUT: seconds for one module (900).
#   clients/numba_cuda.sh FOLDER [MODULE...]     FOLDER is of `warplab driver --out`; a MODULE is one of numba.cuda.tests: cudapy.test_array
. "$(dirname "${BASH_SOURCE[0]}")/library.sh"
CLIENTS=$ROOT/harness/libcuda/clients
VERSION=0.30.4
cd "$WORK"
[ -d numba-cuda ] || python3 -m venv numba-cuda
# The packages of `numba-cuda[cu13]`, with nvJitLink, and nvcc.
numba-cuda/bin/pip install -q --disable-pip-version-check "numba-cuda==$VERSION" numba==0.68.1 cuda-core==1.2.2 cuda-bindings==13.5.0 \
  'numpy<2.5' psutil pytest filecheck==1.0.6 cffi ml_dtypes nvidia-cuda-nvrtc==13.0.88 nvidia-nvjitlink==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 \
  nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85
python=$WORK/numba-cuda/bin/python
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export LD_LIBRARY_PATH=$LIBRARY_DIR LD_AUDIT=$LIBRARY_DIR/libwarplab-jit-audit.so CUDA_HOME=$site/nvidia/cu13
export NUMBA_CUDA_LOW_OCCUPANCY_WARNINGS=0 NUMBA_CUDA_WARN_ON_IMPLICIT_COPY=0

modules=("${@:2}")
if [ ${#modules[@]} = 0 ]; then
  mapfile -t modules < <(cd "$site/numba_cuda/numba/cuda/tests" && ls {core,cudadrv,cudapy,doc_examples,nrt}/test_*.py | sed 's|/|.|; s|\.py$||')
fi
# One process per module: a test that hangs or crashes affects only its own module.
: > numba-cuda.results
for module in "${modules[@]}"; do
  printf '%s\t%s\n' "$module" "$python $CLIENTS/outcomes.py numba.cuda.tests.$module $WORK/numba-cuda.results"
done > numba-cuda.plan
"$python" "$CLIENTS/bounded.py" numba-cuda.plan numba-cuda.modules numba-cuda-logs "${WARPLAB_TIMEOUT:-900}" 6144
awk -F'\t' '$2 != "ok" && $2 != "FAIL"' numba-cuda.modules >> numba-cuda.results
echo "numba-cuda $VERSION (logs: $WORK/numba-cuda-logs)"
verdict numba-cuda.results "$CLIENTS/numba_cuda.known"
