#!/usr/bin/env bash
# Promoters from a genome to a scan: data, pretraining, fine-tuning, evaluation, prediction over the genome; and the table
# of what each kind of negative shows, with tests across kinds.
#   pipelines/promoter.sh [--out DIR] [--scale paper|cpu|seconds] [--genome FA --promoters FILE [--chain CHAIN]] [--model MODEL]
#                         [--negatives LIST] [--lengths LIST] [--methods LIST] [--seed N] [--data DIR] [--threads N] [--no-build [--bin DIR]]
# --scale     paper (default): appendix F's numbers (base model, a million steps of pretraining; 3 epochs of 256, its 711 steps);
#             cpu: preset tiny, whose states a head is fitted to, about an hour on two cores; seconds: the same steps on very little, as the tests run it
# --genome    default: human chr20 (GRCh37) and RefSeq start sites, by pipelines/human_chr20.sh (--data: its second argument)
# --model     a pretrained model in place of pretraining here; test on what it held out
# --negatives --lengths --methods: default genomic,substitute,permute,shuffle  8000,2000,300  pretrained,scratch,full,cnn (k-mers always;
#             full: the pretrained model with full attention in place of its pattern, for the first kind at the first length)
# Every fifth 5-Mb block is held out of pretraining and is the test split. A run that was stopped continues where it was.
# Writes OUT/table.tsv (negatives x length x method; `ahead` is how far the first method's AUROC is above this one's, by a paired bootstrap), OUT/cross.tsv (trained against one kind, tested on another), OUT/scan.tsv (recall,
# precision, false calls per Mb and distances to the nearest start site, by score, of a scan's calls in the held-out blocks).
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/options.sh"
out=promoter scale=paper genome= promoters= chain= model= data= seed=1 threads=$(nproc)
negatives=genomic,substitute,permute,shuffle lengths=8000,2000,300 methods=pretrained,scratch,full,cnn
read_options "out: scale: genome: promoters: chain: model: data: seed: threads: negatives: lengths: methods:" "$@"
stride=500 distance=5000
case $scale in
  paper) pretrain=(--preset base) finetune=(--epochs 3 --batch 256) resamples=1000 ;;
  cpu) pretrain=(--preset tiny --max-length 2048 --steps 2000) finetune=(--epochs 0) resamples=1000 ;;
  seconds) pretrain=(--preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 256 --steps 3 --batch 2 --evaluation-tokens 2000)
    finetune=(--steps 4 --batch 4) resamples=50 stride=5000 distance=300 ;;
  *) usage_error "--scale is paper, cpu or seconds" ;;
esac
[[ -z $genome || -n $promoters ]] || usage_error "--genome needs --promoters"
programs
mkdir -p "$out"
say() { echo "== $*" >&2; }
typed() { echo "   \$ $*" >&2; "$@"; }
list() { echo "${1//,/ }"; }

say "Data"
if [[ -z $genome ]]; then
  [[ -e $out/data/.complete ]] || "$root/pipelines/human_chr20.sh" "$out/data" ${data:+"$data"}
  genome=$out/data/chr20.fa.gz promoters=$out/data/tss.bed
fi
[[ -e $genome.fai ]] || samtools faidx "$genome"
# every fifth block of 5 Mb (of a tenth of the longest contig, where that is less) is kept out of everything
awk -v OFS='\t' '{name[NR] = $1; size[NR] = $2; if ($2 > most) most = $2}
  END {block = most / 10 < 5e6 ? int(most / 10) : 5e6
       for (i = 1; i <= NR; ++i) for (at = 0; at < size[i]; at += block) if (n++ % 5 == 2) print name[i], at, at + block < size[i] ? at + block : size[i]}' \
  "$genome.fai" >"$out/held_out.bed"
common=(-@ "$threads" --seed "$seed" --quiet)

if [[ -z $model ]]; then
  say "Pretraining"
  model=$out/pretrain
  typed bigdna pretrain "$genome" "${pretrain[@]}" --hold-out "$out/held_out.bed" -o "$model" --resume "${common[@]}"
  test=(--test "$out/held_out.bed")
else
  test=(--split-like "$model")
fi

