#!/bin/bash
# What counts of ATAC-seq gain or lose: two kinds of fragments, strands, start sites and narrower bins of yeast, the fly's start sites, and 41
# peak files of human chromosome 20. Small networks, one seed each.
# usage: tracks.sh FOLDER [PART]...     (parts: nucleosomes strands sites widths genomes human; BIGDNA_DATA: where coverage/ and genomes/ lie)
# Yeast is tested on chrIV, chrXI and chrXV, human in blocks of 2 Mb.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
bigdna=${BIGDNA:-$here/../../../build/bin/bigdna} data=${BIGDNA_DATA:-$here/../../../../shared/data}
python=${PYTHON:-$("$here/../../../cmake/setup.sh" --print)/peers/bin/python}
mkdir -p "$1"
cd "$1"
shift
[ $# -gt 0 ] || set -- nucleosomes strands sites widths genomes human
reads=$data/coverage/yeast_500k_SRR1822137.bedpe.gz sites=$data/promoters/sacCer3_polII_transcripts_adjustedTSS.bed.gz
printf 'chrM\t0\t85779\nchrXII\t445000\t495000\n' >exclude.bed # mitochondrion, ribosomal DNA
small=(--preset tiny --epochs 6 -@ 2)

table() { # NAME ROWS: a table of tracks of the reads; of each row name, count, strand, shift and fragment_length
  printf 'file\tname\tcell\tassay\tgroup\tcount\tstrand\tshift\tfragment_length\n' >"$1.tsv"
  awk -v OFS='\t' -v reads="$reads" '{print reads, $1, "yeast", "ATAC", "ATAC", $2, $3, $4, $5}' <<<"$2" >>"$1.tsv"
}
yeast() { # NAME OPTIONS...
  local name=$1
  shift
  [ -e "$name/dataset.json" ] || "$bigdna" dataset chromatin -g "$data/genomes/sacCer3.fa.gz" --contigs all --exclude exclude.bed --keep all --upstream 0 \
    --downstream 0 --test chrIV,chrXI,chrXV --validation chrVII -o "$name" --quiet "$@"
}
train() { # DATASET RUN OPTIONS...
  local dataset=$1 run=$2
  shift 2
  [ -e "$run/run.json" ] || (time nice "$bigdna" train "$dataset" -o "$run" --seed 1 "${small[@]}" "$@" --resume >"$run.tsv") 2>&1 | tee "$run.log"
}
null() { # DATASET: the same training on shuffled labels
  [ -e "shuffled_$1" ] || "$python" "$here/../variants/shuffle_labels.py" "$1" "shuffled_$1"
  train "shuffled_$1" "null_$1" --no-baseline "${@:2}"
}

for part; do
  case $part in
  nucleosomes)
    table nucleosomes $'ATAC_free midpoints . 0,0 0-100\nATAC_mono midpoints . 0,0 150-250'
    yeast nucleosomes --tracks nucleosomes.tsv
    train nucleosomes run_nucleosomes
    null nucleosomes
    ;;
  strands)
    table strands $'ATAC cuts + 4,-5 any\nATAC cuts - 4,-5 any'
    yeast strands --tracks strands.tsv
    train strands run_strands
    null strands
    ;;
  sites)
    table cuts 'ATAC cuts . 0,0 any'
    yeast counts --tracks cuts.tsv
    yeast sites --start-sites "$sites"
    yeast both --tracks cuts.tsv --start-sites "$sites"
    for dataset in counts sites both; do train $dataset run_$dataset; done
    null both
    ;;
  widths)
    table cuts 'ATAC cuts . 0,0 any'
    yeast counts50 --tracks cuts.tsv --bin 50
    train counts50 run_counts50
    null counts50
    ;;
  genomes) # after sites
    [ -e fly/dataset.json ] || "$bigdna" dataset chromatin -g "$data/genomes/dm3.chr2R.softmasked.fa.gz" --start-sites "$data/promoters/RefSeqTSS.dm3.txt.gz" \
      --keep all --upstream 0 --downstream 0 -o fly --quiet
    train fly run_fly
    for dataset in fly both; do train $dataset alone_$dataset --no-kmers --no-baseline; done
    [ -e together/run.json ] || (time nice "$bigdna" train both fly -o together --seed 1 "${small[@]}" --resume >together.tsv) 2>&1 | tee together.log
    ;;
  human)
    printf 'file\tname\tcell\tassay\tgroup\tcount\tunit\n%s\tATAC\tesATAC\tATAC\tATAC\tcuts\tfragments\n' "$data/coverage/esATAC.hg19.chr20_0-13.4Mb.fragments.bed.gz" >human.tsv
    printf '20\t13400000\t63025520\n' >beyond.bed # no reads there
    human() { # NAME OPTIONS...
      [ -e "$1/dataset.json" ] || "$bigdna" dataset chromatin -g "$data/genomes/GRCh37.chr20.fa.gz" --exclude beyond.bed --keep all --upstream 0 --downstream 0 \
        --split-block 2000000 -o "$@" --quiet
    }
    human atac --tracks human.tsv
    "$python" - "$data" >peaks.tsv <<'PY'
import csv, os, sys
print("file\tname\tcell\tassay\tgroup")
with open(os.path.join(sys.argv[1], "chromatin/PEAKS_MANIFEST.tsv")) as file:
    for number, row in enumerate(csv.DictReader(file, delimiter="\t")):
        path, target = os.path.join(sys.argv[1], "chromatin", row["#file"]), row["target"]
        if os.path.exists(path):
            group = "DHS" if target == "DNase" else "HM" if target[0] == "H" and target[1].isdigit() else "TF"
            print(path, target, row["cell"], f"file{number}", group, sep="\t")
PY
    human peaks --peaks peaks.tsv
    human with_peaks --tracks human.tsv --peaks peaks.tsv
    for dataset in atac peaks with_peaks; do train $dataset run_$dataset; done
    null with_peaks
    ;;
  esac
done
for run in run_* null_* alone_* together/dataset-*; do
  [ -e "$run/metrics.tsv" ] || continue
  [ ! -e "$run/tracks.tsv" ] ||
    awk -F'\t' -v run="$run" '!/^#/ && $7 == "all" {print run "\t" $2 $6 "\t" $9 "\t" $11 "\t" $12 "\t" $13 "\t" $14}' "$run/tracks.tsv"
  awk -F'\t' -v run="$run" '!/^#/ && NF == 13 {print run "\t" $1 "\t" $2 "\tauroc_median\t" $6 "\t" $10 "\t" $11}' "$run/metrics.tsv"
done
