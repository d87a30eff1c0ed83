# bigdna dataset promoter: formats of start sites, lift-over, folds, leakage, CpG promoters. Intervals and negatives: dataset.bats.
load helpers

setup() {
  cd "$BATS_TEST_TMPDIR"
  options=(-g "$TEST_DATA/genome.fa.gz" --upstream 400 --downstream 200 --tss-distance 700)
}
build() { bigdna dataset promoter "${options[@]}" "$@"; }
rows() { bgzip -dc "$1/regions.bed.gz" | grep -v '^#'; }

@test "BED, SGA and FPS of the same start sites give the same dataset" {
  awk -v OFS='\t' '{print $1, "TSS", $3, $6, 1, $4, "x"}' "$TEST_DATA/tss.bed" >sites.sga
  awk '{printf "FP   %-20s:+S  EU:%-18s1%s%10d; %05d.\n", $4, $1, $6, $3, NR}' "$TEST_DATA/tss.bed" >sites.fps
  printf 'XX\n//\n' >>sites.fps  # EPD's other line types
  gzip -k sites.sga
  build --promoters "$TEST_DATA/tss.bed" -o bed --quiet
  build --promoters sites.sga -o sga --quiet
  build --promoters sites.sga.gz -o sga_gz --quiet
  build --promoters sites.fps -o fps --quiet
  build --promoters - -o stdin --quiet <sites.fps
  for other in sga sga_gz fps stdin; do
    same_files bed/regions.bed.gz $other/regions.bed.gz
    same_files bed/sequences.fa.gz $other/sequences.fa.gz
  done
  run build --promoters sites.sga -o said
  [[ $output == *"sites.sga: is read as SGA"* ]]
}

@test "RefSeq accessions: as the genome has them, else the chromosomes they stand for" {
  accession() { sed -E 's/chr([0-9])/NC_00000\1.10/; s/chrX/NC_000023.10/'; }
  awk -v OFS='\t' '{print $1, "TSS", $3, $6, 1, $4}' "$TEST_DATA/tss.bed" | accession >sites.sga
  accession <"$TEST_DATA/tss.bed" >sites.bed
  bgzip -dc "$TEST_DATA/genome.fa.gz" | accession >accessions.fa
  build --promoters "$TEST_DATA/tss.bed" -o chr --quiet
  build --promoters sites.sga -o sga --quiet
  build --promoters sites.bed -o bed --quiet
  same_files chr/sequences.fa.gz sga/sequences.fa.gz
  same_files chr/sequences.fa.gz bed/sequences.fa.gz
  options[1]=accessions.fa
  build --promoters sites.sga -o own --quiet
  [ "$(rows own | wc -l)" = "$(rows chr | wc -l)" ]
  rows own | sed -n 1p | grep -q ^NC_
}

@test "an accession of another assembly than the genome's is an error: dataset promoter, dataset chromatin" {
  { echo ">chr21"; head -c 46709983 /dev/zero | tr '\0' N; echo; } >GRCh38.fa  # the length is what tells
  printf 'NC_000021.8\t9000000\t9000001\ta\t0\t+\n' >GRCh37.bed
  cause="NC_000021.8 is a chromosome of GRCh37 (hg19), but the genome's is of GRCh38 (hg38) (46709983 bp); bigdna liftover"
  fails 1 "GRCh37.bed:1: $cause" bigdna dataset promoter --promoters GRCh37.bed -g GRCh38.fa -o out
  fails 1 "GRCh37.bed:1: $cause" bigdna dataset chromatin --start-sites GRCh37.bed -g GRCh38.fa -o out
  sed 's/\.8/.9/' GRCh37.bed >same.bed
  run bigdna dataset promoter --promoters same.bed -g GRCh38.fa -o out
  [[ $output != *"is a chromosome of"* ]]
}

