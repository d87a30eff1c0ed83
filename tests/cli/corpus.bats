load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  bigdna vocab "$TEST_DATA/genome.fa.gz" -o vocabulary --vocab-size 300 --quiet
  bigdna corpus "$TEST_DATA/genome.fa.gz" --vocab vocabulary -o corpus --passes 3 --strands both --file-size 100000 --quiet
}

# The corpus files' checksums in a folder (corpus.json holds paths and the command line).
checksums() { (cd "$1" && find . -name '*.safetensors' -o -name 'dna.model' | sort | xargs sha256sum); }
other() { bigdna corpus "$TEST_DATA/genome.fa.gz" --vocab "$BATS_FILE_TMPDIR/vocabulary" --strands both --quiet "$@"; }
again() { other --passes 3 --file-size 100000 "$@"; }

@test "what it writes" {
  cp -r "$BATS_FILE_TMPDIR/corpus" .
  cd corpus
  nothing_but corpus.json dna.model options.json training validation
  golden corpus_summary bigdna corpus "$TEST_DATA/genome.fa.gz" --vocab "$BATS_FILE_TMPDIR/vocabulary" -o ../again --passes 1
  bigdna info . | grep -c "a corpus folder"
  bigdna info --verify . | grep -c "verified"
}

@test "every document is what samtools faidx gives for its coordinates" {
  command -v samtools >/dev/null || skip "no samtools"
  cp "$TEST_DATA"/genome.fa.gz* .
  for part in training validation; do
    bigdna corpus --show 1000000 --part $part "$BATS_FILE_TMPDIR/corpus" |
      awk '/^>/ { if (n++) printf "\n"; split(substr($1, 2), r, "("); printf "%s\t%s\t", r[1], substr(r[2], 1, 1); next } { printf "%s", $0 } END { print "" }' >shown
    [ -s shown ]
    for strand in + -; do
      reverse=(); [ $strand = + ] || reverse=(-i)
      awk -F '\t' -v s=$strand '$2 == s { print $1 }' shown >regions
      [ -s regions ] || [ $part = validation ] || return 1
      [ -s regions ] || continue
      samtools faidx "${reverse[@]}" -r regions genome.fa.gz | awk '/^>/ { if (n++) print ""; next } { printf "%s", $0 } END { print "" }' |
        tr a-z A-Z | tr RYSWKMBDHVX N >expected
      awk -F '\t' -v s=$strand '$2 == s { print $3 }' shown | diff -q - expected
    done
  done
}

@test "the same bytes for 1, 2 and 4 threads, gzip, plain and stdin" {
  checksums "$BATS_FILE_TMPDIR/corpus" >expected
  [ "$(wc -l <expected)" -gt 5 ]
  for threads in 1 2 4; do
    again -o t$threads -@ $threads
    checksums t$threads | diff expected -
  done
  bgzip -dc "$TEST_DATA/genome.fa.gz" | tee genome.fa | bigdna corpus - --vocab "$BATS_FILE_TMPDIR/vocabulary" --passes 3 --strands both -o stdin --quiet
  gzip -c genome.fa >genome.fa.gz
  for genome in genome.fa genome.fa.gz; do
    bigdna corpus $genome --vocab "$BATS_FILE_TMPDIR/vocabulary" --passes 3 --strands both -o from_$genome --quiet
    bigdna corpus --show 1000000 from_$genome | cmp - <(bigdna corpus --show 1000000 stdin)
  done
  bigdna corpus --show 1000000 stdin | cmp - <(bigdna corpus --show 1000000 "$BATS_FILE_TMPDIR/corpus")
}

