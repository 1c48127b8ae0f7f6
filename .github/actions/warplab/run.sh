#!/usr/bin/env bash
# Runs warplab with the action's inputs, and writes the results into the job's summary. The exit status is warplab's, or 1 if
# the marks are below the threshold.
set -euo pipefail
fail() { echo "::error::warplab: $*"; exit 2; }
summary=${GITHUB_STEP_SUMMARY:-/dev/null}
out=${RUNNER_TEMP:-/tmp}/warplab-out
rm -rf "$out" && mkdir -p "$out"
echo "out=$out" >> "${GITHUB_OUTPUT:-/dev/null}"
read -r -a more <<< "${ARGUMENTS:-}"
code=0

grade() {
    [ -n "${FILE:-}" ] || fail "the input \`file\` names what is graded"
    # Text and JSON come from the same inputs and sizes.
    local seed=$((RANDOM * 32768 + RANDOM)) options=()
    if [ -n "${RUBRIC:-}" ]; then options+=(--rubric "$RUBRIC"); fi
    options+=(--device "$DEVICE" --seed "$seed" "${more[@]}")
    warplab grade "$LAB" "$FILE" "${options[@]}" --explain > "$out/marks.txt" 2>&1 || code=$?
    cat "$out/marks.txt"
    { echo "### warplab: $LAB"; fenced "$out/marks.txt"; } >> "$summary"
    [ "$code" -eq 0 ] || return 0
    warplab grade "$LAB" "$FILE" "${options[@]}" --format json --out "$out/marks.json" > /dev/null
    if [ -n "${THRESHOLD:-}" ] && ! enough; then code=1; fi
}

# Prints a file as a code block that its text cannot close: the fence is longer than any run of backticks in it.
fenced() {
    local fence='```'
    while grep -qF -- "$fence" "$1"; do fence+='`'; done
    echo "$fence"; cat "$1"; echo "$fence"
}

# Checks that each submission has the threshold's share of the points.
enough() {
    # Isolated: the repository may contain a module of the same name.
    python3 -I - "$out/marks.json" "$THRESHOLD" << 'END'
import json, sys
least = float(sys.argv[2])
with open(sys.argv[1]) as file:
    marks = json.load(file)["submissions"]
below = [m for m in marks if 100 * m["points"] < least * m["of"]]
for m in below:
    print(f"::error::{m['submission']}: {m['points']} of {m['of']} points, and {least} % are asked for")
sys.exit(1 if below else 0)
END
}

run() {
    local options=(--device "$DEVICE" --out "$out/run" "${more[@]}")
    if [ -n "${FILE:-}" ]; then options+=(--kernel "$FILE"); fi
    warplab run "$LAB" "${options[@]}" || code=$?
    [ -f "$out/run/session.json" ] || return 0
    warplab report "$out/run" --out "$out/report.html"
    if [ -n "${BASELINE:-}" ]; then
        options=(--baseline "$BASELINE" "$out/run" --md="$out/compare.md")
        if [ -n "${BRANCH:-}" ]; then options+=(--branch "$BRANCH"); fi
        if [ -n "${THRESHOLD:-}" ]; then options+=(--threshold "$THRESHOLD"); fi
        if [ "${ALLOW_GONE:-}" = true ]; then options+=(--allow-gone); fi
        local compared=0
        if [ -n "$(find "$BASELINE" -name session.json -print -quit 2> /dev/null)" ]; then
            warplab compare "${options[@]}" 2> "$out/compare.log" || compared=$?
        else
            echo "no baseline: $BASELINE is empty" > "$out/compare.log"
            compared=4
        fi
        cat "$out/compare.log"
        # The first run has no baseline, which is fine. A run that cannot be read, or is incomplete, is an error.
        if [ "$compared" -eq 4 ] && grep -q "no baseline:" "$out/compare.log"; then
            echo "::warning::warplab: not compared: $(cat "$out/compare.log")"
        else
            if [ -f "$out/compare.md" ]; then tee -a "$summary" < "$out/compare.md"; fi
            [ "$code" -ne 0 ] || code=$compared
        fi
    fi
    warplab report "$out/run" --md --out - | head -c 900000 >> "$summary"
}

case $COMMAND in
    grade) grade ;;
    run) run ;;
    *) fail "the input \`command\` is grade or run, not $COMMAND" ;;
esac
exit "$code"
