#!/usr/bin/env bash
# Runs tinygrad's backend tests against this driver, with each of its two renderers for CUDA: C++, which NVRTC compiles, and PTX,
# which tinygrad writes itself. PyPI's packages have no tests, so the library and its tests are one commit of its repository.
# Needs python3 (3.11 to 3.13) with pip, git, clang, PyPI and GitHub; PyTorch, with which the tests compare, takes 8 GB.
# WARPLAB_TIMEOUT: seconds for one test (120). RENDERERS: cuda, ptx or both. TINYGRAD: another address or folder of the repository.
#   clients/tinygrad.sh [FOLDER WITH libcuda.so.1 [FILE...]]     a FILE is one of test/backend: test_ops
. "$(dirname "${BASH_SOURCE[0]}")/library.sh"
CLIENTS=$ROOT/harness/libcuda/clients
# Of 22 August 2026, between 0.13.0 and 0.14.0.
COMMIT=a9069c177a9da9cca18593edf55acd2e6073cca6
RENDERERS=${RENDERERS:-cuda ptx}
cd "$WORK"
command -v clang > /dev/null || { echo "tinygrad.sh: clang is missing; tinygrad compiles with it for the CPU" >&2; exit 1; }
[ -d tinygrad ] || python3 -m venv tinygrad
# NVRTC is that of PyTorch 2.9.1; the wheel of the runtime has the headers of half precision.
tinygrad/bin/pip install -q --disable-pip-version-check torch==2.9.1 'numpy<2.5' pytest==9.1.0 pytest-timeout==2.4.0 'hypothesis>=6.148.9' \
  'z3-solver<4.15.4' tqdm safetensors tabulate capstone nvidia-cuda-nvrtc-cu12==12.8.93 nvidia-cuda-runtime-cu12==12.8.90
python=$WORK/tinygrad/bin/python
site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
source=$WORK/tinygrad-$COMMIT
if [ ! -d "$source" ]; then
  rm -rf tinygrad-half && git init -q tinygrad-half
  git -C tinygrad-half fetch -q --depth 1 "${TINYGRAD:-https://github.com/tinygrad/tinygrad}" "$COMMIT"
  git -C tinygrad-half checkout -q FETCH_HEAD
  mv tinygrad-half "$source"
fi
export LD_LIBRARY_PATH=$LIBRARY_DIR:$site/nvidia/cuda_nvrtc/lib CUDA_PATH=$site/nvidia/cuda_runtime
export PYTHONPATH=$source XDG_CACHE_HOME=$WORK/tinygrad-cache WARPLAB_QUIET=1
# tinygrad's own limit ends the process; pytest's ends the test.
export TEST_TIMEOUT=100000

files=("${@:2}")
if [ ${#files[@]} = 0 ]; then
  mapfile -t files < <(cd "$source/test/backend" && ls test_*.py | sed 's|\.py$||')
fi
# One process for each file and renderer: a crash affects only those of its own file.
: > tinygrad.cases
for renderer in $RENDERERS; do
  device=CUDA
  [ "$renderer" = cuda ] || device=CUDA:${renderer^^}
  for file in "${files[@]}"; do
    printf '%s.%s\t%s\n' "$renderer" "$file" "env -C $source DEV=$device $python $CLIENTS/cases.py test/backend/$file.py \
      $renderer.$file $WORK/tinygrad.cases --tb=short --timeout ${WARPLAB_TIMEOUT:-120}"
  done
done > tinygrad.plan
"$python" "$CLIENTS/bounded.py" tinygrad.plan tinygrad.files tinygrad-logs 3600 6144
# A test with subtests has a line for each of them, and fails if one of them does.
awk -F'\t' '!($1 in outcome) || $2 == "FAIL" { outcome[$1] = $2 } END { for (test in outcome) print test "\t" outcome[test] }' tinygrad.cases |
  sort > tinygrad.results
awk -F'\t' '$2 != "ok" && $2 != "FAIL"' tinygrad.files >> tinygrad.results
echo "tinygrad ${COMMIT:0:12} (logs: $WORK/tinygrad-logs)"
verdict tinygrad.results "$CLIENTS/tinygrad.known"
