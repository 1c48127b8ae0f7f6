#!/usr/bin/env bash
# Runs cuda.core, NVIDIA's Python over the driver API, against this driver, feature by feature. (Its wheels have no tests.) Needs
# python3 (3.10 to 3.13) with pip and PyPI; a minute on two cores.
#   clients/cuda_core.sh FOLDER [TEST...]    FOLDER is of `warplab driver --out`, with NVML; a TEST is one of cuda_core_features.py
. "$(dirname "${BASH_SOURCE[0]}")/library.sh"
CLIENTS=$ROOT/harness/libcuda/clients
VERSION=1.2.2
cd "$WORK"
[ -d cuda-core ] || python3 -m venv cuda-core
# nvJitLink is not installed, because it links to machine code; without it cuda.core lets the driver link.
cuda-core/bin/pip install -q --disable-pip-version-check "cuda-core==$VERSION" cuda-bindings==13.5.0 'numpy<2.5' pytest \
  nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-crt==13.0.88 nvidia-cuda-cccl==13.0.85
python=$WORK/cuda-core/bin/python
export LD_LIBRARY_PATH=$LIBRARY_DIR
tests=("${@:2}")
if [ ${#tests[@]} = 0 ]; then
  mapfile -t tests < <(sed -n 's/^def \(test_[a-z0-9_]*\)(.*/\1/p' "$CLIENTS/cuda_core_features.py")
fi
: > cuda-core.results
for name in "${tests[@]}"; do
  printf '%s\t%s\n' "$name" "$python $CLIENTS/cases.py $CLIENTS/cuda_core_features.py::$name cuda_core $WORK/cuda-core.results"
done > cuda-core.plan
"$python" "$CLIENTS/bounded.py" cuda-core.plan cuda-core.functions cuda-core-logs 300 4096
awk -F'\t' '$2 != "ok" && $2 != "FAIL"' cuda-core.functions >> cuda-core.results
echo "cuda.core $VERSION (logs: $WORK/cuda-core-logs)"
verdict cuda-core.results "$CLIENTS/cuda_core.known"
