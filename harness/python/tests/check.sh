#!/bin/sh
# check.sh WHEEL: installs the wheel with nvcc's packages into a fresh environment, and checks there, with an empty cache and nothing
# of this shell's own, that the program runs, that the package's tests pass, and that the notebooks give the outputs in their files.
# Then the program by uvx, and an edited kernel of a lab with NVRTC's packages. Needs Python, its venv and g++. Exit code 1 if something is wrong.
set -eu

wheel=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The environment is not active: programs are started by their paths.
alone() { (cd "$work" && env -i PATH=/usr/local/bin:/usr/bin:/bin HOME="$work/home" PYTHONDONTWRITEBYTECODE=1 "$@"); }

python3 -m venv "$work/env"
python=$work/env/bin/python
"$python" -m pip install --quiet "${wheel}[nvcc]" nbclient==0.11.0 ipykernel==7.4.0 uv==0.13.9 ruff==0.17.6
alone "$work/env/bin/ruff" check --no-cache "$here/.."
alone "$work/env/bin/ruff" format --no-cache --check "$here/.."
alone "$work/env/bin/warplab" run vecadd --device emulated --quick --quiet --out "$work/run"
alone "$work/env/bin/warplab" setup --nvcc --check
alone timeout 600 "$python" "$here/test_warplab.py" --buffer
alone "$python" "$here/notebooks.py" --self-test "$here"/../notebooks/*.ipynb
alone "$python" "$here/notebooks.py" "$here"/../notebooks/*.ipynb
alone "$work/env/bin/uvx" --quiet --from "$wheel" warplab run vecadd --device emulated --quick --quiet --out "$work/uvx"

# An edited kernel is refused without NVRTC.
python3 -m venv "$work/nvrtc"
"$work/nvrtc/bin/python" -m pip install --quiet "${wheel}[nvrtc]"
{ cat "$here/../../../labs/vecadd/kernels/vecadd.cu" && echo '// edited'; } > "$work/vecadd.cu"
alone "$work/nvrtc/bin/warplab" run vecadd --kernel "$work/vecadd.cu" --device emulated --quick --quiet --out "$work/edited"
