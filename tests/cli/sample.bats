# bigdna sample: sequences drawn from causal models. That tokens are drawn by the model's probabilities is shown by tests/unit/prediction.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  genome=$TEST_DATA/genome.fa.gz
  bigdna pretrain "$genome" --objective next --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 10 --steps 30 --batch 4 --hold-out chr3 \
    --evaluation-tokens 1000 --precision fp32 -o bases --quiet -@ 1
  bigdna pretrain "$genome" --objective next --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 200 --steps 4 --batch 2 --hold-out chr3 \
    --evaluation-tokens 1000 --precision fp32 -o pieces --quiet -@ 1
  small_encoder
  printf '>first\nACGTTGCATTGACCAGGNNACGT\n>second\nTTTTTTTTTTTTTTTTTTTTT\n' >prompts.fa
}
setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR
}
draw() { bigdna sample "$shared/$1" "${@:2}" --precision fp32 --quiet; }
bits() { sed -n 's/^>\([^ ]*\) tokens=\([0-9]*\) bits=\(.*\)/\1\t\2\t\3/p' "$@"; }
scored() { bigdna likelihood "$shared/bases" "$@" --precision fp32 --quiet | sed '/^#/d' | cut -f1,4,6; }
# near FILE FILE: lines of name, tokens and bits agree
near() { awk -F'\t' 'NR == FNR {tokens[$1] = $2; bits[$1] = $3; next} {++n; d = bits[$1] - $3; if (tokens[$1] != $2 || d > .01 || d < -.01) bad = 1} END {exit bad || n < 3}' "$@"; }

@test "records have the length that was asked for, in lines of 60, and are bases alone" {
  draw pieces -n 11 --length 130 >drawn.fa
  [ "$(grep -c '^>sample_[0-9]* tokens=[0-9]* bits=[0-9.]*$' drawn.fa)" = 11 ]
  [ "$(awk '/^>/ {printf "\n"; next} {printf "%s ", length($0)}' drawn.fa | sed 1d | sort -u)" = "60 60 10 " ]
  [ "$(grep '^>' drawn.fa | sed -n '1p;11p' | cut -d' ' -f1)" = $'>sample_1\n>sample_11' ]
  [ "$(grep -v '^>' drawn.fa | fold -w1 | sort -u | tr -d '\n')" = ACGT ]
  [ "$(grep -v '^>' drawn.fa | sort -u | wc -l)" -gt 30 ]
}

@test "the same seed gives the same sequences on any number of threads, however many are drawn" {
  draw pieces -n 20 --length 200 -@1 >one.fa
  draw pieces -n 20 --length 200 -@2 >two.fa
  same_files one.fa two.fa
  draw pieces -n 3 --length 200 >few.fa
  same_files few.fa <(head -n 15 one.fa)
  draw pieces -n 3 --length 200 --seed 2 >other.fa
  not cmp -s few.fa other.fa
}

@test "bits are those of likelihood, where tokens are bases" {
  draw bases -n 20 --length 200 >drawn.fa
  scored drawn.fa >scored.tsv
  bits drawn.fa >bits.tsv
  [ "$(wc -l <bits.tsv)" = 20 ]
  near bits.tsv scored.tsv
  draw bases -n 20 --length 200 --temperature 0.5 >cold.fa
  near <(bits cold.fa) <(scored cold.fa)
  draw bases -n 20 --length 200 --temperature 2 >hot.fa
  sum() { bits "$1" | awk -F'\t' '{sum += $3} END {print int(sum)}'; }
  [ "$(sum cold.fa)" -lt "$(sum drawn.fa)" ]
  [ "$(sum drawn.fa)" -lt "$(sum hot.fa)" ]
  draw bases -n 8 --length 100 --top-k 1 | grep -v '^>' | sort | uniq -c | awk '{print $1}' >greedy
  [ "$(sort -u greedy)" = 8 ]
}

@test "--prompt: each record is continued, from a file and from stdin, and its bits are what it adds" {
  draw bases --prompt "$shared/prompts.fa" -n 3 --length 100 >drawn.fa
  draw bases --prompt - -n 3 --length 100 <"$shared/prompts.fa" >stdin.fa
  same_files drawn.fa stdin.fa
  [ "$(grep '^>' drawn.fa | cut -d' ' -f1 | tr '\n' ' ')" = ">first_1 >first_2 >first_3 >second_1 >second_2 >second_3 " ]
  python3 - "$shared/prompts.fa" drawn.fa >whole.fa <<'PY'
import sys
def records(path): return [(lines[0].split()[0], "".join(lines[1:])) for lines in (text.split("\n") for text in open(path).read().split(">")[1:])]
prompts = dict(records(sys.argv[1]))
for name, bases in records(sys.argv[2]): print(f">{name}\n{prompts[name.rsplit('_', 1)[0]]}{bases}")
PY
  bigdna likelihood "$shared/bases" whole.fa --each token --precision fp32 --quiet >tokens.tsv
  awk -F'\t' -v OFS='\t' '/^#/ {next} {skip = $1 ~ /^first/ ? 23 : 21} $2 >= skip {bits[$1] += $5; ++n[$1]} END {for (name in n) print name, n[name], bits[name]}' tokens.tsv >added.tsv
  near <(bits drawn.fa) added.tsv
}

