#!/bin/sh
# Compares `amdgpu-isa dis` with `llvm-objdump-22 -d` on a code object of 50 MB, writing to a file: the least time of
# three runs each, and the ratio. The code repeats the sample kernels, each time as another function.
#
#   benches/dis.sh [MEGABYTES]
set -eu
cd "$(dirname "$0")/.."
megabytes=${1:-50}
# Use memory if possible, so that other load on a disk is not measured.
if [ -w /dev/shm ]; then TMPDIR=/dev/shm; export TMPDIR; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cargo build --quiet --release -p amdgpu-isa-cli
tool=${CARGO_TARGET_DIR:-target}/release/amdgpu-isa

for object in tests/samples/gfx942/*.co; do
    llvm-objcopy-22 -O binary --only-section=.text "$object" "$work/one"
    cat "$work/one" >> "$work/code"
done
times=$((megabytes * 1000000 / $(wc -c < "$work/code")))
printf '.text\n.macro kernel\n.type k\\@,@function\nk\\@:\n.incbin "%s/code"\n.endm\n.rept %s\nkernel\n.endr\n' "$work" "$times" |
    llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=gfx942 -filetype=obj -o "$work/object"

least() {
    best=
    for _ in 1 2 3; do
        before=$(date +%s%N)
        "$@" "$work/object" > "$work/out"
        took=$((($(date +%s%N) - before) / 1000000))
        if [ -z "$best" ] || [ "$took" -lt "$best" ]; then best=$took; fi
    done
    echo "$best"
}

ours=$(least "$tool" dis)
lines=$(wc -l < "$work/out")
theirs=$(least llvm-objdump-22 -d)
echo "$(wc -c < "$work/object") bytes, $lines lines: dis $ours ms, llvm-objdump $theirs ms"
awk "BEGIN { printf \"ratio %.1f\n\", $theirs / $ours }"
