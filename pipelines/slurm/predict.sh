#!/usr/bin/env bash
# A prediction as an array of Slurm jobs, and one that merges the parts.
#   pipelines/slurm/predict.sh -n PARTS -o OUTPUT [-t MINUTES] [-c CPUS] [-m MEMORY] [-s "SBATCH OPTIONS"] -- COMMAND MODEL ARGUMENTS...
#   pipelines/slurm/predict.sh -n 64 -o chromatin.h5 -- chromatin human-chr20 -g hg19.fa
# COMMAND is one of bigdna's with --shard (predict-promoter, chromatin, predict, variants), without -o, --counts and --shard. -o is what
# that command's -o takes (-b: its --bed, -w: its --bigwig). The parts lie in OUTPUT.parts until they are merged; OUTPUT.counts.json counts
# the input. An array job that failed or was killed is sent again by the same command, which leaves finished parts alone.
set -euo pipefail
usage_error() { echo "predict: $1 (see --help)" >&2; exit 2; }
parts= output= flag=-o minutes=240 cpus=8 memory=16G options=
[[ ${1:-} != --help && ${1:-} != -h ]] || { sed -n '2,/^[^#]/s/^# \?//p' "$0"; exit 0; }
while getopts n:o:b:w:t:c:m:s: option; do
  case $option in
    n) parts=$OPTARG ;;
    o) output=$OPTARG ;;
    b) output=$OPTARG flag=--bed ;;
    w) output=$OPTARG flag=--bigwig ;;
    t) minutes=$OPTARG ;;
    c) cpus=$OPTARG ;;
    m) memory=$OPTARG ;;
    s) options=$OPTARG ;;
    *) usage_error "unknown option" ;;
  esac
done
shift $((OPTIND - 1))
[[ $parts =~ ^[1-9][0-9]*$ && -n $output && $# -ge 2 ]] || usage_error "give -n PARTS -o OUTPUT -- COMMAND MODEL ARGUMENTS..."
suffix=${output##*/}
[[ $suffix == *.* ]] || usage_error "$output: the output needs a suffix, which is its format"
suffix=${suffix#*.}
folder=$output.parts
mkdir -p "$folder"

quoted() { printf '%q ' "$@"; }
part=$(quoted "$folder")
sbatch=(sbatch --parsable $options)
array=$("${sbatch[@]}" --job-name=bigdna_predict --array=1-"$parts" --time="$minutes" --cpus-per-task="$cpus" --mem="$memory" \
  --output="$folder/%a.log" <<END
#!/usr/bin/env bash
set -euo pipefail
cd $(quoted "$PWD")
srun bigdna $(quoted "$@")$flag ${part% }/\$SLURM_ARRAY_TASK_ID.$suffix --counts ${part% }/\$SLURM_ARRAY_TASK_ID.counts.json \
  --shard \$SLURM_ARRAY_TASK_ID/$parts --precision fp32 --resume -@ $cpus
END
)
merge=$("${sbatch[@]}" --job-name=bigdna_merge --dependency=afterok:"${array%%;*}" --time=60 --cpus-per-task=2 --mem=8G \
  --output="$folder/merge.log" <<END
#!/usr/bin/env bash
set -euo pipefail
cd $(quoted "$PWD")
bigdna merge $(for ((i = 1; i <= parts; ++i)); do quoted "$folder/$i.$suffix"; done)-o $(quoted "$output")
bigdna merge $(for ((i = 1; i <= parts; ++i)); do quoted "$folder/$i.counts.json"; done)-o $(quoted "$output.counts.json")
END
)
echo "array job ${array%%;*} of $parts parts, then merging in job ${merge%%;*}: $output"
