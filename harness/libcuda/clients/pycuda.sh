#!/usr/bin/env bash
# Runs PyCUDA's own tests against this driver. Needs python3 (3.10 to 3.13) with pip, a C++ compiler and PyPI; about ten minutes
# on two cores. PyCUDA compiles its kernels with nvcc, which comes from PyPI too.
#   clients/pycuda.sh [FOLDER WITH libcuda.so.1 [PYTEST ARGUMENT...]]     an ARGUMENT chooses tests: -k test_driver
# WARPLAB_TIMEOUT: seconds for one test (300).
. "$(dirname "${BASH_SOURCE[0]}")/library.sh"
VERSION=2026.1
cd "$WORK"
[ -d pycuda ] || python3 -m venv pycuda
pycuda/bin/pip install -q --disable-pip-version-check 'numpy<2.4' setuptools wheel mako platformdirs pytools pytest \
  nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85 nvidia-cuda-profiler-api==13.0.85
site=$(pycuda/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
toolkit=$site/nvidia/cu13

# nvcc as PyCUDA calls it, with two changes: the requested cubin contains PTX, which this driver accepts; and the PTX states the
# newest version that this driver reads (PyPI has nvcc only since CUDA 13, whose PTX says 9.0 but does not use its features).
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

# The plan: a line `NAME<tab>COMMAND` for each test. Its process is limited to 4 GiB; a test that exceeds this does not affect the others.
python=$WORK/pycuda/bin/python
tests=$WORK/pycuda-$VERSION/test
"$python" -m pytest -q --collect-only -p no:cacheprovider --rootdir "$tests" "$tests" "${@:2}" > pycuda-collected.log || { tail -30 pycuda-collected.log; exit 1; }
grep '::' pycuda-collected.log | while read -r test; do
  name=test.${test//.py::/.}
  printf '%s\t%s\n' "${name//::/.}" "$python -m pytest -q -p no:cacheprovider --rootdir $tests '$tests/$test'"
done > pycuda.plan

"$python" "$ROOT/harness/libcuda/clients/bounded.py" pycuda.plan pycuda.bounded pycuda-logs "${WARPLAB_TIMEOUT:-300}" 4096
while IFS=$'\t' read -r name outcome; do
  # pytest exits with 0 in these cases too.
  case $outcome:$(tail -1 "pycuda-logs/$name.log") in
    ok:*skipped*) outcome=skipped ;;
    ok:*xfailed*) outcome='skipped: PyCUDA expects it to fail' ;;
  esac
  printf '%s\t%s\n' "$name" "$outcome"
done < pycuda.bounded > pycuda.results
echo "PyCUDA $VERSION (logs: $WORK/pycuda-logs)"
verdict pycuda.results "$ROOT/harness/libcuda/clients/pycuda.known"
