# bigdna train DATASET DATASET: one network of several genomes or of datasets with other labels, evaluated on each. Simulated fragments that
# prefer GC; small networks, for behaviour.
load helpers

small=(--preset tiny --batch 2 --window 4000 --precision fp32 --quiet)

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  genome=$TEST_DATA/genome.fa.gz
  # a second genome, one of whose contigs has the name of one of the first; fragments of both, 1 to 40 in a bin by its GC content
  python3 - <<'PY'
import gzip, os, random
random.seed(3)
first, name = {}, ""
for line in gzip.open(os.environ["TEST_DATA"] + "/genome.fa.gz", "rt"):
    if line[0] == ">": name = line[1:].split()[0]; first[name] = []
    else: first[name].append(line.strip().upper())
first = {name: "".join(lines) for name, lines in first.items()}
second = {}
for name in ("chr1", "p2", "p3"):
    bases = []
    for _ in range(500):
        share = random.choice((0.3, 0.5, 0.7))
        bases.append("".join(random.choice("GC") if random.random() < share else random.choice("AT") for _ in range(200)))
    second[name] = "".join(bases)
with open("second.fa", "w") as out:
    for name, bases in second.items(): print(f">{name}\n{bases}", file=out)
for file, contigs in (("first.bed", {name: first[name] for name in ("chr1", "chr2", "chr3", "chrX")}), ("second.bed", second)):
    with open(file, "w") as bed:
        for name, bases in contigs.items():
            for start in range(0, len(bases) - 400, 200):
                gc = sum(base in "GC" for base in bases[start:start + 200]) / 200
                for i in range(random.randint(0, 2) + int(40 * max(0, gc - 0.4) / 0.3)):
                    at = start + random.randrange(200)
                    print(name, at, at + 100, sep="\t", file=bed)
PY
  sed "2,\$s|^|$TEST_DATA/|" "$TEST_DATA/peaks.tsv" >peaks.tsv
  printf 'file\tname\tgroup\tcount\nfirst.bed\tmid\tATAC\tmidpoints\n' >first.tsv
  printf 'file\tname\tgroup\tcount\nsecond.bed\tmid\tATAC\tmidpoints\nsecond.bed\town\tATAC\tcuts\n' >second.tsv
  build=(bigdna dataset chromatin --upstream 0 --downstream 0 --keep all --quiet)
  "${build[@]}" -g "$genome" --contigs 'chr[123X]' --test chr3 --validation chrX --max-bins 1500 --tracks first.tsv --peaks peaks.tsv -o first
  "${build[@]}" -g second.fa --test p3 --validation p2 --tracks second.tsv -o second
  bigdna train first second "${small[@]}" --steps 40 -o run -@ 1 >run.out 2>run.err
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}
rows() { grep -v '^#' "$1"; }

@test "several: one model has the outputs of all datasets, and is evaluated on each" {
  [ "$(tail -n +2 "$shared/run/model/features.tsv" | cut -f2,7 | tr '\t\n' ': ')" = "CTCF:binary DNase:binary H3K4me3:binary mid:counts own:counts " ]
  cat "$shared"/run/dataset-[12]/metrics.tsv | same_files "$shared/run.out" -
  [ ! -e "$shared/run/metrics.tsv" ]
  [ "$(grep '^##dataset=' "$shared/run.out")" = $'##dataset=first\n##dataset=second' ]
  for file in metrics.tsv metrics.json metrics.svg scores.tsv.gz tracks.tsv; do
    [ -s "$shared/run/dataset-1/$file" ]
    [ -s "$shared/run/dataset-2/$file" ]
  done
  [ "$(rows "$shared/run/dataset-1/features.tsv" | cut -f2 | tr '\n' ' ')" = "CTCF DNase H3K4me3 " ]
  [ "$(rows "$shared/run/dataset-1/tracks.tsv" | cut -f2 | sort -u | tr '\n' ' ')" = "mid " ]
  [ "$(rows "$shared/run/dataset-2/tracks.tsv" | cut -f2 | sort -u | tr '\n' ' ')" = "mid own " ]
  [ "$(rows "$shared/run/dataset-2/tracks.tsv" | cut -f9 | grep -v -e - | sort -u | tr '\n' ' ')" = "bigdna constant gc halves kmers " ]
  # it learns both genomes: counts that follow GC content
  for number in 1 2; do rows "$shared/run/dataset-$number/tracks.tsv" | all_rows '$12 > 0.25' '$7 == "all" && $9 == "bigdna" && $11 == "pearson_log1p"'; done
  [ ! -e "$shared/run/model/kmers.safetensors" ]
  # both strands are read, and nobody typed --no-kmers
  for number in 1 2; do grep -q '"strands": "average"' "$shared/run/dataset-$number/metrics.json"; done
  not grep -q -e --no-kmers "$shared/run.out" "$shared/run/run.json"
  bigdna info --verify "$shared/run" --quiet >info.txt
  bigdna report "$shared/run" "$shared/run/dataset-1" "$shared/run/dataset-2" -o report.html --quiet
  grep -q "Observed and expected counts" report.html
}

