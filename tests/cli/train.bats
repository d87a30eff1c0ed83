# bigdna train on the simulated genome: a very small network, for behaviour, not skill.
load helpers

small=(--preset tiny --networks 2 --steps 4 --batch 2 --window 4000 --precision fp32 --quiet)

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  genome=$TEST_DATA/genome.fa.gz
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$genome" --upstream 0 --downstream 0 --keep all --test chr2,chr3 --validation chrX \
    -o bins --quiet
  bigdna train bins "${small[@]}" -o run -@ 1 >run.out
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}

rows() { grep -v '^#' "$1"; }
train() { bigdna train "$shared/bins" "${small[@]}" "$@"; }

@test "train (chromatin): a run has a model, metrics beside k-mers, and a folder for each network" {
  for file in run.json options.json metrics.tsv metrics.json features.tsv scores.tsv.gz model/model.safetensors model/config.json network-1/metrics.jsonl network-2/metrics.jsonl; do
    [ -s "$shared/run/$file" ]
  done
  same_files "$shared/run.out" "$shared/run/metrics.tsv"
  # with the network alone where the model has k-mers, too
  [ "$(rows "$shared/run.out" | cut -f2 | grep -v network | sort -u)" = $'bigdna\nbigdna-kmers\nbigdna-kmers-bin\nkmers\nkmers-bin' ]
  bigdna info --verify "$shared/run" --quiet >info.txt
  grep -q "2 networks of" info.txt
}

@test "train (chromatin): the same bytes with two threads, and after a resume" {
  train -o two -@ 2 >/dev/null
  same_files "$shared/run/model/model.safetensors" two/model/model.safetensors
  killed_when '[ -e killed/network-2/checkpoints/last ]' bigdna train "$shared/bins" "${small[@]}" -o killed -@ 1 --checkpoint-every 1
  train -o killed -@ 1 --resume >/dev/null
  grep -q '"--checkpoint-every": 1,' killed/options.json  # taken from the killed run
  same_files "$shared/run/model/model.safetensors" killed/model/model.safetensors
}

@test "train: the model's metrics are written before k-mers are fitted; a line of progress names the stage, its share and the way out" {
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$genome" --upstream 0 --downstream 0 --keep all --test chr2,chr3 --validation chrX -o bins --quiet
  BIGDNA_HEARTBEAT=0.02 bigdna train bins --no-kmers "${small[@]:0:12}" -o run 2>err &
  until grep -q 'kmers (--no-baseline leaves them out): counting k-mers: [0-9]* %, [0-9]*/[0-9.]* *k*rows' err || ! kill -0 $! 2>/dev/null; do sleep 0.01; done
  kill -9 $!
  rc=0
  wait $! || rc=$?
  [ $rc = 137 ]
  grep -q 'run/metrics.tsv is written; other baselines are next (--no-baseline leaves them out)' err
  grep -q 'calibration: validation examples: [0-9]* %, ' err
  [ "$(rows run/metrics.tsv | cut -f2 | sort -u)" = bigdna ]
  bigdna train bins --no-kmers "${small[@]}" -o run --resume >resumed
  [ "$(rows resumed | cut -f2 | sort -u)" = $'bigdna\nbigdna-kmers\nbigdna-kmers-bin\nkmers\nkmers-bin' ]
  train --no-kmers -o plain >whole
  same_rows <(rows resumed | awk -F'\t' '$2 == "bigdna"') <(rows whole | awk -F'\t' '$2 == "bigdna"')
}

