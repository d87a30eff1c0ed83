# bigdna merge: the parts of --shard as what the whole job writes.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  # three chunks of bins, which are not divided; the first part ends within a contig
  samtools faidx "$TEST_DATA/genome.fa.gz" chr2:1-120000 chr3:1-90000 | sed 's/:.*//' >genome.fa
  printf 'chr2\t1000\t1200\nchr3\t500\t900\tb\n' >few.bed
  options=(human-chr20-chrX -g genome.fa --features 0,1,TSS --quiet)
  bigdna chromatin "${options[@]}" -o whole.tsv --bigwig tracks --counts whole.json
  bigdna chromatin "${options[@]}" -o whole.h5
  for i in 1 2 3; do
    bigdna chromatin "${options[@]}" -o part$i.tsv.gz --bigwig tracks$i --counts part$i.json --shard $i/3
    bigdna chromatin "${options[@]}" -o part$i.h5 --shard $i/3
  done
}
setup() { cd "$BATS_FILE_TMPDIR"; }

# Whether two HDF5 files hold the same attributes and datasets, in the same order.
same_hdf5() {
  local python
  python=$("$BIGDNA_SOURCE_DIR/cmake/setup.sh" --print)/peers/bin/python
  [ -x "$python" ] || return 0
  "$python" - "$@" <<'PY'
import sys
import h5py, numpy
whole, merged = (h5py.File(name) for name in sys.argv[1:])
assert sorted(whole) == sorted(merged) and len(whole) > 4
assert dict(whole.attrs) == dict(merged.attrs) and "bigdna_command" in whole.attrs
for name in whole:
    a, b = whole[name], merged[name]
    assert dict(a.attrs) == dict(b.attrs), name
    assert a.dtype == b.dtype and numpy.array_equal(a[()], b[()], equal_nan=a.dtype.kind == "f"), name
PY
}

@test "tables, HDF5, folders of tracks and counts of chromatin are those of the whole" {
  bigdna merge part3.tsv.gz part1.tsv.gz part2.tsv.gz -o merged.tsv 2>err
  grep -q ' bigdna merge: merged.tsv: 3 parts$' err
  cmp merged.tsv whole.tsv
  bigdna merge part?.tsv.gz -o - --quiet | cmp - whole.tsv
  bigdna merge part?.tsv.gz -o merged.tsv.gz --quiet
  bgzip -t merged.tsv.gz
  bgzip -dc merged.tsv.gz | cmp - whole.tsv
  bigdna merge tracks?/ -o merged_tracks --quiet
  same_files tracks merged_tracks
  bigdna merge part?.json -o merged.json --quiet
  cmp merged.json whole.json
  bigdna merge part?.h5 -o merged.h5 --quiet
  same_hdf5 whole.h5 merged.h5
}

@test "HDF5 of each command that has --shard: contigs in another order in each part" {
  printf 'chr3\t%d\t%d\nchr2\t%d\t%d\nchr3\t%d\t%d\nchr2\t%d\t%d\n' 30000 30010 40000 40010 50000 50010 60000 60010 >places.bed
  bigdna convert "$TEST_DATA/profile/chrombpnet.h5" -o profile_model --quiet
  awk 'BEGIN {print "##fileformat=VCFv4.2\n##contig=<ID=chr2>\n##contig=<ID=chr3>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"
    for (i = 0; i < 30; ++i) printf "chr%d\t%d\t.\tN\tA\t.\t.\t.\n", i < 20 ? 2 : 3, 30000 + i * 500}' >n.vcf
  bcftools norm -f genome.fa -c s n.vcf 2>/dev/null | awk -F'\t' '/^#/ || $4 != $5' >few.vcf
  of_network=(human-chr20-chrX -g genome.fa --features CTCF --quiet)
  profile() { bigdna profile profile_model -R places.bed -g genome.fa --quiet "$@"; }
  variants() { bigdna variants human-chr20-chrX few.vcf "${of_network[@]:1}" "$@"; }
  explain() { bigdna explain "${of_network[@]}" -R places.bed --substitutions "sub_$2" "$@"; }
  promoters() { bigdna predict-promoter human-chr20-chrX -g genome.fa -R places.bed --quiet "$@"; }
  for command in profile variants explain promoters; do
    $command -o whole_$command.h5
    for i in 1 2 3; do $command -o part${i}_$command.h5 --shard $i/3; done
    bigdna merge part?_$command.h5 -o merged_$command.h5 --quiet
    same_hdf5 whole_$command.h5 merged_$command.h5
  done
  bigdna merge sub_part?_explain.h5 -o merged_sub.h5 --quiet
  same_hdf5 sub_whole_explain.h5 merged_sub.h5
  fails 1 "is another output of its job than" bigdna merge part1_explain.h5 sub_part2_explain.h5 part3_explain.h5 -o x.h5
}

