#!/usr/bin/env bash
# Runs kernels of Triton's tutorials, and of Triton's features, against this driver, for each part that PARTS names. (Triton's
# wheel has no tests; those of its repository need PyTorch.) Needs python3 (3.10 to 3.13) with pip, PyPI and a C compiler;
# about three minutes on two cores.
# WARPLAB_TIMEOUT: seconds for one test (120).
#   clients/triton.sh [FOLDER OF warplab driver --out [TEST...]]     a TEST is one of triton_kernels.py: test_vector_add
. "$(dirname "${BASH_SOURCE[0]}")/library.sh"
CLIENTS=$ROOT/harness/libcuda/clients
VERSION=3.9.0
PARTS=${PARTS:-a100 h200}
cd "$WORK"
[ -d triton ] || python3 -m venv triton
triton/bin/pip install -q --disable-pip-version-check "triton==$VERSION" 'numpy<2.5' pytest pytest-timeout==2.4.0
# The same variables as `warplab exec` sets.
cp "$ROOT/harness/cli/templates/ptxas.sh" ptxas && chmod +x ptxas
export LD_LIBRARY_PATH=$LIBRARY_DIR TRITON_LIBCUDA_PATH=$LIBRARY_DIR TRITON_CACHE_DIR=$WORK/triton-cache
export TRITON_PTXAS_PATH=$WORK/ptxas TRITON_PTXAS_BLACKWELL_PATH=$WORK/ptxas TRITON_DEFAULT_FP_FUSION=1

tests=("${@:2}")
python=$WORK/triton/bin/python
"$python" -m pytest -q --collect-only -p no:cacheprovider "$CLIENTS/triton_kernels.py" |
  sed -n 's/.*::\(test_[a-z0-9_]*\).*/\1/p' | sort -u > triton.tests
if [ ${#tests[@]} = 0 ]; then mapfile -t tests < triton.tests; fi
# One process per function and part: a crash affects only that function. Its cases are reported one by one.
: > triton.results
for part in $PARTS; do
  for name in "${tests[@]}"; do
    printf '%s.%s\t%s\n' "$part" "$name" "env WARPLAB_PROFILE=$part $python $CLIENTS/cases.py $CLIENTS/triton_kernels.py::$name \
      $part $WORK/triton.results --timeout ${WARPLAB_TIMEOUT:-120}"
  done
done > triton.plan
"$python" "$CLIENTS/bounded.py" triton.plan triton.functions triton-logs 900 6144
awk -F'\t' '$2 != "ok" && $2 != "FAIL"' triton.functions >> triton.results
echo "Triton $VERSION (logs: $WORK/triton-logs)"
verdict triton.results "$CLIENTS/triton.known"
