#!/usr/bin/env bash
# check_type_names.sh FOLDER: fails where headers of two rooms (subfolders of FOLDER) declare types of one name, with file and line. Types
# inside other types may share a name. One of the tests (type_names).
set -euo pipefail
(($# == 1)) || { echo "check_type_names.sh: name the folder whose subfolders are rooms" >&2; exit 2; }
cd "$1"
declarations=$(grep -rnE --include=*.h '^(struct|class|enum|enum class|using) [A-Z][A-Za-z0-9]*( |:|$)[^;]*([{=].*)?$' -- * | grep -vE '^[^:]*:[0-9]*:[^{=]*;')
awk -F: '
  {
    split($1, path, "/")
    declaration = substr($0, length($1) + length($2) + 3)
    sub(/^(struct|enum class|class|enum|using) /, "", declaration)
    name = declaration
    sub(/[^A-Za-z0-9].*/, "", name)
    if (!(name in room)) { room[name] = path[1]; first[name] = $1 ":" $2 }
    else if (room[name] != path[1]) { print $1 ":" $2 ": error: " name " is also the name of a type of " room[name] " (" first[name] ")"; failed = 1 }
  }
  END { if (NR < 100) { print "error: found hardly any type"; failed = 1 }; exit failed }' <<<"$declarations" >&2
