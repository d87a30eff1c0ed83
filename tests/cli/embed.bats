load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  bigdna pretrain "$TEST_DATA/genome.fa.gz" -o run --quiet --layers 2 --heads 2 --hidden 8 --ffn 16 --max-length 64 --block 8 \
    --vocab-size 64 --vocab-bases 50000 --passes 1 --steps 2 --batch 2 --evaluation-tokens 200 --device cpu --precision fp32
  printf '>a\nACGTTGCANNACGATTACAG\n>b second\nACG\n>empty\n>c\n%s\n' "$(printf 'ACGTTGCATTGACCA%.0s' {1..60})" >records.fa
}
embed() { bigdna embed "$BATS_FILE_TMPDIR/run" "$@" --quiet --device cpu --precision fp32; }

@test "a row a record, in input order" {
  embed "$BATS_FILE_TMPDIR/records.fa" >rows.tsv
  [[ $(grep -c '^##' rows.tsv) == 3 && $(sed -n 4p rows.tsv) == $'#name\tstart\tend\tv0\tv1\tv2\tv3\tv4\tv5\tv6\tv7' ]]
  [[ $(cut -f1-3 rows.tsv | tail -n +5) == $'a\t0\t20\nb\t0\t3\nc\t0\t900' ]]
  embed - <"$BATS_FILE_TMPDIR/records.fa" >stdin.tsv
  same_rows rows.tsv stdin.tsv
}

@test "a record has the same numbers, to the last digit, whatever else is embedded and on any number of threads" {
  for i in {0..29}; do printf 'chr1\t%s\t%s\n' $((5000 + 911 * i)) $((5060 + 920 * i)); done >many.bed
  embed -R many.bed -g "$TEST_DATA/genome.fa.gz" -@1 | sed '/^#/d' >many.tsv
  tac many.bed | embed -R - -g "$TEST_DATA/genome.fa.gz" -@2 | sed '/^#/d' | tac >reversed.tsv
  sed -n 7p many.bed | embed -R - -g "$TEST_DATA/genome.fa.gz" | sed '/^#/d' >single.tsv
  same_files many.tsv reversed.tsv
  same_files <(sed -n 7p many.tsv) single.tsv
}

@test "tokens cover the bases; bases have their token's row" {
  embed "$BATS_FILE_TMPDIR/records.fa" --pool token -o token.tsv
  embed "$BATS_FILE_TMPDIR/records.fa" --pool base -o base.tsv
  awk -F'\t' '!/^#/ { if ($1 != name) { name = $1; at = 0 } if ($2 != at) bad = 1; at = $3; ++n } END { exit bad || !n }' token.tsv
  [[ $(grep -c '^c' base.tsv) == 900 ]]
  # the first base of each token has the token's numbers
  awk -F'\t' -v OFS='\t' 'NR == FNR { row[$1, $2] = $0; next } !/^#/ { $3 = $2 + 1; if (row[$1, $2] != $0) bad = 1; ++n } END { exit bad || !n }' base.tsv token.tsv
}

@test "mean is the mean of the tokens' rows; --layer 2 is the last" {
  embed "$BATS_FILE_TMPDIR/records.fa" --layer 2 >mean.tsv
  embed "$BATS_FILE_TMPDIR/records.fa" >last.tsv
  same_rows mean.tsv last.tsv
  embed "$BATS_FILE_TMPDIR/records.fa" --pool token >token.tsv
  awk -F'\t' 'NR == FNR { if (!/^#/) { sum[$1] += $5; ++count[$1] } next }
    !/^#/ { d = $4 - sum[$1] / count[$1]; if (d > 1e-5 || d < -1e-5) bad = 1; ++n } END { exit bad || !n }' token.tsv mean.tsv
  embed "$BATS_FILE_TMPDIR/records.fa" --layer 0 >embeddings.tsv
  not cmp -s embeddings.tsv mean.tsv
}

