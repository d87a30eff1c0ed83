# bigdna chromatin and evaluate on the simulated genome: a very small model, for behaviour, not skill.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  genome=$TEST_DATA/genome.fa.gz
  bigdna pretrain "$genome" --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 200 --steps 2 --batch 2 --hold-out chr2,chr3 \
    --evaluation-tokens 1000 -o pre --quiet
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$genome" --upstream 200 --downstream 200 --max-bins 300 --split-like pre/model \
    --validation chrX --keep any -o bins --quiet
  printf '# rare ones\nHM\t20\nCTCF\t4\n' >weights.tsv
  bigdna finetune pre bins --steps 4 --evaluations 2 -o one --quiet >one.out
  bigdna finetune pre bins --steps 4 --evaluations 1 --seed 2 --feature-weights weights.tsv --upstream 200 --no-baseline -o two --quiet >two.out
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
  printf 'chr1\t20000\t20900\tA\t7\t+\tx\ty\nchr1\t30000\t30100\tB\t8\t-\tp\tq\n' >regions.bed
}

rows() { grep -v '^#' "$1"; }

@test "chromatin: --tile cuts regions, a row a piece, further columns carried through" {
  bigdna chromatin "$shared/one" regions.bed -g "$genome" --tile 200 --quiet >tiles.tsv
  [ "$(rows tiles.tsv | cut -f1-8)" = "$(for s in 20000 20200 20400 20600 20800; do printf 'chr1\t%s\t%s\tA\t7\t+\tx\ty\n' $s $((s < 20800 ? s + 200 : 20900)); done
    printf 'chr1\t30000\t30100\tB\t8\t-\tp\tq\n')" ]
  # a piece is predicted as a region of its own would be
  rows tiles.tsv | cut -f1-3 >pieces.bed
  bigdna chromatin "$shared/one" pieces.bed -g "$genome" --quiet >pieces.tsv
  same_rows <(rows tiles.tsv | cut -f9-) <(rows pieces.tsv | cut -f7-)
}

@test "chromatin: a converted model predicts the same" {
  bigdna convert "$shared/one/model" -o converted --quiet
  bigdna chromatin "$shared/one" regions.bed -g "$genome" --quiet >before.tsv
  bigdna chromatin converted regions.bed -g "$genome" --quiet >after.tsv
  same_rows <(rows before.tsv) <(rows after.tsv)
}

@test "chromatin: whole contigs, from stdin, one thread and two" {
  bigdna chromatin "$shared/one" -g "$genome" --contigs chrM --quiet -@1 >contig.tsv
  rows contig.tsv | awk 'NR > 1 && $2 != end {bad = 1} {end = $3} END {exit bad || NR < 2}'
  printf 'chrM\t0\t%s\n' "$(rows contig.tsv | tail -1 | cut -f3)" | bigdna chromatin "$shared/one" - -g "$genome" --tile 200 --quiet -@2 >stdin.tsv
  same_rows contig.tsv stdin.tsv
  # a region that is typed is cut as a contig is, and is one row of predict
  bigdna chromatin "$shared/one" -r chrM:401-1,000 -g "$genome" --quiet >region.tsv
  printf 'chrM\t400\t1000\n' | bigdna chromatin "$shared/one" - -g "$genome" --tile 200 --quiet >piped.tsv
  same_rows region.tsv piped.tsv
  [ "$(rows region.tsv | wc -l)" = 3 ]
  bigdna predict "$shared/one" -r chrM:401-1,000 -g "$genome" --quiet >one.tsv
  printf 'chrM\t400\t1000\n' >one.bed
  bigdna predict "$shared/one" -R one.bed -g "$genome" --quiet >one_bed.tsv
  same_rows one.tsv one_bed.tsv
  fails 1 "chr77" bigdna chromatin "$shared/one" -r chr77:1-1000 -g "$genome" --quiet
  fails 2 "BED cannot be used with --region" bigdna chromatin "$shared/one" one.bed -r chrM:401-1,000 -g "$genome" --quiet
  # a telomere: no score
  printf 'chr1\t400\t600\n' | bigdna chromatin "$shared/one" - -g "$genome" --quiet >n.tsv
  [ "$(rows n.tsv | cut -f7-)" = $'.\t.\t.' ]
}