@test "mix-ups of formats are named with their line" {
  awk -v OFS='\t' 'NR <= 5 {print $1, "TSS", $3, $6, 1, $4}' "$TEST_DATA/tss.bed" >sites.sga
  awk 'NR <= 2 {printf "FP   %-20s:+S  EU:%-18s1%s%10d; %05d.\n", $4, $1, $6, $3, NR}' "$TEST_DATA/tss.bed" >sites.fps
  cat sites.sga sites.fps >mixed
  fails 1 "mixed:6: is FPS, but the lines before are SGA" build --promoters mixed -o d --quiet
  { head -2 "$TEST_DATA/tss.bed"; cat sites.sga; } >mixed
  fails 1 "mixed:3: start 'TSS' is not a number" build --promoters mixed -o d --quiet
  sed 's/\t[+-]\t/\t0\t/' sites.sga >nostrand
  fails 1 "nostrand:1: a start site needs a strand" build --promoters nostrand -o d --quiet
  awk -v OFS='\t' '{$3 = 0; print}' sites.sga >zero
  fails 1 "zero:1: the position (column 3, 1-based)" build --promoters zero -o d --quiet
  printf 'FP   broken\n' >broken.fps
  fails 1 "broken.fps:1: not an FPS line" build --promoters broken.fps -o d --quiet
  printf 'chr1\t99999999\t99999999\tx\t0\t+\n' >empty.bed
  printf 'chr1\tsrc\tgene\t100\t200\t.\t+\t.\tgene_id "x";\n' >genes.gtf
  fails 1 "genes.gtf: has no transcripts (rows of type transcript, mRNA, lnc_RNA ..., or exons)" build --promoters genes.gtf -o d --quiet
  printf 'chr1\tsrc\ttranscript\t100\t200\t.\t.\t.\tgene_id "x";\n' >>genes.gtf
  fails 1 "genes.gtf: has no transcripts (rows of type transcript, mRNA, lnc_RNA ..., or exons) with a strand (column 7)" build --promoters genes.gtf -o d --quiet
  printf 'chr1\tsrc\ttranscript\t100\t99\t.\t+\t.\tgene_id "x";\n' >genes.gtf
  fails 1 "genes.gtf:1: the end (column 5), 99, is before the start, 100" build --promoters genes.gtf -o d --quiet
  printf 'chr1\tsrc\ttranscript\t100\t200\t.\t+\t.\tgene_id "x";\nchr1\t100\t-\n' >genes.gtf
  fails 1 "genes.gtf:2: is contig, position, strand, but the lines before are GTF or GFF" build --promoters genes.gtf -o d --quiet
  fails 1 "--validation chrX: all of it is in the test split" build --promoters "$TEST_DATA/tss.bed" --test chrX --validation chrX -o d --quiet
  fails 2 "leave nothing to train on" build --promoters "$TEST_DATA/tss.bed" --test 0.6 --validation 0.5 -o d --quiet
  fails 1 "empty.bed:1: the interval is empty (end = start), and a start site needs a base" build --promoters empty.bed -o d --quiet
  printf 'chr1\t99999998\t99999999\tx\t0\t+\n' >far.bed
  fails 1 "far.bed:1: position 99999998 is past the end of chr1" build --promoters far.bed -o d --quiet
  [ ! -e d ]
}

