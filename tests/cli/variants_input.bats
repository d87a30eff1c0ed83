# What bigdna variants reads: VCF and BCF in every compression, indexes, records at their limits. A model that was never trained
# on a task, because only the files matter.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  cp "$TEST_DATA/genome.fa.gz" .
  chmod u+w genome.fa.gz
  bigdna pretrain genome.fa.gz --preset tiny --layers 1 --hidden 16 --ffn 16 --heads 2 --max-length 64 --vocab-size 100 --steps 1 \
    --batch 2 --evaluation-tokens 500 -o pre --quiet -@1
  {
    printf '##fileformat=VCFv4.2\n##contig=<ID=chr1,length=420000>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    local at
    for at in 20001 20101 20201; do printf 'chr1\t%s\t.\t%s\tAAA\t.\t.\t.\n' $at "$(base $at)"; done
  } >in.vcf
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  genome=$BATS_FILE_TMPDIR/genome.fa.gz vcf=$BATS_FILE_TMPDIR/in.vcf
}

base() { samtools faidx "$BATS_FILE_TMPDIR/genome.fa.gz" "chr1:$1-$1" | sed 1d | tr acgt ACGT; }
score() { bigdna variants "$BATS_FILE_TMPDIR/pre" "$@" -g "$genome" --context 60 -@1; }

@test "variants: VCF in xz, with a byte order mark, from stdin too; what is not read is named" {
  score "$vcf" --quiet -o plain.vcf
  xz -c "$vcf" >a.vcf.xz
  { printf '\xef\xbb\xbf'; cat "$vcf"; } >mark.vcf
  gzip -c mark.vcf >mark.vcf.gz
  local file
  for file in a.vcf.xz mark.vcf mark.vcf.gz; do
    score $file --quiet -o out.vcf
    same_rows plain.vcf out.vcf
    score - --quiet <$file >out.vcf
    same_rows plain.vcf out.vcf
  done
  bzip2 -c "$vcf" >a.vcf.bz2
  fails 1 "a.vcf.bz2: is compressed with bzip2; gzip, bgzip and xz are read" score a.vcf.bz2
  printf '\x28\xb5\x2f\xfd\x04\x00' >a.vcf.zst
  fails 1 "a.vcf.zst: is compressed with zstd" score a.vcf.zst
  bcftools view -Ou "$vcf" | tee a.bcf | gzip >gzipped.bcf
  fails 1 "gzipped.bcf: is BCF within plain gzip or xz: decompress it" score gzipped.bcf
  score a.bcf --quiet | cut -f1-5 | grep -v '^##' | cmp - <(grep -v '^##' plain.vcf | cut -f1-5)
  printf '\x01\x02\x03\x80\x90\xa0random' >random.vcf
  fails 1 "random.vcf:1: is not VCF" score random.vcf
  fails 1 "a.vcf.xz: has no index, which -r and -R need" score a.vcf.xz -r chr1
  fails 1 "genome.fa.gz: is not VCF or BCF" score "$genome"
}

@test "variants: an index that is older than its file is refused, because it loses records" {
  bgzip -c "$vcf" >a.vcf.gz
  tabix -p vcf a.vcf.gz
  score a.vcf.gz -r chr1 --quiet | grep -vc '^#' | grep -x 3
  touch -d '1 hour ago' a.vcf.gz.tbi
  fails 1 "a.vcf.gz.tbi: is older than a.vcf.gz: bcftools index -f a.vcf.gz makes a new one" score a.vcf.gz -r chr1
  bcftools index a.vcf.gz  # .csi
  score a.vcf.gz -r chr1 --quiet | grep -vc '^#' | grep -x 3
  tabix -f -p vcf a.vcf.gz
  touch -d '1 hour ago' a.vcf.gz.csi
  score a.vcf.gz -r chr1 --quiet | grep -vc '^#' | grep -x 3
  bcftools view -Ob -o a.bcf "$vcf"
  bcftools index a.bcf
  score a.bcf -r chr1 --quiet | grep -vc '^#' | grep -x 3
  touch -d '1 hour ago' a.bcf.csi
  fails 1 "a.bcf.csi: is older than a.bcf" score a.bcf -r chr1
}