@test "train: k-mers beside the networks are a term of the model, for predictions, variants, explanations and evaluation" {
  train --no-kmers -o plain >/dev/null
  bigdna train "$shared/bins" --from plain --keep-networks --precision fp32 --quiet -o sum >sum.out
  for model in plain sum; do
    bigdna chromatin $model "$TEST_DATA/regions.bed" -g "$genome" --precision fp32 --quiet -o $model.tsv
  done
  same_files plain/model/model.safetensors sum/model/model.safetensors  # the networks are kept as they are
  [ ! -e plain/model/kmers.safetensors ]
  [ -e sum/model/kmers.safetensors ]
  not same_rows plain.tsv sum.tsv
  not same_rows <(rows plain.tsv) <(rows sum.tsv)
  # the parts add up to the log-odds
  bigdna chromatin sum "$TEST_DATA/regions.bed" -g "$genome" --precision fp32 --parts --features 0 --quiet -o parts.tsv
  [[ $(header parts.tsv | cut -f9-) == kmers:*$'\t'network:* ]]
  rows parts.tsv | all_rows '(1 / (1 + exp(-$9 - $10)) - $8)^2 < 1e-11'
  # a variant's LOGIT is the difference of two log-odds, and so is what explain --substitutions says of it
  bigdna explain sum -r chr2:30001-30001 -g "$genome" --precision fp32 -o bases.tsv --substitutions changes.tsv --quiet
  { printf '##fileformat=VCFv4.2\n##contig=<ID=chr2>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    rows changes.tsv | awk -F'\t' -v OFS='\t' '{print $1, $3, ".", $5, $6, ".", ".", "."}'; } >alleles.vcf
  bigdna variants sum alleles.vcf -g "$genome" --effects LOGIT --strands average --precision fp32 -o effects.tsv --quiet
  [ "$(rows effects.tsv | wc -l)" = 3 ]
  paste <(rows changes.tsv | cut -f7) <(rows effects.tsv | cut -f10) >both
  all_rows '($1 - $2)^2 < 1e-9 && $1 != 0' <both
  # evaluate compares the model with its terms, as the run did
  bigdna evaluate sum "$shared/bins" --precision fp32 --quiet >again.out
  grep -q $'\tnetwork\t' sum.out
  of_parts() { rows "$1" | awk -F'\t' '$2 == "bigdna" || $2 == "network" || $2 == "kmers"' | cut -f1-7; }
  paste <(of_parts sum.out) <(of_parts again.out) | all_rows '$1 == $8 && $2 == $9 && ($6 - $13)^2 + ($7 - $14)^2 < 1e-8'
  bigdna convert sum/model -o copy --quiet
  same_rows <(rows sum.tsv) <(bigdna chromatin copy "$TEST_DATA/regions.bed" -g "$genome" --precision fp32 --quiet | grep -v '^#')
  for option in "--learning-rate 1" "--batch 3" "--dropout 0.5" "--validation-rows 5" "--checkpoint-every 7" "--plan" "--label-balance 0.5" "--shard-optimiser"; do
    fails 2 "${option%% *} has no effect with --keep-networks" bigdna train "$shared/bins" --from plain --keep-networks $option -o x
  done
  fails 2 "--keep-networks with --no-kmers" bigdna train "$shared/bins" --from plain --keep-networks --no-kmers -o x
}

@test "train (chromatin): the model predicts regions and whole contigs; a tile is predicted as a region of its own" {
  printf 'chr1\t20000\t21000\nchr1\t30000\t30100\n' >regions.bed
  bigdna chromatin "$shared/run" regions.bed -g "$genome" --precision fp32 --tile 200 --quiet -@ 1 >one.tsv
  bigdna chromatin "$shared/run" regions.bed -g "$genome" --precision fp32 --tile 200 --quiet -@ 2 >two.tsv
  same_files one.tsv two.tsv
  rows one.tsv | cut -f1-3 | shuf --random-source="$genome" >shuffled.bed
  bigdna chromatin "$shared/run" shuffled.bed -g "$genome" --precision fp32 --quiet >shuffled.tsv
  python3 - one.tsv shuffled.tsv <<'PY'
import sys
read = lambda path: {tuple(line.split("\t")[:3]): [float(x) for x in line.split("\t")[6:]] for line in open(path) if line[0] != "#"}
a, b = map(read, sys.argv[1:])
assert a.keys() == b.keys() and len(a) == 6
assert all(abs(x - y) < 1e-5 for key in a for x, y in zip(a[key], b[key]))
PY
  bigdna chromatin "$shared/run" -g "$genome" --contigs chrM --quiet >contig.tsv
  [ "$(rows contig.tsv | wc -l)" -gt 10 ]
}

@test "train (chromatin): evaluate gives the metrics of the run" {
  bigdna evaluate "$shared/run" "$shared/bins" --precision fp32 --no-baseline --quiet >again.tsv
  python3 - "$shared/run/metrics.tsv" again.tsv <<'PY'
import sys
read = lambda path: {tuple(f[:3]): f[5] for f in (line.rstrip("\n").split("\t") for line in open(path) if line[0] != "#") if f[1] == "bigdna"}
a, b = map(read, sys.argv[1:])
assert a and a.keys() == b.keys()
assert all(abs(float(a[key]) - float(b[key])) < 1e-3 for key in a), (a, b)
PY
}

@test "train (chromatin): layers of attention train and predict" {
  bigdna train "$shared/bins" --preset tiny --networks 1 --steps 2 --batch 2 --window 4000 --layers 1 --heads 2 --block 4 --pattern window --no-baseline -o attention --quiet >/dev/null
  printf 'chr1\t20000\t20200\n' >region.bed
  bigdna chromatin attention region.bed -g "$genome" --quiet >out.tsv
  [ "$(rows out.tsv | wc -l)" = 1 ]
}

# A model of chromatin features and of start sites by strand, which reads 800 bp to either side of a bin.
sites_model() {
  if [ -e "$shared/sites/run.json" ]; then return; fi
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" --start-sites "$TEST_DATA/tss.bed" -g "$genome" --upstream 0 --downstream 0 --keep all \
    --test chr2,chr3 --validation chrX -o "$shared/site_bins" --quiet
  bigdna train "$shared/site_bins" --preset tiny --networks 1 --steps 60 --window 4000 --dilations 1,2 --no-baseline --precision fp32 -o "$shared/sites" --quiet >/dev/null
}

@test "train (chromatin): start sites are labels of their strand; predict-promoter gives them for each strand" {
  sites_model
  [ "$(tail -2 "$shared/sites/model/features.tsv" | cut -f2,6)" = $'TSS\t+\nTSS\t-' ]
  # every start site of the table labels the bin that holds it
  bigdna dataset chromatin --start-sites "$TEST_DATA/tss.bed" -g "$genome" --upstream 0 --downstream 0 --test chr2 --validation chrX --split-gap 0 -o only --quiet
  same_rows <(awk '!/^#/ {print $1 "\t" int($2 / 200) * 200}' "$TEST_DATA/tss.bed" | grep -v '^chrM' | sort -u) <(zcat only/regions.bed.gz | grep -v '^#' | cut -f1,2 | sort -u)
  bigdna predict-promoter "$shared/sites" -r chr1:20001-32000 -g "$genome" --strands both --precision fp32 --quiet -@ 1 >one.tsv
  bigdna predict-promoter "$shared/sites" -r chr1:20001-32000 -g "$genome" --strands both --precision fp32 --quiet -@ 2 >two.tsv
  same_files one.tsv two.tsv
  printf 'chr1\t20000\t32000\n' >region.bed
  bigdna chromatin "$shared/sites" region.bed -g "$genome" --tile 200 --features 'TSS*' --precision fp32 --quiet >bins.tsv
  [ "$(grep -c '^chr1' one.tsv)" = 120 ]
  bigdna chromatin "$shared/sites" region.bed -g "$genome" --tile 200 --features 'TSS*' --bigwig tracks --quiet
  [ "$(ls tracks)" = $'3_TSS_plus.bw\n4_TSS_minus.bw' ]
  # the scores of its test rows name the threshold of the calls, which reports draw
  chosen=$(of_json "$shared/sites/model/bigdna.json" threshold)
  bigdna evaluate "$shared/sites" "$shared/site_bins" -g "$genome" --scores again.tsv --quiet >/dev/null
  zcat "$shared/sites/scores.tsv.gz" >first.tsv
  for scores in first.tsv again.tsv; do
    grep '^##threshold=bigdna' $scores | diff - <(printf '##threshold=bigdna:TSS|%s %s\n' + "$chosen" - "$chosen")
  done
  paste <(rows bins.tsv | cut -f7,8 | tr '\t' '\n') <(rows one.tsv | cut -f5) | awk '{if (($1 - $2)^2 > 1e-11) bad = 1; if ($1 != first) differ = 1; first = $1} END {exit bad || !differ}'
  # a short region has the bin around its middle, whichever strand it is given on
  printf 'chr1\t30000\t30151\ta\t0\t%s\nchr1\t30300\t30361\tb\t0\t%s\nchr1\t30500\t30560\tc\t0\t%s\n' + + + - - - >short.bed
  bigdna predict-promoter "$shared/sites" -R short.bed -g "$genome" --strands both --precision fp32 --quiet >short.tsv
  bigdna chromatin "$shared/sites" short.bed -g "$genome" --features 'TSS*' --precision fp32 --quiet >short_bins.tsv
  paste <(rows short.tsv | sort -k1,1 -k2,2n -k6,6 | cut -f5 | paste - -  - -) <(rows short_bins.tsv | sort -u -k2,2n | cut -f7,8) >beside.tsv
  [ "$(wc -l <beside.tsv)" = 3 ]
  all_rows '($1 - $5)^2 + ($2 - $5)^2 + ($3 - $6)^2 + ($4 - $6)^2 <= 1e-11' <beside.tsv
  # a record and its reverse complement: the same sites, each on the other strand
  samtools faidx "$genome" chr1:20001-32000 >record.fa
  samtools faidx -i "$genome" chr1:20001-32000 >reverse.fa
  for of in record reverse; do bigdna predict-promoter "$shared/sites" $of.fa --strands both --precision fp32 --quiet >$of.tsv; done
  paste <(rows record.tsv | cut -f5,6 | sort -k2,2 -s | cut -f1) <(rows reverse.tsv | cut -f5,6 | tac | sort -k2,2 -s | cut -f1) |
    awk '{half[NR] = $1; other[NR] = $2} END {for (i = 1; i <= NR / 2; ++i) if ((half[i] - other[i + NR / 2])^2 > 1e-11) exit 1}'
  bigdna predict-promoter "$shared/sites" -g "$genome" --contigs chr2 --bed calls.bed --threshold 0.01 --strands both 2>log
  grep -q "are expected to be right" log
  # the labels of the two strands have no mean
  fails 2 "the mean of two labels is the probability of neither" bigdna predict-promoter "$shared/sites" record.fa --strands average --quiet
  fails 1 "does not label start sites" bigdna predict-promoter "$shared/run" record.fa --quiet
  bigdna pretrain "$genome" --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 128 --vocab-size 200 --steps 1 --batch 2 --hold-out none -o pre --quiet
  fails 1 "has features of one strand" bigdna finetune pre "$shared/site_bins" -o r --quiet
}

@test "train (chromatin): labels that validation says too little of have the training rows' share as mean probability" {
  # Background bins weigh a tenth in the loss, so that without this probabilities are several times too high. Both strands share their shift.
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" --start-sites "$TEST_DATA/tss.bed" -g "$genome" --upstream 0 --downstream 0 --keep all \
    --test chr2,chr3 --validation 0 -o unvalidated --quiet
  bigdna train unvalidated --preset tiny --networks 1 --steps 60 --window 4000 --dilations 1,2 --no-baseline --precision fp32 -o alone 2>log >/dev/null
  grep -q "fewer than 10 validation examples have the rarer value of 5 labels (CTCF|SimCell, DNase|SimCell, H3K4me3|SimCell, TSS|+, TSS|-)" log
  grep -q "no validation example is a start site, so no threshold was chosen: the threshold of calls is 0.5" log
  bigdna evaluate alone unvalidated --split train --no-baseline --scores scores.tsv --precision fp32 --quiet >/dev/null
  awk -F'\t' '/^#chrom/ {half = (NF - 6) / 2} !/^#/ {for (i = 7; i <= NF; ++i) sum[i] += $i}
    END {for (i = 7; i < 7 + half; ++i) {print sum[i], sum[i + half]; if (sum[i + half] < 0.8 * sum[i] || sum[i + half] > 1.2 * sum[i]) bad = 1}; exit bad || half != 5}' scores.tsv
}

@test "train (chromatin): variants equal predictions of edited sequences, on one strand and on both" {
  sites_model
  edited() { python3 "$BIGDNA_SOURCE_DIR/tests/cli/edited_fasta.py" "$@"; }
  edited random "$genome" 1 60 >some.vcf
  edited chromatin "$genome" some.vcf 800 e
  for strands in forward average; do
    bigdna chromatin "$shared/sites" e.bed -g e.fa --strands $strands --precision fp32 --quiet -o e.tsv
    bigdna variants "$shared/sites" some.vcf -g "$genome" --strands $strands --quiet -@ 1 -o out.tsv
    bigdna variants "$shared/sites" some.vcf -g "$genome" --strands $strands --quiet -@ 2 -o two.tsv
    same_rows out.tsv two.tsv
    # e.tsv has six decimals
    edited compare out.tsv e.tsv | tee -a /dev/stderr | awk '!($NF <= 2e-6) {bad = 1} {most = $(NF - 3) + 0} END {exit bad || most < 0.001}'
  done
  fails 2 "which has no DIST" bigdna variants "$shared/sites" some.vcf -g "$genome" --effects DIST --quiet
}

@test "train (chromatin): on another assembly than it was trained on, nothing is said to be seen or unseen" {
  # chr1 begins with 1000 other bases, so it is longer and its positions are others
  { printf '>chr1\n%s' "$(head -c 1000 </dev/zero | tr '\0' A)"; samtools faidx "$genome" chr1 | sed 1d | tr -d '\n'; printf '\n'; samtools faidx "$genome" chr2; } >longer.fa
  printf 'chr1\t40000\t40200\nchr2\t40000\t40200\n' >r.bed
  seen() { grep -v '^##' "$1" | sed 's/^#//' | awk -F'\t' 'NR == 1 {for (i = 1; i <= NF; ++i) if ($i == "seen") c = i; next} {print $1, $c}'; }
  bigdna chromatin "$shared/run" r.bed -g "$genome" --seen -o same.tsv 2>err
  not grep assembly err
  [ "$(seen same.tsv)" = $'chr1 1\nchr2 0' ]
  length=$(samtools faidx "$genome" chr1 | sed 1d | tr -d '\n' | wc -c)
  said="run: was trained on chr1 of $length bp, but longer.fa has chr1 of $((length + 1000)) bp: that is another assembly, on which it is not known what training has seen"
  bigdna chromatin "$shared/run" r.bed -g longer.fa --seen --counts counts.json -o other.tsv 2>err
  grep -qF "$said" err
  [ "$(seen other.tsv)" = $'chr1 .\nchr2 0' ]
  grep -q '"seen_unknown": 1' counts.json
  printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr1\t500\t.\tA\tC\t.\t.\t.\n' >v.vcf
  bigdna variants "$shared/run" v.vcf -g longer.fa --counts counts.json -o o.vcf 2>err
  grep -qF "$said" err
  grep -q '"seen": 0' counts.json
  grep -q '"seen_unknown": 1' counts.json
  # datasets record the lengths, too
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g longer.fa --upstream 0 --downstream 0 --keep all --test all -o other --quiet
  bigdna evaluate "$shared/run" other --no-baseline --resamples 2 2>err >/dev/null
  grep -qF "run: was trained on chr1 of $length bp, but other has chr1 of $((length + 1000)) bp" err
  bigdna pretrain "$genome" --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 128 --vocab-size 200 --steps 1 --batch 2 --hold-out chr3 -o pre --quiet
  fails 1 "--split-like pre: was trained on chr1 of $length bp, but longer.fa has chr1 of $((length + 1000)) bp" \
    bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g longer.fa --split-like pre -o like --quiet
}

@test "train (chromatin): intervals from few blocks of the genome are said to be too narrow" {
  printf 'chr2\t0\t60000\n' >part.bed
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$genome" --upstream 0 --downstream 0 --keep all --test part.bed -o part --quiet
  bigdna evaluate "$shared/run" part --no-baseline --resamples 20 2>err >/dev/null
  grep -qE 'warning: the 95 % intervals are from [2-9] blocks of the genome only, and therefore too narrow' err
}

@test "datasets: rows in another order than the labels are an error" {
  cp -r "$shared/bins" sorted
  bgzip -dc "$shared/bins/regions.bed.gz" | { read -r header; echo "$header"; sort -s -k5,5n; } | bgzip >sorted/regions.bed.gz
  fails 1 "sorted/regions.bed.gz: " bigdna evaluate "$shared/run" sorted --no-baseline --quiet
}

@test "train (chromatin): errors" {
  fails 2 "--patience has no effect on $shared/bins, which is a chromatin dataset" bigdna train "$shared/bins" --patience 2 -o r --quiet
  fails 2 "a window of 4100 bp is not whole bins of 200" bigdna train "$shared/bins" -o r --window 4100 --quiet
  fails 2 "--dilations" bigdna train "$shared/bins" -o r --dilations 1,x --quiet
  fails 2 "a window of 20000000 bp (at most 16777216)" bigdna train "$shared/bins" -o r --window 20000000 --quiet
  fails 2 "with these dilations a bin is predicted from 200000400 bp on either side" bigdna train "$shared/bins" -o r --dilations 1,1000000 --quiet
  fails 2 "adds tokens to the text" bigdna train "$shared/bins" -o r --layers 1 --pattern bigbird-etc --quiet
  fails 1 "is a model of bigdna train, which reads bases" bigdna embed "$shared/run" "$genome" --quiet
  fails 1 "is a model of bigdna train, which reads bases" bigdna finetune "$shared/run" "$shared/bins" -o r --quiet
  nothing_but
}

@test "train (chromatin): probabilities of bins that were chosen by their labels are said to be too high for a genome" {
  options=(--preset tiny --networks 1 --steps 4 --batch 2 --window 4000 --no-baseline)
  bigdna dataset chromatin --start-sites "$TEST_DATA/tss.bed" -g "$genome" --upstream 0 --downstream 0 --negatives 1 --test chr2,chr3 --validation chrX \
    -o labelled --quiet
  bigdna train labelled "${options[@]}" -o run >/dev/null 2>err
  grep -q "warning: labelled: holds bins that were chosen by their labels" err
  printf 'chr1\t20000\t21000\n' >region.bed
  for command in chromatin predict-promoter; do
    bigdna $command run -g "$genome" --contigs chrM -o scan.tsv 2>err
    grep -q "warning: run/model: was trained on examples that were chosen by their labels. Over a whole genome, where positives are rarer" err
  done
  bigdna chromatin run region.bed -g "$genome" -o part.tsv 2>err
  bigdna predict-promoter run -R region.bed -g "$genome" -o part.tsv 2>>err
  bigdna train "$shared/bins" "${options[@]}" -o all >/dev/null 2>>err
  bigdna chromatin all -g "$genome" --contigs chrM -o all.tsv 2>>err
  grep -q "validation_auroc" err
  not grep "chosen by their labels" err
}

@test "evaluate (promoter): a model of all bins calls few of a balanced dataset's rows, which is said" {
  sites_model
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$genome" --upstream 900 --downstream 900 --tss-distance 700 --test chr2 --validation chrX -o promoters --quiet
  bigdna evaluate "$shared/sites" promoters --no-baseline 2>err >evaluated.tsv
  grep -q "promoters: its examples were chosen by their labels, but the probabilities of the model $shared/sites hold for a whole genome" err
  # the scores are those of predict-promoter: of the label of the row's strand
  bigdna evaluate "$shared/sites" promoters --no-baseline --scores scores.tsv --precision fp32 --quiet >/dev/null
  zcat promoters/regions.bed.gz | awk -F'\t' -v OFS='\t' '!/^#/ {t = $6 == "-" ? $3 - 901 : $2 + 900; print $1, t, t + 1, $4, 0, $6}' >sites.bed
  bigdna predict-promoter "$shared/sites" -R sites.bed -g "$genome" --precision fp32 -o predicted.tsv --quiet
  awk -F'\t' 'FNR == NR {if (!/^#/) score[$4] = $5; next} /^##/ {next} /^#/ {for (i = 1; i <= NF; ++i) if ($i ~ /^bigdna/) column = i; next}
    {++rows; if (!($4 in score) || (score[$4] - $column)^2 > 1e-10) bad = 1} END {exit bad || rows < 10}' predicted.tsv scores.tsv
  bigdna train promoters --preset tiny --networks 1 --steps 4 --no-baseline -o run --quiet >/dev/null
  bigdna evaluate run promoters --no-baseline 2>err >evaluated.tsv
  not grep "chosen by their labels" err
}
