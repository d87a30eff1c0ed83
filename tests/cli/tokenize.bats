#!/usr/bin/env bats
# bigdna tokenize: rows, coordinates, order, foreign vocabularies, errors.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  printf 'ACACGGTACACGGTNN\nACACGGTTTTACGNN\nGGTTACACACG\n' >t.txt
  bigdna vocab t.txt -o v --size 24 --quiet
  printf '>one first record\nACACGGTNNac\nacggtt\n>none\n>two\nGGTTTTRACAC\n' >s.fa
  printf 'one\t2\t9\tleft\t0\t+\none\t2\t9\tright\t0\t-\ntwo\t0\t4\n' >r.bed
}

cd_files() { cd "$BATS_FILE_TMPDIR"; }

@test "tokens as BED6" { cd_files; golden tokenize_tokens bigdna tokenize s.fa --vocab v --quiet; }
@test "pieces, a row a sequence" { cd_files; golden tokenize_pieces bigdna tokenize s.fa --vocab v --format pieces --quiet; }
@test "ids of regions on both strands" { cd_files; golden tokenize_regions bigdna tokenize s.fa --vocab v -R r.bed --ids --quiet; }
@test "--top without --stats, and a full disk: errors that say so" {
  cd_files
  fails 2 "--top requires --stats" bigdna tokenize s.fa --vocab v --top 3
  ln -sf /dev/full full.tsv.gz
  for threads in 1 2; do fails 1 "full.tsv.gz: No space left on device" bigdna tokenize s.fa --vocab v -o full.tsv.gz --quiet -@ $threads; done
}

@test "statistics" { cd_files; golden tokenize_stats bigdna tokenize s.fa --vocab v --stats --top 3; }
@test "lines of text" { cd_files; golden tokenize_text bigdna tokenize t.txt --vocab v --format pieces --quiet; }

@test "tokens cover the sequence without gaps, on the - strand too" {
  cd_files
  bigdna tokenize s.fa --vocab v -R r.bed --quiet | awk -F'\t' '!/^#/ && $6 == "+" && last != "" && $1 == chrom && $2 != last && $2 != 2 { bad = 1 }
    { chrom = $1; last = $3; ++n } END { exit bad || !n }'
  [[ $(bigdna tokenize s.fa --vocab v -r one:3-9 --quiet | awk '!/^#/ { n += $3 - $2 } END { print n }') == 7 ]]
}

@test "-@ 1024 gives the bytes of one thread" {
  cd_files
  bigdna tokenize s.fa --vocab v --quiet -@ 1 >one.tsv
  bigdna tokenize s.fa --vocab v --quiet -@ 1024 >many.tsv
  same_rows one.tsv many.tsv
}

@test "stdin, gzip, any number of threads: the same rows; .gz output" {
  cd_files
  for i in {1..300}; do printf '>s%d\nACACGGTTAC%*s\n' "$i" $((i % 17)) "" | tr ' ' G; done >many.fa
  bigdna tokenize many.fa --vocab v -@1 --quiet >"$BATS_TEST_TMPDIR/a"
  bigdna tokenize - --vocab v/dna.model -@7 --quiet <many.fa >"$BATS_TEST_TMPDIR/b"
  bigdna tokenize many.fa --vocab v/tokenizer.json -@3 --quiet -o "$BATS_TEST_TMPDIR/c.gz"
  gunzip <"$BATS_TEST_TMPDIR/c.gz" >"$BATS_TEST_TMPDIR/c"
  same_rows "$BATS_TEST_TMPDIR/a" "$BATS_TEST_TMPDIR/b" "$BATS_TEST_TMPDIR/c"
}

@test "head ends it quietly" {
  cd_files
  run bash -c "set -o pipefail; bigdna tokenize many.fa --vocab v --quiet | sed -n '/^##/!{p;q}'"
  [[ ($status == 0 || $status == 141) && $output == $'#chrom\tstart\tend\tname\tscore\tstrand' ]]
}

@test "SIGINT, SIGTERM and SIGHUP leave no half-written file" {
  for signal in INT TERM HUP; do
    rc=0
    { cat "$BATS_FILE_TMPDIR/s.fa"; sleep 1.5; } | timeout -s $signal 0.5 bigdna tokenize - --vocab "$BATS_FILE_TMPDIR/v" -o $signal.tsv --quiet || rc=$?
    [[ $rc == 124 ]]
  done
  nothing_but
}

@test "errors" {
  cd_files
  printf 'one\t9\t3\n' >back.bed
  printf 'three\t0\t3\n' >three.bed
  printf 'one\t0\t300\n' >long.bed
  fails 1 "nothing.fa" bigdna tokenize nothing.fa --vocab v --quiet -o o.tsv
  fails 1 "nowhere" bigdna tokenize s.fa --vocab nowhere --quiet -o o.tsv
  fails 1 "not a SentencePiece model" bigdna tokenize s.fa --vocab s.fa --quiet -o o.tsv
  fails 1 "back.bed:1: end 3 is before start 9" bigdna tokenize s.fa --vocab v -R back.bed --quiet -o o.tsv
  fails 1 "three" bigdna tokenize s.fa --vocab v -R three.bed --quiet -o o.tsv
  fails 1 "long.bed:1: end 300 is past the end of one (17 bp)" bigdna tokenize s.fa --vocab v -R long.bed --quiet -o o.tsv
  cp s.fa s.txt
  fails 1 "s.txt: is the input s.txt itself" bigdna tokenize s.txt --vocab v -o s.txt --quiet
  rm s.txt
  mkdir both
  printf '>o\nACGTTGCAAACCCTGACGT\n' >other.fa
  bigdna vocab other.fa -o other --size 12 --quiet
  cp v/dna.model both/
  cp v/tokenizer.json both/
  bigdna tokenize s.fa --vocab both --ids --quiet >both.tsv
  bigdna tokenize s.fa --vocab v --ids --quiet | same_rows - both.tsv
  cp other/tokenizer.json both/
  fails 1 "both/tokenizer.json: is another vocabulary than both/dna.model in the same folder" bigdna tokenize s.fa --vocab both --quiet -o o.tsv
  fails 2 "--ids cannot be used with --stats" bigdna tokenize s.fa --vocab v --stats --ids
  [[ ! -e o.tsv ]]
}

