#!/bin/sh
# Installs warplab for a Gradescope autograder. The archive that is uploaded to Gradescope holds, at its top:
#   setup.sh, run_autograder   these two files
#   lab                        one line: the lab's name, such as `histogram`
#   rubric.toml                a rubric of your own; without it the lab's own is used
#   warplab                    the program for Linux; or set WARPLAB_URL below to its address
#   wheels                     if PyPI cannot be reached: the folder that `warplab setup --download wheels` fills
set -eu
root=${AUTOGRADER_ROOT:-/autograder}
url=${WARPLAB_URL:-}
source="$root/source"
bin="$root/bin"

mkdir -p "$bin"
if [ -f "$source/warplab" ]; then
    cp "$source/warplab" "$bin/warplab.new"
elif [ -n "$url" ]; then
    if ! command -v curl > /dev/null; then
        apt-get update && apt-get install -y --no-install-recommends curl ca-certificates
    fi
    curl --fail --silent --show-error --location --output "$bin/warplab.new" "$url"
else
    echo "setup.sh: put the program warplab next to setup.sh, or set WARPLAB_URL" >&2
    exit 1
fi
chmod 755 "$bin/warplab.new"
mv "$bin/warplab.new" "$bin/warplab"
"$bin/warplab" --version

# NVRTC compiles the submissions. It needs no GPU, and comes from PyPI, or from the archive's folder wheels.
if [ -z "${WARPLAB_NVRTC:-}" ]; then
    WARPLAB_CACHE="$root/cache"
    export WARPLAB_CACHE
    if [ -d "$source/wheels" ]; then
        "$bin/warplab" setup --from "$source/wheels"
    else
        if ! command -v pip3 > /dev/null; then
            apt-get update && apt-get install -y --no-install-recommends python3-pip
        fi
        "$bin/warplab" setup
    fi
fi
