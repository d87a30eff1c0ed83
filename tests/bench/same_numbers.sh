#!/usr/bin/env bash
# same_numbers.sh OLD NEW [OUT]: whether two builds of bigdna give the same numbers. Each of the programs OLD and NEW trains small models
# of every kind on test-data, and predicts, scores variants, explains, evaluates and embeds with them and with the shipped models
# (fp32, one thread). Prints a line for each output: same, or how many numbers differ and by how much at most.
set -euo pipefail
(($# >= 2)) || { sed -n '2,4s/^# //p' "$0"; exit 2; }
root=$(dirname "$(dirname "$(dirname "$(readlink -f "$0")")")")
out=${3:-$(mktemp -d)}
export BIGDNA_SOURCE_DIR=$root TEST_DATA=$root/test-data LC_ALL=C
genome=$TEST_DATA/genome.fa.gz

small_alleles() { # GENOME: a VCF of substitutions, an insertion and a deletion
  samtools faidx "$genome" chr2:20001-26000 | tail -n +2 | tr -d '\n' | awk -v OFS='\t' '
    BEGIN { print "##fileformat=VCFv4.2"; print "#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO" }
    { for (i = 100; i < 6000; i += 490) {
        ref = substr($0, i, 1)
        print "chr2", 20000 + i, ".", ref, ref == "A" ? "C" : "A", ".", ".", "."
        if (i % 3 == 0) print "chr2", 20000 + i + 20, ".", substr($0, i + 20, 1), substr($0, i + 20, 1) "GT", ".", ".", "."
        if (i % 4 == 0) print "chr2", 20000 + i + 40, ".", substr($0, i + 40, 3), substr($0, i + 40, 1), ".", ".", "." } }' | awk '/^#/ || $4 !~ /N/'
}

of_task() { # COMMAND TASK ARGUMENT...: programs before 2026-11-28 take the task as a word
  local command=$1 task=$2
  if grep -q "^Usage: bigdna $command \[OPTIONS\]" <(bigdna "$command" --help); then bigdna "$command" "${@:3}"; else bigdna "$command" "$task" "${@:3}"; fi
}

work() { # PROGRAM FOLDER
  local program=$1 without_kmers=()
  mkdir -p "$2"
  cd "$2"
  export BIGDNA=$program PATH=$(dirname "$program"):$PATH
  . "$root/tests/cli/helpers.bash"
  ! grep -q -- --no-kmers <(bigdna train chromatin --help; bigdna train --help) || without_kmers=(--no-kmers)
  small_encoder; small_promoters; small_tables
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" --start-sites "$TEST_DATA/tss.bed" -g "$genome" --upstream 0 --downstream 0 --keep all \
    --test chr2,chr3 --validation chrX -o bins --quiet
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$genome" --upstream 200 --downstream 200 --keep all --test chr2,chr3 --validation chrX -o wide --quiet
  local fp32=(--precision fp32 --quiet -@ 1)
  of_task train chromatin bins --preset tiny --networks 2 --steps 20 --batch 2 --window 4000 "${without_kmers[@]}" "${fp32[@]}" -o network >t.network.tsv
  of_task train promoter promoters --preset tiny --networks 1 --steps 8 "${without_kmers[@]}" "${fp32[@]}" -o pooled >t.pooled.tsv
  for task in binary classes several numbers; do
    of_task train table $task --preset tiny --networks 1 --steps 8 "${without_kmers[@]}" "${fp32[@]}" -o train_$task >t.train_$task.tsv
    of_task finetune table pre $task --steps 4 "${fp32[@]}" -o fine_$task >t.fine_$task.tsv
  done
  of_task finetune promoter pre promoters --steps 6 "${fp32[@]}" -o promoter >t.promoter.tsv
  of_task finetune promoter pre promoters --steps 6 --seed 2 "${fp32[@]}" -o plain >t.plain.tsv
  of_task finetune promoter pre promoters --epochs 0 "${fp32[@]}" -o fitted >t.fitted.tsv
  of_task finetune promoter pre promoters --steps 6 --reverse-complement "${fp32[@]}" -o either >t.either.tsv
  of_task finetune chromatin pre wide --steps 4 "${fp32[@]}" -o chromatin >t.chromatin.tsv
  small_alleles >alleles.vcf
  awk -v OFS='\t' 'BEGIN { for (i = 0; i < 12; ++i) print "chr2", 20000 + 170 * i, 20200 + 170 * i, "r" i, 0, i % 2 ? "+" : "-" }' >regions.bed
  local strands model
  cp -r "$root/models/yeast" .  # programs that are not installed find no model by its name
  for strands in forward average; do
    for model in network chromatin yeast; do
      bigdna chromatin $model regions.bed -g "$genome" --strands $strands "${fp32[@]}" -o p.$model.$strands.tsv
      bigdna variants $model alleles.vcf -g "$genome" --strands $strands "${fp32[@]}" -o v.$model.$strands.tsv
    done
    for model in fine_binary fine_classes fine_several fine_numbers train_binary train_classes train_several train_numbers; do
      bigdna predict $model -R regions.bed -g "$genome" --strands $strands "${fp32[@]}" -o p.$model.$strands.tsv
    done
  done
  for model in promoter plain fitted either pooled; do
    bigdna predict-promoter $model -R regions.bed -g "$genome" "${fp32[@]}" -o p.$model.tsv
    bigdna variants $model alleles.vcf -g "$genome" --sites "$TEST_DATA/tss.bed" "${fp32[@]}" -o v.$model.tsv
  done
  bigdna predict-promoter promoter "$TEST_DATA/records.fa" --strands both "${fp32[@]}" -o p.promoter.both.tsv
  bigdna predict-promoter network -g "$genome" --contigs chr2 "${fp32[@]}" -o p.sites.tsv
  bigdna predict-promoter promoter -R regions.bed -g "$genome" --ensemble plain "${fp32[@]}" -o p.ensemble.tsv
  bigdna chromatin network regions.bed -g "$genome" --ensemble network "${fp32[@]}" -o p.network2.tsv
  for method in mutagenesis gradient integrated; do
    for model in network yeast; do
      bigdna explain $model -r chr2:20001-20060 -g "$genome" --method $method "${fp32[@]}" -o x.$model.$method.tsv
    done
  done
  for model in chromatin fine_several; do bigdna explain $model -r chr2:20001-20030 -g "$genome" "${fp32[@]}" -o x.$model.tsv; done
  bigdna explain promoter -R <(head -1 regions.bed) -g "$genome" --around 5 "${fp32[@]}" -o x.promoter.tsv
  bigdna motifs network -R regions.bed -g "$genome" "${fp32[@]}" --table m.network.tsv -o m.network.meme
  for model in promoter either pooled; do of_task evaluate promoter $model promoters --resamples 20 --refit-kmers "${fp32[@]}" >e.$model.tsv; done
  for model in network chromatin; do of_task evaluate chromatin $model $([[ $model == network ]] && echo bins || echo wide) --resamples 20 "${fp32[@]}" >e.$model.tsv; done
  for task in binary classes several numbers; do of_task evaluate table fine_$task $task --resamples 20 "${fp32[@]}" >e.fine_$task.tsv; done
  bigdna embed pre "$TEST_DATA/records.fa" "${fp32[@]}" -o embed.tsv
}

(work "$(readlink -f "$1")" "$out/old")
(work "$(readlink -f "$2")" "$out/new")
python3 - "$out/old" "$out/new" <<'PY'
import glob, os, sys
old, new = sys.argv[1:]
same = differ = 0
for path in sorted(glob.glob(old + "/*.tsv") + glob.glob(old + "/*.meme")):
    name = os.path.basename(path)
    lines = lambda folder: [l for l in open(os.path.join(folder, name)) if not l.startswith("##")]
    a, b = lines(old), lines(new)
    headers = [next((l.rstrip("\n").split("\t") for l in c if l.startswith("#")), []) for c in (a, b)]
    if headers[0] and len(headers[1]) > len(headers[0]) == sum(x == y for x, y in zip(*headers)):  # new columns at the end
        b = ["\t".join(l.rstrip("\n").split("\t")[:len(headers[0])]) + "\n" for l in b]
    if a == b:
        same += 1
        continue
    differ += 1
    count, largest, other = 0, 0., len(a) != len(b)
    for x, y in zip(a, b):
        p, q = x.rstrip("\n").split("\t"), y.rstrip("\n").split("\t")
        if len(p) != len(q): other = True; continue
        for u, v in zip(p, q):
            if u == v: continue
            try: count, largest = count + 1, max(largest, abs(float(u) - float(v)))
            except ValueError: other = True
    print(f"{name}: {count} numbers differ, by {largest:.3g} at most" + (", and other text" if other else ""))
print(f"{same} outputs are the same, {differ} differ")
PY
echo "outputs: $out" >&2
