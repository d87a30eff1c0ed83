#!/usr/bin/env bash
# Every step on real human chromosome 20: vocabulary -> corpus -> pretraining -> promoters by k-mers and the encoder -> chromatin by the
# encoder, and by a network that reads bases and needs no pretraining -> predictions; on 2 CPU cores in seven to ten minutes after the build. The last 10 Mb are held out of everything.
#   pipelines/quickstart.sh [--data DIR] [--out DIR] [--scale full|seconds] [--no-build [--bin DIR]]
# --data   take chromosome 20 and the region sets from this folder instead of two Debian packages (pipelines/human_chr20.sh --help names
#          the files; OUT/data of an earlier quickstart has them)
# --out    where results go (default: quickstart in the current folder); must not hold any results yet
# --scale  seconds: the same steps on less of everything, as the tests run it
# --no-build takes build/ as it is; --bin another folder of programs
set -euo pipefail
. "$(dirname "$(readlink -f "$0")")/options.sh"
data= out=quickstart scale=full
read_options "data: out: scale:" "$@"
[[ -z $data ]] || data=$(readlink -e "$data") || { echo "quickstart: --data: no such folder" >&2; exit 1; }
[[ ! -e $out || -z $(ls -A "$out" | grep -vx data) ]] || { echo "quickstart: $out exists already; remove it or choose another --out" >&2; exit 1; }
case $scale in
  full) vocab_size=4096 vocab_bases=53025520 passes=2 max_length=512 steps=4000 evaluation_tokens=100000 read_length=2048 bins=6000 chromatin_length=1024 network=small network_bins=0 network_epochs=3 ;;
  seconds) vocab_size=512 vocab_bases=1000000 passes=1 max_length=128 steps=12 evaluation_tokens=4000 read_length=256 bins=200 chromatin_length=256 network=tiny network_bins=2000 network_epochs=1 ;;
  *) usage_error "--scale is full or seconds" ;;
esac
programs
mkdir -p "$out"

step=0 step_name= step_started=0 quickstart_started=$SECONDS
begin() { step=$((step + 1)); step_name=$1; step_started=$SECONDS; echo; echo "== $step. $step_name"; }
end() { echo "   $((SECONDS - step_started)) s; result: $1"; }
typed() { echo "   \$ $*"; "$@"; }

begin "Data: human chromosome 20 (GRCh37) and region sets"
"$root/pipelines/human_chr20.sh" "$out/data" ${data:+"$data"}
genome=$out/data/chr20.fa.gz
printf 'chr20\t53025520\t63025520\tlast_10_Mb\n' >"$out/held_out.bed"
if [[ $scale == seconds ]]; then
  printf 'chr20\t5000000\t53025520\n' >"$out/exclude.bed"
  awk 'NR % 8 == 0' "$out/data/tss.bed" >"$out/tss.bed"
else
  : >"$out/exclude.bed"
  cp "$out/data/tss.bed" "$out/tss.bed"
fi
end "$genome, $out/tss.bed ($(wc -l <"$out/tss.bed") RefSeq start sites), $out/held_out.bed (kept out of everything)"

begin "Vocabulary: $vocab_size BPE pieces, from what is not held out"
samtools faidx "$genome"
echo "   \$ samtools faidx $genome 20:1-$vocab_bases | bigdna vocab - --vocab-size $vocab_size -o $out/vocabulary"
samtools faidx "$genome" "20:1-$vocab_bases" | bigdna vocab - --vocab-size $vocab_size -o "$out/vocabulary"
end "$out/vocabulary/dna.model (a SentencePiece model)"

begin "Corpus: documents of sentences of tokens"
typed bigdna corpus "$genome" --vocab "$out/vocabulary" --hold-out "$out/held_out.bed" --exclude "$out/exclude.bed" --passes $passes --strands both -o "$out/corpus"
end "$out/corpus"

begin "Pretraining: preset tiny, ModernBERT's architecture with BigBird's attention, MLM + NSP"
typed bigdna pretrain "$out/corpus" --preset tiny --max-length $max_length --steps $steps --evaluate-every $((steps / 4)) --evaluation-tokens $evaluation_tokens -o "$out/pretrain"
# positions are rotations, so that a model of short inputs reads longer ones, and pretraining on short ones is faster
typed bigdna convert "$out/pretrain/model" --max-length $read_length -o "$out/encoder"
end "$out/pretrain/metrics.jsonl, $out/encoder (a Hugging Face model folder)"

begin "Promoters: dataset, a sum of k-mers and the encoder, prediction"
typed bigdna dataset promoter --promoters "$out/tss.bed" -g "$genome" --split-like "$out/encoder" -o "$out/promoter_dataset"
typed bigdna train "$out/promoter_dataset" --networks 0 --encoder "$out/encoder" -o "$out/promoter"
# the held-out tenth of the dataset, as FASTA records that anyone could have
zcat "$out/promoter_dataset/regions.bed.gz" | awk -F'\t' '!/^#/ && $7 == "test" && n++ < 40 {print $4}' >"$out/names.txt"
samtools faidx -r "$out/names.txt" "$out/promoter_dataset/sequences.fa.gz" >"$out/sequences.fa"
typed bigdna predict-promoter "$out/promoter/model" "$out/sequences.fa" -o "$out/promoters.tsv"
sed '/^##/d; s/^/   /' "$out/promoters.tsv" | sed -n 1,4p
end "$out/promoter/metrics.tsv, $out/promoters.tsv"

