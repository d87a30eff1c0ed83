# --track: the values of bigWig files beside what chromatin, predict and variants write; a very small network, for behaviour, not skill.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  small_network
  # values at some bases of chr1 and chr2: of one to 30 bp, with gaps; none on other contigs
  python3 - <<'PY'
import gzip, os, random
random.seed(11)
lengths = {}
for line in gzip.open(os.environ["TEST_DATA"] + "/genome.fa.gz", "rt"):
    if line[0] == ">": name = line[1:].split()[0]; lengths[name] = 0
    else: lengths[name] += len(line.strip())
with open("sizes.tsv", "w") as out, open("other.tsv", "w") as other, open("renamed.tsv", "w") as renamed:
    for name, length in lengths.items():
        print(name, length, sep="\t", file=out)
        print(name, length + (name == "chr2"), sep="\t", file=other)
        print("c" + name, length, sep="\t", file=renamed)
with open("phylo.bedgraph", "w") as bed:
    for name in ("chr1", "chr2"):
        at = 19000 if name == "chr1" else 29000
        for i in range(2000):
            at += random.choice([0, 0, 0, 3, 400])
            width = random.randint(1, 30)
            print(name, at, at + width, random.randint(1, 900) / 100, sep="\t", file=bed)
            at += width
PY
  bigdna coverage phylo.bedgraph --chrom-sizes sizes.tsv -o phylo.bw --quiet
  bigdna coverage phylo.bedgraph --chrom-sizes other.tsv -o other.bw --quiet
  sed 's/^/c/' phylo.bedgraph >renamed.bedgraph
  bigdna coverage renamed.bedgraph --chrom-sizes renamed.tsv -o renamed.bw --quiet
  printf "chr1\t19900\t20300\n" >regions.bed
  printf 'chr1\t20300\t20301\nchr1\t21000\t25000\nchr2\t28000\t29100\nchr3\t100\t700\n' >>regions.bed
  local ref
  at() { samtools faidx "$TEST_DATA/genome.fa.gz" "chr1:$1-$(($1 + $2 - 1))" | sed 1d | tr -d '\n'; }
  {
    printf '##fileformat=VCFv4.2\n##contig=<ID=chr1,length=420000>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    for pos in $(seq 20001 171 24000); do
      ref=$(at $pos 3)
      printf 'chr1\t%s\t.\t%s\t%sT,<DEL>\t.\t.\t.\n' $pos "$ref" "$ref"
    done
    printf 'chr1\t300\t.\t%s\t%sG\t.\t.\t.\n' "$(at 300 1)" "$(at 300 1)"
  } >in.vcf
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}

rows() { grep -v '^#' "$1"; }

# Compares column COLUMN of a table (- : none has a value) with means over its intervals: chrom in column 1, start and end as awk expressions.
means() {  # TABLE COLUMN START END
  python3 - "$shared/phylo.bedgraph" "$@" <<'PY'
import sys
bedgraph, table, column, start, end = sys.argv[1:]
values = {}
for line in open(bedgraph):
    chrom, first, last, value = line.split()
    for base in range(int(first), int(last)): values[chrom, base] = float(value)
names, seen, without = None, 0, 0
for line in open(table):
    if line.startswith("##"): continue
    cells = line.rstrip("\n").split("\t")
    if names is None: names = cells; names[0] = names[0].lstrip("#"); continue
    row = dict(zip(names, cells))
    found = [values[row["chrom"], base] for base in range(eval(start, {"int": int, "len": len}, row), eval(end, {"int": int, "len": len}, row))
             if (row["chrom"], base) in values]
    if not found:
        assert row[column] == ".", row
        without += 1
        continue
    mean = sum(found) / len(found)
    assert abs(float(row[column]) - mean) < 1e-5 * max(1, abs(mean)), (row, mean)
    seen += 1
assert seen >= 3 and without >= 1, (seen, without)
PY
}

