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

build() { # target kernel..., where target is a processor, or one with -wave64
    mkdir -p "$out/$1"
    options=(-mcpu="${1%-wave64}")
    [[ $1 != *-wave64 ]] || options+=(-mwavefrontsize64)
    for kernel in "${@:2}"; do
        "$CC" "${flags[@]}" "${options[@]}" -o "$out/$1/$kernel.co" "$kernel.cl"
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
build gfx9-generic reduce
build gfx908 matrix908 mixed
build gfx90a matrix90a mixed
build gfx942 saxpy reduce matmul mixed
build gfx9-4-generic mixed
build gfx950 matrix950 mixed
build gfx1010 mixed
build gfx1010-wave64 reduce
build gfx1011 dots
build gfx1011-wave64 saxpy
build gfx1013 rays
build gfx1013-wave64 saxpy
build gfx1030 mixed rays
build gfx1030-wave64 reduce
build gfx1100 matrix1100 mixed
build gfx1100-wave64 reduce
build gfx1150 reduce
build gfx1150-wave64 saxpy
build gfx1200 matrix1200 mixed
build gfx1200-wave64 reduce
build gfx1250 matrix1250 mixed
build gfx1251 mixed reduce
