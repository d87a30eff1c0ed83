load helpers

# What is written to stderr, on a terminal and elsewhere (docs/formats.md, "Log lines").

setup_file() { bigdna vocab "$TEST_DATA/genome.fa.gz" --size 300 -o "$BATS_FILE_TMPDIR/vocab" --quiet; }

lines_of() { bigdna vocab "$TEST_DATA/genome.fa.gz" --size 300 "$@" 2>err; }

@test "logs: off a terminal, lines carry the local time, and as JSON also its zone" {
  TZ=Asia/Kolkata lines_of -o a
  before=$(date -u +%s)
  [ "$(wc -l <err)" -gt 3 ]
  not grep -vE '^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} bigdna vocab: ' err
  ((before - $(date -d "$(head -1 err | cut -c1-19)+05:30" +%s) < 60))
  TZ=America/St_Johns lines_of -o b --log-format json
  not grep -vE '^\{"time":"[^ "]{19}-0[23]:30",' err
  fails 1 " bigdna vocab: absent.fa: No such file" bigdna vocab absent.fa -o c --quiet
}

@test "logs: a terminal shows the bar and no times" {
  script -qec "bigdna vocab '$TEST_DATA/genome.fa.gz' --size 3000 -o a" screen >/dev/null
  grep -q '^bigdna vocab: 3000 pieces of' screen
  grep -qE '\[#*\.*\] [0-9]+/2[0-9]+ merges' screen
  not grep -qE '^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:' screen
  BIGDNA_HEARTBEAT=0.01 script -qec "bigdna vocab '$TEST_DATA/genome.fa.gz' --size 3000 -o b" screen >/dev/null
  not grep -q ' %, ' screen
}

@test "logs: a heartbeat says what has been done, and a short run has none" {
  BIGDNA_HEARTBEAT=0.01 bigdna corpus "$TEST_DATA/genome.fa.gz" --vocab "$BATS_FILE_TMPDIR/vocab" --passes 30 -o a 2>err
  grep -qE ' bigdna corpus: [0-9]+ %, [0-9.]+ ?[kM]?/[0-9.]+ Mbp, [0-9.]+ [kMG]?bp/s$' err
  bigdna corpus "$TEST_DATA/genome.fa.gz" --vocab "$BATS_FILE_TMPDIR/vocab" --passes 30 -o b 2>err
  not grep -q ' %, ' err
  BIGDNA_HEARTBEAT=0.01 bigdna corpus "$TEST_DATA/genome.fa.gz" --vocab "$BATS_FILE_TMPDIR/vocab" -o c --quiet 2>err
  no_lines <err
  same_files a/training b/training
  for wrong in "" 0 -1 nan 1m; do BIGDNA_HEARTBEAT=$wrong fails 1 "BIGDNA_HEARTBEAT is '$wrong', not a positive number of seconds" bigdna info attentions; done
}

@test "logs: a file that is read has a share, whatever reads it; of a pipe only the time is known" {
  awk 'BEGIN { srand(1); for (i = 0; i < 400000; i++) { s = int(rand() * 400000); print "chr1\t" s "\t" s + 30 "\tr\t60\t" (i % 2 ? "+" : "-") } }' >reads.bed
  printf 'chr1\t420000\n' >sizes
  samtools view -b -T "$TEST_DATA/genome.fa.gz" -o reads.bam <(awk 'BEGIN { print "@SQ\tSN:chr1\tLN:420000" } { print "r\t" (NR % 2 ? 0 : 16) "\tchr1\t" $2 + 1 "\t60\t30M\t*\t0\t0\t*\t*" }' reads.bed)
  gzip -c reads.bed >reads.bed.gz
  for file in reads.bed reads.bed.gz reads.bam; do
    BIGDNA_HEARTBEAT=0.01 bigdna coverage $file --chrom-sizes sizes --table t.tsv 2>err
    grep -qE 'reading: [1-9][0-9]? %, [0-9.]+ ?[kM]?B?/' err
    grep -oE 'reading: [0-9]+ %' err | grep -oE '[0-9]+' >shares
    sort -nc shares
  done
  BIGDNA_HEARTBEAT=0.01 bigdna coverage - --chrom-sizes sizes --table t.tsv <reads.bed 2>err
  grep -q 'reading: .*so far' err
}