@test "variants: an index of an earlier version of its file is refused, whatever its time" {
  local at
  { cat "$vcf"; for at in {21001..60001..100}; do printf 'chr1\t%s\t.\tA\tC\t.\t.\t.\n' $at; done; } >longer.vcf
  bgzip -c "$vcf" >a.vcf.gz
  tabix -p vcf a.vcf.gz
  bgzip -c longer.vcf >a.vcf.gz
  touch -d '1 hour' a.vcf.gz.tbi
  fails 1 "a.vcf.gz.tbi: is the index of another file than a.vcf.gz is now (it would lose records): bcftools index -f a.vcf.gz makes a new one" \
    score a.vcf.gz -r chr1
  tabix -f -p vcf a.vcf.gz
  score a.vcf.gz -r chr1 -o out.vcf --quiet
  [ "$(grep -vc '^#' out.vcf)" = 394 ]
  bcftools view -Ob -o a.bcf "$vcf"
  bcftools index a.bcf
  cp a.bcf.csi old.csi
  bcftools view -Ob -o a.bcf longer.vcf
  cp old.csi a.bcf.csi
  touch -d '1 hour' a.bcf.csi
  fails 1 "a.bcf.csi: is the index of another file" score a.bcf -r chr1
}

@test "variants: faulty lines of a header are kept with a warning; ANNOVAR's repeated keys and rs1;rs1 are scored" {
  { printf '##fileformat=VCFv4.2\n##reference=\n##contig=<ID=HLA-DRB1*04:03:01 length=15246>\n##FILTER=<ID=GAP>,Description="x">\n'
    printf '##INFO=<ID=Func,Number=.,Type=String,Description="f">\n##INFO=<ID=END_OF,Number=0,Type=Flag,Description="e">\n'
    tail -n +2 "$vcf"
    printf 'chr1\t20301\trs1;rs1\t%s\tAAA,AAAA\t.\t.\tFunc=a;END_OF;Func=b;END_OF\n' "$(base 20301)"
  } >odd.vcf
  score odd.vcf -o out.vcf --counts counts.json 2>err
  grep -F "warning: odd.vcf:2: has no value; 2 more lines are faulty (nothing depends on it, and it is kept)" err
  diff <(head -7 odd.vcf) <(head -7 out.vcf)
  [ "$(grep -c BIGDNA_DIST out.vcf)" = 5 ]  # the header's line and four records
  [ "$(of_json counts.json tolerated)" = '{"INFO has the same key twice":1}' ]
  score odd.vcf -o out.bcf --quiet
  [ "$(bcftools view -H out.bcf 2>bcf.err | wc -l)" = 4 ]
}

@test "variants: a contig is found by its other name also where the header gives another length" {
  sed 's/^chr1\t/1\t/; s/ID=chr1,length=420000/ID=1,length=99/' "$vcf" >alias.vcf
  score alias.vcf -o out.tsv 2>err
  grep -F "warning: alias.vcf: its header says that 1 has 99 bp" err
  [ "$(awk -F'\t' '!/^#/ && $9 == "."' out.tsv | wc -l)" = 3 ]
  sed -i 's/^\(1\t[0-9]*\t.\t\)[ACGT]/\1ACGTACGTACGTACGTACGT/' alias.vcf
  fails 1 "(on unknown contigs: 0, past the end of their contig: 0, with another REF: 3)" score alias.vcf -o out.tsv --quiet
}

