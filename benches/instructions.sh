#!/bin/sh
# Counts machine instructions per GPU instruction with callgrind. The counts are the same on every run, under any load.
#
#   benches/instructions.sh          prints the figures and compares them with benches/instructions.txt (within 5 %)
#   benches/instructions.sh --write  makes them the new figures
#
# Each figure is the count of six rounds minus the count of one, which excludes startup. Other compilers and machines
# give other figures; the first line of the file names the toolchain and machine of its figures.
set -eu
cd "$(dirname "$0")/.."
file=benches/instructions.txt
rounds=5

cargo build --quiet --profile bench --package amdgpu-isa-instructions --features make --bin instructions
exe=${CARGO_TARGET_DIR:-target}/release/instructions

count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$exe" "$1" "$2" 2>&1 | sed -n 's/.*Collected : //p'
}

now=$(mktemp)
trap 'rm -f "$now"' EXIT
echo "# $(rustc --version), $(uname -m)" > "$now"
for work in length decode operands text display encode parse build patch guard; do
    instructions=$("$exe" "$work" 1)
    total=$(($(count "$work" $((rounds + 1))) - $(count "$work" 1)))
    awk "BEGIN { printf \"%-9s %.1f\n\", \"$work\", $total / $rounds / $instructions }" >> "$now"
done

if [ "${1:-}" = --write ]; then
    cp "$now" "$file"
    cat "$file"
    exit
fi
awk '
    /^#/ { if (NR == FNR) was = $0; else if ($0 != was) print "note: " substr(was, 3) " then, " substr($0, 3) " now"; next }
    NR == FNR { expected[$1] = $2; next }
    {
        change = ($2 / expected[$1] - 1) * 100
        bad = change > 5 || change < -5
        failed = failed || bad
        printf "%-9s %8.1f  (%8.1f, %+5.1f %%)%s\n", $1, $2, expected[$1], change, bad ? "  more than 5 %" : ""
    }
    END { if (failed) print "if this is meant: benches/instructions.sh --write"; exit failed }
' "$file" "$now"
