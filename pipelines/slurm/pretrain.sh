#!/usr/bin/env bash
# Pretraining on several GPUs and machines: one task per GPU. Sent again (sbatch, or --requeue), it continues from its last checkpoint.
#   sbatch --nodes=2 --gpus-per-node=4 --ntasks-per-node=4 --cpus-per-task=8 --time=2-0 --requeue pipelines/slurm/pretrain.sh genome.fa -o run [OPTIONS]
# The arguments are those of bigdna pretrain (docs/commands/pretrain.md, "Several GPUs or machines"). Slurm signals the tasks two
# minutes before the end, and they write a checkpoint.
#SBATCH --job-name=bigdna_pretrain
#SBATCH --signal=TERM@120
set -euo pipefail
exec srun --kill-on-bad-exit=1 bigdna pretrain "$@" --resume -@ "${SLURM_CPUS_PER_TASK:-1}"
