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

@test "several: a model records where it was trained in both; a bin of one genome that the other trains on counts as seen" {
  tr -d ' \n' <"$shared/run/model/bigdna.json" >text
  grep -q '"first:chr1"' text
  grep -q '"second:chr1"' text
  grep -q '"chr2"' text
  # the same genome, divided otherwise
  bigdna dataset chromatin -g "$genome" --contigs 'chr[123X]' --test chr2 --validation chrX --max-bins 600 --keep all --upstream 0 --downstream 0 --peaks "$shared/peaks.tsv" -o other --quiet
  bigdna evaluate "$shared/run" other --no-baseline --precision fp32 2>err >/dev/null
  grep -q "of .* examples are in the model's training data" err
  # and labels of the same genome in two datasets
  bigdna train "$shared/first" other "${small[@]}" --steps 2 --no-baseline -o both >both.out 2>err
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
