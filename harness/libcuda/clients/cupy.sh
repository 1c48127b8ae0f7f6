#!/usr/bin/env bash
# Runs tests of CuPy's source package against this driver: arrays, creation, manipulation, mathematics, sorting, indexing and
# logic. CuPy is PyPI's wheel, and NVIDIA's closed libraries (cuBLAS and its kin) are not installed: a test that needs one is
# skipped, and the results name the library. Needs python3 (3.10 to 3.14) with pip and PyPI; `test_raw.py` compiles for each of its tests and takes long.
# WARPLAB_SAMPLE: how many tests of each folder, by a fixed seed (60); `all` takes about four hours of one processor. WARPLAB_SEED_OF_SAMPLE: the seed (36).
# WARPLAB_TIMEOUT: seconds for one file (3600).
#   clients/cupy.sh FOLDER [TESTS...]    FOLDER is of `warplab driver --out`; TESTS is such as math_tests/test_misc.py
. "$(dirname "${BASH_SOURCE[0]}")/library.sh"
CLIENTS=$ROOT/harness/libcuda/clients
VERSION=14.2.0
cd "$WORK"
[ -d cupy ] || python3 -m venv cupy
cupy/bin/pip install -q --disable-pip-version-check "cupy-cuda13x==$VERSION" 'numpy<2.5' 'scipy<1.18' pytest==9.1.0 'hypothesis<6.55.0' \
  mpmath packaging nvidia-cuda-nvrtc==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 \
  nvidia-nvvm==13.0.88 nvidia-cuda-cccl==13.0.85
python=$WORK/cupy/bin/python
# The tests and their options, without CuPy's sources, which Python would import instead of the wheel.
if [ ! -d "cupy-$VERSION-tests" ]; then
  url=$("$python" -c 'import json, sys, urllib.request
index = urllib.request.Request("https://pypi.org/simple/cupy/", headers={"Accept": "application/vnd.pypi.simple.v1+json"})
files = json.load(urllib.request.urlopen(index))["files"]
print(next(file["url"] for file in files if file["filename"] == f"cupy-{sys.argv[1]}.tar.gz"))' "$VERSION")
  mkdir -p cupy-half
  "$python" -c 'import sys, urllib.request; urllib.request.urlretrieve(*sys.argv[1:])' "$url" cupy.tar.gz
  tar xzf cupy.tar.gz -C cupy-half --strip-components=1 "cupy-$VERSION/tests" "cupy-$VERSION/pyproject.toml"
  mv cupy-half "cupy-$VERSION-tests"
fi
export LD_LIBRARY_PATH=$LIBRARY_DIR LD_AUDIT=$LIBRARY_DIR/libwarplab-jit-audit.so
export CUPY_CACHE_DIR=$WORK/cupy-kernels WARPLAB_QUIET=1
cd "cupy-$VERSION-tests"
what=("${@:2}")
if [ ${#what[@]} = 0 ]; then
  what=({core,creation,manipulation,math,sorting,indexing,logic}_tests)
fi
"$python" "$CLIENTS/cupy_cases.py" choose "${WARPLAB_SAMPLE:-60}" "${WARPLAB_SEED_OF_SAMPLE:-36}" "$WORK/cupy.chosen" \
  "${what[@]/#/tests/cupy_tests/}" > "$WORK/cupy.collected" || { tail -n 20 "$WORK/cupy.collected"; exit 1; }
grep ' tests$' "$WORK/cupy.collected"

# One process for each file: a test that hangs or crashes affects only those of its own file.
: > "$WORK/cupy.results"
cut -d: -f1 "$WORK/cupy.chosen" | sort -u | while read -r file; do
  printf '%s\tenv -C %s %s\n' "$file" "$PWD" "$python $CLIENTS/cupy_cases.py run $WORK/cupy.chosen $WORK/cupy.results tests/cupy_tests/$file"
done > "$WORK/cupy.plan"
cd "$WORK"
"$python" "$CLIENTS/bounded.py" cupy.plan cupy.files cupy-logs "${WARPLAB_TIMEOUT:-3600}" 6144
# A test without an outcome: its process ended before.
awk -F'\t' 'FNR == NR { done[$1]; next } !($1 in done) { print $1 "\tnot run" }' cupy.results cupy.chosen > cupy.missing
cat cupy.missing >> cupy.results
echo "CuPy $VERSION (logs: $WORK/cupy-logs)"
sed -n 's/.*\tskipped: \(needs .*\)/\1/p' cupy.results | sort | uniq -c
verdict cupy.results "$CLIENTS/cupy.known"