@test "chromatin: a scan names the contigs that it leaves out, once" {
  printf '>HLA:01:1-5\n%s\n>b\n%s\n' "$(printf 'ACGTT%.0s' {1..200})" "$(printf 'AGGTC%.0s' {1..200})" >g.fa
  bigdna chromatin "$shared/one" -g g.fa 2>err >out.tsv
  [ "$(grep 'leaves out' err | cut -d' ' -f3-)" = 'bigdna chromatin: --contigs primary leaves out 1 of 2 sequences: HLA:01:1-5' ]
}

@test "chromatin: a pipe is read once, as stdin is" {
  bigdna chromatin "$shared/one" regions.bed -g "$genome" --quiet >file.tsv
  bigdna chromatin "$shared/one" <(cat regions.bed) -g "$genome" --quiet >pipe.tsv
  cat regions.bed | bigdna chromatin "$shared/one" /dev/stdin -g "$genome" --quiet >stdin.tsv
  same_rows file.tsv pipe.tsv stdin.tsv
  mkfifo named
  fails 2 "--shard cannot divide stdin or a pipe" bigdna chromatin "$shared/one" named -g "$genome" --shard 1/2
  fails 2 "--resume needs regular files" bigdna chromatin "$shared/one" <(cat regions.bed) -g "$genome" -o out.tsv --resume
}

@test "chromatin: an empty interval is predicted like any other, and no base of a track is its own" {
  printf 'chr1\t20000\t20000\tempty\nchr1\t20000\t20200\nchr1\t19900\t20100\tbin\n' >empty.bed
  bigdna chromatin "$shared/one" empty.bed -g "$genome" --quiet >empty.tsv
  [ "$(rows empty.tsv | awk '$4 == "empty"' | cut -f7-)" = "$(rows empty.tsv | awk '$4 == "bin"' | cut -f7-)" ]
  head -2 empty.bed | bigdna chromatin "$shared/one" - -g "$genome" --bigwig tracks --quiet
  [ "$(ls tracks | wc -l)" = 3 ]
}

@test "chromatin: regions that a track cannot hold are refused before anything is predicted" {
  printf 'chr1\t5000\t5200\nchr1\t5100\t5300\n' >overlap.bed
  fails 1 "overlap.bed:2: overlaps or comes before the region above it" bigdna chromatin "$shared/one" overlap.bed -g "$genome" --bigwig tracks --quiet
  printf 'chr2\t1000\t1200\nchr1\t1000\t1200\n' >contigs.bed
  fails 1 "contigs.bed:2: overlaps or comes before the region above it" bigdna chromatin "$shared/one" contigs.bed -g "$genome" --bigwig tracks --quiet
  [ ! -e tracks ]
  printf 'chrom\tstart\tend\nchr1\t5000\t5200\n' >header.bed
  fails 1 "header.bed:1: start 'start' is not a number (a header line needs a # before it)" bigdna chromatin "$shared/one" header.bed -g "$genome"
}