@test "--track: chromatin and predict write the mean over each row; the same for two threads" {
  bigdna chromatin "$shared/run" "$shared/regions.bed" -g "$genome" --track "$shared/phylo.bw" --track "again=$shared/phylo.bw" --precision fp32 -o one.tsv --quiet -@ 1
  bigdna chromatin "$shared/run" "$shared/regions.bed" -g "$genome" --track "$shared/phylo.bw" --track "again=$shared/phylo.bw" --precision fp32 -o two.tsv --quiet -@ 2
  same_rows one.tsv two.tsv
  [ "$(header one.tsv | cut -f10-)" = $'track:phylo\ttrack:again' ]
  means one.tsv track:phylo 'int(start)' 'int(end)'
  rows one.tsv | all_rows '$10 == $11'
  # predictions are what they are without it, and the last region has no value
  bigdna chromatin "$shared/run" "$shared/regions.bed" -g "$genome" --precision fp32 -o without.tsv --quiet
  same_rows without.tsv <(grep -v '^##' one.tsv | cut -f1-9)
  [ "$(rows one.tsv | tail -1 | cut -f10)" = . ]
  bigdna predict "$shared/run" -R - -g "$genome" --track "$shared/phylo.bw" --precision fp32 --quiet <"$shared/regions.bed" >predict.tsv
  same_rows <(grep -v '^##' one.tsv | cut -f1-10) predict.tsv
  bigdna chromatin "$shared/run" "$shared/regions.bed" -g "$genome" --track "$shared/phylo.bw" --tile 200 --seen --parts --precision fp32 -o tiles.tsv --quiet
  means tiles.tsv track:phylo 'int(start)' 'int(end)'
}

@test "--track: HDF5, parts of a job, and what --resume compares" {
  options=(-g "$genome" --track "a=$shared/phylo.bw" --tile 200 --precision fp32 --quiet)
  bigdna chromatin "$shared/run" "$shared/regions.bed" "${options[@]}" -o whole.tsv
  bigdna chromatin "$shared/run" "$shared/regions.bed" "${options[@]}" -o whole.h5
  for i in 1 2; do
    bigdna chromatin "$shared/run" "$shared/regions.bed" "${options[@]}" -o part$i.h5 --shard $i/2
    bigdna chromatin "$shared/run" "$shared/regions.bed" "${options[@]}" -o part$i.tsv --shard $i/2
  done
  bigdna merge part1.tsv part2.tsv -o merged.tsv --quiet
  same_rows whole.tsv merged.tsv
  bigdna merge part1.h5 part2.h5 -o merged.h5 --quiet
  python=$("$BIGDNA_SOURCE_DIR/cmake/setup.sh" --print)/peers/bin/python
  if [ -x "$python" ]; then
    "$python" - <<'PY'
import h5py, numpy
whole, merged = h5py.File("whole.h5"), h5py.File("merged.h5")
assert list(whole["track_name"].asstr()) == list(merged["track_name"].asstr()) == ["a"]
for name in ("tracks", "predictions"): assert numpy.array_equal(whole[name][:], merged[name][:], equal_nan=True), name
text = [line.rstrip("\n").split("\t")[-1] for line in open("whole.tsv") if line[0] != "#"]
assert numpy.array_equal(numpy.array([float("nan") if cell == "." else float(cell) for cell in text], "f4"), whole["tracks"][:, 0], equal_nan=True)
PY
  fi
  bigdna chromatin "$shared/run" "$shared/regions.bed" "${options[@]}" -o kept.tsv --resume
  bigdna chromatin "$shared/run" "$shared/regions.bed" "${options[@]}" -o kept.tsv --resume
  fails 1 "was made with --track" bigdna chromatin "$shared/run" "$shared/regions.bed" -g "$genome" --track "a=$shared/other.bw" --tile 200 --precision fp32 --quiet -o kept.tsv --resume
}

@test "--track: variants write the mean over REF's bases, as INFO, columns and in --table" {
  options=(-g "$genome" --track "$shared/phylo.bw" --track "phylo 2=$shared/phylo.bw")
  fails 2 "'phylo 2' cannot name a column" bigdna variants "$shared/run" "$shared/in.vcf" "${options[@]}"
  options=(-g "$genome" --track "$shared/phylo.bw" --track "phylo.2=$shared/phylo.bw" --precision fp32 --quiet)
  bigdna variants "$shared/run" "$shared/in.vcf" "${options[@]}" -o one.tsv --table top.tsv -@ 1
  bigdna variants "$shared/run" - "${options[@]}" -o two.tsv -@ 2 <"$shared/in.vcf"
  same_rows one.tsv two.tsv
  means one.tsv track:phylo 'int(pos) - 1' 'int(pos) - 1 + len(ref)'
  [ "$(header one.tsv | rev | cut -f1,2 | rev)" = $'track:phylo\ttrack:phylo.2' ]
  means top.tsv track:phylo.2 'int(pos) - 1' 'int(pos) - 1 + len(ref)'
  bigdna variants "$shared/run" "$shared/in.vcf" "${options[@]}" --top 1 -o out.vcf
  grep -q '^##INFO=<ID=BIGDNA_TRACK_phylo,Number=1,Type=Float,Description="Mean of the values of phylo.bw at the bases of REF that have one"' out.vcf
  # one value for each record, also beside an allele without a score
  rows out.vcf | grep -c 'BIGDNA_SKIPPED=.,symbolic_allele'
  same_files <(rows out.vcf | sed 's/.*BIGDNA_TRACK_phylo=\([^;]*\);.*/\1/') <(rows one.tsv | awk -F'\t' '$5 != "<DEL>" {print $(NF - 1)}')
  # a second run replaces the values of the first, in either format
  bigdna variants "$shared/run" out.vcf "${options[@]}" --top 1 -o again.vcf
  same_rows out.vcf again.vcf
  bigdna variants "$shared/run" out.vcf "${options[@]}" --top 1 -o out.bcf
  same_files <(bcftools query -f '%POS\t%INFO/BIGDNA_TRACK_phylo\t%INFO/BIGDNA_TRACK_phylo_2\n' out.bcf) \
    <(bcftools query -f '%POS\t%INFO/BIGDNA_TRACK_phylo\t%INFO/BIGDNA_TRACK_phylo_2\n' out.vcf)
  bigdna report one.tsv top.tsv -o report.html --quiet
}