@test "--chain: lifted over first, on either strand; what does not lift is listed" {
  length=$(cut -f1,2 "$TEST_DATA/genome.fa.gz.fai" 2>/dev/null | awk '$1 == "chr1" {print $2}')
  [ -n "$length" ] || length=$(bgzip -dc "$TEST_DATA/genome.fa.gz" | awk '/^>/ {on = $1 == ">chr1"; next} on {n += length($0)} END {print n}')
  # chr1 lies reversed on "old", 1000 bases shifted; its bases from 20000 to 30000 are missing there
  grep -P '^chr1\t' "$TEST_DATA/tss.bed" >new.bed
  awk -v OFS='\t' -v n="$length" '{print "old", 1000 + n - $3, 1000 + n - $2, $4, 0, $6 == "+" ? "-" : "+"}' new.bed >old.bed
  printf 'old\t5\t6\tlost\t0\t+\n' >>old.bed
  printf 'chain 1000 old %d + 1000 %d chr1 %d - 0 %d 1\n%d\n\n' $((length + 1000)) $((length + 1000)) "$length" "$length" "$length" >old.chain
  build --promoters new.bed --test 0.2 -o new --quiet
  build --promoters old.bed --chain old.chain --test 0.2 -o lifted --quiet
  same_files <(rows new) <(rows lifted)
  same_files new/sequences.fa.gz lifted/sequences.fa.gz
  printf '#Deleted in new\nold\t5\t6\tlost\t0\t+\n' | cmp - lifted/unmapped.bed
  grep -qx $'old\t5\t6\tlost\t0\t+\tnot_lifted' lifted/dropped.tsv
  grep -q '"not_lifted": 1' lifted/dataset.json
  build --promoters old.bed --chain old.chain --test 0.2 -o lifted --force --quiet  # unmapped.bed is the dataset's own
  printf 'chain 1 old\n' >bad.chain
  fails 1 "bad.chain:1" build --promoters old.bed --chain bad.chain -o d --quiet
  # positions of another assembly than the one that the chains lead from, and chains to another than the genome's
  { cat old.bed; printf 'old\t%d\t%d\tfar\t0\t+\n' $((length + 1000)) $((length + 1001)); } >far.bed
  fails 1 "far.bed:$(wc -l <far.bed): position $((length + 1001)) is past the end of old ($((length + 1000)) bp) in the assembly that" build --promoters far.bed --chain old.chain -o d --quiet
  printf 'chain 1000 chr1 %d + 0 %d chr1 %d + 0 %d 1\n%d\n\n' $((length + 9)) "$length" $((length + 9)) "$length" "$length" >other.chain
  fails 1 "other.chain: leads to an assembly whose chr1 has $((length + 9)) bp, but that of" build --promoters new.bed --chain other.chain -o d --quiet
  # a chromosome that is named by its accession in another assembly than the one that the chains lead from
  printf 'chain 1000 chr1 248956422 + 0 %d chr1 %d + 0 %d 1\n%d\n\n' "$length" "$length" "$length" "$length" >from38.chain
  sed 's/^chr1/NC_000001.10/' new.bed >accession.bed
  fails 1 "accession.bed:1: NC_000001.10 is a chromosome of GRCh37 (hg19), but the chain file's is of GRCh38 (hg38) (248956422 bp)" build --promoters accession.bed --chain from38.chain -o d --quiet
  sed 's/^chr1/NC_000001.11/' new.bed >accession.bed
  build --promoters accession.bed --chain from38.chain --test 0.2 -o d --quiet
  same_files <(rows new) <(rows d)
}

@test "every start site read is kept or in dropped.tsv" {
  { cat "$TEST_DATA/tss.bed"; head -1 "$TEST_DATA/tss.bed"; printf 'chr1\t10\t11\tend\t0\t+\nchr99\t10\t11\tno\t0\t+\n'; } >sites.bed
  build --promoters sites.bed -o d --quiet
  kept=$(rows d | awk '$8 == "promoter"' | wc -l)
  [ $((kept + $(grep -vc '^#' d/dropped.tsv))) = "$(wc -l <sites.bed)" ]
  for reason in duplicate contig_end contig_not_in_genome; do grep -q "$reason\$" d/dropped.tsv; done
}