@test "kill -9 at ten random moments, then --resume" {
  checksums "$BATS_FILE_TMPDIR/corpus" >expected
  RANDOM=7 killed=0
  for ((i = 0; i < 200 && killed < 10; ++i)); do
    # like `again`, but with bigdna itself as the child: killing a function would kill only its shell
    bigdna corpus "$TEST_DATA/genome.fa.gz" --vocab "$BATS_FILE_TMPDIR/vocabulary" --strands both --quiet --passes 3 --file-size 100000 -o killed --resume &
    pid=$!
    sleep 0.0$((RANDOM % 90 + 10))
    kill -9 $pid 2>/dev/null || true  # may fail: how many were killed is counted
    rc=0; wait $pid 2>/dev/null || rc=$?
    if ((rc == 137)); then killed=$((killed + 1)); else ((rc == 0)); rm -rf killed; fi
  done
  ((killed == 10))
  again -o killed --resume
  checksums killed | diff expected -
  find killed -name '*.partial' | no_lines
  [ ! -e killed/.unfinished ]
  again -o killed --resume # done already
  checksums killed | diff expected -
}

@test "--resume writes a truncated file again" {
  cp -r "$BATS_FILE_TMPDIR/corpus" cut
  checksums cut >expected
  rm cut/corpus.json
  touch cut/.unfinished
  file=$(find cut -name '*.safetensors' | sort | tail -1)
  truncate -s 100 "$file"
  again -o cut --resume
  checksums cut | diff expected -
}

@test "--resume with other options names the first that differs" {
  cp -r "$BATS_FILE_TMPDIR/corpus" .
  fails 1 'corpus: was made with --passes 3, not 4 (--resume' other -o corpus --resume --passes 4 --file-size 100000
  bigdna vocab "$TEST_DATA/genome.fa.gz" -o other --vocab-size 200 --quiet
  fails 1 'corpus: was made with --vocab' bigdna corpus "$TEST_DATA/genome.fa.gz" --vocab other -o corpus --resume --passes 3 --strands both --file-size 100000 --quiet
  fails 1 'is not empty (--resume continues, --force replaces)' again -o corpus
  again -o corpus --force --seed 2
  not diff <(checksums corpus) <(checksums "$BATS_FILE_TMPDIR/corpus")
}

@test "hold-outs, regions, exclusions and contigs" {
  again -o held --hold-out chrX,chr1
  bigdna corpus --show 1000000 held | grep '^>' | not grep -E '^>chr(X|1):'
  bigdna corpus --show 1000000 --part validation held | grep '^>' | not grep -vE '^>chr(X|1):'
  printf 'chr1\t1000\t30000\n2\t0\t20000\nchr9\t0\t5\n' >regions.bed
  printf 'chr1\t10000\t12000\nchr1\t900000000\t900000001\n' >exclude.bed
  bigdna corpus "$TEST_DATA/genome.fa.gz" --vocab "$BATS_FILE_TMPDIR/vocabulary" -o part -R regions.bed --exclude exclude.bed --hold-out none --passes 2 2>log
  grep -q 'regions.bed: 1 interval lies on contigs that are not used' log
  grep -q 'exclude.bed: 1 interval reaches past the end of its contig and is cut there' log
  bigdna corpus --show 1000000 part | awk -F '[>:(-]' '/^>/ { bad = 1; if ($2 == "chr1" && $3 > 1000 && ($4 <= 10000 || $3 > 12000) && $4 <= 30000) bad = 0; if ($2 == "chr2" && $4 <= 20000) bad = 0; if (bad) { print; wrong = 1 } ++n } END { exit wrong || !n }'
  again -o all --contigs all
  bigdna corpus --show 1000000 all >all.txt
  grep -q '^>chrUn_SIM2v1:' all.txt
  bigdna corpus --show 1000000 "$BATS_FILE_TMPDIR/corpus" | not grep -c '^>chrUn'
}

@test "tiny contigs, one all N, odd names" {
  { printf '>all_n\n'; printf 'N%.0s' {1..3000}; printf '\n>HLA-A*01:01|x=1;"q",\\é rest\nACGTACGTACGTTGCA\n>1:5-9\nTTTT\n>empty\n>last\n'; printf 'ACGTTGCATT%.0s' {1..200}; echo; } >odd.fa
  bigdna corpus odd.fa --vocab "$BATS_FILE_TMPDIR/vocabulary" -o odd --contigs all --hold-out 0 --start 0 --passes 1 --quiet
  golden corpus_odd_names bigdna corpus --show 10 odd
}

