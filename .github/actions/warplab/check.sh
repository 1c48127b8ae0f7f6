#!/usr/bin/env bash
# Tests the action's scripts as a job of another repository runs them, `check.sh RELEASE`, with the release that `.ci/release`
# has left in a folder. NVRTC is the one that WARPLAB_NVRTC names. Exit status 1 if a check fails.
set -euo pipefail
action=$(cd "$(dirname "$0")" && pwd)
kernels=$(cd "$action/../../../labs/vecadd/kernels" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "check.sh: $*" >&2; cat "$work/log" >&2; exit 1; }

mkdir -p "$work/releases/latest/download" "$work/releases/download/v9.9.9" "$work/temp"
cp "$1"/* "$work/releases/latest/download/"
# Runs a script of the action, with only those variables of this shell that a runner has.
script() {
    local name=$1
    shift
    env -i HOME="$work" PATH="$(cat "$work/path" 2> /dev/null || true):/usr/bin:/bin" WARPLAB_NVRTC="$WARPLAB_NVRTC" RUNNER_TEMP="$work/temp" \
        GITHUB_PATH="$work/path" GITHUB_OUTPUT="$work/output" GITHUB_STEP_SUMMARY="$work/summary" ACTION_REPOSITORY=owner/warplab \
        WARPLAB_RELEASES="file://$work/releases" DEVICE=emulated "$@" "$action/$name" > "$work/log" 2>&1
}
code() { local code=0; script "$@" || code=$?; echo "$code"; }

# A release that was altered in transit is not used, nor one that is missing from its checksums.
cp "$1"/* "$work/releases/download/v9.9.9/"
printf 'x' >> "$work/releases/download/v9.9.9/warplab-x86_64-unknown-linux-gnu.tgz"
[ "$(code install.sh VERSION=v9.9.9)" = 4 ] || fail "a damaged release is used"
: > "$work/releases/download/v9.9.9/SHA256SUMS"
[ "$(code install.sh VERSION=v9.9.9)" = 4 ] || fail "a release without its checksum is used"
[ "$(code install.sh VERSION=v0.0.0)" = 4 ] || fail "a release that is not there is used"
[ ! -e "$work/path" ] || fail "what was refused is on the PATH"

# With a token, the files come from the addresses that the API returns, not from the download page, which accepts no token.
mkdir -p "$work/api/tags" "$work/assets"
private=(TOKEN=secret WARPLAB_API="file://$work/api" WARPLAB_RELEASES="file://$work/nowhere")
[ "$(code install.sh "${private[@]}")" = 4 ] || fail "a release that the API does not have is used"
cp "$1"/warplab-x86_64-unknown-linux-gnu.tgz "$work/assets/1"
cp "$1"/SHA256SUMS "$work/assets/2"
printf '{"assets": [{"name": "warplab-x86_64-unknown-linux-gnu.tgz", "url": "%s/1"}]}' "file://$work/assets" > "$work/api/tags/v0.1.0"
[ "$(code install.sh "${private[@]}" VERSION=v0.1.0)" = 4 ] || fail "a private release without its checksum is used"
grep -q 'has no SHA256SUMS' "$work/log" || fail "it is not said which file a private release lacks"
printf '{"assets": [{"name": "warplab-x86_64-unknown-linux-gnu.tgz", "url": "%s/1"}, {"name": "SHA256SUMS", "url": "%s/2"}]}' \
    "file://$work/assets" "file://$work/assets" > "$work/api/latest"
script install.sh "${private[@]}" || fail "a private release cannot be installed"
rm -rf "$work/path" "$work/temp"
mkdir "$work/temp"

script install.sh || fail "the latest release cannot be installed"
grep -q '^warplab ' "$work/log" || fail "it is not said which warplab it is"

script run.sh COMMAND=grade LAB=vecadd FILE="$kernels/vecadd.cu" || fail "the lab's own kernels are not right"
grep -q '### warplab: vecadd' "$work/summary" || fail "the summary has no marks"
grep -q "^out=$work/temp/warplab-out" "$work/output" || fail "the output \`out\` is not set"

# A kernel that reads past the end loses some of the points.
sed 's/if (i < n)/if (i <= n)/' "$kernels/vecadd.cu" > "$work/vecadd.cu"
[ "$(code run.sh COMMAND=grade LAB=vecadd FILE="$work/vecadd.cu")" = 0 ] || fail "a wrong kernel cannot be marked"
[ "$(code run.sh COMMAND=grade LAB=vecadd FILE="$work/vecadd.cu" THRESHOLD=99)" = 1 ] || fail "a wrong kernel has 99 % of the points"
grep -q '^::error::.* of .* points' "$work/log" || fail "it is not said that the points are too few"
[ "$(code run.sh COMMAND=grade LAB=vecadd FILE="$work/vecadd.cu" THRESHOLD=40)" = 0 ] || fail "40 % of the points are not enough"
[ "$(code run.sh COMMAND=grade LAB=vecadd)" = 2 ] || fail "nothing is graded, and that passes"
[ "$(code run.sh COMMAND=dance LAB=vecadd)" = 2 ] || fail "an unknown command passes"

# A kernel's output stays in the summary's code block, and no module of the working folder is imported.
{
    echo 'extern "C" __global__ void vecadd(const float *x, const float *y, float *z, unsigned long long n) {'
    echo '    assert(n == 0 && "a ```` b");'
    echo '}'
} > "$work/vecadd.cu"
echo 'open("imported", "w")' > "$work/json.py"
: > "$work/summary"
(cd "$work" && code run.sh COMMAND=grade LAB=vecadd FILE="$work/vecadd.cu" THRESHOLD=99) > /dev/null
[ "$(grep -cx '`````' "$work/summary")" = 2 ] || fail "the summary's fence is not longer than what is in it"
[ ! -e "$work/imported" ] || fail "a module of the working folder is imported"

script run.sh COMMAND=run LAB=vecadd ARGUMENTS=--quick || fail "a run fails"
grep -q '| vecadd |' "$work/summary" || fail "the summary has no table of the run"
[ -s "$work/temp/warplab-out/report.html" ] || fail "there is no report"
mkdir "$work/baselines"
comparing=(COMMAND=run LAB=vecadd ARGUMENTS=--quick BASELINE="$work/baselines" BRANCH=main GITHUB_REF_NAME=main)
script run.sh "${comparing[@]}" || fail "without a run to compare with, a run fails"
grep -q '::warning::.*no baseline' "$work/log" || fail "it is not said that there is no baseline"
mv "$work/temp/warplab-out/run" "$work/baselines/first"
# The times of runs have a resolution of a second.
sleep 1
script run.sh "${comparing[@]}" GITHUB_HEAD_REF=change || fail "the same kernels cost more"
grep -q "The baseline is $work/baselines/first" "$work/log" || fail "the run is not compared"
echo "the action installs the release, grades and runs"
