#!/usr/bin/env bash
# The C interface: builds the library for C, and C and C++ programs with gcc and with clang, without a warning; runs them
# under valgrind. Needs gcc, g++, clang-22 and valgrind. Arguments are those of the build, with all packages: without any,
# `--release --workspace`.
set -euo pipefail
cd "$(dirname "$0")/../.."

out=${CARGO_TARGET_DIR:-$PWD/target}
[ $# -gt 0 ] || set -- --release --workspace
cargo build --quiet "$@" --example capi --example capi_files
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

warnings=(-Wall -Wextra -Werror -pedantic -O1 -gdwarf-4 -Iinclude)
libraries=("$out/release/examples/libcapi.a" -lpthread -ldl -lm)
for compilers in "gcc g++" "clang-22 clang++-22"; do
    read -r c cpp <<<"$compilers"
    "$c" -std=c99 "${warnings[@]}" examples/c/patch.c "${libraries[@]}" -o "$work/patch"
    "$cpp" -std=c++11 "${warnings[@]}" examples/c/count.cpp "${libraries[@]}" -o "$work/count"
    for program in patch count; do
        echo "-- $program, by $c"
        valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=all "$work/$program"
    done
    # With whole files.
    "$c" -std=c99 "${warnings[@]}" examples/c/repair.c "$out/release/examples/libcapi_files.a" "${libraries[@]:1}" -o "$work/repair"
    echo "-- repair, by $c"
    valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=all "$work/repair"
    # The tests' program, which does not read beyond the existing bytes, either.
    "$c" -std=c99 "${warnings[@]}" tests/capi/says.c "${libraries[@]}" -o "$work/says"
    words="ff0080be78563412 ff0080be785634 000000ca 7f008ebf000000"
    for code in $words; do
        echo "code 4c 300 $code 1000 2000 s_nop 0:1 5:2 300:0"
    done | valgrind --quiet --error-exitcode=9 --leak-check=full "$work/says" >"$work/out"
    [ "$(grep -c '^end$' "$work/out")" = 4 ]
    # Real code, with whatever stands around it.
    valgrind --quiet --error-exitcode=9 "$work/count" gfx942 tests/samples/gfx942/reduce.co >"$work/out"
    grep -q "s_endpgm" "$work/out"
done
