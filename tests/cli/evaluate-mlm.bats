# bigdna evaluate mlm: models, contexts and baselines in one table from a corpus and from a FASTA, repeats, refusals.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  python3 - <<'PY'
import random
random.seed(6)
with open("genome.fa", "w") as out:
    for name, length in (("chr1", 90000), ("chr2", 60000)):
        bases = "".join(random.choice("ACGT") for _ in range(length))
        out.write(f">{name}\n{bases[:length // 3]}{bases[length // 3:length // 2].lower()}{bases[length // 2:]}\n")
PY
  for length in 64 32; do
    bigdna pretrain genome.fa -o run$length --layers 1 --heads 2 --hidden 16 --ffn 32 --max-length $length --block 8 --vocab-size 64 --batch 2 \
      --steps 2 --hold-out chr2 --precision fp32 -@ 1 --quiet
  done
  bigdna vocab genome.fa -o other --vocab-size 32 --quiet
  bigdna pretrain genome.fa -o other_run --vocab other --layers 1 --heads 2 --hidden 16 --ffn 32 --max-length 64 --block 8 --batch 2 --steps 2 \
    --hold-out chr2 --objective mlm --precision fp32 -@ 1 --quiet
  ln -s "$BATS_FILE_TMPDIR/run64/corpus" corpus
}

# shapes TABLE: all but the last digits of sums, which differ between processors
shapes() { awk -F'\t' -v OFS='\t' '/^##/ { next } { for (i = 6; i <= NF; ++i) if ($i ~ /^-?[0-9]/) $i = "#" } { print }' "$1"; }

@test "several models, contexts and baselines: the same masked tokens in one table, and the differences" {
  cd "$BATS_FILE_TMPDIR"
  bigdna evaluate mlm run64/model run32/model corpus --tokens 5000 --context 16,64,32 --differences d.tsv --json t.json --quiet -@ 1 >t.tsv
  golden evaluate-mlm-scores shapes t.tsv
  golden evaluate-mlm-differences shapes d.tsv
  [[ $(grep -v '^#' t.tsv | cut -f5 | sort -u | wc -l) == 1 ]]
  all_rows '$7 < $6 && $6 < $8 && $6 > 1.8 && $6 < 2.6' <t.tsv
  all_rows '$7 <= $6 && $6 <= $8' <d.tsv
  bigdna evaluate mlm run64/model run32/model corpus --tokens 5000 --context 16,64,32 --quiet -@ 2 >u.tsv
  same_rows t.tsv u.tsv
  python3 - <<'PY'
import json
t = json.load(open("t.json"))
assert t["ngrams"]["run64/model"]["tokens"] == t["ngrams"]["run64/model"]["of_tokens"] > 1000, t["ngrams"]
assert len(t["scores"]) == 12 and t["bootstrap_blocks"] == t["passages"] and t["scores"][-1]["nsp_accuracy"] is None
by = {(row["model"], row["context"]): row["bpc"] for row in t["scores"]}
for d in t["differences"]:
    assert abs(d["bpc_difference"] - (by[d["model"], d["context"]] - by[d["other"], d["other_context"]])) < 1e-9
PY
}