@test "disk full, and going on once there is room" {
  checksums "$BATS_FILE_TMPDIR/corpus" >expected
  # a limit on file sizes simulates a full disk without root
  (trap '' XFSZ; ulimit -f 150; fails 1 'File too large' other --passes 3 --file-size 400000 -o full)
  [ -e full/.unfinished ]
  find full -name '*.partial' | no_lines
  rm -r full
  mkdir disk
  mount -t tmpfs -o size=300k tmpfs disk 2>/dev/null || skip "no root: only the limit on file sizes was tested"
  fails 1 'No space left on device' again -o disk/corpus || { umount disk; return 1; }
  [ -n "$(find disk -name '00000.safetensors')" ] || { umount disk; return 1; }
  mount -o remount,size=30m disk
  again -o disk/corpus --resume || { umount disk; return 1; }
  checksums disk/corpus >now
  umount disk
  diff expected now
}

@test "bad input: one line, nothing left behind" {
  v=$BATS_FILE_TMPDIR/vocabulary
  fails 1 'none.fa: No such file' bigdna corpus none.fa --vocab "$v" -o out
  fails 1 'none: ' bigdna corpus "$TEST_DATA/genome.fa.gz" --vocab none -o out
  : >empty.fa
  fails 1 'empty.fa: is empty' bigdna corpus empty.fa --vocab "$v" -o out
  head -c 30000 "$TEST_DATA/genome.fa.gz" >cut.fa.gz # unreadable in the middle
  fails 1 'cut.fa.gz: ' bigdna corpus "$TEST_DATA/genome.fa.gz" cut.fa.gz --vocab "$v" -o out --contigs chr1
  printf '>a\nACGT\n>b\nACGTAC7T\n' >digits.fa
  fails 1 "digits.fa: sequence b, position 7: '7' is not a nucleotide" bigdna corpus digits.fa --vocab "$v" -o out
  printf '>b\nACGT\n' >b.fa
  fails 1 'digits.fa: sequence b is in b.fa too' bigdna corpus b.fa digits.fa --vocab "$v" -o out --invalid-bases n
  printf '>n\nNNNNNNNN\n' >n.fa
  fails 1 'no document to train on: the genome is all N' bigdna corpus n.fa --vocab "$v" -o out
  fails 1 'leave nothing to train on' bigdna corpus b.fa --vocab "$v" -o out --hold-out b
  fails 2 './b.fa is given twice' bigdna corpus b.fa ./b.fa --vocab "$v" -o out
  fails 2 'stdin can be given once' bigdna corpus - - --vocab "$v" -o out
  fails 1 'leaves out every sequence' bigdna corpus b.fa --vocab "$v" -o out --contigs chr.
  nothing_but b.fa cut.fa.gz digits.fa empty.fa n.fa
  fails 2 'not a range MIN-MAX' bigdna corpus b.fa --vocab "$v" -o out --sentences 100-50
  fails 2 '--vocab is required' bigdna corpus b.fa -o out
  fails 2 '--output is required' bigdna corpus b.fa --vocab "$v"
  fails 2 '--resume cannot be used with --force' bigdna corpus b.fa --vocab "$v" -o out --resume --force
  fails 1 'is not empty' bigdna corpus b.fa --vocab "$v" -o . --force
  nothing_but b.fa cut.fa.gz digits.fa empty.fa n.fa
}

