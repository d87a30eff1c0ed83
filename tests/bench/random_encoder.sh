#!/usr/bin/env bash
# The null of benches with a pretrained encoder: one of the shape and vocabulary of human-chr20-encoder with random weights.
#   random_encoder.sh FOLDER [OPTION...]    FOLDER: where it goes; what is complete is not done again. Needs bigdna in the PATH.
set -euo pipefail
root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
[[ -e $1/run.json ]] ||
  bigdna pretrain "$root/test-data/genome.fa.gz" --preset mini --vocab human-chr20-encoder --init random --steps 1 --batch 2 --learning-rate 1e-12 \
    --evaluation-tokens 1000 -o "$1" --resume "${@:2}"