@test "logs: --log-format json writes objects, progress among them" {
  BIGDNA_HEARTBEAT=0.01 bigdna corpus "$TEST_DATA/genome.fa.gz" --vocab "$BATS_FILE_TMPDIR/vocab" --passes 30 -o a -v --log-format json 2>err
  python3 - err <<'PY'
import datetime, json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
for line in lines:
    assert list(line)[:5] == ["time", "elapsed", "level", "command", "message"], line
    assert datetime.datetime.fromisoformat(line["time"]).tzinfo and line["command"] == "corpus", line
assert [line["elapsed"] for line in lines] == sorted(line["elapsed"] for line in lines)
assert {line["level"] for line in lines} == {"info", "verbose", "warning"}, lines  # the vocabulary has read what is held out
progress = [line for line in lines if line.get("total")]
assert progress, lines
for line in progress:
    assert 0 <= line["done"] <= line["total"] and line["unit"] in ("bp", "B") and line["seconds_left"] is None, line
PY
  printf '>a"\\\xff\nACGT\n' >odd.fa
  bigdna tokenize odd.fa --vocab "$BATS_FILE_TMPDIR/vocab" -r 'a"\' --log-format json >out 2>err || true
  python3 -c 'import json, sys; [json.loads(line) for line in sys.stdin]' <err
}

@test "logs: a failed run ends with an object of level error" {
  error() { python3 -c 'import json, sys; line = json.loads(sys.argv[1]); print(line["level"], line["command"], line["message"], sep="|")' "$1"; }
  run bigdna vocab absent.fa -o a --log-format json
  ((status == 1))
  [ "$(error "${lines[-1]}")" = "error|vocab|absent.fa: No such file or directory" ]
  for format in "--log-format json" --log-format=json; do
    run bigdna vocab --size few $format
    ((status == 2))
    [[ $(error "$output") == "error|vocab|--size: "* ]]
    run bigdna vocabulary $format
    ((status == 2))
    [[ $(error "$output") == "error||vocabulary is not a command of bigdna"* ]]
  done
  run bash -c "ulimit -S -t 1; exec bigdna corpus '$TEST_DATA/genome.fa.gz' --vocab '$BATS_FILE_TMPDIR/vocab' --passes 3000 -o c --quiet --log-format json"
  [ "$(error "$output")" = "error|corpus|stopped by the limit of CPU time (ulimit -t)" ]
  fails 2 "--log-format: xml not in {text,json}" bigdna vocab a.fa -o d --log-format xml
}

@test "logs: -v gives the inputs' sizes, the stages and the peak of memory" {
  lines_of -o a -v --hold-out chr3
  grep -qE "input $TEST_DATA/genome.fa.gz: [0-9.]+ kB$" err
  grep -qE 'reading .*genome.fa.gz: [0-9.]+ [kM]?B in [0-9.]+ s, peak memory [0-9.]+ MB$' err
  grep -qE 'merges: [0-9]+ merges in [0-9.]+ s, peak memory [0-9.]+ MB$' err
  tail -1 err | grep -qE 'the whole run: [0-9.]+ s, peak memory [0-9.]+ MB$'
  bigdna tokenize "$TEST_DATA/genome.fa.gz" --vocab a -v 2>err >/dev/null
  grep -qE 'input a: [0-9]+ files, [0-9.]+ [kM]?B$' err
  lines_of -o b
  not grep -q 'whole run\|input ' err
  run bigdna vocab absent.fa -o c -v
  [[ $output != *"whole run"* ]]
}

@test "logs: every command has -v, --quiet and --log-format, and a command that needs LibTorch uses them" {
  bigdna --help-all >help
  [ "$(grep -c '^  -v,--verbose' help)" = "$(grep -c '^Usage: bigdna .*OPTIONS' help)" ] || [ "$(grep -c '^  -v,--verbose' help)" = "$(($(grep -c '^Usage: bigdna' help) - 1))" ]
  [ "$(grep -c '^  -v,--verbose' help)" = "$(grep -c '^  --log-format' help)" ]
  small_network
  bigdna chromatin run -g "$TEST_DATA/genome.fa.gz" --contigs chr3 -o a.h5 -v --log-format json 2>err
  python3 - err <<'PY'
import json, sys
messages = [json.loads(line)["message"] for line in open(sys.argv[1])]
for start in ("input run: ", "loading the model: ", "the whole run: "):
    assert sum(message.startswith(start) for message in messages) == 1, (start, messages)
assert any("regions in " in message for message in messages), messages
PY
}