@test "sequences that are longer than the model reads go on, and the log says so" {
  draw bases -n 2 --length 1000 >long.fa
  draw bases -n 2 --length 200 >short.fa
  [ "$(grep -A3 '^>sample_1' short.fa | sed 1d)" = "$(grep -A3 '^>sample_1' long.fa | sed 1d)" ]
  [ "$(samtools faidx long.fa && cut -f2 long.fa.fai | sort -u)" = 1000 ]
  bigdna sample "$shared/bases" -n 2 --length 1000 -o logged.fa --precision fp32 2>err
  grep -q "2 sequences are longer, with the prompt, than the 254 tokens that the model reads: behind these, each token is drawn given the last 127 or more" err
  grep -q "2 sequences of 1000 bp, [12][.0-9]* bits per base" err
  bigdna sample "$shared/bases" -n 2 --length 200 --precision fp32 -o short2.fa 2>err
  not grep -q "longer" err
}

@test "a compressed output is BGZF, with an index like any other" {
  draw pieces -n 3 --length 150 >plain.fa
  draw pieces -n 3 --length 150 -o drawn.fa.gz
  same_files plain.fa <(zcat drawn.fa.gz)
  samtools faidx drawn.fa.gz sample_2:1-10 >part.fa
  [ "$(tail -1 part.fa | wc -c)" = 11 ]
}

@test "k-mers of drawn sequences are nearer to the genome's than uniform sequence" {
  draw bases -n 40 --length 1000 >drawn.fa
  draw bases -n 40 --length 1000 --temperature 100 >flat.fa
  python3 - "$TEST_DATA/genome.fa.gz" drawn.fa flat.fa <<'PY'
import collections, gzip, random, sys
def sequences(path):
    text = (gzip.open(path, "rt") if path.endswith("gz") else open(path)).read()
    return ["".join(part.split("\n")[1:]).upper() for part in text.split(">")[1:]]
def shares(all_):
    counts = collections.Counter(bases[i:i + 3] for bases in all_ for i in range(len(bases) - 2))
    counts = {kmer: n for kmer, n in counts.items() if set(kmer) <= set("ACGT")}
    return {kmer: n / sum(counts.values()) for kmer, n in counts.items()}
def distance(a, b): return sum(abs(a.get(kmer, 0) - b.get(kmer, 0)) for kmer in a.keys() | b.keys()) / 2
random.seed(1)
genome, drawn, flat = (shares(sequences(path)) for path in sys.argv[1:])
null = shares(["".join(random.choices("ACGT", k=1000)) for _ in range(40)])
print("to the genome: drawn", distance(genome, drawn), "at temperature 100", distance(genome, flat), "uniform", distance(genome, null))
assert distance(genome, drawn) < .5 * distance(genome, null), (distance(genome, drawn), distance(genome, null))
assert distance(genome, flat) > .8 * distance(genome, null)
PY
}

@test "bad input: one line, no output" {
  fails 1 "does not predict the next token, so it draws no sequences (bigdna pretrain --objective next makes a model that does)" bigdna sample "$shared/pre" -o out.fa
  fails 1 "no_model: not a model folder" bigdna sample no_model -o out.fa
  printf '>x\nHELLO\n' >bad.fa
  fails 1 "bad.fa" draw bases --prompt bad.fa -o out.fa
  printf '>x\nACGT\n>y\n' >no_bases.fa
  fails 1 "no_bases.fa: sequence y: has no bases" draw bases --prompt no_bases.fa -o out.fa
  fails 1 "missing.fa" draw bases --prompt missing.fa -o out.fa
  fails 1 "prompts.fa" draw bases --prompt "$shared/prompts.fa" -o "$shared/prompts.fa"
  for option in "--temperature 0" "--count 0" "--length 0" "--top-k -1" "--seed x"; do
    # shellcheck disable=SC2086
    fails 2 "${option% *}" bigdna sample "$shared/bases" $option -o out.fa
  done
  nothing_but bad.fa no_bases.fa
}
