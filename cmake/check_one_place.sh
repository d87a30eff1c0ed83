#!/usr/bin/env bash
# check_one_place.sh FOLDER...: fails where a file does by itself what one file does for all, with file and line. One of the tests
# (one_place).
set -euo pipefail
(($#)) || { echo "check_one_place.sh: name the folders to check" >&2; exit 2; }
failed=0
only() {  # only FILE PATTERN REASON FOLDER...
  local file=$1 pattern=$2 reason=$3 found
  shift 3
  found=$(grep -rnE --include=*.{h,cpp,cpp.in,cu,cuh} "$pattern" "$@" | grep -v "^$file:" || true)
  [[ -z $found ]] || { sed "s|^\([^:]*:[0-9]*\):.*|\1: error: only $file may: $reason|" <<<"$found" >&2; failed=1; }
}
only lib/io/json.cpp '[Jj]son(_t)?::(parse|accept|sax_parse|from_(cbor|msgpack|bson|ubjson|bjdata))\(|[Jj]son>?::parse\(' \
  "parse JSON (io::parse_json), which limits its depth" "$@"
only lib/genome/contigs.cpp 'std::(basic_)?(w)?(regex|smatch|cmatch)|#include <regex>|<re2/' \
  "match regular expressions, with RE2 in linear time (std::regex takes stack and time without bound)" "$@"
exit $failed
