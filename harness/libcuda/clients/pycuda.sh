#!/usr/bin/env bash
# Runs PyCUDA's own tests against this driver. Needs python3 (3.10 to 3.13) with pip, a C++ compiler and PyPI; about ten minutes
# on two cores. PyCUDA compiles its kernels with nvcc, which comes from PyPI too.
#   clients/pycuda.sh [FOLDER WITH libcuda.so.1 [PYTEST ARGUMENT...]]
. "$(dirname "${BASH_SOURCE[0]}")/library.sh"
VERSION=2026.1
cd "$WORK"
[ -d pycuda ] || python3 -m venv pycuda
pycuda/bin/pip install -q --disable-pip-version-check 'numpy<2.4' setuptools wheel mako platformdirs pytools pytest pytest-timeout \
  nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85 nvidia-cuda-profiler-api==13.0.85
site=$(pycuda/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
toolkit=$site/nvidia/cu13

# nvcc as PyCUDA calls it, with two changes: the cubin that is asked for holds PTX, since that is what this driver takes; and the
# PTX states the newest version that this driver reads (nvcc is on PyPI since CUDA 13 only, whose PTX says 9.0 and uses nothing of it).
mkdir -p pycuda-bin
cat > pycuda-bin/nvcc <<SHIM
#!/usr/bin/env bash
arguments=() cubin=
for argument in "\$@"; do
  case \$argument in
    --cubin) cubin=\$(basename "\${@: -1}" .cu).cubin; arguments+=(--ptx -o "\$cubin") ;;
    *) arguments+=("\$argument") ;;
  esac
done
"$toolkit/bin/nvcc" "\${arguments[@]}" || exit
[ -z "\$cubin" ] || sed -i 's/^\.version 9\.0$/.version 8.8/' "\$cubin"
SHIM
chmod +x pycuda-bin/nvcc
export PATH=$WORK/pycuda-bin:$PATH LD_LIBRARY_PATH=$LIBRARY_DIR

# Built from source, without cuRAND, which has no emulated counterpart.
if ! pycuda/bin/python -c 'import pycuda._driver' 2> "$WORK/pycuda-import.log"; then
  [ -f "pycuda-$VERSION.tar.gz" ] || pycuda/bin/pip download -q --no-deps --no-build-isolation --no-binary pycuda "pycuda==$VERSION" -d .
  rm -rf "pycuda-$VERSION" && tar xzf "pycuda-$VERSION.tar.gz"
  (cd "pycuda-$VERSION" \
    && ../pycuda/bin/python configure.py --cuda-root="$toolkit" --cuda-inc-dir="$toolkit/include" --no-cuda-enable-curand \
         --cudadrv-lib-dir="$LIBRARY_DIR" --cudart-lib-dir="$toolkit/lib" > ../pycuda-build.log \
    && ../pycuda/bin/pip install -q --disable-pip-version-check --no-build-isolation --no-deps . >> ../pycuda-build.log 2>&1) \
    || { tail -30 pycuda-build.log; exit 1; }
fi

log=$WORK/pycuda.log
rm -f pycuda.xml
# A limit on memory: what leaks fails here, not on the computer of who runs this.
(cd "$WORK" && ulimit -v "${WARPLAB_MEMORY_KIB:-unlimited}" \
  && timeout 3600 pycuda/bin/python -m pytest -q --timeout "${WARPLAB_TIMEOUT:-300}" -p no:cacheprovider --junit-xml pycuda.xml \
       "pycuda-$VERSION/test" "${@:2}" > "$log" 2>&1) || true
pycuda/bin/python - pycuda.xml > pycuda.results <<'PYTHON'
import sys
from xml.etree import ElementTree

for case in ElementTree.parse(sys.argv[1]).iter("testcase"):
    outcome = next((child.tag for child in case if child.tag in ("failure", "error", "skipped")), "ok")
    print(f"{case.get('classname').rpartition('.test.')[2]}.{case.get('name')}\t{outcome.replace('failure', 'FAIL').replace('error', 'ERROR')}")
PYTHON
echo "PyCUDA $VERSION (log: $log)"
verdict pycuda.results "$ROOT/harness/libcuda/clients/pycuda.known"