@test "tiles' scores, calls and tracks of both strands" {
  options=(human-chr20-chrX -g genome.fa --threshold 0.01 --strands both --quiet)
  bigdna predict-promoter "${options[@]}" -o scan.tsv --bed scan.bed --bigwig scan.bw
  for i in 1 2 3; do bigdna predict-promoter "${options[@]}" -o scan$i.tsv --bed scan$i.bed --bigwig scan$i.bw --shard $i/3; done
  bigdna merge scan[123].tsv -o merged_scan.tsv --quiet
  bigdna merge scan[123].bed -o merged_scan.bed --quiet
  cmp merged_scan.tsv scan.tsv
  cmp merged_scan.bed scan.bed
  [ "$(wc -l <scan.bed)" -gt 6 ]
  for strand in plus minus; do
    bigdna merge scan[123].$strand.bw -o merged_scan.$strand.bw --quiet
    cmp merged_scan.$strand.bw scan.$strand.bw
  done
  fails 1 "scan2.minus.bw: is another output of its job than scan1.plus.bw" bigdna merge scan1.plus.bw scan2.minus.bw scan3.plus.bw -o x.bw
}

@test "variants: VCF, BCF, their index, TSV and counts" {
  awk 'BEGIN {print "##fileformat=VCFv4.2\n##contig=<ID=chr2,length=120000>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"
    srand(1); for (i = 0; i < 90; ++i) printf "chr2\t%d\t.\t%s\tA\t.\t.\t.\n", 1000 + i * 500, i % 50 ? "N" : "C"}' >n.vcf
  bcftools norm -f genome.fa -c s n.vcf 2>/dev/null | awk -F'\t' '/^#/ || $4 != $5' >variants.vcf
  options=(human-chr20-chrX variants.vcf -g genome.fa --features TSS --quiet)
  for format in vcf.gz bcf tsv; do bigdna variants "${options[@]}" -o effects.$format --counts effects.$format.json; done
  for i in 1 2 3; do
    for format in vcf.gz bcf tsv; do bigdna variants "${options[@]}" -o effects$i.$format --counts effects$i.$format.json --shard $i/3; done
  done
  for format in vcf.gz bcf tsv; do
    bigdna merge effects[123].$format -o merged_effects.$format --quiet
    cmp merged_effects.$format effects.$format
    bigdna merge effects[123].$format.json -o merged_effects.json --quiet
    python3 -c 'import json, sys; a, b = (json.load(open(f)) for f in sys.argv[1:]); assert a == b and a["scored"] > 50, (a, b)' merged_effects.json effects.$format.json
  done
  mkdir elsewhere  # a part on another machine, which has the inputs under other names
  cp genome.fa elsewhere/copy.fa
  cp variants.vcf elsewhere/copy.vcf
  (cd elsewhere && bigdna variants human-chr20-chrX copy.vcf -g copy.fa --features TSS --quiet -o effects2.bcf --counts counts.json --shard 2/3)
  bigdna merge effects1.bcf elsewhere/effects2.bcf effects3.bcf -o merged_effects.bcf --quiet
  cmp merged_effects.bcf effects.bcf
  bigdna merge effects1.bcf.json elsewhere/counts.json effects3.bcf.json -o merged_effects.json --quiet
  cmp merged_effects.json effects.bcf.json
  bigdna merge effects[123].bcf -o merged_effects.bcf --write-index --quiet
  bcftools view -H -r chr2:1-20000 merged_effects.bcf | grep -c BIGDNA
  bigdna merge effects[123].bcf -o merged_effects.bcf --quiet  # the index of what it replaces goes
  [ ! -e merged_effects.bcf.csi ]
  fails 2 "--write-index: only for .vcf.gz and .bcf" bigdna merge effects[123].tsv -o x.tsv --write-index
}

