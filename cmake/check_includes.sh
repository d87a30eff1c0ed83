#!/usr/bin/env bash
# check_includes.sh LIB NAME [DEPENDENCY ...]: fails where a file of LIB/NAME includes a header of another library that is not among the
# dependencies, with file and line, and where a dependency is named that no file includes. Every library's build begins with it.
set -euo pipefail
lib=$1 name=$2
shift 2
{ grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"/]+/' --include=*.{h,cpp,cpp.in,cu,cuh} "$lib/$name" || (($? == 1)); } |
  awk -v lib="$lib" -v name="$name" -v named="$*" '
    BEGIN { for (n = split(named, names, " "); n; n--) unused[names[n]] = is_named[names[n]] = 1 }
    {
      match($0, /"[^"\/]+\//)
      other = substr($0, RSTART + 1, RLENGTH - 2)
      delete unused[other]
      if (other == name || other in is_named || system("test -d \"" lib "/" other "\"")) next
      split($0, place, ":")
      printf "%s:%s: error: includes a header of lib/%s, which lib/CMakeLists.txt does not name among the DEPENDS of %s\n", place[1], place[2], other, name
      failed = 1
    }
    END {
      for (dependency in unused) {
        printf "%s/CMakeLists.txt: error: %s names %s among its DEPENDS, and no file of it includes a header from there\n", lib, name, dependency
        failed = 1
      }
      exit failed
    }' >&2
