# Bad input, whatever the command: one line on stderr that names file and cause, the right exit code, nothing on stdout
# and nothing left behind.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  bgzip -dc "$TEST_DATA/genome.fa.gz" | sed -n 1,3400p >genome.fa
  bigdna vocab genome.fa -o vocabulary --size 60 --quiet
  bigdna vocab genome.fa -o other_vocabulary --size 80 --quiet
  bigdna corpus genome.fa --vocab vocabulary --passes 1 --sentences 5-10 --hold-out 0.1 -o corpus --quiet
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
  vocabulary=$shared/vocabulary
}

# streamed FILE TEXT: every command that streams FASTA fails on FILE with TEXT, and leaves no output
streamed() {
  fails 1 "$2" bigdna vocab "$1" -o out --quiet
  fails 1 "$2" bigdna tokenize "$1" --vocab "$vocabulary" -o out --quiet
  fails 1 "$2" bigdna corpus "$1" --vocab "$vocabulary" -o out --quiet
  [ ! -e out ]
}

# indexed FILE TEXT: every command that reads a genome by random access
indexed() {
  fails 1 "$2" bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$1" -o out --quiet
  fails 1 "$2" bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$1" -o out --quiet
  fails 1 "$2" bigdna tokenize "$1" --regions "$TEST_DATA/regions.bed" --vocab "$vocabulary" -o out --quiet
  [ ! -e out ]
}

@test "a missing file" {
  streamed none.fa "none.fa: No such file or directory"
  indexed none.fa "none.fa: No such file or directory"
  fails 1 "none.bed: No such file or directory" bigdna dataset promoter --promoters none.bed -g "$genome" -o out --quiet
  fails 1 "none.tsv: No such file or directory" bigdna dataset chromatin --peaks none.tsv -g "$genome" -o out --quiet
  fails 1 "none: No such file or directory" bigdna tokenize "$genome" --vocab none -o out --quiet
  nothing_but
}

@test "a folder in a file's place" {
  mkdir folder
  streamed folder "folder: is a folder"
  indexed folder "folder: is a folder"
  nothing_but folder
}

@test "an empty FASTA, and one that is none" {
  : >empty.fa
  streamed empty.fa "empty.fa: is empty (a FASTA record was expected)"
  indexed empty.fa "empty.fa: is empty (a FASTA record was expected)"
  printf 'ACGT\n' >bare.fa
  streamed bare.fa "bare.fa:1: not FASTA: a line before the first '>'"
  indexed bare.fa "bare.fa:1: not FASTA: a line before the first '>'"
  printf '@r\nACGT\n+\nIIII\n' >reads.fq
  streamed reads.fq "it looks like FASTQ"
  nothing_but empty.fa bare.fa reads.fq
}

@test "digits, protein letters and gaps" {
  { cat "$shared/genome.fa"; printf '>bad\nACGT\nAC1T\n'; } >digits.fa
  streamed digits.fa "digits.fa: sequence bad, position 7: '1' is not a nucleotide"
  printf '>protein\nMKVLAAGIVGLLLAQWERTY\n' >protein.fa
  streamed protein.fa "protein.fa: sequence protein, position 4: 'L' is not a nucleotide"
  printf '>aligned\nACGT-ACGT\n' >gaps.fa
  streamed gaps.fa "gaps.fa: sequence aligned, position 5: '-' is not a nucleotide"
  printf '>chr1\nACGTACGTAC\nACGTAC*TAC\n' >star.fa
  printf 'chr1\t0\t20\n' >all.bed
  fails 1 "star.fa: sequence chr1, position 17: '*' is not a nucleotide" \
    bigdna tokenize star.fa --regions all.bed --vocab "$vocabulary" -o out --quiet
  nothing_but digits.fa protein.fa gaps.fa star.fa star.fa.fai all.bed
}

@test "a truncated or damaged bgzip file" {
  head -c 100000 "$genome" >cut.fa.gz
  streamed cut.fa.gz "cut.fa.gz: truncated"
  indexed cut.fa.gz "cut.fa.gz: truncated"
  head -c -28 "$genome" >unended.fa.gz
  streamed unended.fa.gz "unended.fa.gz: truncated: the BGZF end marker is missing"
  fails 1 "stdin: truncated" bash -c "bigdna tokenize - --vocab '$vocabulary' -o out --quiet <unended.fa.gz"
  cp "$genome" damaged.fa.gz
  printf 'damage' | dd of=damaged.fa.gz bs=1 seek=200000 conv=notrunc status=none
  streamed damaged.fa.gz "damaged.fa.gz: truncated or damaged gzip data"
  nothing_but cut.fa.gz unended.fa.gz damaged.fa.gz
}