@test "--track: a real bigWig, of another program, over a contig of unknown bases" {
  signal=$BIGDNA_DATA/coverage/K562.PROseq.hg19.chr21.plus.bw
  [ -e "$signal" ] || skip "no real data"
  python3 -c 'print(">21"); print("N" * 48129895)' >chr21.fa
  bigdna coverage "$signal" -g chr21.fa -o signal.bedgraph --quiet
  printf '21\t9827000\t9828000\n21\t33030000\t33040000\n21\t48000000\t48129895\n21\t0\t1000\n' >regions.bed
  bigdna chromatin "$shared/run" regions.bed -g chr21.fa --track "PRO-seq=$signal" --precision fp32 -o out.tsv --quiet
  python3 - <<'PY'
regions = [line.split("\t")[:3] + [line.split("\t")[-1].strip()] for line in open("out.tsv") if line[0] != "#"]
sums, bases = [0.0] * len(regions), [0] * len(regions)
for line in open("signal.bedgraph"):
    if line[0] == "#" or line.startswith("track"): continue
    chrom, start, end, value = line.split()
    if float(value) == 0: continue
    for i, (_, first, last, _) in enumerate(regions):
        shared = min(int(end), int(last)) - max(int(start), int(first))
        if shared > 0: sums[i] += shared * float(value); bases[i] += shared
assert bases[1] > 10 and bases[3] == 0, bases
for (_, _, _, mean), total, count in zip(regions, sums, bases):
    assert (mean == ".") == (count == 0), (mean, count)
    assert count == 0 or abs(float(mean) - total / count) < 1e-5 * total / count, (mean, total / count)
PY
}

@test "--track: the table beside tracks in bigWig has the column" {
  base=(bigdna chromatin "$shared/run" "$shared/regions.bed" -g "$genome" --precision fp32 --quiet --track "$shared/phylo.bw")
  "${base[@]}" -o alone.tsv
  "${base[@]}" -o beside.tsv --bigwig tracks
  same_rows alone.tsv beside.tsv
  [ "$(ls tracks | wc -l)" -gt 0 ]
}

@test "--track: what cannot be read" {
  base=(bigdna chromatin "$shared/run" "$shared/regions.bed" -g "$genome" --precision fp32 --quiet)
  fails 1 "none.bw: No such file or directory" "${base[@]}" --track none.bw
  fails 1 "regions.bed: is not a bigWig file" "${base[@]}" --track "$shared/regions.bed"
  fails 1 "other.bw: is of another assembly: it has chr2" "${base[@]}" --track "$shared/other.bw"
  fails 1 "renamed.bw: none of its contigs (cchr1 ...) is in" "${base[@]}" --track "$shared/renamed.bw"
  head -c 3000 "$shared/phylo.bw" >cut.bw
  fails 1 "cut.bw: is" "${base[@]}" --track cut.bw
  fails 2 "two files are named phylo; give NAME=FILE" "${base[@]}" --track "$shared/phylo.bw" --track "$shared/phylo.bw"
  fails 2 "--track a=: names no file" "${base[@]}" --track a=
  fails 2 "--track adds columns to the table of -o only, not to bigWig" "${base[@]}" --track "$shared/phylo.bw" --bigwig tracks
  fails 2 "--track requires --genome" bigdna predict "$shared/run" "$genome" --track "$shared/phylo.bw"
  cp "$shared/phylo.bw" phylo.tsv
  fails 1 "phylo.tsv: is the input phylo.tsv itself" "${base[@]}" --track phylo.tsv -o phylo.tsv
  same_files "$shared/phylo.bw" phylo.tsv
  [ ! -e tracks ]
}
