# bigdna predict-promoter on the simulated genome: very small models, for behaviour, not skill.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  small_encoder
  small_promoters
  bigdna finetune pre promoters --steps 60 --learning-rate 3e-3 --no-baseline -o one --quiet -@1 >/dev/null
  bigdna finetune pre promoters --steps 30 --learning-rate 3e-3 --no-baseline --from-scratch --seed 2 --positive-weight 2 -o two --quiet -@1 >/dev/null
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  one=$BATS_FILE_TMPDIR/one two=$BATS_FILE_TMPDIR/two genome=$TEST_DATA/genome.fa.gz
}

@test "plain, gzip, bgzip and stdin, one thread and two, give the same rows" {
  bigdna predict-promoter "$one" "$TEST_DATA/records.fa" --quiet -@1 >one.tsv
  bigdna predict-promoter "$one" "$TEST_DATA/records.fa" --quiet -@2 >two.tsv
  bigdna predict-promoter "$one" - --quiet <"$TEST_DATA/records.fa" >stdin.tsv
  gzip -c "$TEST_DATA/records.fa" >r.fa.gz
  bgzip -c "$TEST_DATA/records.fa" >b.fa.gz
  bigdna predict-promoter "$one" r.fa.gz --quiet >gzip.tsv
  bigdna predict-promoter "$one" b.fa.gz --quiet -o bgzip.tsv
  same_rows one.tsv two.tsv stdin.tsv gzip.tsv bgzip.tsv
  header one.tsv | grep -qx $'#chrom\tstart\tend\tname\tscore\tstrand\tcall'
  # records of 2000 bp, tiles of 600 at 0, 150 ... and one that ends with the record
  [ "$(grep -vc '^#' one.tsv)" = $((14 * 11)) ]
  awk '!/^#/ && ($3 - $2 != 600 || $3 > 2000 || $5 < 0 || $5 > 1) {bad = 1} END {exit bad}' one.tsv
  bigdna predict-promoter "$one" "$TEST_DATA/records.fa" --quiet --rows record >record.tsv
  [ "$(grep -vc '^#' record.tsv)" = 14 ]
  # the best tile of each record
  awk '!/^#/ && (!($1 in best) || $5 > best[$1]) {best[$1] = $5} END {for (name in best) print name "\t" best[name]}' one.tsv | sort >expected
  awk '!/^#/ {print $1 "\t" $5}' record.tsv | sort | cmp - expected
}

@test "predict warns of short sequences and of those that are cut, and counts sequences" {
  printf '>a\nACGTACGGTTAC\n>b\n%s\n' "$(samtools faidx "$genome" chr1:20001-20600 | sed 1d)" >short.fa
  bigdna predict "$one" short.fa 2>err >out.tsv
  grep -F 'warning: 1 of 2 intervals is shorter than half of the 600 bp that the model was trained on: such scores are unreliable' err
  grep -F ': 2 sequences, 1 feature' err
  bigdna predict "$one" "$TEST_DATA/records.fa" 2>err >out.tsv
  grep -E '14 of 14 sequences read: more than [0-9]+ tokens, so only those around the start site or bin were used' err
}

@test "a region without an end, and long records read on one strand, are said" {
  bigdna predict-promoter "$one" -g "$genome" -r chrM:100 2>err >out.tsv
  grep -q "warning: region 'chrM:100': without an end it reaches to the contig's" err
  bigdna predict-promoter "$one" "$TEST_DATA/records.fa" 2>err >out.tsv
  grep -q "warning: records longer than the model's interval were read on their + strand only" err
  bigdna predict-promoter "$one" "$TEST_DATA/records.fa" --strands forward 2>err >out.tsv
  not grep -q "strand only" err
}

@test "records of one name are a warning, as their rows cannot be told apart" {
  { samtools faidx "$TEST_DATA/genome.fa.gz" chr1:20001-20700 chr1:30001-30700 | sed 's/>.*/>same/'; samtools faidx "$TEST_DATA/genome.fa.gz" chr2:20001-20700; } >same.fa
  for command in "predict-promoter $one" "embed $one" "tokenize --vocab $one/model"; do
    # shellcheck disable=SC2086
    bigdna $command same.fa -o rows.tsv 2>err
    grep -q "warning: same.fa: 1 name is used by several records, which cannot be distinguished in the output (the first: same)" err
  done
  sed -i '1s/same/other/' same.fa
  bigdna predict-promoter "$one" same.fa -o rows.tsv 2>err
  not grep -q "several records" err
}