@test "a FASTA: the held-out intervals of the model, or regions; repeats apart by lower case or a BED" {
  cd "$BATS_FILE_TMPDIR"
  bigdna evaluate mlm run64/model genome.fa --tokens 20000 -o t.tsv --quiet
  [[ $(sed '/^##/d' t.tsv | cut -f3 | tail -n +2 | tr '\n' ' ') == "$(printf "all unique repeats %.0s" {1..7})" ]]
  grep -v '^##' t.tsv | awk -F'\t' 'NR == 2 { all = $5 } NR == 3 || NR == 4 { sum += $5 } END { exit sum != all }'
  printf '2\t0\t60000\n' >all_repeats.bed  # by its other name
  bigdna evaluate mlm run64/model genome.fa --tokens 20000 --repeats all_repeats.bed --quiet | grep -v '^##' | all_rows '$5 == 0 && $6 == "NA"' 'NR == 3'
  printf 'chr1\t0\t60000\n' >seen.bed
  bigdna evaluate mlm run64/model genome.fa -R seen.bed --tokens 5000 -o u.tsv 2>err
  grep -q "warning: seen.bed: run64/model was trained on" err
  # intervals under both names, past the contig's end and elsewhere: those of both names are scored, the rest is reported
  printf 'chr1\t0\t9000\n1\t20000\t39000\nchr1\t40000\t99000000\nchr9\t0\t100\n' >mixed.bed
  bigdna evaluate mlm run64/model genome.fa -R mixed.bed --tokens 5000 -o u.tsv 2>err
  grep -q "mixed.bed: 1 interval reaches past the end" err
  grep -q "mixed.bed: 1 interval lies on" err
  printf 'chr1\t0\t9000\n' >one.bed
  bigdna evaluate mlm run64/model genome.fa -R one.bed --tokens 500000 -o one.tsv --quiet
  printf '1\t0\t4000\nchr1\t4000\t9000\n' >both.bed
  bigdna evaluate mlm run64/model genome.fa -R both.bed --tokens 500000 -o both.tsv --quiet
  same_rows one.tsv both.tsv
}

@test "--contigs chooses what is scored: the baselines are counted on every contig of the model's training intervals" {
  cd "$BATS_FILE_TMPDIR"
  bigdna evaluate mlm run64/model genome.fa --tokens 5000 -o all.tsv --json all.json --quiet
  bigdna evaluate mlm run64/model genome.fa --tokens 5000 --contigs chr2 -o two.tsv --json two.json --quiet
  grep -q "^unigram" two.tsv
  same_rows all.tsv two.tsv
  [[ $(of_json all.json 'ngrams') == "$(of_json two.json 'ngrams')" ]]
  fails 1 "no held-out sequence of run64/model lies on its contigs that --contigs chr1 chooses" bigdna evaluate mlm run64/model genome.fa --contigs chr1 --quiet
  fails 1 "--contigs chr9: leaves out every sequence (2)" bigdna evaluate mlm run64/model genome.fa --contigs chr9 --quiet
}

@test "a FASTA that lacks contigs of the model's intervals: a warning says how much is left" {
  cd "$BATS_FILE_TMPDIR"
  for contig in chr1 chr2; do awk -v c=">$contig" '/^>/ { on = $1 == c } on' genome.fa | sed 's/chr/part/' >"part_$contig.fa"; done
  bigdna corpus part_chr1.fa part_chr2.fa --vocab other -o parts --hold-out 0.1 --passes 1 --quiet
  bigdna pretrain parts -o parts_run --layers 1 --heads 2 --hidden 16 --ffn 32 --max-length 64 --block 8 --batch 2 --steps 1 --precision fp32 -@ 1 --quiet
  bigdna evaluate mlm parts_run/model part_chr1.fa --tokens 2000 -o t.tsv 2>err
  not grep "the genome that" err
  grep -qE "warning: part_chr1.fa: lacks 1 of the 2 contigs of the training intervals of parts_run/model \(part2\): n-grams and copies are counted on [0-9]+ of their [0-9]+ bp" err
}

@test "a FASTA that is not the model's genome: a warning, because the intervals are that genome's" {
  cd "$BATS_FILE_TMPDIR"
  bigdna evaluate mlm run64/model genome.fa --tokens 2000 -o t.tsv 2>err
  not grep "the genome that" err
  not grep "lacks" err
  sed 's/$/\r/' genome.fa >crlf.fa
  bigdna evaluate mlm run64/model crlf.fa --tokens 2000 -o u.tsv 2>err
  grep -q "warning: crlf.fa: is another file than the genome that run64/model was trained on (its MD5 differs, its contigs are as long): the intervals" err
  same_rows t.tsv u.tsv
  { cat genome.fa; echo ACGT; } >longer.fa
  bigdna evaluate mlm run64/model longer.fa --tokens 2000 -o u.tsv 2>err
  grep -q "warning: longer.fa: is not the genome that run64/model was trained on (chr2 of 60000 bp, but longer.fa has chr2 of 60004 bp): the intervals" err
  python3 -c 'for line in open("genome.fa"): print(line[:-1] if line[0] == ">" else line[-2::-1])' >reversed.fa
  bigdna evaluate mlm run64/model reversed.fa --tokens 2000 -o t.tsv 2>err
  grep -q "warning: reversed.fa: is another file than the genome that run64/model was trained on (its MD5 differs, its contigs are as long): the intervals scored and those" err
}