@test "variants: the index beside an output is that output's" {
  sed '$d' "$vcf" >two.vcf
  records() { bcftools view -H -r chr1 "$1" | wc -l; }
  local out
  for out in out.vcf.gz out.bcf; do
    score two.vcf -o $out --write-index --quiet
    touch -d '1 hour ago' $out $out.csi
    score "$vcf" -o $out --quiet
    [ ! -e $out.csi ]
    # --resume of a complete output beside an index of another run
    score two.vcf -o other.$out --write-index --quiet
    rm $out
    score "$vcf" -o $out --resume --quiet
    cp other.$out.csi $out.csi
    touch -d '1 hour ago' $out.csi
    score "$vcf" -o $out --resume --write-index --quiet
    [ "$(records $out)" = 3 ]
    [ $out.csi -nt other.$out.csi ]
  done
}

@test "variants: values of an earlier run are replaced where the header does not declare them, too" {
  score "$vcf" --quiet >once.vcf
  grep -v '^##INFO' once.vcf | sed '$s/$/;BIGDNA_SKIPPED=no_site/' >bare.vcf
  score bare.vcf --quiet | diff <(grep -v '^##' once.vcf) <(grep -v '^##' /dev/stdin)
  score bare.vcf --quiet -o out.bcf
  same_rows <(grep -v '^##' once.vcf | cut -f1-7) <(bcftools view out.bcf | grep -v '^##' | cut -f1-7)
  [ "$(bcftools query -f '%BIGDNA_SKIPPED\n' out.bcf | sort -u)" = . ]
}

@test "variants: the first record whose alleles are no bases is named" {
  local alt
  for alt in U -; do
    { cat "$vcf"; printf 'chr1\t20301\t.\t%s\t%s\t.\t.\t.\n' "$(base 20301)" $alt; } >odd.vcf
    score odd.vcf 2>err >out.vcf
    grep "warning: odd.vcf:7: REF or ALT does not consist of bases ('.' and '$alt'): such records are not scored" err
    grep 'BIGDNA_SKIPPED=malformed_record' out.vcf
  done
}

@test "variants: what QUAL, FILTER and INFO hold matters to no score, and each fault is named and counted" {
  local ref i=0
  ref=$(base 20301)
  { cat "$vcf"
    while IFS='|' read -r quality filter info; do
      printf 'chr1\t20301\tv%d\t%s\tAAA\t%s\t%s\t%s\n' $((++i)) "$ref" "$quality" "$filter" "$info"
    done <<'EOF'
nan|.|.
NaN|.|.
-inf|.|.
-3.2|.|.
+5|.|.
.|0|.
.|q10;q10|.
.|.|AC=1;;
.|.|;;AC=1;DP=3;
1,5|.|.
0x10|.|.
.|q 10|.
.|PASS;|.
.|.|AC=1;AC=2
.|.|=1
1_0|.|.
EOF
  } >odd.vcf
  score odd.vcf -o out.tsv --counts counts.json 2>err
  [ "$(awk -F'\t' '$3 ~ /^v/ && $9 == "." {printf "%s ", $3}' out.tsv)" = "v1 v2 v3 v4 v5 v6 v7 v8 v9 v13 v14 " ]
  [ "$(awk -F'\t' '$3 ~ /^v/ && $9 == "malformed_record"' out.tsv | wc -l)" = 5 ]
  grep -F "warning: odd.vcf:16: QUAL is not a number ('1,5'): such records are not scored" err
  grep -F "warning: odd.vcf:18: FILTER is empty or has a blank ('q 10'): such records are not scored" err
  grep -F "warning: odd.vcf:12: FILTER is 0: such records are scored" err
  grep -F "warning: odd.vcf:14: INFO has an empty part ('AC=1;;'): such records are scored" err
  grep -F "3 malformed records are not scored: QUAL is not a number" err
  grep -F "2 malformed records are scored: INFO has an empty part" err
  [ "$(of_json counts.json malformed)" = '{"FILTER is empty or has a blank":1,"INFO has a value without a key":1,"QUAL is not a number":3}' ]
  [ "$(of_json counts.json tolerated)" = '{"FILTER has an empty part":1,"FILTER has the same value twice":1,"FILTER is 0":1,"INFO has an empty part":2,"INFO has the same key twice":1}' ]
  score odd.vcf -o out.tsv -v 2>err
  grep -F "odd.vcf:22: QUAL is not a number ('1_0')" err
  # the empty parts are not kept beside what is added
  score odd.vcf --quiet | grep -v '^#' | cut -f8 >info
  not grep -E '(^|;)(;|$)' info
  head -15 odd.vcf | sed '3i ##FILTER=<ID=q10,Description="q">\n##INFO=<ID=AC,Number=A,Type=Integer,Description="c">\n##INFO=<ID=DP,Number=1,Type=Integer,Description="d">' |
    grep -vP '\t0\t\.$' >good.vcf
  score good.vcf -o out.bcf --quiet
  [ "$(bcftools view -H out.bcf | wc -l)" = 11 ]
}

