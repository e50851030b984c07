#!/usr/bin/env bash
# The pages of docs.rs and their bytes, compared with benches/rustdoc.txt: 3 % more pages or bytes are too many, because a
# page for each of thousands of items says no more than a table of them.
#
#   benches/rustdoc.sh DIRECTORY            of the documentation, made by `.ci/run docs`
#   benches/rustdoc.sh DIRECTORY --write    writes the file anew
set -euo pipefail
pages=$(find "$1" -name '*.html' | wc -l)
kilobytes=$(find "$1" -type f -printf '%s\n' | awk '{ all += $1 } END { printf "%d", all / 1000 }')
file=$(dirname "$0")/rustdoc.txt
if [ "${2:-}" = --write ]; then
    printf 'pages %d\nkilobytes %d\n' "$pages" "$kilobytes" >"$file"
fi
printf 'pages %d\nkilobytes %d\n' "$pages" "$kilobytes" | awk '
    NR == FNR { expected[$1] = $2; next }
    { bad = $2 > expected[$1] * 1.03; failed = failed || bad; print $0, "(" expected[$1] ")" (bad ? " more than 3 % more" : "") }
    END { if (failed) print "if this is meant: benches/rustdoc.sh DIRECTORY --write"; exit failed }
' "$file" -
