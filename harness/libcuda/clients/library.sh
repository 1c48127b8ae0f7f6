# Sourced by the other scripts here: sets LIBRARY_DIR to a folder with the driver as libcuda.so.1 and libcuda.so, and WORK to a
# scratch folder outside the repository.
#   first argument  a folder that already has libcuda.so.1 (`warplab driver --out DIR` creates one); without it the driver is built
#   WARPLAB_SCRATCH where to fetch and build (kept between runs; default: a folder under TMPDIR)
set -euo pipefail
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
WORK=${WARPLAB_SCRATCH:-${TMPDIR:-/tmp}/warplab-clients}
mkdir -p "$WORK"
if [ -n "${1:-}" ]; then
  LIBRARY_DIR=$(cd "$1" && pwd)
else
  LIBRARY_DIR=$WORK/driver
  (cd "$ROOT" && cargo build --release -p simt-libcuda)
  mkdir -p "$LIBRARY_DIR"
  cp "${CARGO_TARGET_DIR:-$ROOT/target}/release/libsimt_libcuda.so" "$LIBRARY_DIR/libcuda.so.1"
fi
ln -sf libcuda.so.1 "$LIBRARY_DIR/libcuda.so"

# verdict RESULTS KNOWN: prints the count and every test that did not pass, and fails when one of them is not in KNOWN.
# RESULTS has lines `TEST<tab>OUTCOME`; KNOWN has `TEST<tab>REASON`, where # begins a comment.
verdict() {
  awk -F'\t' '
    FNR == NR { if ($0 !~ /^#/ && NF > 1) known[$1] = $2; next }
    { sub(/^skipped.*/, "skipped", $2); count[$2]++ }
    $2 == "ok" || $2 == "skipped" { next }
    $1 in known { printf "%s\t%s\tknown: %s\n", $1, $2, known[$1]; next }
    { printf "%s\t%s\tNOT EXPECTED\n", $1, $2; bad++ }
    END {
      for (outcome in count) printf "%d %s\n", count[outcome], outcome
      if (!count["ok"]) { print "no test passed"; bad++ }
      exit bad > 0
    }' "$2" "$1"
}
