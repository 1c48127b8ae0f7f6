#!/usr/bin/env bash
# Puts cargo-nextest beside cargo, in the version that .config/nextest.toml was written for. On hosted runners; elsewhere
# `cargo install --locked cargo-nextest` does as well.
set -euo pipefail
version=0.9.143
curl --retry 3 --proto '=https' --tlsv1.2 -LsSf "https://get.nexte.st/$version/linux" | tar xzf - -C "${CARGO_HOME:-$HOME/.cargo}/bin"
cargo nextest --version