@test "--folds: each promoter is tested once, never in two splits of a fold" {
  for fold in 1 2 3; do
    build --promoters "$TEST_DATA/tss.bed" --folds 3 --fold $fold -o f$fold --quiet
    for split in train validation test; do rows f$fold | awk -v s=$split '$7 == s' >$split.bed; done
    bedtools intersect -a train.bed -b test.bed | no_lines
    bedtools intersect -a validation.bed -b test.bed | no_lines
    [ "$(wc -l <test.bed)" -gt 50 ]
    awk '$8 == "promoter" {print $4}' test.bed >>tested
  done
  sort tested | uniq -d | no_lines
  # all but those whose interval lies over a border
  [ "$(wc -l <tested)" -gt $(($(wc -l <"$TEST_DATA/tss.bed") * 3 / 4)) ]
  fails 2 "--fold 4 is not one of --folds 3" build --promoters "$TEST_DATA/tss.bed" --folds 3 --fold 4 -o d
  fails 2 "--folds" build --promoters "$TEST_DATA/tss.bed" --folds 3 -o d
  fails 2 "--test" build --promoters "$TEST_DATA/tss.bed" --folds 3 --fold 1 --test chr3 -o d
}

@test "leakage.tsv: distances as bedtools closest, copies found by their 21-mers" {
  build --promoters "$TEST_DATA/tss.bed" --test 0.2 -o d --quiet
  rows d | sort -k1,1 -k2,2n >all.bed
  awk '$7 == "train"' all.bed >train.bed
  awk '$7 != "train"' all.bed | bedtools closest -d -t first -a - -b train.bed | awk -v OFS='\t' '{print $4, ($NF < 0 ? "." : $NF == 0 ? 0 : $NF - 1)}' | sort >expected
  grep -v '^#' d/leakage.tsv | cut -f1,7 | sort | cmp - expected
  # a contig that occurs twice under two names: every test row has its copy in training
  bgzip -dc "$TEST_DATA/genome.fa.gz" | awk '/^>/ {on = $1 == ">chr1"} on' >twice.fa
  sed 's/^>.*/>copy/' twice.fa | awk '/^>/ {print; next} {print tolower($0)}' >copy.fa
  cat copy.fa >>twice.fa
  { grep -P '^chr1\t' "$TEST_DATA/tss.bed"; grep -P '^chr1\t' "$TEST_DATA/tss.bed" | sed 's/^chr1/copy/'; } >twice.bed
  options[1]=twice.fa
  run build --promoters twice.bed --test copy --validation 0 -o twice
  [[ $output == *"test examples share half or more of their 21-mers"* ]]
  awk '$5 == "test" && $1 !~ /genomic/ && ($9 != 1 || $7 != ".")' twice/leakage.tsv | no_lines
}

@test "CpG promoters: by their bases, or by islands; negatives carry their promoter's class" {
  build --promoters "$TEST_DATA/tss.bed" -o rule --quiet
  [ "$(rows rule | awk '$9 == 1' | wc -l)" -gt 20 ]
  rows rule | awk '{split($4, part, "/"); print part[1], $9}' | sort -u | cut -d' ' -f1 | uniq -d | no_lines
  grep -q '"cpg_rule": "500 bp' rule/dataset.json
  # islands around every third site
  awk -v OFS='\t' 'NR % 3 == 0 {print $1, ($2 > 100 ? $2 - 100 : 0), $3 + 100, $4}' "$TEST_DATA/tss.bed" >islands.bed
  build --promoters "$TEST_DATA/tss.bed" --cpg-islands islands.bed -o islands --quiet
  rows islands | awk '$8 == "promoter" && $9 == 1 {print $4}' | sort >found
  rows islands | awk -v OFS='\t' '$8 == "promoter" {site = $6 == "+" ? $2 + 400 : $3 - 401; print $1, ($6 == "+" ? site - 700 : site - 200), ($6 == "+" ? site + 201 : site + 701), $4}' |
    awk -v OFS='\t' '{if ($2 < 0) $2 = 0; print}' | bedtools intersect -u -a - -b islands.bed | cut -f4 | sort | cmp - found
  printf 'chr77\t1\t2\n' >none.bed
  fails 1 "no island lies on a contig" build --promoters "$TEST_DATA/tss.bed" --cpg-islands none.bed -o d --quiet
}

