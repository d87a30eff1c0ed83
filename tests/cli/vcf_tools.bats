# What other tools of variants do with the output of bigdna variants: the lines of docs/commands/variants.md.
load helpers

@test "bcftools annotate copies the effects into a cohort's VCF, allele by allele" {
  export BIGDNA_MODELS=$BIGDNA_SOURCE_DIR/models
  samtools faidx "$TEST_DATA/genome.fa.gz" chr1:40001-40400 | grep -v '>' | tr -d '\n' >bases
  {
    printf '##fileformat=VCFv4.2\n##contig=<ID=chr1,length=180000>\n##FORMAT=<ID=GT,Number=1,Type=String,Description="Genotype">\n'
    printf '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tS1\n'
    for at in 10 120 121 300; do
      ref=$(cut -c$at bases)
      printf 'chr1\t%d\t.\t%s\t%s\t.\tPASS\t.\tGT\t0/1\n' $((40000 + at)) "$ref" "$(tr -d "$ref" <<<ACGT | sed 's/\(.\)\(.\)\(.\)/\1,\2/')"
    done
  } >cohort.vcf
  bgzip -k cohort.vcf
  tabix -p vcf cohort.vcf.gz
  bcftools view -e 'POS=40300' cohort.vcf.gz | bcftools view -G -Ov >calls.vcf
  bigdna variants yeast calls.vcf -g "$TEST_DATA/genome.fa.gz" --features 'TSS|+' --effects LOGIT -o scored.vcf.gz --write-index --quiet
  bcftools annotate -a scored.vcf.gz -c INFO/BIGDNA_LOGIT_TSS_plus cohort.vcf.gz -Oz -o cohort.scored.vcf.gz
  bcftools query -e 'POS=40300' -f '%POS %ALT %BIGDNA_LOGIT_TSS_plus\n' cohort.scored.vcf.gz >copied
  bcftools query -f '%POS %ALT %BIGDNA_LOGIT_TSS_plus\n' scored.vcf.gz >scored
  [ "$(wc -l <scored)" = 3 ]
  grep -qE ' [A-T],[A-T] -?[0-9.e-]+,-?[0-9.e-]+$' scored
  cmp scored copied
  [ "$(bcftools query -i 'POS=40300' -f '%BIGDNA_LOGIT_TSS_plus' cohort.scored.vcf.gz)" = . ]
  [ "$(bcftools query -f '[%GT]' cohort.scored.vcf.gz)" = 0/10/10/10/1 ]
}