begin "Chromatin-like panel: dataset, fine-tuning, prediction"
"$root/pipelines/chr20_panel.sh" "$out/data"
typed bigdna dataset chromatin --peaks "$out/data/panel.tsv" -g "$genome" --split-like "$out/encoder" --max-bins $bins -o "$out/chromatin_dataset"
# --epochs 0: a head is fitted to the encoder's states in a minute; training the encoder takes longer
typed bigdna finetune "$out/encoder" "$out/chromatin_dataset" --epochs 0 --max-length $chromatin_length -o "$out/chromatin"
printf 'chr20\t55000000\t55000200\tA\nchr20\t60000000\t60000200\tB\nchr20\t61000000\t61000200\tC\n' >"$out/regions.bed"
typed bigdna chromatin "$out/chromatin/model" "$out/regions.bed" -g "$genome" -o "$out/chromatin.tsv"
sed '/^##/d; s/^/   /' "$out/chromatin.tsv" | sed -n 1,4p | cut -c1-140
end "$out/chromatin/metrics.tsv, $out/chromatin.tsv"

begin "The same panel by a network that reads bases and labels every bin, trained from labels alone"
typed bigdna dataset chromatin --peaks "$out/data/panel.tsv" -g "$genome" --split-like "$out/encoder" --keep all --max-bins $network_bins --upstream 0 --downstream 0 -o "$out/bins"
typed bigdna train "$out/bins" --preset $network --epochs $network_epochs --no-baseline -o "$out/network"
# on the rows of the step before, beside the model of that step
echo "   \$ bigdna evaluate $out/network $out/chromatin_dataset --strands average --compare $out/chromatin > $out/network.tsv"
bigdna evaluate "$out/network" "$out/chromatin_dataset" --strands average --compare "$out/chromatin" >"$out/network.tsv"
end "$out/network/metrics.tsv (every bin), $out/network.tsv"

begin "A page with the pictures of all of it"
typed bigdna report "$out"/{pretrain,promoter_dataset,promoter,chromatin_dataset,chromatin,network} "$out/promoters.tsv" "$out/chromatin.tsv" -o "$out/report.html"
end "$out/report.html (open it in a browser)"

begin "The model that comes with bigdna, trained on the same chromosome without its end, on the same held-out promoters"
echo "   \$ bigdna evaluate $out/promoter $out/promoter_dataset --no-baseline --compare human-chr20-chrX > $out/shipped.tsv"
bigdna evaluate "$out/promoter" "$out/promoter_dataset" --no-baseline --compare human-chr20-chrX >"$out/shipped.tsv"
end "$out/shipped.tsv"

echo
echo "== Summary ($((SECONDS - quickstart_started)) s after the build)"
echo "   held out of pretraining and of both tasks: the last 10 Mb of the chromosome"
tail -1 "$out/pretrain/metrics.jsonl" | tr -d '{}"' | tr ',' '\n' | grep -E 'held_out_bpc(_shuffled)?:|unigram|two_sided' | sed 's/^/   pretraining, bits per base: /'
names='BEGIN {FS = "\t"; name["bigdna"] = "whole model"; name["kmers"] = "k-mers alone"; name["encoder"] = "encoder alone"
  name["kernel"] = "kernel model alone"; name["bigdna-kmers"] = "whole model - k-mers"; name["bigdna-encoder"] = "whole model - encoder"}'
awk "$names"' $1 in name && $2 == "test" && $3 == "auroc" {printf "   promoters, AUROC, %s: %s [%s, %s]\n", name[$1], $4, $5, $6}' "$out/promoter/metrics.tsv"
awk 'BEGIN {FS = "\t"; name["human-chr20-chrX"] = "human-chr20-chrX"; name["bigdna-human-chr20-chrX"] = "whole model - human-chr20-chrX"}
  $3 == "auroc" && $1 in name {printf "   promoters, AUROC, %s: %s [%s, %s]\n", name[$1], $4, $5, $6}' "$out/shipped.tsv"
awk "$names"' $1 == "other" && $2 in name {printf "   panel of %s features, AUROC, %s: median %s, mean %s\n", $5, name[$2], $6, $7}' "$out/chromatin/metrics.tsv"
names='BEGIN {FS = "\t"; name["bigdna"] = "network on bases"; name["chromatin"] = "fine-tuned encoder, both strands"; name["bigdna-chromatin"] = "network - fine-tuned encoder"}'
awk "$names"' $1 == "other" && $2 in name {printf "   panel of %s features, AUROC, %s: median %s, mean %s [%s, %s]\n", $4, name[$2], $6, $7, $12, $13}' "$out/network.tsv"
