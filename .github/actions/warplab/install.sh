#!/usr/bin/env bash
# Puts warplab on the PATH of the next steps, and installs its compiler NVRTC. An existing warplab on the PATH is used, unless
# $VERSION is set. Otherwise the release's archive is downloaded from $REPOSITORY, or from the action's own repository, and used
# only if its SHA-256 is the published one.
set -euo pipefail
fail() { echo "::error::warplab: $*"; exit 4; }

# The address of a release's file, from the description by GitHub's API.
asset() {
    python3 - "$@" << 'END'
import json, sys
with open(sys.argv[1]) as file:
    assets = json.load(file)["assets"]
addresses = [asset["url"] for asset in assets if asset["name"] == sys.argv[2]]
print(addresses[0]) if addresses else sys.exit(1)
END
}

if [ -n "${VERSION:-}" ] || ! command -v warplab > /dev/null; then
    repository=${REPOSITORY:-${ACTION_REPOSITORY:-}}
    [ -n "$repository" ] || fail "say by the input \`repository\` where its releases are: OWNER/NAME"
    version=${VERSION:-}
    if [ -z "$version" ] && [[ ${ACTION_REF:-} =~ ^v[0-9]+\.[0-9]+\.[0-9]+ ]]; then version=$ACTION_REF; fi
    # With a token, the API is asked for the addresses of the release's files, since only these accept a token.
    api=${WARPLAB_API:-${GITHUB_API_URL:-https://api.github.com}/repos/$repository/releases}
    releases=${WARPLAB_RELEASES:-${GITHUB_SERVER_URL:-https://github.com}/$repository/releases}
    if [ -n "$version" ]; then from=$releases/download/$version; else from=$releases/latest/download; fi
    [ "$(uname -sm)" = "Linux x86_64" ] || fail "releases are for x86-64 Linux; put a warplab that you have built on the PATH"
    name=warplab-x86_64-unknown-linux-gnu.tgz
    folder=${RUNNER_TEMP:-/tmp}/warplab
    mkdir -p "$folder"
    get() { curl --fail --silent --show-error --location --retry 3 "${@:3}" --output "$1" "$2" || fail "cannot fetch $2"; }
    if [ -n "${TOKEN:-}" ]; then
        if [ -n "$version" ]; then from=$api/tags/$version; else from=$api/latest; fi
        get "$folder/release.json" "$from" --header "Authorization: Bearer $TOKEN"
    fi
    for file in "$name" SHA256SUMS; do
        if [ -n "${TOKEN:-}" ]; then
            address=$(asset "$folder/release.json" "$file") || fail "the release at $from has no $file"
            get "$folder/$file" "$address" --header "Authorization: Bearer $TOKEN" --header "Accept: application/octet-stream"
        else
            get "$folder/$file" "$from/$file"
        fi
    done
    (cd "$folder" && sha256sum --check --strict --quiet --ignore-missing SHA256SUMS && grep -q " $name\$" SHA256SUMS) ||
        fail "$from/$name is not what its SHA256SUMS says: it is not used"
    tar xzf "$folder/$name" -C "$folder" warplab
    PATH=$folder:$PATH
    echo "$folder" >> "$GITHUB_PATH"
fi
warplab --version

# Kernels other than the lab's own have to be compiled.
if [ -z "${WARPLAB_NVRTC:-}" ] && ! warplab setup --check > /dev/null; then warplab setup; fi
