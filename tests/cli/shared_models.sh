#!/usr/bin/env bash
# shared_models.sh FOLDER: makes what the small_* helpers of tests/cli/helpers.bash give, once for all test files, which copy it from
# there. ctest runs it before them; a test file that is run alone by bats makes its own.
set -euo pipefail
shared=$1
here=$(dirname "$(readlink -f "$0")")
unset BIGDNA_SHARED_MODELS
. "$here/helpers.bash"
needs=("$BIGDNA" "$BIGDNA-model" "$here/helpers.bash" "$TEST_DATA/genome.fa.gz")
newest=$(stat -L -c %Y "${needs[@]}" | sort -n | tail -1)
if [ "$(cat "$shared/.of" 2>/dev/null)" = "$newest" ]; then exit 0; fi
rm -rf "$shared"
mkdir -p "$shared"
in_folder() { mkdir "$shared/$1"; cd "$shared/$1"; "${@:2}"; }
in_folder encoder small_encoder
for helper in small_promoters small_bins; do
  in_folder $helper cp -r ../encoder/pre .
  $helper
  rm -r pre
done
in_folder network small_network
in_folder network_of_sites small_network --start-sites "$TEST_DATA/tss.bed"
in_folder tables small_tables
echo "$newest" >"$shared/.of"
