#!/usr/bin/env bash
# Installs cargo-nextest next to cargo, in the version for which .config/nextest.toml was written. For hosted runners; elsewhere
# `cargo install --locked cargo-nextest` works as well.
set -euo pipefail
version=0.9.143
curl --retry 3 --proto '=https' --tlsv1.2 -LsSf "https://get.nexte.st/$version/linux" | tar xzf - -C "${CARGO_HOME:-$HOME/.cargo}/bin"
cargo nextest --version
