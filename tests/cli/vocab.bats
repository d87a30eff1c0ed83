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
  [[ $(ls v | xargs) == "dna.model dna.vocab tokenizer.json vocabulary.json" ]]
  [[ $(wc -l <v/dna.vocab) == 500 ]]
  [[ $(head -5 v/dna.vocab | cut -f1 | xargs) == "[PAD] [UNK] [CLS] [SEP] [MASK]" ]]
  grep -q '"kind": "vocabulary"' v/vocabulary.json
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
}

@test "contigs that are left out are named; --resume and --force" {
  run bigdna vocab "$BATS_FILE_TMPDIR/g.fa" -o f --size 300
  [[ $output == *"1 sequences used, 1 left out (chr2_random)"* ]]
  bigdna vocab "$BATS_FILE_TMPDIR/g.fa" -o f --size 300 --resume
  fails 1 "--force" bigdna vocab "$BATS_FILE_TMPDIR/g.fa" -o f --size 400
  bigdna vocab "$BATS_FILE_TMPDIR/g.fa" -o f --size 400 --force --quiet
  [[ $(wc -l <f/dna.vocab) == 400 ]]
}

@test "errors leave nothing behind" {
  printf '>a\nACGT5ACGT\n' >bad.fa
  : >empty.fa
  fails 1 "nothing.fa" bigdna vocab nothing.fa -o o --quiet
  fails 1 "position 5: '5' is not a nucleotide" bigdna vocab bad.fa -o o --quiet
  fails 1 "empty.fa" bigdna vocab empty.fa -o o --quiet
  fails 2 "part FASTA, part text" bigdna vocab bad.fa x.txt -o o --quiet
  fails 2 "--size" bigdna vocab bad.fa -o o --size 3 --quiet
  fails 1 "leaves out every sequence" bigdna vocab "$BATS_FILE_TMPDIR/g.fa" --contigs chrM -o o --quiet
  fails 1 "has no room for" bigdna vocab "$BATS_FILE_TMPDIR/g.fa" --size 7 -o o --quiet
  nothing_but bad.fa empty.fa
}
