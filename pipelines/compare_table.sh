# The lines of compare.tsv (system, measure, at, value, low, high), by functions; compare.sh sources this file in OUT, and has their variables.
systems_of() { sed -E 's,/(copies|chr20)/model\b,,g' "$1"; }  # FILE: models by the names of their systems
last_of() { sed -nE "s/.*\"$2\":([-0-9.e]+).*/\1/p" "$1" | tail -1; }  # METRICS KEY
tsv() { awk -F'\t' -v OFS='\t' -v first="${systems[0]}" "$@"; }
costs() {
  tsv '{ suffix = $2 == "gather" ? "_gather" : ""; print $1, "tokens_per_second" suffix, $3, $4, "NA", "NA"; print $1, "peak_megabytes" suffix, $3, $5, "NA", "NA"
    print $1, "inference_tokens_per_second" suffix, $3, $6 == "" ? "NA" : $6, "NA", "NA" }' $(printf 'cost/%s.tsv ' "${systems[@]}")
}
reach() {  # SYSTEM TASK TOKENS BP-OF-A-TOKEN; NA where that is too long for a picture
  { bigdna info --pattern "systems/$1/$2/model" --length "$3" 2>/dev/null || true; } | awk -v OFS='\t' -v name="$1" -v task="$2" -v bp="$4" '
    BEGIN { split("one_layer all_layers", places, " "); for (i in places) every[places[i]] = farthest[places[i]] = "NA" }
    sub(/^reach of /, "") { at = /^one layer/ ? "one_layer" : "all_layers"; gsub(/[^0-9 ]/, "", $0); n = split($0, number, " "); every[at] = sprintf("%.0f", bp * number[n - 1]); farthest[at] = sprintf("%.0f", bp * number[n]) }
    END { for (i = 1; i <= 2; ++i) { at = places[i]; print name, "reach_every", task "_" at, every[at], "NA", "NA"; print name, "reach_farthest", task "_" at, farthest[at], "NA", "NA" } }'
}
autoregressive() {
  local system metrics last= measure="autoregressive_bits\t${length}_tokens" counts
  for system in "${systems[@]}"; do
    metrics=systems/$system/next/metrics.jsonl
    [[ -e $metrics ]] || continue
    printf "%s\t$measure\t%s\tNA\tNA\n" "$system" "$(last_of "$metrics" held_out_bpc)" "shuffled:$system" "$(last_of "$metrics" held_out_bpc_shuffled)"
    last=$metrics
  done
  [[ ! $last ]] || for counts in unigram one_sided_bigram one_sided_trigram; do printf "%s\t$measure\t%s\tNA\tNA\n" $counts "$(last_of "$last" ${counts}_bpc)"; done
}
# auroc METRICS AT: method, at, AUROC, low, high. Promoters have a line for each metric; bins one for each group of features, with means.
auroc() { tsv -v at="$2" '/^#/ { next } NF > 6 { print $2, $1, $7, $12, $13 } NF == 6 && $3 == "auroc" { print $1, at, $4, $5, $6 }' "$1"; }
of_task() {  # TASK MEASURE [AT]
  local system
  for system in "${systems[@]}" "$scratch"; do
    auroc "tasks/$1/$system/metrics.tsv" "${3-}" | tsv -v name="$system" -v measure="$2" '{ at = $2 OFS $3 OFS $4 OFS $5 }
      $1 == "bigdna" { print name, measure "_auroc", at } $1 == "kmers" && name == first { print "kmers", measure "_auroc", at }
      $1 == "bigdna-kmers" { print name, measure "_less_kmers", at }'
  done
  auroc "tasks/$1.tsv" "${3-}" | tsv -v measure="$2" 'function minus(x) { return x == "NA" ? x : 0 - x }
    sub(/^bigdna-/, "", $1) { print $1, measure "_difference", $2, minus($3), minus($5), minus($4) }'
}
