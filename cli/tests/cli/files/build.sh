#!/bin/bash
# Makes the containers again with the tools that make them for users: build.sh [OUTDIR], by default into this directory.
# Needs the Debian packages clang-22, lld-22 and llvm-22.
set -euo pipefail
cd "$(dirname "$0")"
sources=$PWD
cd "${1:-.}"
object() { # processor version output: a linked code object of this version
    local accum=()
    [[ $1 != gfx9* ]] || accum=(--defsym accum=1)
    llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu="$1" --amdhsa-code-object-version="$2" "${accum[@]}" -filetype=obj \
        -o "$3.o" "$sources/add.s"
    ld.lld-22 -shared -o "$3" "$3.o"
    llvm-strip-22 --strip-all "$3"
    chmod -x "$3"
    rm "$3.o"
}
object gfx942 4 v4
object gfx942 5 v5
object gfx9-4-generic 6 v6
object gfx1103 5 gfx1103

# Kernels of Mesa, without HSA: descriptors stand before their code, as in version 2.
llvm-mc-22 -triple=amdgcn-mesa-mesa3d -mcpu=gfx900 -filetype=obj -o mesa "$sources/kernel_code.s"
llvm-mc-22 -triple=amdgcn-amd-amdpal -mcpu=gfx1103 -mattr=+wavefrontsize64 -filetype=obj -o pal.o "$sources/pal.s"
ld.lld-22 -shared -o pal pal.o
chmod -x pal

# Bundles; the compressed ones of the versions that clang 22 writes.
ids=host-x86_64-unknown-linux-gnu-,hipv4-amdgcn-amd-amdhsa--gfx942,hip-amdgcn-amd-amdhsa--gfx1103
bundle() {
    clang-offload-bundler-22 -type=o -targets=$ids -input=/dev/null -input=v5 -input=gfx1103 "$@"
}
bundle -bundle-align=256 -output=bundle
for version in 2 3; do
    COMPRESSED_BUNDLE_FORMAT_VERSION=$version bundle -compress -output=bundle-v$version
done
llvm-offload-binary-22 -o offload --image=file=v5,triple=amdgcn-amd-amdhsa,arch=gfx942,kind=hip

# Archives: host objects with and without bundles, a text, and a code object, with names too long for a member's header.
llvm-mc-22 -triple=x86_64-linux-gnu -filetype=obj -I. -o host.o "$sources/host.s"
llvm-mc-22 -triple=x86_64-linux-gnu -filetype=obj -o empty.o /dev/null
cp "$sources/add.s" a_text_with_a_long_name.s
mv pal.o graphics_pipeline.o
for kind in gnu bsd; do
    rm -f archive-$kind
    llvm-ar-22 rcD --format=$kind archive-$kind host.o empty.o a_text_with_a_long_name.s graphics_pipeline.o
done
rm host.o empty.o graphics_pipeline.o a_text_with_a_long_name.s