@test "chromatin: tracks have the input's names of contigs" {
  sed 's/^chr//' regions.bed >plain.bed
  bigdna chromatin "$shared/one" plain.bed -g "$genome" --bigwig tracks --quiet
  bigdna chromatin "$shared/one" regions.bed -g "$genome" --bigwig same --quiet
  for track in tracks/*.bw; do if grep -aq chr "$track"; then false; fi; done
  grep -aq chrX same/0_CTCF_SimCell.bw  # all of the genome's, where the names are its own
  (cat plain.bed; sed -n 2p regions.bed | sed 's/\t3/\t4/g') >mixed.bed
  fails 1 "is called chr1, and before it 1: a bigWig file has one name" bigdna chromatin "$shared/one" mixed.bed -g "$genome" --bigwig mixed --quiet
}

@test "chromatin: a genome that names two sequences alike is an error at once, whoever made its index" {
  { for name in a b c a d; do printf '>%s some words\n%s\n' $name "$(printf 'ACGTT%.0s' {1..200})"; done; } >g.fa
  samtools faidx g.fa 2>/dev/null
  for regions in "" one.bed; do
    printf 'b\t100\t300\n' >one.bed
    fails 1 "g.fa: two sequences are named a" bigdna chromatin "$shared/one" $regions -g g.fa --quiet
  done
  rm g.fa.fai
  fails 1 "g.fa: two sequences are named a" bigdna chromatin "$shared/one" one.bed -g g.fa --quiet
}

@test "chromatin: a full disk is one line, and leaves nothing" {
  # a limit on file sizes simulates a full disk without root
  local scan=(bigdna chromatin "$shared/one" -g "$genome" --contigs chrM --tile 5 --quiet)
  (trap '' XFSZ; ulimit -f 20; fails 1 "out.h5: " "${scan[@]}" -o out.h5; fails 1 "tracks/0_CTCF_SimCell.bw: File too large" "${scan[@]}" --bigwig tracks)
  nothing_but regions.bed tracks
  ls tracks | no_lines
}

@test "chromatin: shards put together are the whole; an ensemble is the mean" {
  bigdna chromatin "$shared/one" "$TEST_DATA/regions.bed" -g "$genome" --tile 100 --quiet >whole.tsv
  for i in 1 2 3; do bigdna chromatin "$shared/one" "$TEST_DATA/regions.bed" -g "$genome" --tile 100 --quiet --shard $i/3; done >parts.tsv
  same_rows whole.tsv parts.tsv
  bigdna chromatin "$shared/one" regions.bed -g "$genome" --quiet >a.tsv
  bigdna chromatin "$shared/two" regions.bed -g "$genome" --quiet >b.tsv
  bigdna chromatin "$shared/one" regions.bed -g "$genome" --quiet --ensemble "$shared/two" >mean.tsv
  paste <(rows a.tsv) <(rows b.tsv) <(rows mean.tsv) | awk '{for (i = 9; i <= 11; ++i) {d = ($i + $(i + 11)) / 2 - $(i + 22); if (d < -2e-6 || d > 2e-6) bad = 1}} END {exit bad || !NR}'
  grep -qx '##positive_weight=8' a.tsv
  grep -qx '##positive_weight=differs by feature' b.tsv
  grep -qx '##positive_weight=differs by model' mean.tsv
}

@test "chromatin: --resume continues from the journal, and leaves a finished job alone" {
  bigdna chromatin "$shared/one" "$TEST_DATA/regions.bed" -g "$genome" --tile 20 -o whole.tsv --quiet
  bigdna chromatin "$shared/one" "$TEST_DATA/regions.bed" -g "$genome" --tile 20 -o out.tsv --resume --quiet
  same_rows whole.tsv out.tsv
  [ ! -e out.tsv.journal ]
  run bigdna chromatin "$shared/one" "$TEST_DATA/regions.bed" -g "$genome" --tile 20 -o out.tsv --resume
  [ "$status" = 0 ]
  [[ $output == *"out.tsv: is complete"* ]]
  bigdna chromatin "$shared/one" "$TEST_DATA/regions.bed" -g "$genome" --tile 20 -o out.tsv --resume --quiet -@ 1 --backend gather  # do not decide
  fails 1 "out.tsv: was made with --tile 20, not 40 (remove it" bigdna chromatin "$shared/one" "$TEST_DATA/regions.bed" -g "$genome" --tile 40 -o out.tsv --resume --quiet
  fails 1 "out.tsv: was made without --features, which is now 0" bigdna chromatin "$shared/one" "$TEST_DATA/regions.bed" -g "$genome" --tile 20 --features 0 -o out.tsv --resume --quiet
  same_rows whole.tsv out.tsv
  fails 1 "records its options" bigdna chromatin "$shared/one" "$TEST_DATA/regions.bed" -g "$genome" --tile 20 -o whole.tsv --resume --quiet
  bigdna chromatin "$shared/one" "$TEST_DATA/regions.bed" -g "$genome" --tile 40 -o out.tsv --quiet  # without --resume: the record goes
  [ ! -e out.tsv.options.json ]
  # killed half-way, while a chunk was being written
  killed_when 'has_bytes 3000 killed.h5.journal' bigdna chromatin "$shared/one" "$TEST_DATA/regions.bed" -g "$genome" --tile 20 -o killed.h5 --resume --quiet
  [ ! -e killed.h5 ]
  printf 'torn' >>killed.h5.journal
  bigdna chromatin "$shared/one" "$TEST_DATA/regions.bed" -g "$genome" --tile 20 -o killed.h5 --resume 2>err
  [ "$(sed -n 's/.*killed.h5.journal: continues after \([0-9]*\) regions/\1/p' err)" -ge 64 ]
  bigdna chromatin "$shared/one" "$TEST_DATA/regions.bed" -g "$genome" --tile 20 -o never.h5 --quiet
  cmp killed.h5 never.h5
  [ ! -e killed.h5.journal ]
}

@test "chromatin: says how much it will write; tracks" {
  run bigdna chromatin "$shared/one" regions.bed -g "$genome" --tile 200 -o out.h5 --bigwig tracks
  [ "$status" = 0 ]
  [[ $output == *"6 regions x 3 features: about "*"will be written"* ]]
  [ "$(ls tracks)" = $'0_CTCF_SimCell.bw\n1_DNase_SimCell.bw\n2_H3K4me3_SimCell.bw' ]
  printf 'chr2\t20000\t20200\nchr1\t20000\t20200\n' >unsorted.bed
  fails 1 "regions.bed: Not a directory" bigdna chromatin "$shared/one" regions.bed -g "$genome" --bigwig regions.bed --quiet
  fails 1 "unsorted.bed:2: overlaps or comes before the region above it" bigdna chromatin "$shared/one" unsorted.bed -g "$genome" --bigwig unsorted --quiet
}

@test "chromatin: suffixes in upper case; tracks alone with --resume, their folder with a slash at its end" {
  bigdna chromatin "$shared/one" regions.bed -g "$genome" --quiet -o OUT.H5
  [ "$(od -A n -t x1 -N 4 OUT.H5)" = " 89 48 44 46" ]
  bigdna chromatin "$shared/one" regions.bed -g "$genome" --quiet -o OUT.TSV.GZ
  bigdna chromatin "$shared/one" regions.bed -g "$genome" --quiet | cmp - <(bgzip -dc OUT.TSV.GZ)
  bigdna chromatin "$shared/one" regions.bed -g "$genome" --features 0 --bigwig tracks/ --resume --quiet
  nothing_but OUT.H5 OUT.TSV.GZ regions.bed tracks tracks.options.json
  [ "$(ls tracks)" = 0_CTCF_SimCell.bw ]
}

@test "chromatin: features by index, name, glob, cell, assay and group" {
  for list in 0,2 'H3K4me3,CTCF' 'CTCF|SimCell,H3K4me3|SimCell' 'H3*,CT*' ChIP-seq TF,HM; do
    bigdna chromatin "$shared/one" regions.bed -g "$genome" --features "$list" --quiet >chosen.tsv
    [ "$(header chosen.tsv | cut -f9-)" = $'CTCF|SimCell\tH3K4me3|SimCell' ]
  done
  bigdna chromatin "$shared/one" regions.bed -g "$genome" --features SimCell --quiet | grep '^#chrom' | cut -f9- | grep -cx $'CTCF|SimCell\tDNase|SimCell\tH3K4me3|SimCell'
}

@test "chromatin: regions at contig ends, past them, and full of N" {
  printf 'chr2\t0\t50\tstart\nchr2\t279900\t280000\tend\nchr1\t304000\t304200\tgap\n' >edges.bed
  bigdna chromatin "$shared/one" edges.bed -g "$genome" --quiet >edges.tsv
  [ "$(rows edges.tsv | cut -f4 | paste -sd' ')" = "start end gap" ]
  [ "$(rows edges.tsv | awk -F'\t' '$7 != "."' | cut -f4 | paste -sd' ')" = "start end" ]  # intervals of N have no score
  printf 'chr2\t279900\t280001\tpast\n' >past.bed
  fails 1 "past.bed:1: end 280001 is past the end of chr2 (280000 bp)" bigdna chromatin "$shared/one" past.bed -g "$genome" --quiet
  fails 2 "--features ZZ*: matches none of the 3 features" bigdna chromatin "$shared/one" edges.bed -g "$genome" --features 'ZZ*' --quiet
}

@test "chromatin: --counts says how many regions have no score, --strict makes one an error" {
  printf 'chr1\t20000\t20200\nchr1\t30000\t30200\nchr1\t304000\t304200\tgap\n' >gap.bed
  bigdna chromatin "$shared/one" gap.bed -g "$genome" -o gap.tsv --counts gap.json -@1 2>err
  grep -F '3 regions, 3 features, 1 without a score (all of it is N)' err
  [ "$(counts gap.json)" = '{"command":"chromatin","records":3,"intervals":3,"scored":2,"skipped":{"no_bases":0,"too_many_n":1},"too_short":0,"too_long":0,"seen":3,"seen_unknown":0}' ]
  bigdna chromatin "$shared/one" - -g "$genome" -o gap.h5 --counts stdin.json --quiet -@2 <gap.bed
  bigdna chromatin "$shared/one" gap.bed -g "$genome" --bigwig tracks --counts tracks.json --quiet
  for file in stdin tracks; do [ "$(counts gap.json)" = "$(counts $file.json)" ]; done
  bigdna chromatin "$shared/one" regions.bed -g "$genome" --strict --quiet | same_rows /dev/stdin <(bigdna chromatin "$shared/one" regions.bed -g "$genome" --quiet)
  fails 1 "gap.bed:3: chr1:304,001-304,200 has too many N for a score" bigdna chromatin "$shared/one" gap.bed -g "$genome" --strict -o s.tsv --counts s.json --quiet
  not ls s.tsv s.json
  fails 2 "--strict needs regions" bigdna chromatin "$shared/one" -g "$genome" --strict
  fails 2 "--resume needs regular files" bigdna chromatin "$shared/one" gap.bed -g "$genome" -o s.tsv --counts - --resume
}

@test "chromatin: errors name the cause" {
  fails 2 "--shard cannot divide stdin or a pipe" bigdna chromatin "$shared/one" - -g "$genome" --shard 1/2
  fails 2 "--resume needs regular files" bigdna chromatin "$shared/one" regions.bed -g "$genome" --resume
  fails 2 "HDF5 files are compressed internally" bigdna chromatin "$shared/one" regions.bed -g "$genome" -o out.h5.gz
  fails 2 "--parts adds columns to the table of -o only" bigdna chromatin "$shared/one" regions.bed -g "$genome" --bigwig tracks --parts
  fails 2 "BED cannot be used with --contigs" bigdna chromatin "$shared/one" regions.bed -g "$genome" --contigs chrM
  fails 1 "leaves no contig" bigdna chromatin "$shared/one" -g "$genome" --contigs nothing --quiet
  printf 'chr1\t1\t2\nchr1\t1\t2\tA\t0\t+\tx\n' >columns.bed
  fails 1 "columns.bed:2: 1 column past the sixth, but the first record has 0" bigdna chromatin "$shared/one" columns.bed -g "$genome" --quiet
  printf 'HM\tmany\n' >w.tsv
  fails 1 "w.tsv:1: expected FEATURES, a tab and a weight above 0" bigdna finetune "$shared/pre" "$shared/bins" --feature-weights w.tsv --steps 1 -o r --quiet
  printf 'XX\t2\n' >w.tsv
  fails 1 "w.tsv:1: features XX: matches none of" bigdna finetune "$shared/pre" "$shared/bins" --feature-weights w.tsv --steps 1 -o r --quiet
}

@test "finetune (chromatin): validation AUROC of each group" {
  [ "$(grep -c validation_auroc_TF "$shared/one/metrics.jsonl")" -ge 1 ]
  for group in TF DHS HM; do grep -q "\"validation_auroc_$group\"" "$shared/one/metrics.jsonl"; done
  grep -q '<svg' "$shared/one/metrics.svg"
}

@test "scores.tsv.gz has the names of the dataset's rows" {
  same_files <(bgzip -dc "$shared/one/scores.tsv.gz" | grep -v '^#' | cut -f1-4) \
    <(bgzip -dc "$shared/bins/regions.bed.gz" | awk '!/^#/ && $7 == "test"' | cut -f1-4)
}

@test "evaluate (chromatin): the dataset's genome was moved" {
  cp -r "$shared/bins" bins
  sed -i 's|"genome": *"[^"]*"|"genome": "/gone/genome.fa.gz"|' bins/dataset.json
  fails 1 "/gone/genome.fa.gz: there is no such file, from which bins was made; -g names the genome" bigdna evaluate "$shared/one" bins --quiet
  bigdna evaluate "$shared/one" bins -g "$genome" --quiet --no-baseline | grep -c auroc
}

@test "evaluate, finetune (chromatin): another genome than the dataset's is an error" {
  cp -r "$shared/bins" bins
  bgzip -dc "$genome" >genome.fa
  samtools faidx genome.fa
  fails 1 "genome.fa: is not the file that bins was made from: it has $(stat -c %s genome.fa) bytes, that one had $(stat -c %s "$genome")" \
    bigdna evaluate "$shared/one" bins -g genome.fa --quiet
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g genome.fa --upstream 200 --downstream 200 --max-bins 300 --keep any -o plain --quiet
  bigdna evaluate "$shared/one" plain --no-baseline --quiet >/dev/null
  python3 -c 'for line in open("genome.fa"): print(line[:-1] if line[0] == ">" else line[-2::-1])' >reversed.fa  # as many bytes
  mv reversed.fa genome.fa
  fails 1 "genome.fa: is not the file that plain was made from: its content differs" bigdna evaluate "$shared/one" plain --quiet
  fails 1 "its content differs" bigdna finetune "$shared/pre" plain -o run --quiet
  [ ! -e run ]
}

@test "evaluate (chromatin): features in another order are matched by name; so are those of --compare" {
  (head -1 "$TEST_DATA/peaks.tsv"; tail -n +2 "$TEST_DATA/peaks.tsv" | tac) | sed "s|^\([a-z]*[.]\)|$TEST_DATA/\1|" >turned.tsv
  bigdna dataset chromatin --peaks turned.tsv -g "$genome" --upstream 200 --downstream 200 --max-bins 300 --split-like "$shared/pre/model" \
    --validation chrX --keep any -o turned --quiet
  for bins in turned "$shared/bins"; do
    bigdna evaluate "$shared/one" $bins --no-baseline --compare "$shared/two" --features ${bins##*/}.tsv --quiet >/dev/null
    rows ${bins##*/}.tsv | cut -f2- | sort >${bins##*/}.sorted
  done
  [ "$(rows turned.tsv | cut -f2 | head -1)" = H3K4me3 ]
  same_files turned.sorted bins.sorted
  sed 's/\tDNase\t/\tFAIRE\t/' turned/features.tsv >features.tsv
  mv features.tsv turned/features.tsv
  fails 1 "the model $shared/one: lacks the feature FAIRE (cell SimCell, assay DNase-seq) of the dataset turned" bigdna evaluate "$shared/one" turned --quiet
}

