# bigdna explain and marginalize of a BPNet or ChromBPNet. tests/unit/profile has the gradients.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  bigdna convert "$TEST_DATA/profile/chrombpnet.h5" -o whole --quiet
  bigdna convert "$TEST_DATA/profile/chrombpnet_nobias.h5" -o nobias --quiet
  bigdna convert "$TEST_DATA/profile/bpnet.torch" -o stranded --quiet
  gzip -dc "$TEST_DATA/genome.fa.gz" >genome.fa
  awk -v OFS='\t' 'BEGIN {for (i = 0; i < 4; ++i) print "chr1", 50100 + 37 * i, 50101 + 37 * i}' >sites.bed
  printf 'chr1\t50050\t50090\ta\nchr2\t30000\t30030\tb\nchr3\t0\t20\tend\n' >regions.bed
}
setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$BATS_FILE_TMPDIR/genome.fa
}
rows() { grep -v '^#' "$@"; }

@test "mutagenesis: counts change as variants says, and contributions are the means of changes" {
  bigdna explain "$shared/whole" -R "$shared/sites.bed" -g "$genome" -o own.tsv --substitutions changes.tsv --quiet
  [ "$(header own.tsv)" = $'#chrom\tstart\tend\tname\tbase\tcounts_score\tprofile_score' ]
  { printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    rows changes.tsv | awk -F'\t' -v OFS='\t' '{print $1, $3, ".", $5, $6, ".", ".", "."}'; } >alleles.vcf
  bigdna variants "$shared/whole" alleles.vcf -g "$genome" --effects LFC -o effects.tsv --quiet
  paste <(rows changes.tsv | cut -f7) <(rows effects.tsv | cut -f10) | all_rows '($1 / log(2) - $2) ^ 2 < 1e-10'
  rows changes.tsv | all_rows '$7 != 0 && $8 != 0'
  rows changes.tsv | awk -F'\t' '{a[$3] += $7 / 4; b[$3] += $8 / 4} END {for (at in a) printf "%s\t%.9g\t%.9g\n", at, -a[at], -b[at]}' | sort -n >means
  paste means <(rows own.tsv | cut -f3,6,7) | all_rows '$1 == $4 && ($2 - $5) ^ 2 < 1e-10 && ($3 - $6) ^ 2 < 1e-8'
}

@test "the profile's score, from the profiles of changed records" {
  samtools faidx "$genome" chr1:49000-51113 >record.fa  # as long as the window
  bigdna explain "$shared/nobias" record.fa --around 1 --features profile_score --strands forward --substitutions changes.tsv -o own.tsv --quiet
  [ "$(rows own.tsv | wc -l)" = 2 ]
  python3 - record.fa <<'PY'
import sys
bases = "".join(open(sys.argv[1]).read().split("\n")[1:]).upper()
with open("all.fa", "w") as fasta, open("all.bed", "w") as bed:
    rows = [line.split("\t") for line in open("changes.tsv") if line[0] != "#"]
    for name, at, base in [("own", 0, bases[0])] + [(f"c{i}", int(row[1]), row[5]) for i, row in enumerate(rows)]:
        print(f">{name}\n{bases[:at] + base + bases[at + 1:]}", file=fasta)
        print(name, 0, len(bases), sep="\t", file=bed)
PY
  samtools faidx all.fa
  bigdna profile "$shared/nobias" -R all.bed -g all.fa -o track.bw --quiet
  bigdna coverage track.bw -g all.fa -o track.bedgraph --quiet
  python3 - <<'PY'
import math
reads = {}
for line in open("track.bedgraph"):
    if line[0] in "#t":
        continue
    name, start, end, value = line.split("\t")
    reads.setdefault(name, []).extend([float(value)] * (int(end) - int(start)))
own = reads["own"]
assert len(own) == 1000
def score(values):
    logs = [math.log(x) for x in values]
    mean = sum(logs) / len(logs)
    return sum(x / sum(own) * (l - mean) for x, l in zip(own, logs))
changes = [float(line.split("\t")[6]) for line in open("changes.tsv") if line[0] != "#"]
assert len(changes) == 6 and max(map(abs, changes)) > 1e-4
for i, change in enumerate(changes):
    assert abs(score(reads[f"c{i}"]) - score(own) - change) < 1e-4, (i, score(reads[f"c{i}"]) - score(own), change)
PY
}