@test "variants: positions beyond 2^31, and records that are not sorted, are called by their names" {
  { cat "$vcf"; printf 'chr1\t3000000000\t.\tA\tC\t.\t.\t.\n'; } >far.vcf
  score far.vcf -o out.tsv --quiet
  tail -1 out.tsv | grep position_not_on_contig
  fails 1 "far.vcf:7: POS 3000000000 is beyond 2^31 - 1, so BCF cannot hold it; write VCF instead" score far.vcf -o out.bcf --quiet
  [ ! -e out.bcf ]
  { cat "$vcf"; printf 'chr1\t99999999999999999999\t.\tA\tC\t.\t.\t.\n'; } >farther.vcf
  fails 1 "farther.vcf:7: the position 99999999999999999999 is beyond the end of any contig" score farther.vcf -o out.tsv --quiet
  { cat "$vcf"; printf 'chr1\t9223372036854775807\t.\tA\tC\t.\t.\t.\n'; } >farther.vcf
  fails 1 "farther.vcf:7: the position 9223372036854775807 is beyond the end of any contig" score farther.vcf -o out.tsv --quiet
  { sed '$!b; d' "$vcf"; tail -1 "$vcf" | sed 's/20201/5/'; } >unsorted.vcf
  fails 1 "out.vcf.gz: was written, but without an index: its records are not sorted: chr1:5 comes after chr1:20101" \
    score unsorted.vcf -o out.vcf.gz --write-index --quiet
  fails 1 "its records are not sorted: chr1:5 comes after chr1:20101" score unsorted.vcf -o out.bcf --write-index --quiet
}

@test "regions: both readings of one are named, and 0 is no position" {
  printf '>a\nACGTACGTAC\n>a:1-5\nTTTTT\n' >g.fa
  tokens() { bigdna tokenize g.fa --vocab "$BATS_FILE_TMPDIR/pre/model" -r "$1" --format pieces --quiet | grep -v '^#' | cut -f1-3 | tr '\t' ' '; }
  fails 1 "region 'a:1-5': is ambiguous, because g.fa has a contig a:1-5 and a contig a: write {a:1-5}, or {a}:1-5" \
    bigdna tokenize g.fa --vocab "$BATS_FILE_TMPDIR/pre/model" -r a:1-5
  [ "$(tokens '{a:1-5}')" = "a:1-5 0 5" ]
  [ "$(tokens '{a}:1-5')" = "a 0 5" ]
  [ "$(tokens a:1-6)" = "a 0 6" ]
  [ "$(tokens a:-3)" = "a 0 3" ]
  [ "$(tokens a:1,0-)" = "a 9 10" ]
  local bad
  for bad in a:0-5 a:5-1 a:11-12 a: a:- 'a: 1-5' a:1-5x '{a:1-5' b; do
    fails 1 "region '$bad': " bigdna tokenize g.fa --vocab "$BATS_FILE_TMPDIR/pre/model" -r "$bad"
  done
}