@test ".npy and .safetensors hold what the TSV does" {
  embed "$BATS_FILE_TMPDIR/records.fa" --pool token -o x.npy
  embed "$BATS_FILE_TMPDIR/records.fa" --pool token -o x.safetensors
  embed "$BATS_FILE_TMPDIR/records.fa" --pool token -o x.tsv
  nothing_but x.npy x.rows.tsv x.safetensors x.tsv
  cut -f1-4 x.tsv >columns.tsv
  same_files columns.tsv x.rows.tsv  # with the same ## lines
  python3 - <<'PY'
import json, struct
rows = [line.rstrip("\n").split("\t") for line in open("x.tsv") if line[0] != "#"]
floats = [float(v) for row in rows for v in row[4:]]
npy = open("x.npy", "rb").read()
assert npy[:8] == b"\x93NUMPY\x01\x00"
size, = struct.unpack("<H", npy[8:10])
assert (10 + size) % 64 == 0 and eval(npy[10:10 + size]) == {"descr": "<f4", "fortran_order": False, "shape": (len(rows), 8)}
packed = struct.pack(f"<{len(floats)}f", *floats)
assert npy[10 + size:] == packed
data = open("x.safetensors", "rb").read()
size, = struct.unpack("<Q", data[:8])
header = json.loads(data[8:8 + size])
def array(name):
    begin, end = header[name]["data_offsets"]
    return data[8 + size + begin:8 + size + end]
assert array("embeddings") == packed
names = header["__metadata__"]["names"].split("\n")
record = struct.unpack(f"<{len(rows)}q", array("record"))
assert [names[i] for i in record] == [row[0] for row in rows]
assert [str(t) for t in struct.unpack(f"<{len(rows)}q", array("token"))] == [row[3] for row in rows]
PY
}

@test "record is the index in the input, of which a record without bases has one" {
  printf '>first\n>a\nACGT\n>b\n>c\nGGG\n>last\n' >gaps.fa
  embed gaps.fa -o x.safetensors
  embed gaps.fa | grep -v '^#' | cut -f1 >names
  python3 - <<'PY'
import json, struct
data = open("x.safetensors", "rb").read()
size, = struct.unpack("<Q", data[:8])
header = json.loads(data[8:8 + size])
begin, end = header["record"]["data_offsets"]
record = struct.unpack("<2q", data[8 + size + begin:8 + size + end])
names = header["__metadata__"]["names"].split()
assert record == (1, 3) and names == ["first", "a", "b", "c", "last"], (record, names)
assert [names[i] for i in record] == open("names").read().split()
PY
}

@test "regions are read along their strand" {
  printf 'chr1\t100\t180\tforward\t0\t+\nchr1\t100\t180\tbackward\t0\t-\n' >regions.bed
  embed -R regions.bed -g "$TEST_DATA/genome.fa.gz" >regions.tsv
  samtools faidx "$TEST_DATA/genome.fa.gz" chr1:101-180 >records.fa
  samtools faidx -i "$TEST_DATA/genome.fa.gz" chr1:101-180 >>records.fa
  embed records.fa >records.tsv
  same_files <(sed '/^##/d' regions.tsv | cut -f4-) <(sed '/^##/d' records.tsv | cut -f4-)
  sed 's/forward/./' regions.bed >no_name.bed
  [ "$(embed -R no_name.bed -g "$TEST_DATA/genome.fa.gz" | sed '/^##/d' | cut -f1 | paste -sd' ')" = '#name chr1:101-180(+) backward' ]
}

@test "the number of threads changes nothing" {
  embed "$BATS_FILE_TMPDIR/records.fa" -@1 >one.tsv
  embed "$BATS_FILE_TMPDIR/records.fa" -@2 >two.tsv
  same_files one.tsv two.tsv
}

