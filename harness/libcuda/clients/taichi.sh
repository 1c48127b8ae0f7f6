#!/usr/bin/env bash
# Runs the examples that Taichi bundles, without a display, and kernels that test its features, against this driver. (Its wheel
# has no tests.) Needs python3 (3.10 to 3.13) with pip and PyPI; about twenty minutes on two cores.
#   clients/taichi.sh [FOLDER WITH libcuda.so.1 [WHAT...]]     WHAT: features, or an example, as simulation/mpm88
# WARPLAB_TIMEOUT: seconds for one of them (300). WARPLAB_FRAMES: how many frames an example draws (2).
. "$(dirname "${BASH_SOURCE[0]}")/library.sh"
CLIENTS=$ROOT/harness/libcuda/clients
VERSION=1.7.4
cd "$WORK"
[ -d taichi ] || python3 -m venv taichi
taichi/bin/pip install -q --disable-pip-version-check "taichi==$VERSION" 'numpy<2.4' pytest 'matplotlib<3.9' scipy opencv-python-headless
site=$(taichi/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
export LD_LIBRARY_PATH=$LIBRARY_DIR TI_ARCH=cuda TI_DEVICE_MEMORY_GB=1 TI_OFFLINE_CACHE=0 MPLBACKEND=Agg

whats=("${@:2}")
if [ ${#whats[@]} = 0 ]; then
  mapfile -t whats < <(echo features && cd "$site/taichi/examples" && find . -name '*.py' ! -name '__init__.py' | sed 's|^\./||; s|\.py$||' | sort)
fi

# The plan: a line `NAME<tab>COMMAND` for each.
python=$WORK/taichi/bin/python
features=$CLIENTS/taichi_features.py
for what in "${whats[@]}"; do
  if [ "$what" = features ]; then
    "$python" -m pytest -q --collect-only -p no:cacheprovider "$features" | sed -n 's/.*::\(test_[a-z0-9_]*\).*/\1/p' | sort -u \
      | while read -r test; do printf 'features.%s\t%s\n' "$test" "$python -m pytest -q -p no:cacheprovider $features::$test"; done
  else
    printf '%s\t%s\n' "$what" "$python $CLIENTS/taichi_example.py $site/taichi/examples/$what.py ${WARPLAB_FRAMES:-2}"
  fi
done > taichi.plan

"$python" "$CLIENTS/bounded.py" taichi.plan taichi.results taichi-logs "${WARPLAB_TIMEOUT:-300}" 4096
echo "Taichi $VERSION (logs: $WORK/taichi-logs)"
verdict taichi.results "$CLIENTS/taichi.known"
