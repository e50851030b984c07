#!/usr/bin/env bash
# The C interface: builds the library for C, and a C and a C++ program with gcc and with clang, without a warning; runs
# them under valgrind. Needs gcc, g++, clang-22 and valgrind.
set -euo pipefail
cd "$(dirname "$0")/../.."

out=${CARGO_TARGET_DIR:-$PWD/target}
cargo rustc --quiet --release --features capi,all-targets --crate-type staticlib
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

warnings=(-Wall -Wextra -Werror -pedantic -O1 -gdwarf-4 -Iinclude)
libraries=("$out/release/libamdgpu_isa.a" -lpthread -ldl -lm)
for compilers in "gcc g++" "clang-22 clang++-22"; do
    read -r c cpp <<<"$compilers"
    "$c" -std=c99 "${warnings[@]}" examples/c/patch.c "${libraries[@]}" -o "$work/patch"
    "$cpp" -std=c++11 "${warnings[@]}" examples/c/count.cpp "${libraries[@]}" -o "$work/count"
    for program in patch count; do
        echo "-- $program, by $c"
        valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=all "$work/$program"
    done
    # Real code, with whatever stands around it.
    valgrind --quiet --error-exitcode=9 "$work/count" gfx942 tests/samples/gfx942/reduce.co >"$work/out"
    grep -q "s_endpgm" "$work/out"
done
