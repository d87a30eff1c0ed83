#!/usr/bin/env bash
# leaves_nothing.sh COMMAND...: runs a test in a temporary folder of its own; it fails too where it leaves files there.
folder=$(mktemp -d) || exit
trap 'rm -rf "$folder"' EXIT
TMPDIR=$folder "$@" || exit
left=$(ls -A "$folder")
[[ -z $left ]] || { echo "left in \$TMPDIR:" $left; exit 1; }
