# What bigdna variants reads: VCF and BCF in every compression, indexes, records at their limits. A model that was never trained
# on a task, because only the files matter.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  cp "$TEST_DATA/genome.fa.gz" . && chmod u+w genome.fa.gz
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
  fails 1 "a.vcf.gz.tbi: is older than a.vcf.gz: bcftools index -f a.vcf.gz makes it anew" score a.vcf.gz -r chr1
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
    cp other.$out.csi $out.csi && touch -d '1 hour ago' $out.csi
    score "$vcf" -o $out --resume --write-index --quiet
    [ "$(records $out)" = 3 ]
    [ $out.csi -nt other.$out.csi ]
  done
}

@test "variants: POS near 2^63 is a position that its contig does not have" {
  { cat "$vcf"; printf 'chr1\t9223372036854775807\t.\tACGT\tC\t.\t.\t.\n'; } >far.vcf
  score far.vcf --quiet -o out.tsv
  [ "$(tail -1 out.tsv | cut -f2,9)" = "$(printf '9223372036854775807\tposition_not_on_contig')" ]
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
    grep "warning: odd.vcf:7: REF . or ALT $alt does not consist of bases: such records are not scored" err
    grep 'BIGDNA_SKIPPED=malformed_record' out.vcf
  done
}