@test "regions and strands" {
  head -3 "$TEST_DATA/tss.bed" >sites.bed
  bigdna predict-promoter "$one" -R sites.bed -g "$genome" --quiet >forward.tsv
  bigdna predict-promoter "$one" -R sites.bed -g "$genome" --quiet --strands both >both.tsv
  bigdna predict-promoter "$one" -R sites.bed -g "$genome" --quiet --strands average --seen >average.tsv
  # a start site of one base is read with the model's interval around it
  awk '!/^#/ && $6 == "+" && $3 - $2 == 600' forward.tsv | grep -c . >/dev/null
  [ "$(grep -vc '^#' both.tsv)" = 6 ]
  [ "$(grep -v '^#' both.tsv | awk 'NR % 2 == 1')" = "$(grep -v '^#' forward.tsv)" ]
  # average reads both strands at the same site (tests/unit/models/network_test.cpp), both reads each as a sequence of its own
  not cmp -s <(cut -f5 average.tsv) <(cut -f5 forward.tsv)
  header average.tsv | grep -q 'seen$'
  # the called site of a site's own interval is the site, on either strand
  bigdna predict-promoter "$one" -R sites.bed -g "$genome" --quiet --threshold 0 --bed called.bed
  same_files <(grep -v '^#' called.bed | cut -f1-4,6) <(cut -f1-4,6 sites.bed)
  bigdna predict-promoter "$one" -R sites.bed -g "$genome" --quiet --threshold 0 --strands average --bed called.bed
  same_files <(grep -v '^#' called.bed | cut -f1-4) <(cut -f1-4 sites.bed)
  [ "$(awk '!/^#/ && NF == 6 && $5 >= 0 && $5 <= 1000' called.bed | wc -l)" = 3 ]
  bigdna predict-promoter "$one" -r chr1:1-1200 -g "$genome" --quiet >region.tsv
  [ "$(grep -vc '^#' region.tsv)" = 5 ]
  [ "$(awk '!/^#/ {print $5}' region.tsv | sort -u)" = . ]  # a telomere of N
}

@test "a scan: both strands, calls after non-maximum suppression, tracks" {
  bigdna predict-promoter "$one" -g "$genome" --contigs 'chr[13]' --stride 200 --merge-distance 500 --threshold 0.3 \
    -o scan.tsv --bed calls.bed --bigwig scan.bw --quiet -@2
  nothing_but calls.bed scan.minus.bw scan.plus.bw scan.tsv
  [ "$(sed '/^##/d' scan.tsv | cut -f1 | sort -u | tr '\n' ' ')" = "#chrom chr1 chr3 " ]
  # the calls, worked out from the rows
  python3 - <<'END'
rows = [line.split("\t") for line in open("scan.tsv") if line[0] != "#"]
tiles = {}
for chrom, start, end, name, score, strand, call in rows:
    if score != ".":
        tiles.setdefault((chrom, strand), []).append((int(start), int(end), float(score)))
calls = {(f[0], int(f[1]), f[5]) for f in (line.rstrip().split("\t") for line in open("calls.bed") if line[0] != "#")}
compared = found = 0
for (chrom, strand), tiles in tiles.items():
    for start, end, score in tiles:
        near = [s for b, e, s in tiles if abs(b - start) <= 500 and b != start]
        if score in near or score < 0.3:  # of scores equal in six digits either may be the greater
            continue
        compared += 1
        called = (chrom, start + 400 if strand == "+" else end - 401, strand) in calls
        found += called
        assert called == all(score > s for s in near), (chrom, start, strand)
assert compared > 500 and found > 100 and len(calls) < compared, (compared, found, len(calls))
END
  awk '!/^#/ && ($6 !~ /[+-]/ || $3 - $2 != 1)' calls.bed | no_lines
  # the same to stdout alone; no TSV unless asked for
  bigdna predict-promoter "$one" -g "$genome" --contigs 'chr[13]' --stride 200 --merge-distance 500 --threshold 0.3 --bed - --quiet -@1 >again.bed
  same_rows calls.bed again.bed
}

@test "a scan names the contigs that it leaves out, once" {
  printf '>HLA:01:1-5\n%s\n>b\n%s\n>c_alt\nACGT\n' "$(printf 'ACGTT%.0s' {1..200})" "$(printf 'AGGTC%.0s' {1..200})" >g.fa
  bigdna predict-promoter "$one" -g g.fa --shard 1/2 2>err >out.tsv
  not grep HLA out.tsv
  [ "$(grep 'leaves out' err | cut -d' ' -f3-)" = 'bigdna predict-promoter: --contigs primary leaves out 2 of 3 sequences: HLA:01:1-5 ... c_alt' ]
  bigdna predict-promoter "$one" -g g.fa --contigs all 2>err | grep -c HLA
  not grep 'leaves out' err
  bigdna predict-promoter "$one" -g g.fa -r HLA:01:1-5 2>err >out.tsv
  not grep 'leaves out' err
}