@test "a damaged SentencePiece model: pieces that are empty or no text, scores that are no numbers" {
  python3 - <<'PY'
import struct

def model(path, text=b"AC", score=-1.0):
    def piece(text, score, kind):
        body = b"\x0a" + bytes([len(text)]) + text + b"\x15" + struct.pack("<f", score) + b"\x18" + bytes([kind])
        return b"\x0a" + bytes([len(body)]) + body
    pieces = [(b"[UNK]", 0, 2), (b"A", -2, 1), (b"C", -3, 1), (b"G", -4, 1), (b"T", -5, 1), (text, score, 1)]
    open(path, "wb").write(b"".join(piece(*p) for p in pieces) + b"\x12\x02\x18\x02")

model("good.model")
model("empty.model", text=b"")
model("bytes.model", text=b"A\xff")
model("nan.model", score=float("nan"))
model("inf.model", score=float("-inf"))
PY
  bigdna tokenize "$TEST_DATA/records.fa" --vocab good.model --quiet -o good.tsv
  fails 1 "empty.model: damaged: it has a piece without text" bigdna tokenize "$TEST_DATA/records.fa" --vocab empty.model
  fails 1 "bytes.model: damaged: it has a piece that is not UTF-8" bigdna tokenize "$TEST_DATA/records.fa" --vocab bytes.model
  fails 1 "nan.model: damaged: the score of 'AC' is not a number" bigdna tokenize "$TEST_DATA/records.fa" --vocab nan.model
  fails 1 "inf.model: damaged: the score of 'AC' is not a number" bigdna tokenize "$TEST_DATA/records.fa" --vocab inf.model
}

@test "rules of a tokenizer.json are applied to text, as the tokenizers library does; tokens that were added are found" {
  printf '%s\n' 'ACGT TATA' ' ACGT' 'ACGT ' $'ACGT\tTATA' 'AC-GT' 'TATA_TATA' >t.txt
  python3 - <<'PY'
import json
pieces = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]", "A", "C", "G", "T", "N", "AC", "GT", "TA", "ACGT", "TATA"]
def write(name, normaliser=None, pre_tokeniser=None, added=()):
    tokens = [dict(id=i, content=c, single_word=False, lstrip=False, rstrip=False, normalized=False, special=True) for i, c in enumerate(pieces[:5])]
    tokens += [dict(tokens[0], id=len(pieces) + i, content=c, special=False) for i, c in enumerate(added)]
    model = dict(type="BPE", unk_token="[UNK]", vocab={c: i for i, c in enumerate(pieces)}, merges=["A C", "G T", "T A", "AC GT", "TA TA"])
    json.dump(dict(version="1.0", added_tokens=tokens, normalizer=normaliser, pre_tokenizer=pre_tokeniser, post_processor=None, model=model), open(name, "w"))
write("words.json", None, dict(type="Whitespace"))
write("blanks.json", None, dict(type="WhitespaceSplit"))
write("strip.json", dict(type="Strip", strip_left=True, strip_right=True))
split = dict(type="Split", pattern=dict(String="-"), behavior="Isolated", invert=False)
write("split.json", None, split)
write("removed.json", None, dict(split, behavior="Removed"))
write("inverted.json", None, dict(split, invert=True))
write("added.json", added=["TATATA"])
PY
  ids() { bigdna tokenize t.txt --text --ids --vocab $1.json --quiet | grep -v '^#' | cut -f7 | tr '\n' ','; }
  [ "$(ids words)" = "13 14,13,13,13 14,10 0 11,14 0 14," ]
  [ "$(ids blanks)" = "13 14,13,13,13 14,10 0 11,14 0 14," ]
  [ "$(ids strip)" = "13 0 14,13,13,13 0 14,10 0 11,14 0 14," ]
  [ "$(ids split)" = "13 0 14,0 13,13 0,13 0 14,10 0 11,14 0 14," ]
  for name in removed inverted; do fails 1 "$name.json: the pre-tokeniser" bigdna tokenize t.txt --text --vocab $name.json; done
  fails 1 "added.json: the added token 'TATATA' could match DNA sequence" bigdna tokenize t.txt --text --vocab added.json
  printf 'AC\nAC[CLS]\n' >special.txt
  fails 1 "special.txt:2: the text holds the token [CLS]" bigdna tokenize special.txt --vocab words.json --quiet -o special.tsv
  printf 'AC\nAC\xc3\xa9\n' >accent.txt
  fails 1 "accent.txt:2: the text has characters beyond ASCII" bigdna tokenize accent.txt --vocab words.json --quiet -o accent.tsv
}