@test "plain gzip is streamed, and refused where random access is needed" {
  gzip -c "$shared/genome.fa" >genome.fa.gz
  bigdna tokenize genome.fa.gz --vocab "$vocabulary" --quiet >from_gzip
  bigdna tokenize "$shared/genome.fa" --vocab "$vocabulary" --quiet | same_rows /dev/stdin from_gzip
  indexed genome.fa.gz "genome.fa.gz: is plain gzip, and random access needs BGZF: gunzip -c genome.fa.gz | bgzip"
  head -c 20000 genome.fa.gz >cut.gz
  streamed cut.gz "cut.gz: truncated"
  nothing_but genome.fa.gz cut.gz from_gzip
}

# regions BED TEXT: every command that predicts or tokenises the regions of a BED file
regions() {
  fails 1 "$2" bigdna tokenize "$genome" --regions "$1" --vocab "$vocabulary" -o out --quiet
  [ ! -e out ]
}

@test "BED: end before start, too few columns, no number, negative, an unknown contig, past the contig's end" {
  printf 'chr1\t5000\t6000\nchr1\t9\t5\n' >order.bed
  regions order.bed "order.bed:2: end 5 is before start 9"
  printf '#head\nchr1\t5\n' >columns.bed
  regions columns.bed "columns.bed:2: a BED line has at least 3 columns, this one has 2"
  printf 'chr1\tstart\tend\n' >number.bed
  regions number.bed "number.bed:1: start 'start' is not a number"
  printf 'chr1\t-5\t5\n' >negative.bed
  regions negative.bed "negative.bed:1: start -5 is negative"
  printf 'chr1\t5000\t6000\nchr99\t0\t100\n' >contig.bed
  regions contig.bed "contig.bed:2: "
  regions contig.bed "chr99"
  printf 'chrM\t15000\t16001\n' >past.bed
  regions past.bed "past.bed:1: "
  for bed in order columns number negative; do
    fails 1 "$bed.bed:" bigdna dataset promoter --promoters $bed.bed -g "$genome" -o out --quiet
    printf 'file\tname\n%s.bed\tx\n' $bed >peaks.tsv
    fails 1 "$bed.bed:" bigdna dataset chromatin --peaks peaks.tsv -g "$genome" -o out --quiet
  done
  [ ! -e out ]
}

@test "BED: an empty interval is named where it is left out" {
  printf 'chr1\t5000\t6000\nchr1\t9\t9\nchr1\t7\t7\n' >empty.bed
  bigdna tokenize "$genome" --regions empty.bed --vocab "$vocabulary" -o tokens 2>log
  grep -q "warning: empty.bed:2: the interval is empty (end = start) and has no tokens" log
  printf 'file\tname\n%s\ta\nempty.bed\tx\n' "$TEST_DATA/tf.narrowPeak" >peaks.tsv
  ignored="warning: empty.bed:2: the interval is empty (end = start) and is ignored; 1 more is empty"
  bigdna dataset chromatin --peaks peaks.tsv -g "$genome" --exclude empty.bed -o peaks 2>log
  [ "$(grep -cF "$ignored" log)" = 2 ]
  bigdna corpus "$genome" --vocab "$vocabulary" --passes 1 --exclude empty.bed -o corpus 2>log
  grep -qF "$ignored" log
}

@test "a file of peaks in place of a table of such files" {
  fails 1 "peaks.bed.gz: is a file of peaks; a table of such files is expected" bigdna dataset chromatin --peaks peaks.bed.gz -g "$genome" -o out --quiet
  [ ! -e out ]
}

@test "an output that cannot be written" {
  fails 1 "/dev/null/out" bigdna vocab "$shared/genome.fa" -o /dev/null/out --quiet
  fails 1 "/dev/null/out" bigdna corpus "$shared/genome.fa" --vocab "$vocabulary" -o /dev/null/out --quiet
  fails 1 "/dev/null/out" bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$genome" -o /dev/null/out --quiet
  fails 1 "none/out: No such file or directory" bigdna tokenize "$shared/genome.fa" --vocab "$vocabulary" -o none/out --quiet
  fails 1 "/dev/full: No space left on device" bigdna tokenize "$shared/genome.fa" --vocab "$vocabulary" -o /dev/full --quiet
  fails 1 "stdout: No space left on device" bash -c "bigdna tokenize '$shared/genome.fa' --vocab '$vocabulary' --quiet >/dev/full"
  fails 1 "stdout: No space left on device" bash -c "bigdna info '$vocabulary' >/dev/full"
  nothing_but
}

