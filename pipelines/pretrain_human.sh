#!/usr/bin/env bash
# The paper's pretraining (appendix F.1) with the numbers of its table 21: BigBird base on the human genome, MLM and NSP.
#   pipelines/pretrain_human.sh GENOME --out DIR [--scale paper|hour|minutes|seconds] [--plan] [--no-build [--bin DIR]] [-- OPTION...]
# GENOME   the human reference as FASTA (.gz may be plain gzip); the paper's is GRCh37:
#          https://ftp.ensembl.org/pub/grch37/current/fasta/homo_sapiens/dna/Homo_sapiens.GRCh37.dna.primary_assembly.fa.gz
#          Smaller scales do with one chromosome, e.g. chr20.fa.gz of pipelines/human_chr20.sh.
# --scale  paper    12 layers, hidden 768, 4096 tokens, vocabulary 32000, batch 256, 1 000 000 steps: 10^12 tokens. On one GPU
#                   at 400 000 tokens/s that is 30 days; the paper had 64 TPUs. Start it by torchrun or srun (below).
#          hour     the same model and context for 1000 steps of 256 (10^9 tokens): one GPU of today, about an hour
#          minutes  preset tiny, 1024 tokens, vocabulary 4096, 600 steps of 16: some minutes on 2 CPU cores
#          seconds  the same steps on very little, as the tests run it
# --plan   measure and print what it will take, write nothing
# What follows -- goes to bigdna pretrain as it is. A run that was stopped continues when the same line is given again.
# Several GPUs: torchrun --no-python --nproc-per-node 8 pipelines/pretrain_human.sh GENOME --out DIR --no-build
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/options.sh"
out= scale=paper plan=
read_options "out: scale: plan ..." "$@"
genome=${arguments[0]:-}
[[ -n $genome && $genome != -* && -n $out ]] || usage_error "name a genome and --out"

# Table 21 is preset base; what is named here is what it leaves to the text: warm-up, passes, N kept, 15 % masked.
paper=(--preset base --max-n-fraction 1 --mask-fraction 0.15 --objective mlm+nsp)
case $scale in
  paper) options=("${paper[@]}" --warmup 10000 --passes 10 --checkpoint-every 2000 --evaluate-every 10000 --keep 3) ;;
  hour) options=("${paper[@]}" --steps 1000 --warmup 100 --passes 1 --checkpoint-every 100 --evaluate-every 250) ;;
  minutes) options=(--preset tiny --max-length 1024 --vocab-size 4096 --batch 16 --steps 600 --passes 1 --evaluate-every 150 --evaluation-tokens 100000) ;;
  seconds) options=(--preset tiny --max-length 256 --vocab-size 512 --vocab-bases 1000000 --batch 8 --steps 12 --passes 1 --evaluate-every 6 --evaluation-tokens 4000) ;;
  *) usage_error "--scale is paper, hour, minutes or seconds" ;;
esac
programs
exec bigdna pretrain "$genome" -o "$out" --resume "${options[@]}" ${plan:+--plan} "${arguments[@]:1}"
