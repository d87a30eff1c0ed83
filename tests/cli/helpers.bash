# What the command tests share; a .bats file starts with `load helpers`. Each test runs in its own empty folder
# ($BATS_TEST_TMPDIR) with `bigdna` on the PATH; what the tests of a file share goes to $BATS_FILE_TMPDIR (setup_file).
#
#   golden NAME CMD...      stdout, stderr and exit code of CMD equal tests/cli/golden/NAME.{out,err,rc}; a missing file
#                           stands for no output, or exit code 0. BIGDNA_RECORD=1 writes the files
#                           instead of comparing: read the diff before committing it.
#   fails CODE TEXT CMD...  CMD exits with CODE, writes nothing to stdout and one line to stderr that holds TEXT.
#   not CMD...              CMD fails (`! CMD` does not fail a bats test): no signal ends it, it can be run, and grep finds nothing
#                           where there is something to read.
#   ... | no_lines          nothing is printed (in `[ -z "$(CMD)" ]` nothing tells whether CMD failed).
#   of_json FILE EXPRESSION a Python expression over the keys of a JSON object, as JSON.
#   same_files A B...       the files (or folders) have the same content.
#   same_rows A B...        tables are the same but for their ## lines, which hold the command.
#   header TABLE            the line with the names of the columns, behind the ## lines.
#   counts FILE             a file of --counts on one line, without what it says of its origin.
#   ... | all_rows CONDITION [WHERE]  an awk condition on tab-separated fields holds of every row [for which WHERE does], of which there is
#                           one at least. Lines that begin with # are no rows.
#   killed_when TEST CMD... CMD is killed (kill -9) once TEST succeeds. Fails where CMD has ended before: nothing was left to resume then.
#   has_bytes SIZE FILE     the file is there, and longer.
#   nothing_but NAME...     the working folder holds these entries and no other.
#   ranks SIZE CMD...       CMD in SIZE processes that train one model; rank N's stderr goes to err.N. The exit code is the
#                           first of theirs that is not 0.
#   small_encoder           pre, the run of a very small encoder, pretrained on the simulated genome but for chr3.
#   small_promoters         promoters, a dataset of its start sites that is split like pre.
#   small_bins              bins, a dataset of 300 of its bins in 400 bp, split likewise, for fine-tuning.
#   small_network OPTION... bins, a dataset of the simulated genome (made with these further options), and run, a very small network on
#                           bases that is trained on it: for behaviour, not skill.
#   small_tables            240 random sequences of 90 to 130 bp whose labels follow from their GC content: the datasets binary, classes,
#                           several and numbers, and the tables NAME.csv that they are made from.
#                           All of these are copied where $BIGDNA_SHARED_MODELS has them (shared_models.sh, which ctest runs once).
#   as_rank RANK SIZE CMD... &  one of them; they meet at $port (port=$(free_port)).
#
# A statement that cannot fail is an error of cmake/check_bats.py (test bats_can_fail): `A && B`, `! A`, `awk ... FILE` and so on.
# A pipeline fails where any of its commands does, so `bigdna ... | awk ...` fails where bigdna crashes. What stops reading
# early (head, grep -q, awk's exit) may end the command before it with SIGPIPE: give it a file where that writes much.