@test "several: the same bytes with two threads, and after a resume" {
  cd "$shared"
  bigdna train first second "${small[@]}" --steps 40 -o two -@ 2 >two.out
  same_files run/model/model.safetensors two/model/model.safetensors
  same_files run.out two.out
  bigdna train first second "${small[@]}" --steps 40 -o two -@ 2 --resume >again.out
  same_files two.out again.out
  fails 1 "two: was made with" bigdna train second first "${small[@]}" --steps 40 -o two --resume
  bigdna train first second "${small[@]}" --steps 40 --no-baseline -o two --force >/dev/null
}

@test "several: evaluate gives the same of each dataset; probabilities and counts are calibrated on what is known" {
  for number in 1 2; do
    name=$([ $number = 1 ] && echo first || echo second)
    bigdna evaluate "$shared/run" "$shared/$name" --precision fp32 --no-baseline --quiet >$name.tsv
    paste <(rows $name.tsv | awk -F'\t' '$9 == "bigdna"' | cut -f2,11,12) <(rows "$shared/run/dataset-$number/tracks.tsv" | awk -F'\t' '$9 == "bigdna"' | cut -f2,11,12) |
      all_rows '$1 == $4 && $2 == $5 && ($3 - $6)^2 < 1e-6'
    bigdna evaluate "$shared/run" "$shared/$name" --split validation --precision fp32 --no-baseline --scores $name.scores.tsv --quiet >/dev/null
  done
  python3 - first.scores.tsv second.scores.tsv <<'PY'
import sys
sums = {}
for path in sys.argv[1:]:
    lines = [line.rstrip("\n").lstrip("#").split("\t") for line in open(path) if not line.startswith("##")]
    for line in lines[1:]:
        row = dict(zip(lines[0], line))
        for name in ("mid", "own"):
            if f"label:{name}" in row:
                of = sums.setdefault(name, [0, 0])
                of[0] += float(row[f"label:{name}"]); of[1] += float(row[f"bigdna:{name}"])
for name, (observed, expected) in sums.items(): assert abs(expected / observed - 1) < 1e-3, (name, observed, expected)
assert set(sums) == {"mid", "own"}
PY
}

# Of rows of regions.bed.gz: "N SEEN" for each value of column seen of chromatin.
seen_of() {  # MODEL GENOME BED
  bigdna chromatin "$1" "$3" -g "$2" --seen --precision fp32 --quiet | grep -v '^##' |
    awk -F'\t' 'NR == 1 {for (i = 1; i <= NF; ++i) if ($i == "seen") column = i; next} {print $column}' | sort | uniq -c | awk '{print $1, $2}'
}
# Of a dataset: three bins of a contig and split.
bins_of() { zcat "$1/regions.bed.gz" | awk -v contig="$2" -v split_name="$3" '$1 == contig && $NF == split_name' | sed -n 1,3p | cut -f1-3; }