@test "every method: the same on 1 and 2 threads and from stdin; integrated gradients add up" {
  for method in mutagenesis gradient integrated; do
    bigdna explain "$shared/stranded" -R "$shared/regions.bed" -g "$genome" --method $method -@ 1 -o one.tsv 2>err
    bigdna explain "$shared/stranded" -R - -g "$genome" --method $method -@ 2 --quiet <"$shared/regions.bed" >two.tsv
    same_rows one.tsv two.tsv
    [ "$(rows one.tsv | cut -f4 | uniq -c | awk '{print $1 $2}' | tr '\n' ' ')" = "40a 30b 20end " ]
    rows one.tsv | cut -f6,7 >$method
  done
  grep -q "contributions add up to the difference from the logit .* within [01]\(\.[0-9]\)\? % of it" err
  paste mutagenesis gradient | awk '{xy += $1 * $3; xx += $1 * $1; yy += $3 * $3} END {exit !(NR == 90 && xy > 0.3 * sqrt(xx * yy))}'
}

@test "parts, and what cannot be done" {
  bigdna explain "$shared/whole" -R "$shared/sites.bed" -g "$genome" -o default.tsv --quiet
  bigdna explain "$shared/nobias" -R "$shared/sites.bed" -g "$genome" -o nobias.tsv --quiet
  same_rows default.tsv nobias.tsv
  bigdna explain "$shared/whole" -R "$shared/sites.bed" -g "$genome" --part whole -o whole.tsv --quiet
  not cmp -s <(rows default.tsv) <(rows whole.tsv)
  bigdna explain "$shared/whole" -R "$shared/sites.bed" -g "$genome" --features counts_score --around 5 --modisco m -o track.bw --pictures logos --quiet
  [ -s m.sequences.npz ]
  [ "$(ls logos | wc -l)" = 4 ]
  fails 2 "--part: $shared/nobias has no bias model" bigdna explain "$shared/nobias" -R "$shared/sites.bed" -g "$genome" --part bias
  fails 2 "--precision bf16: $shared/whole is a profile model" bigdna explain "$shared/whole" -R "$shared/sites.bed" -g "$genome" --precision bf16
  fails 2 "human-chr20-chrX is not a profile model" bigdna explain human-chr20-chrX -R "$shared/sites.bed" -g "$genome" --part whole
  fails 2 "none" bigdna explain "$shared/whole" -R "$shared/sites.bed" -g "$genome" --features none
}

@test "marginalize: a motif in a given sequence changes counts as profile says; shuffled backgrounds depend on the seed alone" {
  printf 'MEME version 4\nALPHABET= ACGT\nMOTIF m\nletter-probability matrix: alength= 4 w= 8\n' >m.meme
  for base in T G A C T C A G; do awk -v b=$base 'BEGIN {split("A C G T", all, " "); for (i = 1; i <= 4; ++i) printf "%s%s", (all[i] == b), i < 4 ? " " : "\n"}'; done >>m.meme
  samtools faidx "$genome" chr1:49000-51113 | sed '1s/.*/>own/' >record.fa
  bigdna marginalize "$shared/whole" m.meme record.fa --background given --features counts_score -o out.tsv --quiet
  python3 - <<'PY'
bases = "".join(open("record.fa").read().split("\n")[1:]).upper()
start = (2114 - 8) // 2
with open("edits.fa", "w") as file:
    for name, motif in (("own", bases[start:start + 8]), ("plus", "TGACTCAG"), ("minus", "CTGAGTCA")):
        print(f">{name}\n{bases[:start] + motif + bases[start + 8:]}", file=file)
PY
  bigdna profile "$shared/whole" edits.fa --part model --strands average --quiet | rows | cut -f6 >log_counts
  paste <(rows out.tsv | cut -f2,6,8) <(awk 'NR == 1 {own = $1; next} {print $1 - own}' log_counts) | all_rows '$2 == "counts_score" && $3 != 0 && ($3 - $4) ^ 2 < 1e-9'
  for threads in 1 2; do bigdna marginalize "$shared/stranded" m.meme -R "$shared/regions.bed" -g "$genome" --sequences 7 --seed 3 -@ $threads -o $threads.tsv --quiet; done
  same_rows 1.tsv 2.tsv
  [ "$(rows 1.tsv | cut -f6,7 | sort -u | tr '\t\n' '  ')" = "counts_score 7 profile_score 7 " ]
  bigdna marginalize "$shared/stranded" m.meme - --sequences 7 --seed 3 --quiet <record.fa >stdin.tsv
  not cmp -s <(rows stdin.tsv) <(rows 1.tsv)
  fails 2 "--part: $shared/nobias has no bias model" bigdna marginalize "$shared/nobias" m.meme record.fa --part bias
  fails 2 "--precision bf16: $shared/nobias is a profile model" bigdna marginalize "$shared/nobias" m.meme record.fa --precision bf16
}
