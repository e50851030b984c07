#!/bin/bash
# Compiles the sample kernels again: build.sh [OUTDIR], by default into this directory.
# Needs the Debian packages clang-22, lld-22 and llvm-22.
set -euo pipefail
cd "$(dirname "$0")"
out=${1:-.}
CC=${CC:-clang-22} STRIP=${STRIP:-llvm-strip-22}

# clang compiles each kernel a second time, as a function for other kernels to call; kernels.map lets the linker drop those.
flags=(-target amdgcn-amd-amdhsa -nogpulib -x cl -cl-std=CL2.0 -O2 -w)
flags+=(-ffunction-sections -Wl,--gc-sections -Wl,--version-script=kernels.map)

build() { # target kernel...
    mkdir -p "$out/$1"
    for kernel in "${@:2}"; do
        "$CC" "${flags[@]}" -mcpu="$1" -o "$out/$1/$kernel.co" "$kernel.cl"
        "$STRIP" --strip-all "$out/$1/$kernel.co"
        chmod -x "$out/$1/$kernel.co"
    done
}

build gfx600 mixed
build gfx700 mixed
build gfx803 mixed
build gfx801 mixed
build gfx810 mixed
build gfx900 reduce
build gfx904 mixed
build gfx906 mixed
build gfx908 matrix908 mixed
build gfx90a matrix90a mixed
build gfx942 saxpy reduce matmul mixed
build gfx950 matrix950 mixed