@test "--force never deletes its own input" {
  mkdir d
  echo dataset >d/.unfinished
  cp "$TEST_DATA/tss.bed" d/in.bed
  fails 1 "d: holds the input d/in.bed" bigdna dataset promoter --promoters d/in.bed -g "$TEST_DATA/genome.fa.gz" -o d --force
  cmp "$TEST_DATA/tss.bed" d/in.bed
}

@test "EPDnew's BED of 60 bp: the start site is the 5' end of the thick part" {
  awk -v OFS='\t' '$2 > 60 {print $1, $2, $3, $4, 900, $6}' "$TEST_DATA/tss.bed" >sites.bed
  awk -v OFS='\t' '{if ($6 == "+") print $1, $2 - 49, $2 + 11, $4, $5, $6, $2, $2 + 11; else print $1, $3 - 11, $3 + 49, $4, $5, $6, $3 - 11, $3}' sites.bed >epd.bed
  build --promoters sites.bed -o sites --quiet
  bigdna dataset promoter "${options[@]}" --promoters epd.bed -o epd 2>err
  n=$(wc -l <sites.bed)
  grep "epd.bed: $n of $n start sites are the 5' ends of the thick part (columns 7 and 8), as in EPDnew's and FANTOM5's files" err
  same_files sites/regions.bed.gz epd/regions.bed.gz
  same_files sites/sequences.fa.gz epd/sequences.fa.gz
  for file in sites epd; do bigdna dataset chromatin --start-sites $file.bed -g "$TEST_DATA/genome.fa.gz" --upstream 0 --downstream 0 --keep all -o bins.$file --quiet; done
  same_files bins.sites/labels.safetensors bins.epd/labels.safetensors
  awk -v OFS='\t' '{$7 += 5000; $8 += 5000; print}' epd.bed >moved.bed
  bigdna dataset promoter "${options[@]}" --promoters moved.bed -o moved 2>err
  grep "warning: moved.bed:1: $n of $n start sites have a thick part (columns 7 and 8) outside of the record, as a lift-over leaves it" err
}

@test "genes without transcripts are counted: prokaryotes' GFF3" {
  awk -v OFS='\t' '{start = $2 + 1; print $1, "x", "gene", start, start + 500, ".", $6, ".", "ID=g" NR
    print $1, "x", NR % 3 ? "mRNA" : "CDS", start, start + 500, ".", $6, ".", "ID=t" NR ";Parent=g" NR}' "$TEST_DATA/tss.bed" >genes.gff
  bigdna dataset promoter "${options[@]}" --promoters genes.gff -o d 2>err
  n=$(wc -l <"$TEST_DATA/tss.bed")
  grep "warning: genes.gff: $((n / 3)) of $n genes have no transcript (rows of type transcript, mRNA, lnc_RNA ..., or exons) and so no start site" err
}

