#!/usr/bin/env bash
# check_includes.sh LIB ROOM [DEPENDENCY ...]: fails where a file of LIB/ROOM includes a header of another room that is not among the
# dependencies, with file and line, and where a dependency is named that no file includes. Every room's build begins with it.
set -euo pipefail
lib=$1 room=$2
shift 2
{ grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"/]+/' --include=*.{h,cpp,cpp.in,cu,cuh} "$lib/$room" || (($? == 1)); } |
  awk -v lib="$lib" -v room="$room" -v named="$*" '
    BEGIN { for (n = split(named, names, " "); n; n--) unused[names[n]] = is_named[names[n]] = 1 }
    {
      match($0, /"[^"\/]+\//)
      other = substr($0, RSTART + 1, RLENGTH - 2)
      delete unused[other]
      if (other == room || other in is_named || system("test -d \"" lib "/" other "\"")) next
      split($0, place, ":")
      printf "%s:%s: error: includes a header of lib/%s, which lib/CMakeLists.txt does not name among the DEPENDS of %s\n", place[1], place[2], other, room
      failed = 1
    }
    END {
      for (name in unused) {
        printf "%s/CMakeLists.txt: error: %s names %s among its DEPENDS, and no file of it includes a header from there\n", lib, room, name
        failed = 1
      }
      exit failed
    }' >&2
