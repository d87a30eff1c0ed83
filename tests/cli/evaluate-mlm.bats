# bigdna evaluate mlm: the table from a corpus and from a FASTA, cut contexts, refusals.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  python3 - <<'PY'
import random
random.seed(6)
with open("genome.fa", "w") as out:
    for name, length in (("chr1", 90000), ("chr2", 60000)):
        out.write(f">{name}\n" + "".join(random.choice("ACGT") for _ in range(length)) + "\n")
PY
  bigdna pretrain genome.fa -o run --layers 1 --heads 2 --hidden 16 --ffn 32 --max-length 64 --block 8 --vocab-size 64 --batch 2 --steps 2 \
    --hold-out chr2 --precision fp32 -@ 1 --quiet
}

header='#context	examples	masked	bpc	bpc_all	accuracy	perplexity	nsp_accuracy	unigram_bpc	two_sided_bigram_bpc	causal_trigram_bpc'

@test "a corpus: one line per context, the same masked tokens" {
  bigdna evaluate mlm "$BATS_FILE_TMPDIR/run/model" "$BATS_FILE_TMPDIR/run/corpus" --tokens 5000 --context 32,16 --json t.json --quiet >t.tsv
  [[ $(head -1 t.tsv) == "$header" ]]
  [[ $(cut -f1 t.tsv | tail -n +2 | tr '\n' ' ') == "64 32 16 " ]]
  [[ $(cut -f3 t.tsv | tail -n +2 | sort -u | wc -l) == 1 ]]
  [[ $(awk 'NR == 3 { print $8 }' t.tsv) == NA ]]
  python3 -c 'import json; rows = json.load(open("t.json")); assert len(rows) == 3 and 1.9 < rows[0]["bpc"] < 2.6 and rows[1]["nsp_accuracy"] is None'
}

@test "a FASTA: the held-out intervals of the model, or regions" {
  bigdna evaluate mlm "$BATS_FILE_TMPDIR/run/model" "$BATS_FILE_TMPDIR/genome.fa" --tokens 5000 -o t.tsv --quiet
  [[ $(wc -l <t.tsv) == 2 ]]
  awk 'NR == 2 && ($9 < 1.8 || $9 > 2.2) { exit 1 }' t.tsv
  printf 'chr1\t0\t60000\n' >seen.bed
  bigdna evaluate mlm "$BATS_FILE_TMPDIR/run/model" "$BATS_FILE_TMPDIR/genome.fa" -R seen.bed --tokens 5000 -o u.tsv 2>err
  grep -q "warning: seen.bed: the model was trained on" err
}

@test "refusals" {
  local model=$BATS_FILE_TMPDIR/run/model
  fails 1 "absent" bigdna evaluate mlm absent "$BATS_FILE_TMPDIR/genome.fa"
  fails 1 "absent.fa" bigdna evaluate mlm "$model" absent.fa
  fails 2 "positions" bigdna evaluate mlm "$model" "$BATS_FILE_TMPDIR/run/corpus" --max-length 4096
}
