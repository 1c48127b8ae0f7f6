#!/usr/bin/env bash
# Puts warplab on the PATH of the next steps, and NVRTC, its compiler, where it looks for it. A warplab that is on the PATH is
# used as it is, unless $VERSION names one. Otherwise the release's archive is fetched from $REPOSITORY, or from the action's own
# repository, and used only if its SHA-256 is the published one.
set -euo pipefail
fail() { echo "::error::warplab: $*"; exit 4; }

if [ -n "${VERSION:-}" ] || ! command -v warplab > /dev/null; then
    repository=${REPOSITORY:-${ACTION_REPOSITORY:-}}
    [ -n "$repository" ] || fail "say by the input \`repository\` where its releases are: OWNER/NAME"
    version=${VERSION:-}
    if [ -z "$version" ] && [[ ${ACTION_REF:-} =~ ^v[0-9]+\.[0-9]+\.[0-9]+ ]]; then version=$ACTION_REF; fi
    releases=${WARPLAB_RELEASES:-${GITHUB_SERVER_URL:-https://github.com}/$repository/releases}
    if [ -n "$version" ]; then from=$releases/download/$version; else from=$releases/latest/download; fi
    [ "$(uname -sm)" = "Linux x86_64" ] || fail "releases are for x86-64 Linux; put a warplab that you have built on the PATH"
    name=warplab-x86_64-unknown-linux-gnu.tgz
    folder=${RUNNER_TEMP:-/tmp}/warplab
    mkdir -p "$folder"
    for file in "$name" SHA256SUMS; do
        header=()
        if [ -n "${TOKEN:-}" ]; then header=(--header "Authorization: Bearer $TOKEN"); fi
        curl --fail --silent --show-error --location --retry 3 "${header[@]}" --output "$folder/$file" "$from/$file" ||
            fail "cannot fetch $from/$file"
    done
    (cd "$folder" && sha256sum --check --strict --quiet --ignore-missing SHA256SUMS && grep -q " $name\$" SHA256SUMS) ||
        fail "$from/$name is not what its SHA256SUMS says: it is not used"
    tar xzf "$folder/$name" -C "$folder" warplab
    PATH=$folder:$PATH
    echo "$folder" >> "$GITHUB_PATH"
fi
warplab --version

# Kernels that are not the lab's own have to be compiled.
if [ -z "${WARPLAB_NVRTC:-}" ] && ! warplab setup --check > /dev/null; then warplab setup; fi