@test "models of different vocabularies: the same bases, each with its own baselines" {
  cd "$BATS_FILE_TMPDIR"
  bigdna evaluate mlm run64/model other_run/model corpus --tokens 20000 -o t.tsv --differences d.tsv --quiet
  [[ $(sed '/^##/d' t.tsv | cut -f1 | tail -n +4 | tr '\n' ' ') == *"unigram:run64/model two_sided_bigram:run64/model"*"copies_elsewhere:other_run/model " ]]
  # a smaller vocabulary has more tokens for the same bases
  grep -v '^##' t.tsv | awk -F'\t' 'NR == 2 { first = $5 } NR == 3 { more = $5 > first } END { exit !more }'
  [[ $(grep -v '^##' t.tsv | awk -F'\t' 'NR == 3 { print $12 }') == NA ]]  # it has no NSP head
  [[ $(grep -vc '^#' d.tsv) == 13 ]]
}

@test "models of different vocabularies: the order on the command line does not matter, and each sees its whole context" {
  cd "$BATS_FILE_TMPDIR"
  bigdna evaluate mlm run64/model other_run/model corpus --tokens 20000 --json one.json -o one.tsv --quiet
  bigdna evaluate mlm other_run/model run64/model corpus --tokens 20000 --json two.json -o two.tsv --quiet
  [[ $(grep -v '^##' one.tsv | sort) == "$(grep -v '^##' two.tsv | sort)" ]]
  python3 - <<'PY'
import json
one, two = json.load(open("one.json")), json.load(open("two.json"))
assert one["passages"] == two["passages"] > 100 and one["bases"] == two["bases"]
rows = [row for row in one["scores"] if row["context"] is not None]
assert len(rows) == 2 and all(row["windows"] == one["passages"] for row in rows), rows
assert one["ngrams"] == two["ngrams"] and one["copy_confidence"] == two["copy_confidence"]
PY
}

@test "copies: bits by the distance and direction of the nearest copy, and another input's copies tell nothing" {
  cd "$BATS_FILE_TMPDIR"
  # Units of 300 bases stand three times: again after 700 bases, and as reverse complement after 2000 more.
  python3 - <<'PY'
import random
random.seed(7)
draw = lambda length: "".join(random.choice("ACGT") for _ in range(length))
with open("copied.fa", "w") as out:
    for name, loci in (("chr1", 60), ("chr2", 20)):
        out.write(f">{name}\n")
        for _ in range(loci):
            unit = draw(300)
            out.write(unit + draw(400) + unit + draw(1700) + unit[::-1].translate(str.maketrans("ACGT", "TGCA")) + draw(4000) + "\n")
PY
  bigdna pretrain copied.fa -o copied --layers 1 --heads 2 --hidden 16 --ffn 32 --max-length 2048 --block 16 --vocab-size 64 --batch 1 --steps 1 \
    --hold-out chr2 --objective mlm --precision fp32 --quiet
  bigdna evaluate mlm copied/model copied.fa --context 2048,256 --copies c.tsv --json c.json -o s.tsv --quiet -@ 1
  python3 - <<'PY'
import json
rows = [line.rstrip("\n").split("\t") for line in open("c.tsv") if not line.startswith("##")]
assert rows[0] == ["#copy", "distance", "model", "context", "masked", "bpc", "bpc_low", "bpc_high", "accuracy"], rows[0]
by = {tuple(r[:4]): r for r in rows[1:]}
bits = lambda *key: float(by[key][5])
near, inverted, none = ("direct", "0-1kb"), ("inverted", "1-4kb"), ("none", "NA")
for place in (near, inverted):
    copies = by[(*place, "copies", "NA")]
    assert float(copies[5]) < 0.6 and float(copies[8]) > 0.9 and 100 < int(copies[4]) < int(by[(*none, "copies", "NA")][4]), copies
    assert bits(*place, "two_sided_trigram", "NA") > 1.8 and bits(*place, "copies_elsewhere", "NA") > 1.8
assert bits(*none, "copies", "NA") == bits(*none, "two_sided_trigram", "NA")
table = json.load(open("c.json"))
assert len(table["copies"]) == len(rows) - 1
# the hidden tokens of all classes are those of each model at each context
total = {r["masked"] for r in table["scores"] if r["sequence"] == "all"}
for model in {tuple(r[2:4]) for r in rows[1:]}:
    assert {sum(int(r[4]) for r in rows[1:] if tuple(r[2:4]) == model)} == total
seen = table["copy_confidence"]["copied/model"]  # counted in training sequence, where copies are right as well
assert sum(c["seen"] for c in seen) > 500 and all(c["right"] <= c["seen"] and 0 < c["share"] < 1 for c in seen), seen
assert seen[-1]["share"] > 0.9
PY
  bigdna evaluate mlm copied/model copied.fa --context 2048,256 --copies u.tsv -o t.tsv --quiet -@ 2
  same_rows c.tsv u.tsv
  same_rows s.tsv t.tsv
  bigdna report c.tsv s.tsv -o report.html --quiet
  grep -q "nearest copy" report.html
}