@test "--shard: the parts, one after the other, are the whole" {
  options=("$one" -g "$genome" --contigs 'chr[13]' --stride 150 --merge-distance 700 --threshold 0.2 --quiet)
  bigdna predict-promoter "${options[@]}" -o whole.tsv --bed whole.bed
  for i in 1 2 3; do bigdna predict-promoter "${options[@]}" --shard $i/3 -o part$i.tsv --bed part$i.bed -@$((i % 2 + 1)); done
  cat part1.tsv part2.tsv part3.tsv | cmp - whole.tsv
  cat part1.bed part2.bed part3.bed | cmp - whole.bed
  for i in 1 2 3; do [ "$(wc -l <part$i.tsv)" -gt 100 ]; done
  bigdna predict-promoter "$one" "$TEST_DATA/records.fa" --quiet >whole.tsv
  cat <(bigdna predict-promoter "$one" "$TEST_DATA/records.fa" --quiet --shard 1/2) \
    <(bigdna predict-promoter "$one" "$TEST_DATA/records.fa" --quiet --shard 2/2) | cmp - whole.tsv
  bigdna predict-promoter "$one" -R "$TEST_DATA/tss.bed" -g "$genome" --quiet >whole.tsv
  for i in 1 2 3 4; do bigdna predict-promoter "$one" -R "$TEST_DATA/tss.bed" -g "$genome" --quiet --shard $i/4; done | cmp - whole.tsv
}

@test "positions past a contig's ends are read as N, and not written" {
  length=$(awk '$1 == "chr1" {print $2}' "$genome.fai")
  printf 'chr1\t%d\t%d\n' $((length - 10)) $((length - 9)) 5 6 >ends.bed
  bigdna predict-promoter "$one" -R ends.bed -g "$genome" --max-n-fraction 1 --bed called.bed --threshold 0 -o ends.tsv --quiet
  [ "$(grep -v '^#' ends.tsv | cut -f2,3)" = "$((length - 410))"$'\t'"$length"$'\n'"0"$'\t'205 ]
  [ "$(grep -v '^#' called.bed | cut -f2 | sort -n | paste -sd' ')" = "5 $((length - 10))" ]
  fails 1 "region 'chr1:0-800': positions begin at 1" bigdna predict-promoter "$one" -g "$genome" -r chr1:0-800
  same_rows <(bigdna predict-promoter "$one" -g "$genome" -r chr1:-800 --quiet) <(bigdna predict-promoter "$one" -g "$genome" -r chr1:1-800 --quiet)
}

@test "training sequence is known by either spelling of its contig" {
  printf 'chr1\t20000\t20600\n' >with.bed
  sed 's/^chr//' with.bed >without.bed
  bgzip -dc "$genome" | sed 's/^>chr/>/' >renamed.fa
  bigdna predict-promoter "$one" -R with.bed -g "$genome" --seen --quiet | grep -v '^#' | cut -f8 >with
  bigdna predict-promoter "$one" -R without.bed -g renamed.fa --seen --quiet | grep -v '^#' | cut -f8 >without
  same_files with without
  [ "$(tail -1 with)" = 1 ]
}

@test "a genome with a contig that ends before what the model was trained on is another assembly" {
  samtools faidx "$genome" chr1:1-100000 | sed 's/:.*//' >cut.fa
  printf 'chr1\t20000\t20600\n' >r.bed
  for command in predict-promoter predict; do
    bigdna $command "$one" -R r.bed -g cut.fa -o out.tsv 2>err
    grep -E "warning: $one: was trained on chr1 of [0-9]+ bp, but cut.fa has chr1 of 100000 bp: that is another assembly, on which it is not known what training has seen" err
    bigdna $command "$one" -R r.bed -g "$genome" -o out.tsv 2>err
    not grep assembly err
  done
}

@test "predict-promoter: --bed does not replace a file that bigdna did not write" {
  printf 'chr1\t20000\t20600\n' >mine.bed
  cp mine.bed kept.bed
  fails 2 "--bed mine.bed: names the file that start sites are written to" bigdna predict-promoter "$one" -R kept.bed -g "$genome" --bed mine.bed
  same_files mine.bed kept.bed
  : >new.bed
  for _ in 1 2; do bigdna predict-promoter "$one" -R kept.bed -g "$genome" --threshold 0 --bed new.bed --quiet; done
  [ "$(grep -vc '^#' new.bed)" -gt 0 ]
}

@test "values that are none: not a number, below zero, empty; two outputs that are one" {
  fails 2 "--threshold: must be from 0 to 1, not nan" bigdna predict-promoter "$one" "$TEST_DATA/records.fa" --threshold nan
  fails 2 "--threads: must be from 1 to 1024, not 0" bigdna predict-promoter "$one" "$TEST_DATA/records.fa" -@ 0
  fails 2 "--seed: unknown option" bigdna predict-promoter "$one" "$TEST_DATA/records.fa" --seed 1  # nothing is drawn
  fails 2 "--region: is empty" bigdna predict-promoter "$one" -g "$genome" -r ''
  fails 2 "--regions: is empty" bigdna predict-promoter "$one" -g "$genome" -R ''
  fails 2 "stdout: two outputs would be written to it" bigdna predict-promoter "$one" -R "$TEST_DATA/tss.bed" -g "$genome" -o - --bed -
  fails 2 "./o: two outputs would be written to it (the other as o)" bigdna predict-promoter "$one" -R "$TEST_DATA/tss.bed" -g "$genome" -o o --bed ./o
  fails 1 "a genome needs random access" bigdna predict-promoter "$one" -R "$TEST_DATA/tss.bed" -g -
  [ ! -e o ]
}

