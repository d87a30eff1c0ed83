#!/usr/bin/env bash
# Labels of all real peak files on every TF bin of hg19: time and peak memory of bigdna and of bedtools.
#   tests/bench/chromatin_labels.sh
# Needs the peer environment (tests/peers/setup.sh) and $BIGDNA_DATA (default ../shared/data).
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
export BIGDNA=${BIGDNA:-$root/build/bin/bigdna} BIGDNA_SOURCE_DIR=$root
"$("$root/cmake/setup.sh" --print)/peers/bin/python" "$root/tests/peers/chromatin_labels_test.py" --whole-genome