@test "GTF and GFF3: exons without a row of their transcript, products of transcripts, other orders of rows give the same start sites" {
  awk -v OFS='\t' '{at = $2 + 1; from = $6 == "+" ? at : at - 90; to = $6 == "+" ? at + 90 : at; middle = from + 40
    id = "gene_id \"g" NR "\"; transcript_id \"t" NR "\";"
    if (NR % 3) print $1, "x", "transcript", from, to, ".", $6, ".", id
    print $1, "x", "exon", middle, to, ".", $6, ".", id
    print $1, "x", "exon", from, middle - 9, ".", $6, ".", id}' "$TEST_DATA/tss.bed" >genes.gtf
  awk -v OFS='\t' '{at = $2 + 1; from = $6 == "+" ? at : at - 90; to = $6 == "+" ? at + 90 : at
    print $1, "x", "miRNA", from + 20, from + 40, ".", $6, ".", "ID=m" NR (NR % 2 ? ";Parent=t" : ";Derives_from=t") NR
    print $1, "x", "primary_transcript", from, to, ".", $6, ".", "ID=t" NR ";Parent=g" NR
    print $1, "x", "gene", from, to, ".", $6, ".", "ID=g" NR}' "$TEST_DATA/tss.bed" >genes.gff3
  sort -t"$(printf '\t')" -k3,3 genes.gff3 >by_type.gff3
  sort -r genes.gtf >turned.gtf
  n=$(wc -l <"$TEST_DATA/tss.bed")
  bigdna dataset promoter "${options[@]}" --promoters "$TEST_DATA/tss.bed" -o bed --quiet
  for file in genes.gtf turned.gtf genes.gff3 by_type.gff3; do
    bigdna dataset promoter "${options[@]}" --promoters $file -o d --force 2>err
    same_files <(bgzip -dc bed/regions.bed.gz | awk '$8 == "promoter"' | cut -f1-3,6 | sort) \
      <(bgzip -dc d/regions.bed.gz | awk '$8 == "promoter"' | cut -f1-3,6 | sort)
    case $file in
      *.gtf) grep "$file: $((n / 3)) transcripts have no row of their own and are read from their exons" err ;;
      *) grep "$file: $n rows are products of a transcript (Parent or Derives_from), and give no start site" err ;;
    esac
  done
}

@test "GTF: transcripts without a strand are left out and counted" {
  awk -v OFS='\t' '{print $1, "StringTie", "transcript", $2 + 1, $2 + 1, ".", NR % 4 ? $6 : ".", ".", "transcript_id \"t" NR "\";"}' "$TEST_DATA/tss.bed" >genes.gtf
  n=$(wc -l <"$TEST_DATA/tss.bed")
  bigdna dataset promoter "${options[@]}" --promoters genes.gtf -o d 2>err
  grep "warning: genes.gtf: $((n / 4)) transcripts have no strand (column 7), and so no start site" err
  grep "$((n - n / 4)) start sites read" err
}

@test "negatives that would equal their promoters are refused, or drawn again" {
  sites="--promoters $TEST_DATA/tss.bed -o d"
  for kind in substitute permute shuffle; do
    fails 2 "--changed 0 is fewer than" build $sites --negatives $kind --changed 0
    fails 2 "--pieces 601 leaves pieces of less than" build $sites --negatives genomic,$kind --pieces 601
    fails 2 "cannot change 5 of 4 pieces" build $sites --negatives $kind --pieces 4 --changed 5
  done
  fails 2 "--changed 1 is fewer than 2 pieces: negatives of the kind permute would equal their promoters" build $sites --negatives permute --changed 1
  fails 2 "--pieces 301 leaves pieces of less than 2 bp of the 600 bp of a promoter" build $sites --negatives shuffle --pieces 301
  [ ! -e d ]
  build $sites --negatives substitute,permute,shuffle --pieces 300 --changed 2 --quiet
  bgzip -dc d/sequences.fa.gz | awk '/^>/ {split(substr($0, 2), part, "/"); name = part[1]; next} {print name, $0}' | sort | uniq -d | no_lines
}

@test "thick parts of transcripts mark no start site, in short records neither" {
  printf '>c\n%s\n' "$(printf 'ACGTTGCA%.0s' {1..4000})" >g.fa
  printf 'c\t5000\t9000\tLONG\t0\t+\t5200\t8800\t0\nc\t12000\t12600\tH2BC1\t0\t+\t12150\t12530\t0\nc\t20000\t20700\tH4C1\t0\t-\t20080\t20390\t0\n' >genes.bed
  cut -f1-6 genes.bed >whole.bed
  for sites in genes whole; do
    bigdna dataset promoter --promoters $sites.bed -g g.fa --upstream 10 --downstream 10 --negatives permute --test all -o $sites 2>$sites.err
  done
  same_files {genes,whole}/regions.bed.gz
  grep -q "genes.bed:1: the thick part (columns 7 and 8) of a long record is its coding sequence" genes.err
}