@test "a folder that is not empty, and the input as output" {
  mkdir thesis
  echo years >thesis/chapter1
  for flag in "" --resume --force; do
    fails 1 "thesis: is not empty" bigdna vocab "$shared/genome.fa" -o thesis $flag --quiet
    fails 1 "thesis: is not empty" bigdna corpus "$shared/genome.fa" --vocab "$vocabulary" -o thesis $flag --quiet
    fails 1 "thesis: is not empty" bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$genome" -o thesis $flag --quiet
  done
  [ "$(ls thesis)" = chapter1 ]
  cp "$shared/genome.fa" same.fa
  cp same.fa same.txt
  fails 1 "same.txt: is the input same.txt itself" bigdna tokenize same.txt --vocab "$vocabulary" -o same.txt --quiet
  cmp same.fa "$shared/genome.fa"
  nothing_but thesis same.fa same.txt
}

@test "a record without a name, where the output needs it" {
  printf '>\nACGTACGTACGT\n' >g.fa
  fails 1 "g.fa: sequence has no name, which the output needs" bigdna tokenize g.fa --vocab "$vocabulary" -o out --quiet
  fails 1 "g.fa: a sequence has no name" bigdna corpus g.fa --vocab "$vocabulary" -o out --quiet
  nothing_but g.fa
}

@test "too many open files are not a damaged index" {
  cp "$shared/genome.fa" g.fa
  bgzip -k g.fa
  printf 'chr1\t0\t20\n' >r.bed
  for genome in g.fa g.fa.gz; do
    samtools faidx $genome
    for most in {4..10}; do
      rc=0
      (ulimit -n $most && exec bigdna tokenize $genome -R r.bed --vocab "$vocabulary" -o out --quiet -@1) 2>err || rc=$?
      if [ $rc != 0 ]; then grep -qE "Too many open files|shared libraries" err; fi
    done
  done
}

@test "whole numbers are decimal, with leading zeros too" {
  while read -r option given means command; do
    read -ra words <<<"$command"
    bigdna "${words[@]}" "$option" "$given" -o made --quiet >/dev/null
    of_json made/options.json "locals()['$option']" >value
    echo "$means" | diff value -
    rm -r made
  done <<TABLE
--vocab-size 0100 100 vocab $shared/genome.fa
--max-piece-length 08 8 vocab $shared/genome.fa --size 70
--seed +010 10 vocab $shared/genome.fa --size 70
--seed 018446744073709551615 18446744073709551615 vocab $shared/genome.fa --size 70
--file-size 02kB 2048 corpus $shared/genome.fa --vocab $vocabulary --passes 1 --sentences 5-10
--start 010 10 corpus $shared/genome.fa --vocab $vocabulary --passes 1 --sentences 5-10
--upstream 0200 200 dataset promoter --promoters $TEST_DATA/tss.bed -g $genome --downstream 100 --tss-distance 700 --validation chrX
--split-gap 0200 200 dataset chromatin --peaks $TEST_DATA/peaks.tsv -g $genome --upstream 0 --downstream 0
TABLE
  bigdna info --pattern bigbird --block 4 --length 0100 >zeros
  bigdna info --pattern bigbird --block 4 --length 100 | diff zeros -
}

@test "what is no whole number, or too large, is refused, also in lists and with units" {
  while read -r option value text; do
    fails 2 "$option: $text, not $value" bigdna vocab "$shared/genome.fa" -o out "$option" "$value"
  done <<'TABLE'
--size many must be a whole number
--size 0x40 must be a whole number
--size 0b11 must be a whole number
--size 1e3 must be a whole number
--size 100.0 must be a whole number
--size 9223372036854775808 must be a whole number between -2^48 and 2^48
--size 281474976710657 must be a whole number between -2^48 and 2^48
--threads 2147483648 must be a whole number between -2^31 and 2^31
--seed 0x2 must be a whole number below 2^64
--seed -1 must be a whole number below 2^64
--seed 18446744073709551616 must be a whole number below 2^64
--threads 0x2 must be a whole number
--max-n-fraction 0x1 must be from 0 to 1
--memory 1.5g must be a whole number of bytes, or one with k, m, g or t, such as 500m
--memory 5x must be a whole number of bytes, or one with k, m, g or t, such as 500m
--memory -1024 must be 0 or more
--memory 0x10 must be a whole number of bytes, or one with k, m, g or t, such as 500m
--memory 8388608t must be below 2^63 bytes
--memory 9223372036854775808 must be below 2^63 bytes
TABLE
  fails 2 "--context: must be a whole number, not 0x2" bigdna evaluate mlm "$genome" none --context 0100,0x2
  fails 2 "0x2: must be a positive number or auto" bigdna pretrain "$genome" -o out --batch 0x2
  nothing_but
}