@test "--counts says what became of the records; --strict makes one without bases an error" {
  embed "$BATS_FILE_TMPDIR/records.fa" -o x.npy --counts x.json
  [[ $(tr -d ' \n' <x.json) == '{"command":"embed","records":4,"rows":3,"skipped":{"no_bases":1},"in_pieces":1,"bigdna_version":"'* ]]
  embed - -o y.tsv --counts - <"$BATS_FILE_TMPDIR/records.fa" | diff <(grep -v _command x.json) <(grep -v _command -)
  grep -A1 '>a' "$BATS_FILE_TMPDIR/records.fa" >good.fa
  embed good.fa --strict -@2 >strict.tsv
  embed good.fa -@1 | same_rows strict.tsv /dev/stdin
  rm strict.tsv
  fails 1 "records.fa: sequence empty: has no bases" embed "$BATS_FILE_TMPDIR/records.fa" --strict -o z.tsv --counts z.json
  printf 'chr1\t100\t180\nchr1\t200\t200\n' >empty.bed
  fails 1 "empty.bed:2: the interval is empty (end = start)" embed -R empty.bed -g "$TEST_DATA/genome.fa.gz" --strict -o z.tsv
  fails 2 "stdout: two outputs" embed good.fa --counts -
  nothing_but empty.bed good.fa x.json x.npy x.rows.tsv y.tsv
}

@test "--max-length beyond what the model can read: it says so" {
  positions=$(python3 -c "import json; print(json.load(open('$BATS_FILE_TMPDIR/run/model/config.json'))['max_position_embeddings'])")
  bigdna embed "$BATS_FILE_TMPDIR/run" "$BATS_FILE_TMPDIR/records.fa" --device cpu --precision fp32 --max-length $((positions + 1)) -o long.tsv 2>err
  grep -q "warning: --max-length $((positions + 1)): .* can read only $positions tokens at once" err
  bigdna embed "$BATS_FILE_TMPDIR/run" "$BATS_FILE_TMPDIR/records.fa" --device cpu --precision fp32 --max-length $positions -o all.tsv 2>err
  not grep "can read only" err
  same_rows long.tsv all.tsv
}

@test "errors name file and cause, and leave nothing behind" {
  fails 1 "nowhere: not a model folder" bigdna embed nowhere "$BATS_FILE_TMPDIR/records.fa" -o x.tsv
  fails 1 "missing.fa" bigdna embed "$BATS_FILE_TMPDIR/run" missing.fa -o x.tsv --device cpu --precision fp32
  fails 2 "give FASTA" bigdna embed "$BATS_FILE_TMPDIR/run"
  fails 2 "FASTA cannot be used with --genome" bigdna embed "$BATS_FILE_TMPDIR/run" "$BATS_FILE_TMPDIR/records.fa" -g "$BATS_FILE_TMPDIR/records.fa"
  fails 2 "2 layers" bigdna embed "$BATS_FILE_TMPDIR/run" "$BATS_FILE_TMPDIR/records.fa" --layer 3
  fails 2 "x.npy: its suffix and --format tsv disagree" bigdna embed "$BATS_FILE_TMPDIR/run" "$BATS_FILE_TMPDIR/records.fa" -o x.npy --format tsv
  fails 2 "only TSV can be written to stdout" bigdna embed "$BATS_FILE_TMPDIR/run" "$BATS_FILE_TMPDIR/records.fa" --format npy --device cpu --precision fp32
  fails 1 "--device cuda" env CUDA_VISIBLE_DEVICES= bigdna embed "$BATS_FILE_TMPDIR/run" "$BATS_FILE_TMPDIR/records.fa" --device cuda
  printf '>x\nACGQ\n' >protein.fa
  fails 1 "protein.fa" bigdna embed "$BATS_FILE_TMPDIR/run" protein.fa -o x.tsv --device cpu --precision fp32
  printf '>a\nACGT\n>g\xe9ne\nACGT\n' >latin.fa
  fails 1 $'x.safetensors: the name \'g\xe9ne\' is not UTF-8' bigdna embed "$BATS_FILE_TMPDIR/run" latin.fa -o x.safetensors --quiet --device cpu --precision fp32
  nothing_but latin.fa protein.fa
}
