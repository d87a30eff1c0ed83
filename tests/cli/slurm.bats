# pipelines/slurm with stand-ins for sbatch and srun, which run the jobs here.
load helpers

setup() {
  cd "$BATS_TEST_TMPDIR"
  mkdir bin
  cat >bin/sbatch <<'END'
#!/usr/bin/env bash
# Runs a job at once, or all of an array; what is not an option is the script, or stdin. Prints its number.
echo "$*" >>sbatch.log
array=1-1 output=/dev/null
while [[ ${1:-} == -* ]]; do
  case $1 in --array=*) array=${1#*=} ;; --output=*) output=${1#*=} ;; esac
  shift
done
number=$((100 + $(wc -l <sbatch.log)))
if [[ $# -gt 0 ]]; then script=("$@"); else cat >job.$number.sh; script=(bash job.$number.sh); fi
for ((i = ${array%-*}; i <= ${array#*-}; ++i)); do
  SLURM_ARRAY_TASK_ID=$i SLURM_CPUS_PER_TASK=1 "${script[@]}" >"${output//%a/$i}" 2>&1 || exit
done
echo "$number;cluster"
END
  printf '#!/usr/bin/env bash\nwhile [[ $1 == -* ]]; do shift; done\nexec "$@"\n' >bin/srun
  chmod +x bin/*
  PATH=$PWD/bin:$PATH
}

@test "predict.sh: an array of parts, then one job that merges them" {
  mkdir 'a b'
  samtools faidx "$TEST_DATA/genome.fa.gz" chr2:1-150000 | sed 's/:.*//' >'a b/genome.fa'
  run "$BIGDNA_SOURCE_DIR/pipelines/slurm/predict.sh" -n 2 -c 1 -o 'a b/out.tsv.gz' -s "--partition=short" -- chromatin human-chr20-chrX -g 'a b/genome.fa' --features 0,TSS
  [ "$status" = 0 ]
  [ "$output" = "array job 101 of 2 parts, then merging in job 102: a b/out.tsv.gz" ]
  grep -q -- '--partition=short .*--array=1-2 ' sbatch.log
  grep -q -- '--dependency=afterok:101 ' sbatch.log
  bigdna chromatin human-chr20-chrX -g 'a b/genome.fa' --features 0,TSS --precision fp32 --quiet | cmp - <(bgzip -dc 'a b/out.tsv.gz')
  [ "$(of_json 'a b/out.tsv.gz.counts.json' intervals)" = 750 ]
}

@test "predict.sh: sent again, it leaves finished parts alone" {
  printf 'chr1\t1000\t1200\nchr1\t5000\t5200\n' >regions.bed
  samtools faidx "$TEST_DATA/genome.fa.gz" chr1:1-10000 | sed 's/:.*//' >genome.fa
  for _ in 1 2; do "$BIGDNA_SOURCE_DIR/pipelines/slurm/predict.sh" -n 1 -c 1 -o out.h5 -- chromatin human-chr20-chrX regions.bed -g genome.fa; done
  grep -q '1.h5: is complete' out.h5.parts/1.log
  run "$BIGDNA_SOURCE_DIR/pipelines/slurm/predict.sh" -n 0 -o out.h5 -- chromatin human-chr20-chrX
  [ "$status" = 2 ]
}

@test "predict.sh: tracks of both strands, of one, and chromatin's folder of tracks" {
  samtools faidx "$TEST_DATA/genome.fa.gz" chr3:1-60000 | sed 's/:.*//' >genome.fa
  predict=("$BIGDNA_SOURCE_DIR/pipelines/slurm/predict.sh" -n 2 -c 1)
  scan=(predict-promoter human-chr20-chrX -g genome.fa)
  mkdir out
  "${predict[@]}" -w 'out/the start.sites.bw' -- "${scan[@]}" --strands forward
  "${predict[@]}" -w 'out/both starts.bw' -- "${scan[@]}"
  bigdna "${scan[@]}" --bigwig whole.bw --strands forward --precision fp32 --quiet
  bigdna "${scan[@]}" --bigwig whole.bw --counts whole.json --precision fp32 --quiet
  cmp 'out/the start.sites.bw' whole.bw
  for strand in plus minus; do cmp "out/both starts.$strand.bw" "whole.$strand.bw"; done
  [ "$(counts 'out/both starts.bw.counts.json')" = "$(counts whole.json)" ]
  [ ! -e 'out/both starts.bw' ]
  for _ in 1 2; do "${predict[@]}" -w out/tracks/ -- chromatin human-chr20-chrX -g genome.fa --features 0,TSS; done
  bigdna chromatin human-chr20-chrX -g genome.fa --features 0,TSS --bigwig tracks --precision fp32 --quiet
  same_files tracks out/tracks
  # in the folder of parts lie those of a job that had one track
  rm 'out/both starts.minus.bw'
  cp 'out/the start.sites.bw.parts/1.bw' 'out/both starts.bw.parts'
  "${predict[@]}" -w 'out/both starts.bw' -- "${scan[@]}"
  cmp 'out/both starts.minus.bw' whole.minus.bw
}

@test "predict.sh: what no job could merge is said before any is sent; the index is that of the whole" {
  predict=("$BIGDNA_SOURCE_DIR/pipelines/slurm/predict.sh" -n 2)
  refused() {  # TEXT ARGUMENTS...
    run "${predict[@]}" "${@:2}"
    [ "$status" = 2 ]
    [[ $output == *"$1"* ]]
    [ ! -e sbatch.log ]
  }
  refused "give one of -o, -b and -w" -o out.tsv -w out.bw -- predict-promoter human-chr20-chrX -g genome.fa
  refused "--bed=x.bed: name the output before --" -o out.tsv -- predict-promoter human-chr20-chrX -g genome.fa --bed=x.bed
  refused "--pictures: the parts' pictures are not merged" -o out.vcf -- variants human-chr20-chrX variants.vcf -g genome.fa --pictures p
  refused "--counts: the jobs give it" -o out.tsv -- chromatin human-chr20-chrX -g genome.fa --counts c.json
  refused "needs a suffix" -w out -- predict-promoter human-chr20-chrX -g genome.fa
  refused "--write-index: only for .vcf.gz and .bcf" -o out.vcf -- variants human-chr20-chrX variants.vcf -g genome.fa --write-index
  galaxy=$BIGDNA_SOURCE_DIR/pipelines/galaxy/test-data
  cp "$galaxy/genome.fa" .
  "${predict[@]}" -o out.vcf.gz -- variants human-chr20-chrX "$galaxy/variants.vcf" -g genome.fa --features TSS --precision fp32 --write-index
  [ -e out.vcf.gz.csi ]
  bigdna variants human-chr20-chrX "$galaxy/variants.vcf" -g genome.fa --features TSS --quiet | cmp - <(bgzip -dc out.vcf.gz)
}

@test "pretrain.sh: one task per GPU, which continues" {
  options=(--preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 128 --vocab-size 100 --steps 2 --batch 2 --evaluation-tokens 500 --quiet)
  sbatch "$BIGDNA_SOURCE_DIR/pipelines/slurm/pretrain.sh" "$TEST_DATA/genome.fa.gz" -o run "${options[@]}"
  [ -e run/run.json ]
  sbatch "$BIGDNA_SOURCE_DIR/pipelines/slurm/pretrain.sh" "$TEST_DATA/genome.fa.gz" -o run "${options[@]}"
}