@test "usage errors exit 2" {
  fails 2 "" bigdna
  fails 2 "" bigdna no-such-command
  fails 2 "" bigdna vocab
  fails 2 "--no-such-option" bigdna vocab "$shared/genome.fa" -o out --no-such-option
  fails 2 "--size" bigdna vocab "$shared/genome.fa" -o out --size many
  fails 2 "--size is given 2 times, but can be given once (see bigdna vocab --help)" bigdna vocab "$shared/genome.fa" -o out --size 64 --size 128
  fails 2 "--epochs cannot be used with --steps" bigdna finetune model dataset -o out --steps 3 --epochs 2
  fails 2 "--resume cannot be used with --force" bigdna vocab "$shared/genome.fa" -o out --resume --force
  nothing_but
}

@test "a reader that leaves early ends a command quietly" {
  run bash -c "set -o pipefail; bigdna tokenize '$genome' --vocab '$vocabulary' --quiet | head -1"
  [ "$status" = 141 ]
  [ "${#lines[@]}" = 1 ]
  run bash -c "set -o pipefail; bigdna tokenize '$genome' --vocab '$vocabulary' --quiet | head -1 >/dev/null"
  [ "$status" = 141 ]
  [ -z "$output" ]
  run bash -c "set -o pipefail; bigdna --help-all | head -1 >/dev/null"
  [ "$status" = 141 ]
  [ -z "$output" ]
}

@test "a genome without an index in a folder that cannot be written: the cache, the temporary folder, or an error" {
  unprivileged() { if ((EUID == 0)); then setpriv --bounding-set=-dac_override,-dac_read_search "$@"; else "$@"; fi; }
  mkdir read_only home temporary
  cp "$shared/genome.fa" read_only/
  printf 'chr1\t5000\t5001\ta\t0\t+\nchr1\t15000\t15001\tb\t0\t+\nchr1\t30000\t30001\tc\t0\t-\n' >tss.bed
  chmod 555 read_only home
  unset BIGDNA_CACHE XDG_CACHE_HOME
  made() {
    unprivileged env "$@" bigdna dataset promoter --promoters tss.bed -g read_only/genome.fa --tss-distance 700 --upstream 400 --downstream 200 --test 0.5 \
      --validation 0 -o out --force --quiet
  }
  made HOME=$PWD/home TMPDIR=$PWD/temporary
  [ "$(ls temporary/bigdna-*/fai)" != "" ]
  fails 1 "read_only/genome.fa: has no index, and none can be written next to it (Permission denied) or in $PWD/home/.cache/bigdna/fai (Permission denied): run samtools faidx" \
    made HOME="$PWD/home" TMPDIR="$PWD/none"
  fails 1 "has no index, and none can be written next to it (Permission denied) or in $PWD/home/cache/fai (Permission denied): run" made BIGDNA_CACHE="$PWD/home/cache" TMPDIR="$PWD/temporary"
}

@test "TMPDIR that is no folder" {
  bigdna pretrain "$shared/genome.fa" --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 64 --vocab "$vocabulary" --steps 1 --batch 1 \
    --evaluation-tokens 500 -o run --quiet
  TMPDIR=/nope fails 1 "TMPDIR: No such file or directory" bigdna evaluate mlm run "$shared/genome.fa" --quiet
}

@test "a .2bit file is named as one" {
  printf '\x43\x27\x41\x1a\0\0\0\0\x02\0\0\0\0\0\0\0' >g.2bit
  fails 1 "g.2bit: is a .2bit file; convert it to FASTA" bigdna vocab g.2bit -o made --quiet
  [ ! -e made ]
}

@test "positions past a human chromosome's end: the message says which assembly its length is" {
  local human=$BIGDNA_DATA/genomes/GRCh37.chr20.fa.gz
  [[ -e $human ]] || skip "no real data in $BIGDNA_DATA"
  fails 1 "starts past the end of 20 (63025520 bp, its length in GRCh37 (hg19): are the positions of another assembly?)" \
    bigdna tokenize "$human" --vocab "$vocabulary" -r 20:63100000-63100010 --quiet
}
