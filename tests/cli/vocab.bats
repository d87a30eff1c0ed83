#!/usr/bin/env bats
# bigdna vocab: the folder it writes, its choices, its errors.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  # 60 kb with repeats and a run of N, always the same.
  awk 'BEGIN { srand(7); s = ""; split("A C G T", b, " ")
    for (i = 0; i < 60; ++i) { u = ""; for (j = 0; j < 500; ++j) u = u b[1 + int(rand() * 4)]
      s = s u; if (i % 3 == 0) s = s u; if (i == 30) { n = sprintf("%300s", ""); gsub(/ /, "N", n); s = s n } }
    print ">chr1 made up"; for (i = 1; i <= length(s); i += 70) print substr(s, i, 70)
    print ">chr2_random"; print "ACGTACGTACGT" }' >g.fa
  bigdna vocab g.fa -o v --size 500 --quiet
}

@test "the folder: model, text, tokenizer.json, manifest last" {
  cd "$BATS_FILE_TMPDIR"
  [[ $(ls v | xargs) == "dna.model dna.vocab options.json tokenizer.json tokenizer_config.json vocabulary.json" ]]
  [[ $(wc -l <v/dna.vocab) == 500 ]]
  [[ $(head -5 v/dna.vocab | cut -f1 | xargs) == "[PAD] [UNK] [CLS] [SEP] [MASK]" ]]
  grep -q '"kind": "vocabulary"' v/vocabulary.json
}

@test "lower case, U and IUPAC codes in lines of text give the ids of upper case, from every file of the folder" {
  cd "$BATS_FILE_TMPDIR"
  printf 'ACGTTTNNACGTANNAC\n' >"$BATS_TEST_TMPDIR/upper.txt"
  printf 'acGttuNnACgTArYac\n' >"$BATS_TEST_TMPDIR/lower.txt"
  local file
  for file in v v/dna.model v/tokenizer.json; do
    bigdna tokenize "$BATS_TEST_TMPDIR/upper.txt" --vocab $file --ids --quiet >"$BATS_TEST_TMPDIR/a"
    bigdna tokenize "$BATS_TEST_TMPDIR/lower.txt" --vocab $file --ids --quiet >"$BATS_TEST_TMPDIR/b"
    same_rows "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b"
  done
  grep -q '"pad_token": "\[PAD\]"' v/tokenizer_config.json
  grep -q '"mask_token": "\[MASK\]"' v/tokenizer_config.json
}

@test "the same bytes for any number of threads, and from SentencePiece's trainer" {
  for options in "-@1" "-@5" "-@3 --memory 64M" "--trainer sentencepiece"; do
    bigdna vocab "$BATS_FILE_TMPDIR/g.fa" -o w --size 500 --quiet --force $options
    same_files "$BATS_FILE_TMPDIR/v/dna.vocab" w/dna.vocab
  done
}

@test "gzip, stdin and several files" {
  gzip -c "$BATS_FILE_TMPDIR/g.fa" >g.fa.gz
  bigdna vocab g.fa.gz -o a --size 500 --quiet
  bigdna vocab - -o b --size 500 --quiet <"$BATS_FILE_TMPDIR/g.fa"
  same_files "$BATS_FILE_TMPDIR/v/dna.vocab" a/dna.vocab b/dna.vocab
  printf '>chr9\nACGTACGTTTTT\n' >other.fa
  bigdna vocab g.fa.gz other.fa -o c --size 500 --every-base
}

@test "text, a sentence a line; too little of it gives a smaller vocabulary" {
  printf 'ACACACAC\n\nGTGTGT\n' >t.txt
  run bigdna vocab t.txt -o d --size 100
  [[ $status == 0 && $output == *"the vocabulary has "*" pieces instead of 100"* ]]
  [[ $(cut -f1 d/dna.vocab | tail -n +6 | xargs) == "AC GT ACAC GTGT A C G T" ]]
  cp t.txt t.dat
  bigdna vocab --text t.dat -o e --size 100 --quiet
  same_files d/dna.vocab e/dna.vocab
  printf 'ACAC\nAC\351AC\n' >latin1.txt
  fails 2 "passes, --max-n-fraction, --contigs, --hold-out, --invalid-bases have no effect on text" bigdna vocab t.txt -o f --contigs all --hold-out 0 --invalid-bases n --passes 2 --max-n-fraction 0.5
  fails 2 "every-base has no effect on text" bigdna vocab t.dat --text -o f --every-base
  fails 1 "latin1.txt:2: is not UTF-8" bigdna vocab latin1.txt -o f --size 100 --quiet
}

@test "contigs that are left out are named; --resume and --force" {
  run bigdna vocab "$BATS_FILE_TMPDIR/g.fa" -o f --size 300
  [[ $output == *"--contigs primary leaves out 1 of 2 sequences: chr2_random"* ]]
  run bigdna vocab "$BATS_FILE_TMPDIR/g.fa" -o f --size 300 --resume -@ 1
  [[ $output == *" bigdna vocab: f: is complete" ]]
  fails 1 "f: was made with --vocab-size 300, not 400 (--resume" bigdna vocab "$BATS_FILE_TMPDIR/g.fa" -o f --size 400 --resume
  fails 2 "--resume cannot be used with --force" bigdna vocab "$BATS_FILE_TMPDIR/g.fa" -o f --size 300 --resume --force
  fails 1 "--force" bigdna vocab "$BATS_FILE_TMPDIR/g.fa" -o f --size 400
  bigdna vocab "$BATS_FILE_TMPDIR/g.fa" -o f --size 400 --force --quiet
  [[ $(wc -l <f/dna.vocab) == 400 ]]
  printf '>p\nMKVLAAGE\n' >protein.fa
  fails 1 "none.fa: No such file" bigdna vocab none.fa -o f --size 300 --force --quiet  # what was there stays
  fails 1 "protein.fa" bigdna vocab protein.fa -o f --size 300 --force --quiet
  [[ $(wc -l <f/dna.vocab) == 400 && ! -e f/.replaced && ! -e f/.unfinished ]]
  fails 1 "f: holds a vocabulary, not a corpus" bigdna corpus "$BATS_FILE_TMPDIR/g.fa" --vocab f -o f --force --quiet
  cp "$BATS_FILE_TMPDIR/g.fa" f/genome.fa
  fails 1 "f: holds the input f/genome.fa, which --force would delete" bigdna vocab f/genome.fa -o f --size 300 --force
}

