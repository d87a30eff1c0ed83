#!/usr/bin/env bash
# check_format.sh FOLDER...: fails where clang-format 14 would write a .h or .cpp file in another way, and names the files. One of
# the tests (format). Other versions of clang-format differ; without version 14 the test is skipped (77).
#   clang-format -i FILE   puts a file right
set -euo pipefail
(($#)) || { echo "check_format.sh: name the folders to check" >&2; exit 2; }
peers=$("$(dirname "$(readlink -f "$0")")/setup.sh" --print)/peers/bin/clang-format
for program in clang-format-14 clang-format "$peers"; do
  if command -v "$program" >/dev/null && [[ $("$program" --version) == *"version 14."* ]]; then
    find "$@" \( -name '*.h' -o -name '*.cpp' \) -print0 | xargs -0 -P "$(nproc)" -n 20 "$program" --dry-run -Werror
    exit
  fi
done
echo "check_format.sh: skipped: clang-format 14 is not installed (tests/peers/setup.sh installs it)" >&2
exit 77
