#!/bin/sh
# check.sh WARPLAB WHEELS: runs setup.sh in a clean prefix, with a built warplab and a folder that `warplab setup --download` has
# filled; then does what a student does first. Exit code 1 if something is not as it should be, or lies elsewhere.
set -eu

checkout=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'check.sh: %s\n' "$*" >&2; exit 1; }

mkdir "$work/home"
# With nothing of this shell's own: neither its variables nor its Python.
in_prefix() { (cd "$work/home" && env -i PATH=/usr/bin:/bin HOME="$work/home" PREFIX="$work/a prefix" "$@"); }
binary=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
wheels=$(CDPATH='' cd -- "$2" && pwd)

before=$(cd "$checkout" && git status --porcelain)
for time in first second; do
    in_prefix WARPLAB_BINARY="$binary" WARPLAB_WHEELS="$wheels" "$checkout/.devcontainer/setup.sh" > "$work/log" 2>&1 ||
        { cat "$work/log"; fail "setup.sh fails, the $time time"; }
done
[ -z "$(ls -A "$work/home")" ] || fail "setup.sh writes into the home folder: $(ls -A "$work/home")"
[ "$(cd "$checkout" && git status --porcelain)" = "$before" ] || fail "setup.sh changes the checkout"

# shellcheck disable=SC2016 # The shell inside expands it.
student='. "$PREFIX/env.sh" && cd "$PREFIX" && warplab setup --check && warplab start vecadd && warplab submit --anyway vecadd'
in_prefix sh -c "$student" > "$work/log" 2>&1 || { cat "$work/log"; fail "a student cannot begin"; }
grep -q "compiled by NVRTC.*with CUDA's headers" "$work/log" || { cat "$work/log"; fail "NVRTC is not ready"; }
if grep -q "not compiled" "$work/log"; then cat "$work/log"; fail "NVRTC does not compile"; fi
[ -s "$work/a prefix/vecadd/compile_flags.txt" ] || fail "the editor has no flags"

# In a container it installs packages, here by programs that only write down what they are asked for.
mkdir "$work/bin"
for name in apt-get sudo python3; do
    # shellcheck disable=SC2016 # The program expands it.
    printf '#!/bin/sh\necho "${0##*/} $*" >> "%s"\n[ "${0##*/}" = apt-get ] || "$@"\n' "$work/asked" > "$work/bin/$name"
    chmod +x "$work/bin/$name"
done
env -i PATH="$work/bin:/usr/bin:/bin" HOME="$work/home" WARPLAB_BINARY="$binary" WARPLAB_WHEELS="$wheels" \
    "$checkout/.devcontainer/setup.sh" > "$work/log" 2>&1 || { cat "$work/log"; fail "setup.sh fails in a container"; }
grep -q 'apt-get install .*clangd python3-pip' "$work/asked" || fail "setup.sh does not install clangd and pip"
env -i PATH=/usr/bin:/bin HOME="$work/home" "$work/home/.local/bin/warplab" setup --check > "$work/log" 2>&1 ||
    { cat "$work/log"; fail "NVRTC is not where warplab looks for it"; }

# Without what it needs, it says what to do.
if in_prefix "$checkout/.devcontainer/setup.sh" > "$work/log" 2>&1; then fail "setup.sh succeeds without cargo"; fi
grep -q rustup.rs "$work/log" || { cat "$work/log"; fail "setup.sh does not say how to get cargo"; }

python3 -m json.tool "$checkout/.devcontainer/devcontainer.json" > /dev/null
if command -v shellcheck > /dev/null; then
    shellcheck "$checkout/.devcontainer/setup.sh" "$checkout/.devcontainer/check.sh"
fi
echo "setup.sh leaves warplab, NVRTC and the editor's flags ready"