set -o pipefail
export LC_ALL=C BIGDNA_SOURCE_DIR=${BIGDNA_SOURCE_DIR:-$(cd "${BASH_SOURCE[0]%/*}/../.." && pwd)}
export BIGDNA=${BIGDNA:-$BIGDNA_SOURCE_DIR/build/bin/bigdna} BIGDNA_DATA=${BIGDNA_DATA:-$BIGDNA_SOURCE_DIR/../shared/data}
export PATH=${BIGDNA%/*}:$PATH TEST_DATA=$BIGDNA_SOURCE_DIR/test-data

setup() { cd "$BATS_TEST_TMPDIR" || return; }

# given NAME: copies what shared_models.sh has made.
given() {
  [[ -n ${BIGDNA_SHARED_MODELS:-} && -d $BIGDNA_SHARED_MODELS/$1 ]] || return
  cp -r "$BIGDNA_SHARED_MODELS/$1/." .
}

small_encoder() {
  given encoder || bigdna pretrain "$TEST_DATA/genome.fa.gz" --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 200 --steps 2 --batch 2 --hold-out chr3 \
    --evaluation-tokens 1000 -o pre --quiet -@ 1
}

small_promoters() {
  given small_promoters || bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g "$TEST_DATA/genome.fa.gz" --upstream 400 --downstream 200 --tss-distance 700 \
    --split-like pre/model --validation chrX -o promoters --quiet
}

small_bins() {
  given small_bins || bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$TEST_DATA/genome.fa.gz" --upstream 200 --downstream 200 \
    --max-bins 300 --split-like pre/model --validation chrX --keep any -o bins --quiet
}

# --label-balance 0: probabilities that are not so small that their six decimals say too little of a logit
small_network() {
  local name=network
  [ $# = 0 ] || { if [ "$*" = "--start-sites $TEST_DATA/tss.bed" ]; then name=network_of_sites; else name=none; fi; }
  if given $name; then return; fi
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$TEST_DATA/genome.fa.gz" --upstream 0 --downstream 0 --keep all --test chr2,chr3 \
    --validation chrX "$@" -o bins --quiet
  bigdna train bins --preset tiny --networks 2 --steps 20 --batch 2 --window 4000 --label-balance 0 --precision fp32 --no-baseline --quiet -o run >/dev/null
}

small_tables() {
  if given tables; then return; fi
  python3 - <<'PY'
import random
random.seed(3)
names, files = ("binary", "classes", "several", "numbers"), {}
for name in names:
    files[name] = open(f"{name}.csv", "w")
for name in names:
    print("name,sequence,split," + {"several": "gc,at", "numbers": "share,twice"}.get(name, "label"), file=files[name])
for i in range(240):
    share = random.choice((0.35, 0.5, 0.65))
    bases = "".join(random.choice("GC") if random.random() < share else random.choice("AT") for _ in range(random.randint(90, 130)))
    gc = sum(base in "GC" for base in bases) / len(bases)
    split = ("train", "train", "train", "validation", "test")[i % 5]
    labels = {"binary": int(gc > 0.5), "classes": ("low", "middle", "rich")[(gc > 0.43) + (gc > 0.57)], "several": f"{int(gc > 0.5)},{int(gc < 0.45)}",
              "numbers": f"{1000 * gc:.2f},{'NA' if i % 7 == 0 else round(2e-6 * gc, 9)}"}
    for name in names:
        print(f"r{i},{bases},{split},{labels[name]}", file=files[name])
PY
  for name in binary classes; do bigdna dataset table $name.csv -o $name --quiet; done
  bigdna dataset table several.csv --label-columns gc,at -o several --quiet
  bigdna dataset table numbers.csv --label-columns share,twice -o numbers --quiet
}

# A line that only some processors print: what `--precision auto` took.
_MACHINES_OWN=': precision bf16 [(]'

# Takes out of a stream what differs between machines, runs and commits: folders, versions, and (`stderr` only)
# when a line was written, times, rates and memory.
_normalise() {
  local rules=(-e "s|$BATS_TEST_TMPDIR|TEST_DIR|g" -e "s|$BATS_FILE_TMPDIR|FILE_DIR|g" -e "s|$BIGDNA_SOURCE_DIR|SOURCE|g"
    -e 's/^(##bigdna_([a-z]*V|v)ersion=).*/\1VERSION/' -e 's/bigdna [0-9]+\.[0-9]+\.[0-9]+ \(commit [0-9a-z]+\)/bigdna VERSION (commit COMMIT)/')
  if [[ $1 == stderr ]]; then
    rules+=(-e "/$_MACHINES_OWN/d" -e 's/^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]{8} //' -e 's/[0-9]+(\.[0-9]+)? (h|min)( [0-9]+ (min|s))?\b/TIME/g' -e 's/\b[0-9]+(\.[0-9]+)? ?(ms|s)\b/TIME/g'
      -e 's|[0-9]+(\.[0-9]+)? ?[kMGT]? ?[A-Za-z]+/s\b|RATE|g' -e 's/[0-9]+(\.[0-9]+)? [kMGT]i?B\b/SIZE/g')
  fi
  sed -E "${rules[@]}"
}

golden() {
  local name=$1 rc=0 expected actual stream status=0
  shift
  local here=$BATS_TEST_TMPDIR/.golden there=$BIGDNA_SOURCE_DIR/tests/cli/golden
  mkdir -p "$here"
  "$@" >"$here/raw.out" 2>"$here/raw.err" </dev/null || rc=$?
  _normalise stdout <"$here/raw.out" >"$here/out"
  _normalise stderr <"$here/raw.err" >"$here/err"
  if ((rc)); then echo "$rc" >"$here/rc"; else : >"$here/rc"; fi
  for stream in out err rc; do
    expected=$there/$name.$stream actual=$here/$stream
    if [[ -n ${BIGDNA_RECORD:-} ]]; then
      if [[ -s $actual ]]; then cp "$actual" "$expected"; else rm -f "$expected"; fi
    else
      [[ -e $expected ]] || expected=/dev/null
      diff -u --label "golden/$name.$stream" --label "now" "$expected" "$actual" || status=1
    fi
  done
  rm -rf "$here"
  ((status == 0)) || echo "golden $name: $* (BIGDNA_RECORD=1 bats ${BATS_TEST_FILENAME##*/} records what it prints now)"
  return $status
}

