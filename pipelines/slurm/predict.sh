#!/usr/bin/env bash
# A prediction as an array of Slurm jobs, and one that merges the parts.
#   pipelines/slurm/predict.sh -n PARTS -o OUTPUT [-t MINUTES] [-c CPUS] [-m MEMORY] [-s "SBATCH OPTIONS"] -- COMMAND MODEL ARGUMENTS...
#   pipelines/slurm/predict.sh -n 64 -o chromatin.h5 -- chromatin human-chr20-chrX -g hg19.fa
#   pipelines/slurm/predict.sh -n 64 -w starts.bw -- predict-promoter human-chr20-chrX -g hg19.fa
# COMMAND is one of bigdna's with --shard (predict-promoter, chromatin, predict, variants), without the options that name outputs. -o is
# what that command's -o takes (-b: its --bed, -w: its --bigwig); give one of the three. Where the command writes a track for each strand
# (--strands both, a scan's default), -w NAME.bw becomes NAME.plus.bw and NAME.minus.bw; chromatin's -w is a folder of tracks. --write-index
# writes the index of what is merged. The parts lie in OUTPUT.parts, which may be removed once they are merged; OUTPUT.counts.json
# counts the input. An array job that failed or was killed is sent again by the same command, which leaves finished parts alone.
set -euo pipefail
usage_error() { echo "predict: $1 (see --help)" >&2; exit 2; }
parts= output= flag= minutes=240 cpus=8 memory=16G options=
[[ ${1:-} != --help && ${1:-} != -h ]] || { sed -n '2,/^[^#]/s/^# \?//p' "$0"; exit 0; }
while getopts n:o:b:w:t:c:m:s: option; do
  case $option in
    n) parts=$OPTARG ;;
    o | b | w)
      [[ -z $flag ]] || usage_error "give one of -o, -b and -w: a job merges one output"
      output=$OPTARG
      case $option in o) flag=-o ;; b) flag=--bed ;; w) flag=--bigwig ;; esac
      ;;
    t) minutes=$OPTARG ;;
    c) cpus=$OPTARG ;;
    m) memory=$OPTARG ;;
    s) options=$OPTARG ;;
    *) usage_error "unknown option" ;;
  esac
done
shift $((OPTIND - 1))
[[ $parts =~ ^[1-9][0-9]*$ && -n $output && $# -ge 2 ]] || usage_error "give -n PARTS -o OUTPUT -- COMMAND MODEL ARGUMENTS..."
output=${output%/}
suffix=${output##*/}
if [[ $flag == --bigwig && $1 == chromatin ]]; then
  suffix=  # a folder
else
  [[ $suffix == *.* ]] || usage_error "$output: the output needs a suffix, which is its format"
  if [[ $flag == --bigwig ]]; then suffix=.${suffix##*.}; else suffix=.${suffix#*.}; fi
fi
arguments=() precision=(--precision fp32) write_index=
for argument; do
  case $argument in
    -o* | --output | --output=* | --bed | --bed=* | --bigwig | --bigwig=*) usage_error "$argument: name the output before --, by -o, -b or -w" ;;
    --counts | --counts=* | --shard | --shard=* | --resume | --resume=* | -@* | --threads | --threads=*) usage_error "$argument: the jobs give it" ;;
    --table | --table=*) usage_error "$argument: variants are ranked over all parts (bigdna report ranks a merged output)" ;;
    --pictures | --pictures=*) usage_error "$argument: the parts' pictures are not merged" ;;
    --precision | --precision=*) precision=() ;;
    --write-index)
      [[ $suffix == *.vcf.gz || $suffix == *.bcf ]] || usage_error "--write-index: only for .vcf.gz and .bcf"
      write_index=--write-index
      continue
      ;;
  esac
  arguments+=("$argument")
done
folder=$output.parts
mkdir -p "$folder"

quoted() { printf '%q ' "$@"; }
each() { for ((i = 1; i <= parts; ++i)); do quoted "$folder/$i$1"; done; }  # of all parts, what ends so
part=$(quoted "$folder")
sbatch=(sbatch --parsable $options)
array=$("${sbatch[@]}" --job-name=bigdna_predict --array=1-"$parts" --time="$minutes" --cpus-per-task="$cpus" --mem="$memory" \
  --output="$folder/%a.log" <<END
#!/usr/bin/env bash
set -euo pipefail
cd $(quoted "$PWD")
srun bigdna $(quoted "${arguments[@]}" "${precision[@]}")$flag ${part% }/\$SLURM_ARRAY_TASK_ID$suffix --counts ${part% }/\$SLURM_ARRAY_TASK_ID.counts.json \
  --shard \$SLURM_ARRAY_TASK_ID/$parts --resume -@ $cpus
END
)
# The record of the first part tells whether it wrote a track for each strand: files alone could be of an earlier job.
tracks_record=$(quoted "$folder/1.counts.json.options.json")
merge=$("${sbatch[@]}" --job-name=bigdna_merge --dependency=afterok:"${array%%;*}" --time=60 --cpus-per-task=2 --mem=8G \
  --output="$folder/merge.log" <<END
#!/usr/bin/env bash
set -euo pipefail
cd $(quoted "$PWD")
if grep -qF $(quoted "\"name\": \"1.plus$suffix\"")$tracks_record; then
  bigdna merge $(each ".plus$suffix")-o $(quoted "${output%"$suffix"}.plus$suffix")
  bigdna merge $(each ".minus$suffix")-o $(quoted "${output%"$suffix"}.minus$suffix")
else
  bigdna merge $(each "$suffix")-o $(quoted "$output") $write_index
fi
bigdna merge $(each .counts.json)-o $(quoted "$output.counts.json")
END
)
echo "array job ${array%%;*} of $parts parts, then merging in job ${merge%%;*}: $output"
