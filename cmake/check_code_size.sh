#!/usr/bin/env bash
# check_code_size.sh FOLDER...: fails where a line of C++ or CUDA code is longer than 120 columns, or a file longer than 400 lines,
# with file and line. One of the tests (code_size); tables of data belong into files that are not code, as lib/dataset/*.tsv.
set -euo pipefail
(($#)) || { echo "check_code_size.sh: name the folders to check" >&2; exit 2; }
code=(--include=*.{h,cpp,cpp.in,cu,cuh})
export LC_ALL=C.UTF-8  # columns are characters, not bytes
long_lines=$(grep -rnoE '^.{121,}' "${code[@]}" "$@" | sed -E 's/^([^:]+:[0-9]+):.*/\1: error: longer than 120 columns/' || true)
long_files=$(grep -rc '' "${code[@]}" "$@" | awk -F: '$NF > 400 {printf "%s: error: %d lines, of 400 at most: divide it by subject\n", $1, $NF}')
[[ -z $long_lines$long_files ]] || { printf '%s\n' $'\n'"$long_lines" "$long_files" | sed '/^$/d' >&2; exit 1; }
