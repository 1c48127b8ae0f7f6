#!/usr/bin/env bash
# Runs cudarc's own driver tests and its driver examples against this driver. Needs cargo, python3 with pip, and the registries
# that these use; a few minutes.   clients/cudarc.sh [FOLDER WITH libcuda.so.1]
. "$(dirname "${BASH_SOURCE[0]}")/library.sh"
VERSION=0.19.10

# The published crate, as cargo fetches it, in a folder where it may be built.
cd "$WORK"
if [ ! -d "cudarc-$VERSION" ]; then
  mkdir -p fetch/src && : > fetch/src/lib.rs
  printf '[package]\nname = "fetch"\nedition = "2021"\n[dependencies]\ncudarc = { version = "=%s", default-features = false, features = ["std", "cuda-12090", "driver", "dynamic-loading"] }\n[workspace]\n' \
    "$VERSION" > fetch/Cargo.toml
  manifest=$(cd fetch && cargo metadata --format-version 1 | python3 -c '
import json, sys
print(next(p["manifest_path"] for p in json.load(sys.stdin)["packages"] if p["name"] == "cudarc"))')
  cp -r "$(dirname "$manifest")" "cudarc-$VERSION"
  printf '\n[workspace]\n' >> "cudarc-$VERSION/Cargo.toml"
fi

# NVRTC, and the headers that one test expects in /usr/include.
[ -d nvrtc ] || python3 -m venv nvrtc
nvrtc/bin/pip install -q nvidia-cuda-nvrtc-cu12==12.9.86 nvidia-cuda-runtime-cu12==12.9.79
site=$(nvrtc/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
sed -i "s|\"/usr/include\"|\"$site/nvidia/cuda_runtime/include\"|" "cudarc-$VERSION/src/driver/safe/launch.rs"

cd "cudarc-$VERSION"
features=std,driver,nvrtc,dynamic-loading,cuda-12090,f16,f8
export CARGO_TARGET_DIR=$WORK/cudarc-target
cargo test --lib --no-run --no-default-features --features "$features"
cargo build --no-default-features --features "$features" \
  --example 01-allocate --example 02-copy --example 03-launch-kernel --example 04-streams --example 05-device-repr \
  --example 06-threading --example 09-constant-memory --example 10-function-attributes --example 12-context-config \
  --example nvrtc-compile --example matmul-kernel
binary=$(cargo test --lib --no-run --no-default-features --features "$features" --message-format json 2> /dev/null \
  | python3 -c '
import json, sys
made = [json.loads(line) for line in sys.stdin if line.startswith("{")]
print([m["executable"] for m in made if m.get("executable") and m["profile"]["test"]][-1])')

export LD_LIBRARY_PATH=$LIBRARY_DIR:$site/nvidia/cuda_nvrtc/lib
log=$WORK/cudarc.log
# Two tests measure time, and two more require a process of their own: the ignored tests run one by one.
timeout 1800 "$binary" driver:: > "$log" 2>&1 || true
for test in $("$binary" driver:: --ignored --list 2> /dev/null | sed -n 's/: test$//p'); do
  timeout 300 "$binary" --exact --ignored "$test" >> "$log" 2>&1 || true
done
sed -n 's/^test \(driver::[^ ]*\) .*\.\.\. \(ok\|FAILED\)$/\1\t\2/p; s/^test \(driver::[^ ]*\) \.\.\. \(ok\|FAILED\)$/\1\t\2/p' "$log" \
  | sort -u > "$WORK/cudarc.results"
for test in $("$binary" driver:: --list 2> /dev/null | sed -n 's/: test$//p'); do
  grep -q "^$test	" "$WORK/cudarc.results" || printf '%s\tno outcome\n' "$test" >> "$WORK/cudarc.results"
done
for example in "$CARGO_TARGET_DIR"/debug/examples/{01,02,03,04,05,06,09,10,12}-* "$CARGO_TARGET_DIR"/debug/examples/{nvrtc-compile,matmul-kernel}; do
  case $example in *.d | *-????????????????) continue ;; esac
  outcome=ok
  timeout 300 "$example" >> "$log" 2>&1 || outcome=FAILED
  printf 'example %s\t%s\n' "$(basename "$example")" "$outcome" >> "$WORK/cudarc.results"
done
echo "cudarc $VERSION (log: $log)"
verdict "$WORK/cudarc.results" "$ROOT/harness/libcuda/clients/cudarc.known"