@test "a job of one part" {
  bigdna chromatin human-chr20-chrX few.bed -g genome.fa -o one.tsv --shard 1/1 --quiet
  bigdna merge one.tsv -o merged_one.tsv --quiet
  bigdna chromatin human-chr20-chrX few.bed -g genome.fa --quiet | cmp - merged_one.tsv
}

@test "parts that are missing, doubled, changed, of another job or division are named, and nothing is written" {
  fails 1 "of the 3 parts of the job of part1.tsv.gz these are missing: 2" bigdna merge part1.tsv.gz part3.tsv.gz -o x.tsv
  fails 1 "again.tsv.gz: is part 1/3, and so is part1.tsv.gz" bash -c 'for f in "" .options.json; do cp part1.tsv.gz$f again.tsv.gz$f; done; sed -i s/part1/again/ again.tsv.gz.options.json; bigdna merge part1.tsv.gz again.tsv.gz part2.tsv.gz -o x.tsv'
  fails 1 "whole.tsv: there is no whole.tsv.options.json, which says which part it is" bigdna merge whole.tsv -o x.tsv
  bigdna chromatin human-chr20-chrX few.bed -g genome.fa -o kept.tsv --resume --quiet
  fails 1 "is not the record of a part: its job was not divided by --shard" bigdna merge kept.tsv -o x.tsv
  bigdna chromatin human-chr20-chrX -g genome.fa --contigs chr3 --features 0,1,TSS -o other.tsv --shard 2/3 --quiet
  fails 1 "other.tsv: was made with --contigs chr3, not primary (so it is not a part of the job of part1.tsv.gz)" bigdna merge part1.tsv.gz other.tsv part3.tsv.gz -o x.tsv
  bigdna chromatin human-chr20-chrX -g genome.fa --features 0,1,TSS -o fourth.tsv --shard 2/4 --quiet
  fails 1 "fourth.tsv: is one of 4 parts, and part1.tsv.gz is one of 3" bigdna merge part1.tsv.gz fourth.tsv -o x.tsv
  for suffix in "" .options.json; do cp part2.tsv.gz$suffix renamed.tsv.gz$suffix; done
  bigdna merge part1.tsv.gz renamed.tsv.gz part3.tsv.gz -o - --quiet | cmp - whole.tsv
  cp part2.tsv.gz changed.tsv.gz
  sed s/part2/changed/ part2.tsv.gz.options.json >changed.tsv.gz.options.json
  bigdna merge part1.tsv.gz changed.tsv.gz part3.tsv.gz -o - --quiet | cmp - whole.tsv
  echo | bgzip >>changed.tsv.gz
  fails 1 "changed.tsv.gz: has changed since the job wrote it: its size or checksum is not in changed.tsv.gz.options.json" bigdna merge part1.tsv.gz changed.tsv.gz part3.tsv.gz -o x.tsv
  fails 1 "none.tsv: No such file or directory" bigdna merge none.tsv -o x.tsv
  fails 2 "part2.h5: is of another format than part1.tsv.gz" bigdna merge part1.tsv.gz part2.h5 -o x.tsv
  fails 2 "x.h5: the parts are TSV" bigdna merge part?.tsv.gz -o x.h5
  fails 1 "part1.json: is the input part1.json itself" bigdna merge part?.json -o part1.json
  fails 1 "tracks2: holds no bigWig files" bash -c 'mkdir -p no; cp -r tracks1 tracks1.options.json no; mkdir no/tracks2; cp tracks2.options.json no; cd no; bigdna merge tracks1 tracks2 -o x'
  not ls x.tsv x.h5 x
}
