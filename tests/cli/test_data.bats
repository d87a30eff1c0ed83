load helpers

@test "test-data/ is what its script makes" {
  python3 "$TEST_DATA/make_test_data.py" made
  for file in made/*; do
    if [[ $file == *.gz || $file == *.bam ]]; then  # zlib's versions compress differently
      cmp <(gzip -dc "$file") <(gzip -dc "$TEST_DATA/${file##*/}")
    else
      cmp "$file" "$TEST_DATA/${file##*/}"
    fi
  done
  [ "$(ls made | wc -l)" = 11 ]
}

@test "the genome is BGZF, indexable, and its planted elements lie where truth.bed.gz says" {
  bgzip -t "$TEST_DATA/genome.fa.gz"
  bgzip -dc "$TEST_DATA/genome.fa.gz" >genome.fa
  samtools faidx genome.fa
  [ "$(awk '{n += $2} END {print n}' genome.fa.fai)" = 1058000 ]
  for element in TATA:TATAAAAG Inr:TCAGTCTT DPE:AGACGTGC; do
    found=$(bedtools getfasta -s -tab -fi genome.fa -bed <(gzip -dc "$TEST_DATA/truth.bed.gz" |
      awk -v kind="${element%:*}" '$7 == kind') | awk -v bases="${element#*:}" '{n++; hit += toupper($2) == bases} END {print (hit / n > 0.98)}')
    [ "$found" = 1 ]
  done
}

@test "test-data/ stays below 1 MB" {
  [ "$(cd "$TEST_DATA" && du -bc $(git ls-files || ls) | tail -1 | cut -f1)" -lt 1000000 ]
}