fails() {
  local code=$1 text=$2 rc=0 out err
  shift 2
  err=$({ out=$("$@" </dev/null 2>&3); rc=$?; printf '%s\n%s' "$rc" "$out" >"$BATS_TEST_TMPDIR/.fails"; } 3>&1 | grep -v "$_MACHINES_OWN") || true
  { read -r rc; out=$(cat); } <"$BATS_TEST_TMPDIR/.fails" || true
  rm -f "$BATS_TEST_TMPDIR/.fails"
  if [[ $rc != "$code" || -n $out || $err != *"$text"* || $err == *$'\n'* || -z $err ]]; then
    printf 'fails: %s\n  exit %s, expected %s\n  stdout: %s\n  stderr: %s\n  expected one line with: %s\n' "$*" "$rc" "$code" "$out" "$err" "$text"
    return 1
  fi
}

not() {
  local code=0
  "$@" >/dev/null || code=$?
  if ((code == 0)); then echo "succeeded: $*"; return 1; fi
  if ((code >= 126)) || [[ $1 == grep && $code != 1 ]]; then echo "exit code $code: $*"; return 1; fi
}

no_lines() {
  local lines
  lines=$(cat)
  [ -z "$lines" ] || { printf 'printed:\n%.2000s\n' "$lines"; return 1; }
}

of_json() {
  python3 -c 'import json, sys; print(json.dumps(eval(sys.argv[2], {}, json.load(open(sys.argv[1]))), separators=(",", ":")))' "$@"
}

same_files() {
  local first=$1 other
  shift
  for other; do diff -r "$first" "$other" || return 1; done
}

same_rows() {
  local first=$1 other
  shift
  for other; do diff <(sed '/^##/d' "$first") <(sed '/^##/d' "$other") || return 1; done
}

# Whether the program is built with AddressSanitizer, which needs /proc and more address space than limits leave.
under_asan() { grep -qF __asan_init "$BIGDNA"; }

header() { grep -m 1 -v '^##' "$1"; }

counts() { tr -d ' \n' <"$1" | sed 's/,"bigdna_version".*/}\n/'; }

all_rows() {
  awk -F'\t' "!/^#/ && (${2:-1}) {++n; if (!($1)) {print \"not so: \" \$0; bad = 1}} END {if (!n) print \"no rows\"; exit bad || !n}"
}

killed_when() {
  local test=$1 pid rc=0
  shift
  [ "$(type -t "$1")" = file ] || { echo "of a function, only the shell would be killed: $1"; return 1; }
  "$@" >/dev/null 2>"$BATS_TEST_TMPDIR/.killed" & pid=$!
  until eval "$test" || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
  kill -9 $pid 2>/dev/null || true  # may fail
  wait $pid || rc=$?
  if [ $rc != 137 ]; then echo "exit code $rc before it was killed: $*"; cat "$BATS_TEST_TMPDIR/.killed"; return 1; fi
  rm "$BATS_TEST_TMPDIR/.killed"
}

has_bytes() { [ "$(stat -c %s "$2" 2>/dev/null || echo 0)" -gt "$1" ]; }

nothing_but() {
  diff <(printf '%s\n' "$@" | sed '/^$/d' | sort) <(find . -mindepth 1 -maxdepth 1 -printf '%P\n' | sort)
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

as_rank() {
  local rank=$1 size=$2
  shift 2
  exec env RANK="$rank" WORLD_SIZE="$size" LOCAL_RANK="$rank" MASTER_ADDR=127.0.0.1 MASTER_PORT="$port" "$@" 2>"err.$rank"
}

ranks() {
  local size=$1 rank rc=0 status pids=()
  shift
  port=$(free_port)
  for ((rank = 0; rank < size; ++rank)); do as_rank "$rank" "$size" "$@" & pids+=($!); done
  for pid in "${pids[@]}"; do
    status=0
    wait "$pid" || status=$?
    ((rc)) || rc=$status
  done
  return $rc
}
