#!/usr/bin/env bash
# The library on a bare Cortex-M4, without std, heap or panic:
#
#   examples/cortex-m/check.sh run      runs the patcher in qemu and compares its report with report.txt
#   examples/cortex-m/check.sh panics   proves that neither its image nor one with all of the library can panic
#   examples/cortex-m/check.sh stack    measures the stack that decoding takes: 512 bytes or less
#   examples/cortex-m/check.sh size     compares the sizes of the library's parts with size.txt (`size --write`: makes it),
#                                       and with the sizes of images whose constructors are never called
#
# Without an argument: all of them; `quick`: all, but one image of two targets with constructors instead of three images, sizes of
# gfx942 only, and no comparison with constructors. Needs Debian's rustc-web, cargo-web, rust-web-src, lld-22, llvm-22, qemu-system-arm.
set -euo pipefail
cd "$(dirname "$0")"

target=thumbv7em-none-eabi
out=${CARGO_TARGET_DIR:-$PWD/target}/$target/release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Debian's compiler has no compiled core for this target, but comes with its sources.
build() {
    RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_THUMBV7EM_NONE_EABI_LINKER=ld.lld-22 \
        /usr/bin/cargo build --quiet --locked --release -Zbuild-std=core --target "$target" "$@"
}

run() {
    build --features "$features" --bin patcher --bin api
    # Semihosting writes to stderr unless told otherwise.
    qemu-system-arm -M mps2-an386 -nographic -monitor none -serial none -chardev stdio,id=report \
        -semihosting-config enable=on,target=native,chardev=report -kernel "$out/patcher" </dev/null | tee "$work/report"
    diff report.txt "$work/report"
    test -s "$work/report"
    echo "run: the report is as expected"
}

# Names of the functions of an image that can panic, including the panic handler.
can_panic() { llvm-nm-22 --demangle "$out/$1" | grep -E 'core::panicking|panic_is_reached' || true; }

panics() {
    local of found
    # `api` calls everything that the patcher calls, so for all targets it is sufficient.
    build --features "$features" --bin patcher --bin api
    for of in "$features:patcher" "$features:api" "${others[@]}"; do
        [ "${of%:*}" = "$features" ] || build --features "${of%:*}" --bin "${of#*:}"
        found=$(can_panic "${of#*:}")
        if [ -n "$found" ]; then
            printf '%s with %s can panic:\n%s\n' "${of#*:}" "${of%:*}" "$found"
            return 1
        fi
        echo "panics: none in ${of#*:} with ${of%:*} ($(llvm-size-22 "$out/${of#*:}" | awk 'NR == 2 { print $1 }') bytes)"
    done
    # Test the check itself: it must find a planted panic.
    build --features text,plant-panic --bin patcher
    if [ -z "$(can_panic patcher)" ]; then
        echo "a planted panic was not found"
        return 1
    fi
    echo "panics: a planted one is found"
}

stack() {
    build --no-default-features --features gfx942,text --bin stack
    qemu-system-arm -M mps2-an386 -nographic -monitor none -serial none -chardev stdio,id=report \
        -semihosting-config enable=on,target=native,chardev=report -kernel "$out/stack" </dev/null | tee "$work/stack"
    awk '/^bytes of stack/ { found = $4 } END { exit !(found > 0 && found <= 512) }' "$work/stack"
}

# Code and constants.
bytes() { bytes_of "$out/size-$1"; }
bytes_of() { llvm-size-22 -A "$1" | awk '$1 == ".text" || $1 == ".rodata" { n += $2 } END { print n }'; }

table() {
    local set part floor
    local sets="gfx942 gfx1100-wave32 gfx1100 gfx1200-wave32 gfx1250 all-targets"
    [ -z "$quick" ] || sets=gfx942
    echo "# bytes of .text and .rodata on $target, opt-level z, LTO; $(/usr/bin/rustc --version)"
    printf '%-14s %8s %8s %8s %8s %8s %8s %8s %10s\n' targets length decode branch rebranch operands text encode trampoline
    for set in $sets; do
        # The encoder's program is one for gfx942, and so is that of trampolines.
        parts="length decode branch rebranch operands text"
        case $set in gfx942 | all-targets) parts="$parts encode" ;; esac
        case $set in gfx942) parts="$parts trampoline" ;; esac
        # What a program does not call of text is not in it: one build of the library serves all columns.
        build --no-default-features --features "$set,text" --bin size-nothing $(printf -- '--bin size-%s ' $parts)
        floor=$(bytes nothing)
        printf '%-14s' "$set"
        for part in $parts; do
            printf ' %8d' $(($(bytes $part) - floor))
        done
        echo
    done
}

# Constructors that are never called add only padding to the image, 1 % or 64 bytes at most; two that are called add little.
unused() {
    local part floor called plain
    local parts=(nothing length decode operands text encode)
    build --no-default-features --features gfx942,text "${parts[@]/#/--bin=size-}"
    for part in "${parts[@]}"; do
        cp "$out/size-$part" "$work/plain-$part"
    done
    build --no-default-features --features gfx942,make,text "${parts[@]/#/--bin=size-}" --bin size-make
    for part in "${parts[@]}"; do
        plain=$(bytes_of "$work/plain-$part")
        if [ "$(bytes $part)" -gt $((plain + (plain < 6400 ? 64 : plain / 100))) ]; then
            echo "constructors that nobody calls are in size-$part: $(bytes $part) bytes instead of" \
                "$plain"
            return 1
        fi
    done
    floor=$(bytes nothing)
    called=$(($(bytes make) - floor))
    echo "size: none of the constructors that nobody calls; two that are called: $called bytes"
    [ "$called" -gt 0 ] && [ "$called" -le 1024 ]
}

size() {
    table >"$work/size"
    if [ "${1:-}" = --write ]; then
        cp "$work/size" size.txt
    fi
    cat "$work/size"
    # Guaranteed limits for one target: length, decode, decode + targets of branches, decode + other targets of branches, decode +
    # operands, decode + text.
    awk '
        $1 == "gfx942" { split("2048 12288 12800 14336 24576 81920", most); for (i = 1; i <= 6; i++) if ($(i + 1) > most[i]) {
            print "more than promised: " $(i + 1) " instead of " most[i]; bad = 1 } found = 1 }
        END { exit bad || !found }
    ' "$work/size"
    # Other versions of the compiler generate different code: allow 1 % or 64 bytes, more or less.
    awk '
        /^#/ || $1 == "targets" { next }
        NR == FNR { for (i = 2; i <= NF; i++) was[$1, i] = $i; next }
        { for (i = 2; i <= NF; i++) {
            change = $i - was[$1, i]; if (change < 0) change = -change
            if (change > 64 && change > was[$1, i] / 100) { print "changed: " $1 ", " was[$1, i] " to " $i " bytes"; bad = 1 }
        } }
        END { if (bad) print "if this is meant: examples/cortex-m/check.sh size --write"; exit bad }
    ' size.txt "$work/size"
    [ -n "$quick" ] || unused
}

quick=
features=text,capi
# Images of all targets, and of constructors of all signatures with the builder: these targets and gfx942 have all kinds of operands.
others=(text,capi,all-targets:api text,make,gfx700,gfx1100,gfx1200:api)
case "${1:-all}" in
run) run ;;
panics) panics ;;
stack) stack ;;
size) size "${2:-}" ;;
all | quick)
    if [ "${1:-}" = quick ]; then
        quick=yes features=text,capi,make,gfx1200 others=()
    fi
    run
    panics
    stack
    size
    ;;
*)
    sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