declare -A upstream=([8000]=5000 [2000]=1250 [300]=249)
dataset() { echo "$out/datasets/$1.$2"; }  # KIND LENGTH
run_of() { echo "$out/runs/$1.$2.$3"; }     # METHOD KIND LENGTH
tuned() { typed bigdna finetune "$1" "$(dataset "$kind" "$length")" "${finetune[@]}" "${@:2}" -o "$run" --resume "${common[@]}" >/dev/null; }
mkdir -p "$out/datasets" "$out/runs" "$out/evaluations"
for length in $(list "$lengths"); do
  up=${upstream[$length]:-$((length * 5 / 8))}
  for kind in $(list "$negatives"); do
    say "Promoters against $kind, $length bp"
    typed bigdna dataset promoter --promoters "$promoters" ${chain:+--chain "$chain"} -g "$genome" --upstream "$up" --downstream $((length - up)) \
      --negatives "$kind" --tss-distance "$distance" "${test[@]}" -o "$(dataset "$kind" "$length")" --resume "${common[@]}"
    for method in $(list "$methods"); do
      run=$(run_of "$method" "$kind" "$length")
      case $method in
        pretrained) tuned "$model" ;;
        scratch) tuned "$model" --from-scratch ;;
        full)
          [[ $kind.$length == "${negatives%%,*}.${lengths%%,*}" ]] || continue
          typed bigdna convert "$model" -o "$out/full" --pattern full --force --quiet
          tuned "$out/full" ;;
        cnn)
          python=$("$root/cmake/setup.sh" --print)/peers/bin/python
          [[ -x $python ]] || { say "no peer environment (tests/peers/setup.sh): the CNN is left out"; continue; }
          mkdir -p "$run"
          if [[ ! -s $run/metrics.tsv ]]; then
            typed "$python" "$root/tests/peers/promoter_cnn.py" "$(dataset "$kind" "$length")" --threads "$threads" --seed "$seed" \
              >"$run/metrics.partial" 2>"$run/log" || { tail -20 "$run/log" >&2; echo "promoter: the CNN failed ($run/log)" >&2; exit 1; }
            mv "$run/metrics.partial" "$run/metrics.tsv"
          fi ;;
        *) echo "promoter: --methods are pretrained, scratch, full, cnn" >&2; exit 2 ;;
      esac
    done
  done
done