@test "-R, --exclude and --hold-out: the sequence that corpus trains on" {
  v="$BATS_FILE_TMPDIR"
  printf 'chr1\t0\t20000\n' >r.bed
  samtools faidx "$v/g.fa" chr1:1-20000 | sed 's/^>.*/>chr1/' >r.fa
  bigdna vocab r.fa -o plain --size 400 --every-base --quiet
  bigdna vocab "$v/g.fa" -o regions --size 400 --every-base --quiet -R r.bed
  same_files plain/dna.vocab regions/dna.vocab
  printf '1\t20000\t99999999\n' >x.bed
  bigdna vocab "$v/g.fa" -o exclude --size 400 --every-base --quiet --exclude x.bed
  same_files plain/dna.vocab exclude/dna.vocab
  sed 's/^1/chr1/' x.bed >y.bed
  bigdna vocab - -o stdin --size 400 --every-base --quiet --force --hold-out y.bed -@1 <"$v/g.fa"
  same_files plain/dna.vocab stdin/dna.vocab
  bigdna vocab "$v/g.fa" -o fraction --size 400 --quiet --hold-out 0.2 --seed 5
  bigdna corpus "$v/g.fa" --vocab fraction -o c --hold-out 0.2 --seed 5 --passes 1 --quiet
  for part in training_intervals held_out_intervals; do
    for f in fraction/vocabulary.json c/corpus.json; do sed -n "/\"$part\"/,/^ \]/p" "$f" | tr -d ' ,\n' >"$part.${f%/*}"; done
    [[ -s $part.c ]]
    same_files "$part.fraction" "$part.c"
  done
  fails 2 "regions has no effect on text, which is used unchanged (only on FASTA)" bigdna vocab x.bed --text -o o -R r.bed --quiet
  printf 'chrZ\t0\t5\n' >z.bed
  fails 1 "z.bed" bigdna vocab "$v/g.fa" -o o -R z.bed --quiet
  fails 1 "leave nothing to train on" bigdna vocab "$v/g.fa" -o o --exclude r.bed -R r.bed --quiet
  [[ ! -e o ]]
}

@test "what it says of the text" {
  run bigdna vocab "$BATS_FILE_TMPDIR/g.fa" -o s --size 500 --every-base --max-n-fraction 1 --top 2
  [[ $output == *"tokens of N not counted; N 0.7"*" % of the bases, [UNK] 0.000 % of the tokens"* ]]
  [[ $output == *"most frequent: ATT 167, TAG 145"* ]]
  [[ $output == *"pieces by length: 1 bp 5, 2 bp 12"* ]]
}

@test "errors leave nothing behind" {
  printf '>a\nACGT5ACGT\n' >bad.fa
  : >empty.fa
  fails 1 "nothing.fa" bigdna vocab nothing.fa -o o --quiet
  fails 1 "position 5: '5' is not a nucleotide" bigdna vocab bad.fa -o o --quiet
  fails 1 "empty.fa" bigdna vocab empty.fa -o o --quiet
  ln -s bad.fa link.fa
  fails 2 "link.fa is given twice" bigdna vocab bad.fa link.fa -o o --quiet
  rm link.fa
  fails 2 "bad.fa is given twice" bigdna vocab bad.fa ./bad.fa -o o --quiet
  fails 2 "stdin can be given once" bigdna vocab - - -o o --quiet
  fails 2 "--memory: must be 0 or more, not -5" bigdna vocab bad.fa -o o --memory -5 --quiet
  [[ $(bigdna vocab --help | tr -s ' \n' ' ') == *'a number with k, m or g (1k is 1024)'* ]]
  fails 2 "a mixture of FASTA and text" bigdna vocab bad.fa x.txt -o o --quiet
  fails 2 "--size" bigdna vocab bad.fa -o o --size 3 --quiet
  fails 2 "--seed: must be a whole number below 2^64, not -1" bigdna vocab bad.fa -o o --seed -1
  fails 1 "leaves out every sequence" bigdna vocab "$BATS_FILE_TMPDIR/g.fa" --contigs chrM -o o --quiet
  fails 2 "--output: - is stdout, and a folder is written" bigdna vocab "$BATS_FILE_TMPDIR/g.fa" -o -
  fails 1 "has no room for" bigdna vocab "$BATS_FILE_TMPDIR/g.fa" --size 7 -o o --quiet
  nothing_but bad.fa empty.fa
}

@test "text is known by .txt in any case and compression" {
  printf 'ACACACAC\n\nGTGTGT\n' >t.txt
  cp t.txt T.TXT
  xz -k t.txt
  local file
  for file in t.txt T.TXT t.txt.xz; do bigdna vocab $file -o of_$file --size 20 --quiet; done
  same_files of_t.txt/dna.vocab of_T.TXT/dna.vocab of_t.txt.xz/dna.vocab
  for file in t.txt T.TXT t.txt.xz; do bigdna tokenize $file --vocab of_t.txt --quiet >$file.tokens; done
  same_rows t.txt.tokens T.TXT.tokens t.txt.xz.tokens
}
