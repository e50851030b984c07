#!/bin/sh
# Writes tests/facts/llvm.txt: LLVM 22's instruction descriptions of every operation in every form.
# Needs a C++ compiler and Debian's llvm-22-dev. `tests/facts.rs` compares with what is written.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# All of LLVM is linked in: its library does not show the tables of the target. zstd's may be there without a name of its own.
libraries=$(llvm-config-22 --link-static --libs amdgpu mcparser mcdisassembler --system-libs | tr '\n' ' ')
c++ -std=c++17 -O1 -I"$(llvm-config-22 --includedir)" tests/facts/describe.cpp -o "$work/describe" \
    $(llvm-config-22 --ldflags) $(echo "$libraries" | sed 's/-lzstd/-l:libzstd.so.1/')
run() {
    cargo test -q --release --features all-targets --test library -- --ignored "facts::$1"
}
AMDGPU_ISA_FACTS=$work/words run words_for_llvm
"$work/describe" <"$work/words" >"$work/answers" 2>"$work/errors"
AMDGPU_ISA_FACTS=$work/answers run snapshot_of_llvm
grep -P '\tunknown$' "$work/answers" || true