@test "weights that are not numbers: an error, not a row without a score" {
  printf '>a\nACGT\n> \nACGT\n' >nameless.fa
  fails 1 "nameless.fa: sequence has no name" bigdna predict-promoter "$one" nameless.fa -o o.tsv --quiet
  [ ! -e o.tsv ]
  cp -r "$one/model" broken
  python3 "$BIGDNA_SOURCE_DIR/tests/cli/filled_weights.py" broken/model.safetensors 0 nan
  fails 1 "broken/model.safetensors: " bigdna predict-promoter broken "$TEST_DATA/records.fa" -o out.tsv --quiet
  nothing_but nameless.fa broken
}

@test "--resume: killed at any chunk and run again, the same bytes" {
  options=("$one" -g "$genome" --contigs 'chr[13]' --stride 150 --threshold 0.2 --quiet)
  bigdna predict-promoter "${options[@]}" -o whole.tsv --bed whole.bed --bigwig whole.bw
  mkdir run
  bigdna predict-promoter "${options[@]}" -o run/whole.tsv --bed run/whole.bed --bigwig run/whole.bw --resume
  same_rows whole.bed run/whole.bed
  [ ! -e run/whole.tsv.journal ]
  for after in 1 5; do
    rm -r run
    mkdir run
    killed_when "has_bytes $((3000 + after * 264)) run/whole.tsv.journal" bigdna predict-promoter "${options[@]}" -o run/whole.tsv --bed run/whole.bed --bigwig run/whole.bw --resume
    [ ! -e run/whole.tsv ]
    printf 'torn' >>run/whole.tsv.journal  # as a kill while writing leaves it
    bigdna predict-promoter "${options[@]}" -o run/whole.tsv --bed run/whole.bed --bigwig run/whole.bw --resume -@1
    not ls run/*.partial
    for file in whole.tsv whole.bed whole.plus.bw whole.minus.bw; do cmp $file run/$file; done
    [ ! -e run/whole.tsv.journal ]
  done
  run bigdna predict-promoter "${options[@]:0:9}" -o run/whole.tsv --bed run/whole.bed --bigwig run/whole.bw --resume
  [[ $output == *"is complete"* ]]
  fails 1 "run/whole.tsv: was made with --threshold 0.2, not 0.3" bigdna predict-promoter "${options[@]:0:7}" --threshold 0.3 -o run/whole.tsv --bed run/whole.bed --bigwig run/whole.bw --resume --quiet
  fails 1 "run/whole.tsv: was made with --stride 150, which is not given now" bigdna predict-promoter "${options[@]:0:5}" --threshold 0.2 -o run/whole.tsv --bed run/whole.bed --bigwig run/whole.bw --resume --quiet
  cp "$genome" g.fa.gz
  printf '{"models":1}\n' >other.tsv.journal
  fails 1 'other.tsv.journal: is not a journal of this version of bigdna' bigdna predict-promoter "$one" -g g.fa.gz -o other.tsv --resume --quiet
}

@test "--resume leaves what is complete alone, whatever other outputs are asked for; a run that fails, too" {
  samtools faidx "$genome" chr1:1-3000 >a.fa
  bigdna predict-promoter "$one" a.fa -o a.tsv --resume --quiet
  cp a.tsv before.tsv
  fails 1 "a.tsv: was made without --strands, which is now average (remove it" bigdna predict-promoter "$one" a.fa -o a.tsv --strands average --counts a.json --resume --quiet
  fails 1 "a.tsv: was made with model" bigdna predict-promoter "$two" a.fa -o a.tsv --bed a.bed --resume --quiet
  bigdna predict-promoter "$one" a.fa --bed b.bed --resume --quiet
  fails 1 "b.bed: was made without --threshold" bigdna predict-promoter "$one" a.fa -o b.tsv --bed b.bed --threshold 0.9 --resume --quiet
  bigdna predict-promoter "$one" a.fa -o c.tsv --quiet
  fails 1 "c.tsv: exists, and no c.tsv.options.json records its options" bigdna predict-promoter "$one" a.fa -o c.tsv --bed c.bed --resume --quiet
  fails 1 "none.fa: No such file" bigdna predict-promoter "$one" none.fa -o a.tsv --quiet
  run bigdna predict-promoter "$one" a.fa -o a.tsv --resume
  [[ $output == *"a.tsv: is complete"* ]]
  bigdna predict-promoter "$one" a.fa -o a.tsv --counts a.json --resume --quiet  # another output of the same job
  same_rows before.tsv a.tsv
  grep -q '"command": "predict-promoter"' a.json
  not ls c.bed b.tsv a.bed
}

@test "--resume finds the journal when outputs are added, and removes what killed runs left" {
  options=("$one" -g "$genome" --contigs chr1 --stride 40 --threshold 0.2 --quiet)
  killed_when 'has_bytes 7000 out.bed.journal' bigdna predict-promoter "${options[@]}" --bed out.bed --resume
  ls out.bed.*.partial
  sleep 600 3>&- & other=$!  # longer than the resumed run takes, under AddressSanitizer too
  touch "out.tsv.$other.partial" "out.tsv.x.partial" "outer.tsv.999999999.partial"  # a living process's, and names of others
  bigdna predict-promoter "${options[@]:0:9}" -o out.tsv --bed out.bed --resume 2>err
  grep -qE 'out.bed.journal: continues after [0-9]+ intervals' err
  kill $other
  nothing_but err out.bed out.tsv out.tsv.options.json "out.tsv.$other.partial" out.tsv.x.partial outer.tsv.999999999.partial
  bigdna predict-promoter "${options[@]}" -o once.tsv --bed once.bed
  same_rows once.tsv out.tsv
  same_rows once.bed out.bed
}

@test "options that nothing would show are usage errors" {
  fails 2 "--merge-distance: only for --bed" bigdna predict-promoter "$one" -g "$genome" --merge-distance 100
  for option in "--rows record" --seen --parts; do
    read -ra words <<<"$option"
    fails 2 "${words[0]}: only for the rows of -o" bigdna predict-promoter "$one" -g "$genome" --bed out.bed "${words[@]}"
  done
  nothing_but
}

@test "--resume of a part: with --bed, which reads more, or another --merge-distance, the same bytes as at once; one process at a time" {
  options=("$one" -g "$genome" --contigs chr1 --stride 40 --shard 2/3 --threshold 0.2 --quiet)
  bigdna predict-promoter "${options[@]}" --bed once.bed -o once.tsv
  bigdna predict-promoter "${options[@]}" --bed far.bed --merge-distance 4000 -o once.tsv
  killed() {  # once some chunks are recorded
    bigdna predict-promoter "${options[@]}" "$@" --resume &
    until [ "$(stat -c %s part.tsv.journal 2>/dev/null || echo 0)" -gt 7000 ] || ! kill -0 $! 2>/dev/null; do :; done
    kill -STOP $!
    local second=0
    fails 1 "part.tsv.journal: another process is writing to it" bigdna predict-promoter "${options[@]}" "$@" --resume || second=1
    kill -9 $!
    wait $! || true
    [ $second = 0 ]
    [ -e part.tsv.journal ]
    [ ! -e part.tsv ]
  }
  killed -o part.tsv
  bigdna predict-promoter "${options[@]}" -o part.tsv --bed part.bed --resume
  same_rows once.tsv part.tsv
  same_rows once.bed part.bed
  rm part.*
  killed -o part.tsv --bed part.bed --merge-distance 4000
  bigdna predict-promoter "${options[@]}" -o part.tsv --resume
  same_rows once.tsv part.tsv
  rm part.*
  killed -o part.tsv
  bigdna predict-promoter "${options[@]}" -o part.tsv --bed part.bed --merge-distance 4000 --resume
  same_rows once.tsv part.tsv
  same_rows far.bed part.bed
}

@test "--ensemble: the mean of the models" {
  bigdna predict-promoter "$one" "$TEST_DATA/records.fa" --quiet >a.tsv
  bigdna predict-promoter "$two" "$TEST_DATA/records.fa" --quiet >b.tsv
  bigdna predict-promoter "$one" "$TEST_DATA/records.fa" --ensemble "$two" --quiet >mean.tsv
  paste <(grep -v '^#' a.tsv) <(grep -v '^#' b.tsv) <(grep -v '^#' mean.tsv) | awk '{d = ($5 + $12) / 2 - $19; if (d < 0) d = -d; if (d > 2e-6) bad = 1; n++} END {exit bad || n != 154}'
  bigdna predict-promoter "$one" "$TEST_DATA/records.fa" --ensemble "$one" --quiet | cut -f1-5 | same_rows /dev/stdin <(cut -f1-5 a.tsv)
  cp -r "$two/model" other
  sed -i 's/"upstream": 400/"upstream": 300/' other/bigdna.json
  fails 1 "other: cannot be averaged with $one/model: it reads -300/+200 bp, the other -400/+200" \
    bigdna predict-promoter "$one" "$TEST_DATA/records.fa" --ensemble other --quiet
  fails 1 "its head is 'pretraining'" bigdna predict-promoter "$one" "$TEST_DATA/records.fa" --ensemble "$BATS_FILE_TMPDIR/pre" --quiet
}

@test "a model of synthetic negatives warns" {
  cp -r "$one/model" synthetic
  sed -i 's/"genomic"/"substitute"/' synthetic/bigdna.json
  run bigdna predict-promoter synthetic "$TEST_DATA/records.fa" -o /dev/null
  [[ $output == *"synthetic negatives only"* ]]
  run bigdna predict-promoter "$one" "$TEST_DATA/records.fa" -o /dev/null
  [[ $output != *"synthetic negatives only"* ]]
}

@test "a scan warns that promoters are rarer in a genome than among the rows of training" {
  bigdna predict-promoter "$one" -g "$TEST_DATA/genome.fa.gz" --contigs chrM -o scan.tsv 2>err
  grep -q "was trained on examples that were chosen by their labels. Over a whole genome, where positives are rarer, its probabilities are too high" err
  bigdna predict-promoter "$one" "$TEST_DATA/records.fa" -o records.tsv 2>err
  not grep 'chosen by their labels' err
}

@test "bad input: one line, the right exit code, nothing on stdout" {
  fails 1 "its head is 'pretraining', not 'promoter'" bigdna predict-promoter "$BATS_FILE_TMPDIR/pre/model" "$TEST_DATA/records.fa" --quiet
  fails 1 "missing.fa" bigdna predict-promoter "$one" missing.fa --quiet
  fails 2 "give FASTA" bigdna predict-promoter "$one"
  printf 'chr1\t100\t99999999\n' >far.bed
  fails 1 "far.bed:1: end 99999999 is past the end of chr1" bigdna predict-promoter "$one" -R far.bed -g "$genome" --quiet
  fails 1 "leaves no contig" bigdna predict-promoter "$one" -g "$genome" --contigs chr99 --quiet
  cp "$TEST_DATA/records.fa" r.fa
  fails 1 "is the input" bigdna predict-promoter "$one" -R "$TEST_DATA/tss.bed" -g "$genome" -o "$TEST_DATA/tss.bed" --quiet
  fails 1 "is inside the input folder" bigdna predict-promoter "$one" r.fa -o "$one/model/scores.tsv" --quiet
  fails 2 "--shard 3/2: expected I/N" bigdna predict-promoter "$one" r.fa --shard 3/2
  fails 2 "--shard cannot divide stdin or a pipe" bigdna predict-promoter "$one" - --shard 1/2
  fails 2 "--shard cannot divide stdin or a pipe" bigdna predict-promoter "$one" <(cat r.fa) --shard 1/2
  fails 2 "--resume needs regular files" bigdna predict-promoter "$one" -R <(cat far.bed) -g "$genome" -o o.tsv --resume
  fails 2 "--rows record cannot be used with --shard" bigdna predict-promoter "$one" r.fa --shard 1/2 --rows record
  fails 1 "counts.json: is inside the input folder $one/model" bigdna predict-promoter "$one" r.fa -o o.tsv --counts "$one/model/counts.json"
  fails 2 "--resume needs regular files" bigdna predict-promoter "$one" r.fa --resume
  fails 2 "--bigwig requires --genome" bigdna predict-promoter "$one" r.fa --bigwig a.bw
  printf 'chr1\t50000\t52000\nchr1\t10000\t12000\n' >unsorted.bed
  fails 1 "a.bw: chr1:" bigdna predict-promoter "$one" -R unsorted.bed -g "$genome" --bigwig a.bw --quiet
  [ ! -e a.bw ]
  cp -r "$one/model" broken
  head -c 1000 "$one/model/model.safetensors" >broken/model.safetensors
  fails 1 "broken/model.safetensors" bigdna predict-promoter broken "$TEST_DATA/records.fa" --quiet
}

@test "--counts: what became of the input, from a file, a pipe, one thread and two, and in parts; --strict: what is skipped is an error" {
  local n
  n=$(printf 'N%.0s' {1..700})
  { printf '>empty\n>long\n'; samtools faidx "$genome" chr1:20001-22000 | grep -v '>'; printf '>short\nACGT\n>n\n%s\n>last\n' "$n"; } >mixed.fa
  bigdna predict-promoter "$one" mixed.fa -o out.tsv --counts one.json -@1 2>err
  [ "$(counts one.json)" = '{"command":"predict-promoter","records":5,"intervals":14,"scored":12,"skipped":{"no_bases":2,"too_many_n":2},"too_short":1,"too_long":0,"seen":0,"seen_unknown":14}' ]
  grep -F 'warning: mixed.fa: sequence empty: has no bases and gets no row' err
  grep -F '14 rows, ' err | grep -F ', 2 without a score (too many N)'
  bigdna predict-promoter "$one" - -o again.tsv --counts two.json --quiet -@2 <mixed.fa
  bigdna predict-promoter "$one" mixed.fa -o again.tsv --counts - --quiet >stdout.json
  rm again.tsv
  bigdna predict-promoter "$one" mixed.fa -o again.tsv --counts resume.json --resume --quiet
  for file in two stdout resume; do [ "$(counts one.json)" = "$(counts $file.json)" ]; done
  # of many parts, most have nothing: their counts add up
  for n in {1..4}; do bigdna predict-promoter "$one" "$TEST_DATA/records.fa" -o part.tsv --counts part$n.json --shard $n/4 --quiet; done
  bigdna predict-promoter "$one" "$TEST_DATA/records.fa" -o part.tsv --counts whole.json --quiet
  python3 -c 'import json; of = lambda name: json.load(open(name))
for key in ("records", "intervals", "scored", "too_short"): assert of("whole.json")[key] == sum(of(f"part{n}.json")[key] for n in range(1, 5)), key
assert of("whole.json")["records"] == 14'
  # strict: good input gives the same rows, bad input nothing
  grep -A99 '>long' mixed.fa | sed '/^>short/,$d' >good.fa
  bigdna predict-promoter "$one" good.fa --strict --quiet >good.tsv
  bigdna predict-promoter "$one" - --strict --quiet -@2 <good.fa >stdin.tsv
  same_rows good.tsv stdin.tsv <(bigdna predict-promoter "$one" good.fa --quiet)
  fails 1 "mixed.fa: sequence empty: has no bases" bigdna predict-promoter "$one" mixed.fa --strict --quiet -o bad.tsv --counts bad.json
  { cat good.fa; printf '>short\nACGT\n'; } >bad.fa
  fails 1 "bad.fa: sequence short: short:1-4(+) is shorter than half of the 600 bp that the model was trained on" \
    bigdna predict-promoter "$one" bad.fa --strict --quiet -o bad.tsv --counts bad.json --bed bad.bed
  { cat good.fa; printf '>n\n%s\n' "$(grep -A1 '>n' mixed.fa | tail -1)"; } >bad.fa
  fails 1 "bad.fa: sequence n: n:1-600(+) has too many N for a score" bigdna predict-promoter "$one" bad.fa --strict --quiet -o bad.tsv
  bigdna predict-promoter "$one" bad.fa --strict --quiet --max-n-fraction 1 -o fine.tsv
  printf 'chr1\t20000\t20600\nchr1\t1\t600\n' >telomere.bed
  fails 1 "telomere.bed:2: chr1:2-600(+) has too many N for a score" bigdna predict-promoter "$one" -R telomere.bed -g "$genome" --strict --quiet -o bad.tsv
  printf 'chr1\t20000\t20600\nchr1\t7\t7\n' >empty.bed
  fails 1 "empty.bed:2: the interval is empty (end = start)" bigdna predict-promoter "$one" -R empty.bed -g "$genome" --strict --quiet -o bad.tsv
  fails 1 "empty.bed:2: the interval is empty (end = start)" bigdna predict "$one" -R empty.bed -g "$genome" --strict --quiet -o bad.tsv
  bigdna predict "$one" -R empty.bed -g "$genome" --counts p.json --quiet >/dev/null
  grep -F '"no_bases": 1' p.json
  printf 'name,sequence\na,%s\nn,%s\n' "$(samtools faidx "$genome" chr1:20001-20600 | grep -v '>' | tr -d '\n')" "$(printf 'N%.0s' {1..600})" >t.csv
  fails 1 "t.csv:3: n:1-600(+) has too many N for a score" bigdna predict "$one" t.csv --strict --quiet -o bad.tsv
  bigdna predict "$one" - --counts t.json -o t.tsv <t.csv 2>err
  grep -F '2 sequences, 1 feature, 1 without a score (all of it is N)' err
  grep -F '"too_many_n": 1' t.json
  not ls bad.tsv bad.json bad.bed
  # what a journal has is judged, too, and continued without --strict; another job is another job
  fails 1 "has too many N" bigdna predict-promoter "$one" bad.fa --resume -o r.tsv --quiet --strict
  [ -e r.tsv.journal ]
  fails 1 "has too many N" bigdna predict-promoter "$one" bad.fa --resume -o r.tsv --quiet --strict
  bigdna predict-promoter "$one" bad.fa --resume -o r.tsv 2>err
  grep -F 'r.tsv.journal: continues after 32 intervals' err
  same_rows r.tsv <(bigdna predict-promoter "$one" bad.fa --quiet)
  fails 1 "r.tsv: was made without --strict, which is now" bigdna predict-promoter "$one" bad.fa --resume -o r.tsv --quiet --strict
  fails 2 "--strict needs FASTA, -R or -r" bigdna predict-promoter "$one" -g "$genome" --strict
  fails 2 "stdout: two outputs would be written to it" bigdna predict-promoter "$one" good.fa --counts -
  fails 2 "two outputs would be written to it" bigdna predict-promoter "$one" good.fa -o o --counts o
  cp good.fa good.json
  fails 1 "is the input" bigdna predict-promoter "$one" good.json -o o --counts good.json
  fails 1 "nowhere/c.json: No such file or directory" bigdna predict-promoter "$one" good.fa -o o --counts nowhere/c.json --quiet
}

@test "records much shorter than the model's interval are scored, counted and warned about" {
  { printf '>short\nACGTACGTACGTACGTACGT\n>long\n'; samtools faidx "$genome" chr1:1-2000 | grep -v '>'; } >mixed.fa
  bigdna predict-promoter "$one" mixed.fa -o out.tsv 2>err
  grep -q "1 of [0-9]* intervals is shorter than half of the [0-9]* bp" err
  bigdna predict-promoter "$one" <(grep -A99 '>long' mixed.fa) -o out.tsv 2>err
  not grep "are shorter than half" err
}

@test "--seen of FASTA records: their place is known only if they are named as samtools faidx names them" {
  local at
  at=$(bgzip -dc "$BATS_FILE_TMPDIR/promoters/regions.bed.gz" | awk '$7 == "train" {printf "%s:%d-%d ", $1, $2 + 1, $3} ++n == 3 {exit}' || true)
  cp "$genome" g.fa.gz
  chmod u+w g.fa.gz
  samtools faidx g.fa.gz $at chr3:5001-7000 >named.fa
  samtools faidx g.fa.gz $at chr3:5001-7000 | awk '/^>/ {split($1, at, /[:-]/); print at[1] "\t" at[2] - 1 "\t" at[3] "\t.\t0\t+"}' | tr -d '>' >same.bed
  for command in predict-promoter predict; do
    bigdna $command "$one" named.fa --seen --counts counts.json --quiet | sed 1d | cut -f4,8 | sort >of_records
    bigdna $command "$one" -R same.bed -g g.fa.gz --seen --counts of_bed.json --quiet | sed 1d >rows
    # of predict, the column is before the score
    [ "$(of_json counts.json '[seen, seen_unknown]')" = "$(of_json of_bed.json '[seen, seen_unknown]')" ]
    [ "$(of_json counts.json seen)" -gt 0 ]
    [ "$(of_json counts.json seen_unknown)" = 0 ]
  done
  # a name, another length, an unknown contig, coordinates as bedtools writes them
  { printf '>chr1\n'; sed 1d named.fa | sed '/>/,$d'; } >plain.fa
  sed '2s/.//; 1s/$/ one base less/' named.fa | awk '/^>/ {++n} n == 1' >shorter.fa
  sed 's/^>chr/>scaffold_/' named.fa >unknown.fa
  for file in plain shorter unknown; do
    bigdna predict-promoter "$one" $file.fa --seen --counts counts.json 2>err >rows
    [ "$(grep -v '^#' rows | cut -f8 | sort -u)" = . ]
    [ "$(of_json counts.json seen)" = 0 ]
    [ "$(of_json counts.json 'seen_unknown == intervals')" = true ]
    grep -q 'seen is \. for [0-9]* intervals\?: ' err
    bigdna predict-promoter "$one" $file.fa 2>err >rows
    not grep 'overlap' err
  done
  bigdna predict-promoter "$one" named.fa 2>err >rows
  grep -qE "[0-9]+ intervals? overlaps? the model's training data" err
}

@test "regions without a strand are counted in a warning, and a strand in another column is pointed out" {
  printf 'chr1\t8154\t8155\tSIM0001\t-\nchr1\t11301\t11302\tSIM0002\t+\n' >five.bed
  printf '# sites\nchr1\t8154\t8155\tSIM0001\t0\t-\nchr1\t11301\t12302\nchr1\t11301\t12302\tx\t0\t.\n' >mixed.bed
  local command
  for command in predict-promoter predict; do
    bigdna $command "$one" -R five.bed -g "$genome" 2>err >rows
    grep -F "warning: five.bed:1: 2 of 2 intervals have no strand (column 6) and are taken as +; column 5 holds + or -: is it the strand? BED has it in column 6" err
    bigdna $command "$one" -R - -g "$genome" <mixed.bed 2>err >rows
    grep -F "warning: stdin:3: 2 of 3 intervals have no strand (column 6) and are taken as +" err
    [ "$(grep -c 'no strand' err)" = 1 ]
    bigdna $command "$one" -R mixed.bed -g "$genome" --strands average 2>err >rows
    grep -F "warning: mixed.bed:3: 2 of 3 intervals have no strand" err
  done
  bigdna predict-promoter "$one" -R mixed.bed -g "$genome" --strands both 2>err >rows  # both are read
  not grep 'no strand' err
  bigdna predict-promoter "$one" -R five.bed -g "$genome" --strands both 2>err >rows
  grep -F "five.bed:1: 2 of 2 intervals have no strand" err
  # where it decides nothing, only the column is pointed out
  bigdna embed "$one" -R mixed.bed -g "$genome" 2>err >rows
  not grep 'strand' err
  bigdna embed "$one" -R five.bed -g "$genome" 2>err >rows
  grep -F "five.bed:1: 2 of 2 intervals have no strand (column 6) and are taken as +; column 5 holds" err
  [ "$(grep -c 'no strand' err)" = 1 ]
  bigdna tokenize "$genome" -R five.bed --vocab "$one/model" 2>err >rows
  grep -F "five.bed:1: 2 of 2 intervals have no strand (column 6) and are taken as +; column 5 holds" err
  bigdna tokenize "$genome" -R mixed.bed --vocab "$one/model" 2>err >rows
  not grep 'strand' err
  printf '##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n' >none.vcf
  bigdna variants "$one" none.vcf -g "$genome" --sites five.bed -o none.tsv 2>err
  grep -F "five.bed:1: 2 of 2 start sites have no strand (column 6) and are taken as +; column 5 holds" err
}