@test "evaluate (chromatin): a group that is called all, beside all features" {
  cp -r "$shared/bins" bins
  cp -r "$shared/one/model" model
  sed -i 's/\tHM\t/\tall\t/' bins/features.tsv model/features.tsv
  bigdna evaluate model bins -g "$genome" --quiet --no-baseline --json all.json >all.tsv
  [ "$(sed '/^##/d' all.tsv | cut -f1,4 | tail -n +2)" = $'TF\t1\nDHS\t1\nall\t1\nall features\t3' ]
  # the numbers are those of HM and all
  same_rows <(cut -f2- all.tsv) <(bigdna evaluate "$shared/one" "$shared/bins" --quiet --no-baseline | cut -f2-)
  [ "$(python3 -c 'import json; print(*json.load(open("all.json"))["groups"])')" = "TF DHS all all features" ]
}

@test "evaluate (chromatin): an ensemble, another model beside it, differences and a picture" {
  bigdna evaluate "$shared/one" "$shared/bins" --quiet --no-baseline >one.tsv
  same_rows one.tsv <(grep -v kmers "$shared/one.out")
  bigdna evaluate "$shared/one" "$shared/bins" --quiet --compare "$shared/two" --features f.tsv --picture p.svg --json e.json -@2 >both.tsv
  bigdna evaluate "$shared/one" "$shared/bins" --quiet --compare "$shared/two" -@1 >both1.tsv
  same_rows both.tsv both1.tsv
  [ "$(sed '/^##/d' both.tsv | cut -f2 | sort -u | tr '\n' ' ')" = "bigdna bigdna-kmers bigdna-two kmers method two " ]
  same_rows <(awk '$2 == "bigdna"' both.tsv) <(awk '$2 == "bigdna"' one.tsv)
  # a difference is the difference
  awk -F'\t' '$1 == "TF" {v[$2] = $6; low[$2] = $10; high[$2] = $11} END {d = v["bigdna"] - v["two"] - v["bigdna-two"]; if (d > 2e-6 || d < -2e-6 ||
    low["bigdna-two"] > v["bigdna-two"] || high["bigdna-two"] < v["bigdna-two"]) exit 1}' both.tsv
  header f.tsv | grep -qE $'prevalence\tbigdna_auroc\tbigdna_auprc\tkmers_auroc\tkmers_auprc\t.*two_auroc\ttwo_auprc\tminus_kmers\tminus_kmers_low'
  grep -q '<svg' p.svg
  bigdna evaluate "$shared/one" "$shared/bins" --quiet --no-baseline --ensemble "$shared/two" --strands average >ensemble.tsv
  not cmp -s one.tsv ensemble.tsv
  # a model does not differ from itself
  bigdna evaluate "$shared/one" "$shared/bins" --quiet --no-baseline --compare "$shared/one" >same.tsv
  all_rows '$6 == 0 && $10 == 0 && $13 == 0' '$2 == "bigdna-one"' <same.tsv
}