@test "several: of a contig that both genomes name alike, what training has seen is known by its length" {
  bins_of "$shared/first" chr1 train >first.bed
  bins_of "$shared/second" chr1 train >second.bed
  bins_of "$shared/second" p3 test >test.bed
  [ "$(seen_of "$shared/run" "$genome" first.bed)" = "3 1" ]
  [ "$(seen_of "$shared/run" "$shared/second.fa" second.bed)" = "3 1" ]
  [ "$(seen_of "$shared/run" "$shared/second.fa" test.bed)" = "3 0" ]
  # a chr1 of neither length
  awk '/^>/ {print; next} {print substr($0, 1, 90000)}' "$shared/second.fa" >third.fa
  [ "$(seen_of "$shared/run" third.fa second.bed)" = "3 ." ]
  bigdna chromatin "$shared/run" second.bed -g third.fa --seen 2>err >/dev/null
  grep -q "was trained on chr1 of 100000 or [0-9]* bp, but third.fa has chr1 of 90000 bp: that is another assembly" err
  # variants
  read -r contig start end <second.bed
  base=$(samtools faidx "$shared/second.fa" "chr1:$((start + 1))-$((start + 1))" | tail -1)
  printf '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr1\t%d\t.\t%s\t%s\t.\t.\t.\n' \
    $((start + 1)) "$base" "$(tr ACGT CGTA <<<"$base")" >one.vcf
  bigdna variants "$shared/run" one.vcf -g "$shared/second.fa" --quiet | grep -v '^#' | grep -q 'BIGDNA_SEEN=1'
  # the second genome, divided otherwise: evaluate and train --from
  bigdna dataset chromatin --upstream 0 --downstream 0 --keep all --quiet -g "$shared/second.fa" --test chr1 --validation p2 --tracks "$shared/second.tsv" -o other
  bigdna evaluate "$shared/run" other --no-baseline --precision fp32 2>err >/dev/null
  grep -q "of .* examples are in the model's training data" err
  bigdna train other --from "$shared/run" "${small[@]:2:4}" --steps 1 --no-baseline --no-kmers --precision fp32 -o from 2>err >/dev/null
  grep -q "test examples lie on sequence that the model was trained on" err
  not grep -q "another assembly" err
}

@test "several: where one genome alone trains on a contig, that of the other genome is not seen" {
  build=(bigdna dataset chromatin --upstream 0 --downstream 0 --keep all --quiet)
  "${build[@]}" -g "$shared/second.fa" --test chr1 --validation p2 --tracks "$shared/second.tsv" -o held
  bigdna train "$shared/first" held "${small[@]}" --steps 1 --no-baseline -o run >/dev/null
  bins_of "$shared/first" chr1 train >first.bed
  bins_of held chr1 test >second.bed
  [ "$(seen_of run "$genome" first.bed)" = "3 1" ]
  [ "$(seen_of run "$shared/second.fa" second.bed)" = "3 0" ]
  for number in 1 2; do grep -q '"rows_seen_in_training": 0' run/dataset-$number/metrics.json; done
}

@test "several: a model records where it was trained; datasets of one genome must not train on what another holds out" {
  tr -d ' \n' <"$shared/run/model/bigdna.json" >text
  grep -q '"chr2"' text
  not grep -q ':chr1' text
  # the same genome, divided otherwise
  build=(bigdna dataset chromatin -g "$genome" --contigs 'chr[123X]' --max-bins 600 --keep all --upstream 0 --downstream 0 --peaks "$shared/peaks.tsv" --quiet)
  "${build[@]}" --test chr2 --validation chrX -o other
  bigdna evaluate "$shared/run" other --no-baseline --precision fp32 2>err >/dev/null
  grep -q "of .* examples are in the model's training data" err
  fails 1 "test bins overlap training bins of" bigdna train "$shared/first" other "${small[@]}" --steps 2 --no-baseline -o both
  fails 1 "make all datasets of a genome with the same --test and --validation" bigdna train other "$shared/first" "${small[@]}" --steps 2 --plan
  "${build[@]}" --test chr3 --validation chr2 -o validation
  fails 1 "validation bins overlap training bins of" bigdna train "$shared/first" validation "${small[@]}" --steps 2 --no-baseline -o both
  [ ! -e both ]
  # and divided in the same way: labels of the same genome in two datasets
  "${build[@]}" --test chr3 --validation chrX -o same
  bigdna train "$shared/first" same "${small[@]}" --steps 2 --no-baseline -o both >both.out
  [ "$(grep -c '^##dataset=' both.out)" = 2 ]
}

@test "several: what cannot be trained together" {
  fails 1 "narrow: its bins have 50 bp, and the bins of" bash -c "bigdna dataset chromatin -g $shared/second.fa --bin 50 --test p3 --validation p2 --tracks $shared/second.tsv -o narrow --quiet && bigdna train $shared/second narrow ${small[*]} -o no"
  cp -r "$shared/second" second
  fails 1 "second: another dataset is in a folder of this name, too" bigdna train "$shared/second" second "${small[@]}" -o no
  fails 2 "is given twice" bigdna train second second "${small[@]}" -o no
  fails 2 "-g: several datasets have the genomes that they were made from" bigdna train "$shared/first" second "${small[@]}" -g "$genome" -o no
  printf 'sequence,label\nACGTACGT,0\nACGTACGG,1\nCCGTACGT,0\nACGTAAGT,1\n' >t.csv
  bigdna dataset table t.csv --test all -o t --quiet
  fails 2 "t: is a table dataset; several datasets are of bins" bigdna train "$shared/first" t --preset tiny -o no
  [ ! -e no ]
}