say "Table: $out/table.tsv"
{
  printf '#negatives\tlength\tmethod\trows\tf1\tf1_low\tf1_high\tauroc\tauroc_low\tauroc_high\tmcc\tahead\tahead_low\tahead_high\n'
  for kind in $(list "$negatives"); do for length in $(list "$lengths"); do
    first= others=() names= files=()
    for method in pretrained scratch full; do
      run=$(run_of "$method" "$kind" "$length")
      [[ ,$methods, == *,$method,* && -e $run/run.json ]] || continue
      names+=.$method
      if [[ -z $first ]]; then first=$run; else others+=(--compare "$run"); fi
    done
    if [[ -n $first ]]; then
      file=$out/evaluations/$kind.$length$names.tsv  # by the methods in it: a later run may have others
      if [[ ! -s $file ]]; then
        typed bigdna evaluate "$first" "$(dataset "$kind" "$length")" "${others[@]}" --resamples "$resamples" "${common[@]}" >"$file.partial"
        mv "$file.partial" "$file"
      fi
      files+=("$file")
    fi
    cnn=$(run_of cnn "$kind" "$length")/metrics.tsv
    [[ ,$methods, != *,cnn,* || ! -s $cnn ]] || files+=("$cnn")
    ((${#files[@]})) || continue
    awk -F'\t' -v OFS='\t' -v kind="$kind" -v length_="$length" -v first="${first##*/}" '
      !/^#/ {name = $1 == "bigdna" ? first : $1; sub(/^bigdna-/, "-", name); value[name, $3] = $4; low[name, $3] = $5; high[name, $3] = $6}
      $3 == "rows" {order[++n] = name}
      END {for (i = 1; i <= n; ++i) {m = order[i]; d = "-" m; shown = m; if (sub("[.]" kind "[.]" length_ "$", "", shown)) shown = "bigdna_" shown
        print kind, length_, shown, value[m, "rows"], value[m, "f1"], low[m, "f1"], high[m, "f1"], value[m, "auroc"], low[m, "auroc"], high[m, "auroc"], value[m, "mcc"],
          (d, "auroc") in value ? value[d, "auroc"] OFS low[d, "auroc"] OFS high[d, "auroc"] : "." OFS "." OFS "."}}' "${files[@]}"
  done; done
} >"$out/table.tsv"

say "Across kinds: $out/cross.tsv"
printf '#trained\ttested\tlength\tf1\tauroc\n' >"$out/cross.partial"
for length in $(list "$lengths"); do for trained in $(list "$negatives"); do
  run=$(run_of pretrained "$trained" "$length")
  [[ -e $run/run.json ]] || continue
  for tested in $(list "$negatives"); do
    bigdna evaluate "$run" "$(dataset "$tested" "$length")" --no-baseline --resamples "$resamples" "${common[@]}" |
      awk -F'\t' -v OFS='\t' -v a="$trained" -v b="$tested" -v l="$length" '{value[$3] = $4} END {print a, b, l, value["f1"], value["auroc"]}' >>"$out/cross.partial"
  done
done; done
mv "$out/cross.partial" "$out/cross.tsv"

# the scan: the model of the shortest interval of 2000 bp or more that saw real negatives
scan_length=$(list "$lengths" | tr ' ' '\n' | sort -n | awk '$1 >= 2000 {print; exit}')
run=$(run_of pretrained genomic "${scan_length:-0}")
[[ -e $run/run.json ]] || { say "no model of genomic negatives and 2000 bp or more: no scan"; exit 0; }
say "Scan: $out/scan.bed, $out/scan.*.bw"
# calls of any score at all: the curve is drawn from them
typed bigdna predict-promoter "$run" -g "$genome" --stride "$stride" --threshold 0.02 --bed "$out/scan.bed" --bigwig "$out/scan.bw" --resume -@ "$threads" --quiet
# start sites on the genome: of the dataset's promoters, and those it dropped
zcat "$(dataset genomic "$scan_length")/regions.bed.gz" | awk -v OFS='\t' -v up="${upstream[$scan_length]:-$((scan_length * 5 / 8))}" \
  '!/^#/ && $8 == "promoter" {site = $6 == "+" ? $2 + up : $3 - 1 - up; print $1, site, site + 1, $4, 0, $6}' >"$out/sites.bed"
grep -v '^#' "$(dataset genomic "$scan_length")/dropped.tsv" | grep -v -e not_lifted -e contig_not_in_genome | cut -f1-6 >>"$out/sites.bed" || true
sort -k1,1 -k2,2n "$out/sites.bed" | bedtools intersect -u -a - -b "$out/held_out.bed" >"$out/sites.held_out.bed" || true
sort -k1,1 -k2,2n "$out/scan.bed" | bedtools intersect -u -a - -b "$out/held_out.bed" >"$out/scan.held_out.bed"
sort -k1,1 -k2,2n "$out/sites.bed" >"$out/sites.sorted.bed"
megabases=$(awk '{n += $3 - $2} END {print n / 1e6}' "$out/held_out.bed")
# a call is right within 1000 bp of a start site on its strand; a start site is found when a call is that near
bedtools closest -s -d -t first -a "$out/scan.held_out.bed" -b "$out/sites.sorted.bed" |
  awk -v OFS='\t' '{print $5, $NF < 0 ? 1e9 : $NF, $1 ":" $(NF - 5) ":" $(NF - 1)}' | sort -k1,1nr |
  awk -v OFS='\t' -v mb="$megabases" -v sites="$(wc -l <"$out/sites.held_out.bed")" '
    BEGIN {print "#score", "calls", "within_100", "within_500", "within_1000", "precision", "sites_found", "recall", "false_per_mb"}
    function row() {print score, calls, near[100] + 0, near[500] + 0, right + 0, right / calls, found + 0, sites ? found / sites : ".", (calls - right) / mb}
    calls && int($1 / 20) != int(score / 20) {row()}
    {score = $1; ++calls; near[100] += $2 <= 100; near[500] += $2 <= 500}
    $2 <= 1000 {++right; if (!($3 in hit)) {hit[$3]; ++found}}
    END {if (calls) row()}' >"$out/scan.tsv"
say "done: $out/table.tsv, $out/cross.tsv, $out/scan.tsv"