@test "refusals" {
  cd "$BATS_FILE_TMPDIR"
  fails 1 "absent" bigdna evaluate mlm absent genome.fa
  fails 1 "is inside the input folder run64/model" bigdna evaluate mlm run64 genome.fa -o run64/model/scores.tsv
  for option in -o --json --differences --copies; do
    fails 1 "none/file: No such file or directory" bigdna evaluate mlm run64 corpus --quiet $option none/file
  done
  fails 1 "corpus.json: is inside the input folder corpus" bigdna evaluate mlm run64 corpus --json corpus/corpus.json
  fails 2 "stdout: two outputs would be written to it" bigdna evaluate mlm run64 corpus --json - -o -
  fails 2 "stdout: two outputs would be written to it" bigdna evaluate mlm run64 corpus --differences - --json - -o scores.tsv
  fails 2 "is read several times, so it must be a file, not stdin or a pipe" bigdna evaluate mlm run64/model <(cat genome.fa)
  fails 2 "-: is read several times" bigdna evaluate mlm run64/model -
  fails 1 "absent.fa" bigdna evaluate mlm run64/model absent.fa
  fails 2 "positions" bigdna evaluate mlm run64/model corpus --context 4096
  fails 2 "run32/model has only 32 positions" bigdna evaluate mlm run64/model run32/model corpus --context 64
  fails 2 "regions, --contigs, --invalid-bases have no effect on the corpus folder corpus, " bigdna evaluate mlm run64/model corpus -R genome.fa --contigs all --invalid-bases n
  printf 'chrX\t0\t60000\n' >elsewhere.bed
  fails 1 "elsewhere.bed: has no interval on a contig that is scored" bigdna evaluate mlm run64/model corpus --repeats elsewhere.bed --quiet
}

@test "a sentence with many [UNK]: the text that is scored is the genome's, and no two sides of a gap are joined" {
  cd "$BATS_TEST_TMPDIR"
  python3 - <<'PY'
open("text.txt", "w").write("\n".join(["C" * 16] * 50 + ["ACGT"] * 20) + "\n")
unit = "C" * 10 + "N"
open("gaps.fa", "w").write(">train\n" + unit * 4000 + "\n>test\n" + unit * 2000 + "\n")
PY
  bigdna vocab text.txt -o v --size 30 --quiet
  bigdna corpus gaps.fa --vocab v -o k --hold-out test --quiet
  bigdna pretrain k -o w --preset tiny --layers 1 --hidden 16 --heads 2 --ffn 16 --max-length 64 --steps 2 --precision fp32 --quiet
  for data in k gaps.fa; do
    bigdna evaluate mlm w "$data" --precision fp32 --quiet >t.tsv
    awk -F'\t' '/^w/ { n = 1; if ($11 > 2) exit 1 } END { if (!n) exit 1 }' t.tsv  # of pieces that are joined: 4020
  done
}