@test "--show: damaged corpora, closed pipes" {
  cp -r "$BATS_FILE_TMPDIR/corpus" .
  [ "$(bigdna corpus --show 2 corpus | grep -c '^>')" = 2 ]
  fails 2 'contigs, --regions, --hold-out, --invalid-bases have no effect with --show' bigdna corpus --show 2 corpus --contigs all -R x.bed --hold-out 0 --invalid-bases n
  fails 2 'vocab, --output, --force, --file-size, --sentences have no effect with --show' bigdna corpus --show 2 corpus --vocab v -o out --force --file-size 1k --sentences 5-6
  run bash -c 'set -o pipefail; bigdna corpus --show 100 corpus | head -1'
  [[ $status == 0 || $status == 141 ]]  # 141: ended by SIGPIPE; 0: all of it fitted the pipe
  [[ $output == '>chr'* && ${#lines[@]} == 1 ]]
  fails 1 'not a folder made by bigdna' bigdna corpus --show 1 .
  truncate -s 5000 corpus/training/00000.safetensors
  fails 1 'training/00000.safetensors: has 5000 bytes' bigdna corpus --show 1 corpus
  fails 1 'training/00000.safetensors' bigdna info --verify corpus
  cp "$BATS_FILE_TMPDIR/corpus/training/00000.safetensors" corpus/training/
  printf 'X' | dd of=corpus/training/00000.safetensors bs=1 seek=60000 conv=notrunc status=none
  fails 1 'checksum' bigdna info --verify corpus
  rm corpus/corpus.json
  fails 1 'corpus' bigdna corpus --show 1 corpus
}

@test "--force keeps the vocabulary that it reads, and a folder of the user's stays when a build fails" {
  cp -r "$BATS_FILE_TMPDIR/vocabulary" v
  python3 -c "print('>n\n' + 'NA' * 500)" >n.fa
  python3 -c "print('>b\n' + 'ACGGTTCA' * 500)" >b.fa
  bigdna corpus b.fa --vocab v -o c --hold-out none --quiet
  fails 1 "holds the input c/dna.model" bigdna corpus b.fa --vocab c/dna.model -o c --force --hold-out none
  bigdna info --verify c >info
  mkdir mine
  fails 1 "leave nothing" bigdna corpus n.fa --vocab v -o mine --max-n-fraction 0 --start 0 --hold-out none
  [ -d mine ]
  ls -A mine | no_lines
}

@test "chr1 of one genome and 1 of another are two contigs" {
  python3 - <<'PY'
import random
random.seed(1)
def write(path, contigs):
    with open(path, "w") as file:
        for name, length in contigs:
            file.write(f">{name}\n{''.join(random.choices('ACGT', k=length))}\n")
write("human.fa", [("chr1", 60000), ("chr2", 30000)])
write("mouse.fa", [("1", 50000), ("2", 35000)])
PY
  printf 'chr1\t0\t20000\n' >first.bed
  intervals() { python3 -c "import json, sys; d = json.load(open('$1/corpus.json')); print(*[f'{c}:{s}-{e}' for c, s, e, *_ in d['$2']])"; }
  v=$BATS_FILE_TMPDIR/vocabulary
  bigdna corpus human.fa mouse.fa --vocab "$v" -o a --hold-out 1 --passes 1 --quiet
  [[ $(intervals a training_intervals) == "2:0-35000 chr1:0-60000 chr2:0-30000" ]]
  bigdna corpus human.fa mouse.fa --vocab "$v" -o b --hold-out none --passes 1 --exclude first.bed --quiet
  [[ $(intervals b training_intervals) == "1:0-50000 2:0-35000 chr1:20000-60000 chr2:0-30000" ]]
  bigdna corpus human.fa mouse.fa --vocab "$v" -o c --hold-out none --passes 1 -R first.bed --quiet
  [[ $(intervals c training_intervals) == "chr1:0-20000" ]]
  bigdna corpus human.fa mouse.fa --vocab "$v" -o d --hold-out 1 --passes 1 -R first.bed --quiet 2>err
  [[ $(intervals d training_intervals) == "chr1:0-20000" ]]
  bigdna corpus --show 100000 c >documents
  not grep -qE '^1\b' documents
}

@test "a vocabulary that has read what is held out here: files in another order hold out other blocks, with a warning" {
  python3 - <<'PY'
import random
random.seed(3)
for name in "a", "b":
    with open(f"p{name}.fa", "w") as out:
        for i in range(3):
            out.write(f">{name}{i}\n" + "".join(random.choices("ACGT", k=40000)) + "\n")
PY
  bigdna vocab pb.fa pa.fa -o v --vocab-size 64 --hold-out 0.1 --quiet
  bigdna corpus pa.fa pb.fa --vocab v -o other --hold-out 0.1 --passes 1 2>err
  grep -qE "warning: v: was trained on [0-9]+ of the [0-9]+ bp that are held out here" err
  bigdna corpus pa.fa pb.fa --vocab v/dna.model -o file --hold-out 0.1 --passes 1 2>err
  grep -q "warning: v/dna.model: was trained on" err
  bigdna corpus pb.fa pa.fa --vocab v -o same --hold-out 0.1 --passes 1 2>err
  not grep "was trained on" err
  cat pa.fa pb.fa >both.fa
  bigdna pretrain both.fa -o run --vocab v --hold-out 0.1 --preset tiny --layers 1 --heads 2 --hidden 16 --ffn 32 --max-length 64 --block 8 --batch 2 --steps 1 \
    --evaluation-tokens 1000 --precision fp32 2>err
  grep -q "warning: .*/v: was trained on" err
}

@test "a vocabulary that nothing was left out of, or that pretrain made, has read what is held out here" {
  python3 - <<'PY'
import random
random.seed(4)
for genome, lengths in ("one", {"a": 40000, "b": 30000}), ("two", {"a": 35000, "c": 20000}), ("other", {"a": 41000, "b": 30000}):
    with open(f"{genome}.fa", "w") as out:
        for name, length in lengths.items():
            out.write(f">{name}\n" + "".join(random.choices("ACGT", k=length)) + "\n")
PY
  bigdna vocab one.fa -o all --vocab-size 64 --quiet
  bigdna corpus one.fa --vocab all -o k1 --hold-out b --passes 1 2>err
  grep -q "warning: all: was trained on 30000 of the 30000 bp that are held out here" err
  bigdna corpus other.fa --vocab all -o k2 --hold-out b --passes 1 2>err  # another assembly
  not grep "was trained on" err
  bigdna vocab one.fa two.fa -o both --vocab-size 64 --quiet  # two contigs called a
  bigdna corpus two.fa --vocab both -o k3 --hold-out a --passes 1 2>err
  grep -q "warning: both: was trained on 35000 of the 35000 bp that are held out here" err
  grep -v '>' one.fa >lines.txt
  bigdna vocab lines.txt -o text --vocab-size 64 --quiet
  bigdna corpus one.fa --vocab text -o k4 --hold-out b --passes 1 2>err
  not grep "was trained on" err
  bigdna pretrain one.fa -o run --hold-out b --preset tiny --layers 1 --heads 2 --hidden 16 --ffn 32 --max-length 64 --block 8 --batch 2 --steps 1 --vocab-size 64 \
    --evaluation-tokens 1000 --precision fp32 --quiet
  bigdna corpus one.fa --vocab run/vocabulary -o k5 --hold-out a --passes 1 2>err
  grep -q "warning: run/vocabulary: was trained on 40000 of the 40000 bp that are held out here" err
  bigdna corpus one.fa --vocab run/vocabulary -o k6 --hold-out b --passes 1 2>err
  not grep "was trained on" err
}

@test "what is excluded is not recorded as held out" {
  v=$BATS_FILE_TMPDIR/vocabulary
  python3 -c "
import random; random.seed(2)
for name in 'a', 'b': print('>' + name + '\n' + ''.join(random.choices('ACGT', k=40000)))" >two.fa
  printf 'b\t0\t30000\n' >x.bed
  bigdna corpus two.fa --vocab "$v" -o out --hold-out b --exclude x.bed --quiet
  python3 -c "import json; d = json.load(open('out/corpus.json')); assert d['held_out_intervals'] == [['b', 30000, 40000, 40000]], d"
  printf 'a\t0\t30000\n' >only.bed
  bigdna corpus two.fa --vocab "$v" -o part --hold-out b -R only.bed 2>err
  grep -q "warning: --hold-out b: nothing of it lies in the intervals of -R" err
}

@test "--file-size beyond the memory; FASTA without a base" {
  python3 -c "print('>b\n' + 'ACGGTTCA' * 500)" >b.fa
  bigdna corpus b.fa --vocab "$BATS_FILE_TMPDIR/vocabulary" -o c --hold-out none --file-size 100000g --quiet
  printf '>a\n>b\n' >empty.fa
  fails 1 "empty.fa: its sequences have no bases" bigdna corpus empty.fa --vocab "$BATS_FILE_TMPDIR/vocabulary" -o e
  [ ! -e e ]
}
