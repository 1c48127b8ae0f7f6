#!/bin/sh
# Leaves `warplab`, NVRTC with CUDA's headers, and clangd ready: in a container of VS Code or GitHub Codespaces, or in a folder.
#
#   PREFIX           where all goes, and nothing goes anywhere else: no package of the system is installed then.
#                    Without it: ~/.local/bin and warplab's usual cache.
#   WARPLAB_BINARY   a `warplab` that is built already; without it, cargo builds it
#   WARPLAB_WHEELS   a folder that `warplab setup --download` has filled; without it, NVRTC comes from PyPI
set -eu

say() { printf 'setup.sh: %s\n' "$*"; }
fail() { say "$*" >&2; exit 4; }
has() { command -v "$1" > /dev/null 2>&1; }

checkout=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)

# pip fetches NVRTC, and clangd explains CUDA's words to the editor.
packages() {
    if has clangd && python3 -m pip --version > /dev/null 2>&1; then return; fi
    has apt-get || fail "install clangd, and Python 3 with pip; then run this again"
    as_root=""
    if [ "$(id -u)" -ne 0 ]; then
        has sudo || fail "as root, run: apt-get install clangd python3-pip; then run this again"
        as_root=sudo
    fi
    say "installing clangd and python3-pip"
    $as_root apt-get update -qq
    $as_root apt-get install -y -qq --no-install-recommends clangd python3-pip
}

if [ -n "${PREFIX:-}" ]; then
    mkdir -p "$PREFIX"
    prefix=$(CDPATH='' cd -- "$PREFIX" && pwd)
    WARPLAB_CACHE=$prefix/cache
    export WARPLAB_CACHE
else
    prefix=$HOME/.local
    packages
fi
mkdir -p "$prefix/bin"

if [ -n "${WARPLAB_BINARY:-}" ]; then
    # The new file takes the place of the old in one step, also where the old is running.
    cp "$WARPLAB_BINARY" "$prefix/bin/.warplab.new"
    mv "$prefix/bin/.warplab.new" "$prefix/bin/warplab"
else
    has cargo || fail "cargo is not there to build warplab: install it from https://rustup.rs, or name a warplab by WARPLAB_BINARY"
    say "building warplab, which takes some minutes"
    if [ -n "${PREFIX:-}" ]; then
        CARGO_TARGET_DIR=$prefix/target
        export CARGO_TARGET_DIR
    fi
    cargo install --quiet --locked --path "$checkout/harness/cli" --root "$prefix"
fi

if [ -n "${WARPLAB_WHEELS:-}" ]; then
    "$prefix/bin/warplab" setup --from "$WARPLAB_WHEELS"
else
    "$prefix/bin/warplab" setup
fi

if [ -n "${PREFIX:-}" ]; then
    printf "PATH='%s/bin':\$PATH\nWARPLAB_CACHE='%s'\nexport PATH WARPLAB_CACHE\n" "$prefix" "$WARPLAB_CACHE" > "$prefix/env.sh"
    say "ready: after \`. $prefix/env.sh\`, \`warplab start LAB\` writes the folder of an assignment"
else
    # The editor of a container starts the debugger for this extension.
    mkdir -p "$HOME/.vscode-server/extensions"
    ln -sfn "$checkout/harness/debugger/vscode" "$HOME/.vscode-server/extensions/warplab-debug"
    say "ready: \`warplab start LAB\` writes the folder of an assignment"
fi
