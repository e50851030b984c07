#!/usr/bin/env bash
# Builds the page for the browser: one file, target/web/index.html, which needs neither a server nor the network.
#
# `web/build.sh --quick` builds the same page faster and larger, and `--few` with only four targets, for development.
set -euo pipefail
cd "$(dirname "$0")"

out=${CARGO_TARGET_DIR:-$PWD/../target}/web
how=(build --release --lib --locked --target wasm32-unknown-unknown)
if [ "${1:-}" = --few ]; then
    how+=(--no-default-features --features few-targets)
fi

# Missing tools are named first: the build takes minutes.
command -v python3 >/dev/null || { echo "no python3: Debian's package python3 has it"; exit 1; }
is_compiled=
[ ! -d "$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown" ] || is_compiled=yes
if [ -z "$is_compiled" ]; then
    linker=$(compgen -c wasm-ld | sort -V | tail -n 1) || { echo "no wasm-ld: Debian's package lld-22 has one"; exit 1; }
    if [ ! -x /usr/bin/cargo ] || [ ! -d /usr/lib/rustlib/src/rust/library/std ]; then
        echo "no standard library for wasm: rustup target add wasm32-unknown-unknown, or Debian's rustc-web cargo-web rust-web-src"
        exit 1
    fi
fi

# `bindgen/` runs the library of wasm-bindgen, at the version that the crate wants.
cargo build --quiet --release --locked --manifest-path bindgen/Cargo.toml --target-dir "$out"

# Not for `bindgen`, which runs for less than a second.
if [ $# -gt 0 ]; then
    export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1
    [ "$1" != --few ] || export CARGO_PROFILE_RELEASE_OPT_LEVEL=0
fi
if [ -n "$is_compiled" ]; then
    cargo "${how[@]}" --target-dir "$out"
else
    # Debian's toolchain has no compiled standard library for wasm, but its sources.
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$linker RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 \
        /usr/bin/cargo "${how[@]}" -Zbuild-std=std,panic_abort -Zbuild-std-features= --target-dir "$out"
fi

"$out/release/bindgen" "$out/wasm32-unknown-unknown/release/explorer.wasm" "$out/bindgen" explorer
python3 bundle.py "$out/bindgen/explorer.js" "$out/bindgen/explorer_bg.wasm" "$out/index.html"
