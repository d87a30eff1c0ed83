load helpers

setup() {
  cd "$BATS_TEST_TMPDIR"
  cat >a.chain <<'END'
chain 900 chr1 1000 + 100 260 chr2 5000 + 1000 1160 1
100 10 10
50

chain 800 chr1 1000 + 300 400 chr3 500 - 100 200 2
100
END
  printf '#head\nchr1\t110\t120\ta\t7\t+\tmore\tcolumns\n1\t310\t330\tb\t0\t-\nchr1\t200\t205\nchr1\t50\t150\nchr1\t195\t395\n' >in.bed
}

@test "lifted records, reasons and counts" {
  golden liftover bigdna liftover in.bed --chain a.chain
  golden liftover_unmapped bash -c "bigdna liftover - --chain a.chain -o out.bed.gz --unmapped lost.bed --quiet <in.bed && gzip -dc out.bed.gz && cat lost.bed"
  bgzip -t out.bed.gz
  bigdna liftover in.bed --chain a.chain --min-match 0.4 --quiet | grep -c $'^chr2\t1000\t1050$'
}

@test "the first record without bases is named" {
  printf 'chr1\t110\t120\nchr1\t130\t130\nchr1\t140\t140\nchr1\t150\t150\n' >empty.bed
  bigdna liftover empty.bed --chain a.chain -o out.bed 2>log
  grep -q "warning: empty.bed:2: the interval is empty (end = start) and is not lifted; 2 more are empty" log
  [ "$(sed '/^##/d' out.bed | wc -l)" = 1 ]
}

@test "bedGraph is lifted with its track line or without" {
  printf 'chr1\t110\t120\t1.50\n' >plain.bedGraph
  { printf 'browser position chr1\ntrack type=bedGraph name="x"\n'; cat plain.bedGraph; } >track.bedGraph
  for name in plain track; do bigdna liftover $name.bedGraph --chain a.chain -o $name.out.bedGraph --quiet; done
  same_files <(sed '/^##/d' plain.out.bedGraph) <(sed '/^##/d' track.out.bedGraph)
  sed '/^##/d' track.out.bedGraph | grep -q $'\t1.50$'
}

@test "a contig that no chain is from is warned of" {
  printf 'NC_000001.10\t110\t120\n' >other.bed
  bigdna liftover other.bed --chain a.chain -o out.bed 2>log
  grep -q "warning: a.chain: has no chain from 1 contig, NC_000001.10" log
}

@test "thick parts, blocks and summits are lifted with their records, and turned with the strand" {
  printf 'chr1\t310\t340\tg\t0\t+\t312\t338\t0\t2\t5,10,\t0,20,\n' >genes.bed
  [ "$(bigdna liftover genes.bed --chain a.chain --quiet | grep -v '^#')" = $'chr3\t360\t390\tg\t0\t-\t362\t388\t0\t2\t10,5,\t0,25,' ]
  printf 'chr1\t310\t340\tp\t0\t.\t312\t338\t-1\t4\n' >peaks.narrowPeak
  [ "$(bigdna liftover peaks.narrowPeak --chain a.chain --quiet | grep -v '^#')" = $'chr3\t360\t390\tp\t0\t.\t312\t338\t-1\t25' ]
  printf 'chr1\t150\t250\tg\t0\t+\t150\t250\t0\t3\t20,5,30,\t0,52,70,\n' >gap.bed
  bigdna liftover gap.bed --chain a.chain --min-match 0.5 -o out.bed --unmapped lost.bed --quiet
  [ "$(sed '/^##/d' lost.bed | sed -n 1p)" = '#Block deleted in new' ]
  printf 'chr1\t310\t340\tp\t0\t.\t5\t-1\t-1\t30\n' >bad.narrowPeak
  fails 1 "bad.narrowPeak:1: its summit (column 10) is '30'" bigdna liftover bad.narrowPeak --chain a.chain --quiet
}

@test "errors leave nothing behind" {
  printf 'chr1\t990\t1000\n1\t990\t1001\n' >far.bed
  fails 1 "far.bed:2: position 1001 is past the end of 1 (1000 bp) in the assembly that a.chain leads from" bigdna liftover far.bed --chain a.chain -o out.bed --quiet
  fails 1 "in.bed:2: not a chain file" bigdna liftover in.bed --chain in.bed -o out.bed --quiet
  head -3 a.chain >cut.chain
  sed -i '3s/.*/50 1 1/' cut.chain
  fails 1 "cut.chain:3: truncated" bigdna liftover in.bed --chain cut.chain -o out.bed --quiet
  fails 1 "none.chain: No such file or directory" bigdna liftover in.bed --chain none.chain -o out.bed --quiet
  fails 1 "in.bed: is the input in.bed itself" bigdna liftover in.bed --chain a.chain -o in.bed --quiet
  fails 1 "a.chain: is the input a.chain itself" bigdna liftover in.bed --chain a.chain -o out.bed --unmapped a.chain --quiet
  printf 'chr1\t9\t5\n' >bad.bed
  fails 1 "bad.bed:1: end 5 is before start 9" bigdna liftover bad.bed --chain a.chain -o out.bed --unmapped lost --quiet
  nothing_but a.chain in.bed cut.chain bad.bed far.bed
}

@test "real start sites lift as pyliftover's do" {
  chain=$BIGDNA_DATA/liftover/hg38ToHg19.over.chain.gz
  [ -e "$chain" ] || skip "no real data: $chain"
  bigdna liftover "$BIGDNA_DATA/promoters/EPDnew_human_hg38_29598.bed.gz" --chain "$chain" -o out.bed --unmapped lost.bed --quiet
  [ "$(cat out.bed lost.bed | grep -vc '^#')" = 29598 ]
  [ "$(wc -l <out.bed)" -gt 29500 ]
}

@test "stdin is one input, not two" { fails 2 "--chain -: stdin is already the input" bigdna liftover - --chain -; }

@test "a thick part is cut at its record, and a summit outside of it is an error" {
  printf 'chain 1000 chrA 40000 + 1000 2000 chrX 50000 - 3000 4010 7\n500 0 10\n500\n' >a.chain
  printf 'chrA\t1100\t1200\tn\t0\t+\t1100\t1300\t255,0,0\n' >b.bed
  [ "$(bigdna liftover b.bed --chain a.chain --quiet)" = $'chrX\t46800\t46900\tn\t0\t-\t46800\t46900\t255,0,0' ]
  printf 'chrA\t1100\t1200\tp\t5\t.\t3.2\t-1\t-1\t150\n' >n.bed
  fails 1 "n.bed:1: its summit (column 10) is '150', which is no offset within its 100 bp" bigdna liftover n.bed --chain a.chain -o out.bed
}
