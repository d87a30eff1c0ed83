# pipelines/compare.sh --quick --causal: costs, reach, copies, chromosome 20, promoters and bins of five systems (two patterns, two attentions, a stack) in one table and one page; it continues where it stopped.
# Takes chromosome 20 from $BIGDNA_DATA; the copy task needs no data.
load helpers

task() { awk -v words=words.txt -v held_out=held_out.bed "${@/#/-v}" -f "$BIGDNA_SOURCE_DIR/pipelines/copy_task.awk"; }

@test "compare.sh: a table with every measure of every system, its nulls and its page; a run that was stopped continues" {
  [[ -d $BIGDNA_DATA ]] || skip "no real data: $BIGDNA_DATA"
  cd "$BATS_TEST_TMPDIR"
  local script=("$BIGDNA_SOURCE_DIR/pipelines/compare.sh" --no-build --quick --causal --threads 1 --jobs 2 --device cpu --bin "$(dirname "$BIGDNA")" --data "$BIGDNA_DATA" --out out
    --systems "window lsh:chunk=16 longformer+global-window:window=5 gated strided:near=window,stride=2")
  run "${script[@]}"
  echo "$output"
  [ "$status" -eq 0 ]
  # costs of 5 systems, 10 trainings and 3 causal ones, and two tasks of 5 systems and an encoder from random weights
  [ "$(grep -c '^== ' <<<"$output")" -eq 30 ]
  python3 - <<'PY'
import collections
lines = [line.rstrip("\n").split("\t") for line in open("out/compare.tsv") if not line.startswith("##")]
assert lines[0] == ["#system", "measure", "at", "value", "low", "high"], lines[0]
by = collections.defaultdict(dict)
for system, measure, at, value, low, high in lines[1:]:
    assert (system, at) not in by[measure]
    by[measure][system, at] = float(value)
systems = ["window", "lsh:chunk=16", "longformer+global-window:window=5", "gated", "strided:near=window,stride=2"]
kinds = [f"{direction}_{distance}kb" for direction in ("direct", "inverted") for distance in (1, 2, 4)]
for measure, places in {"tokens_per_second": ["256", "512"], "tokens_per_second_gather": ["256", "512"], "peak_megabytes": ["256", "512"],
                        "peak_megabytes_gather": ["256", "512"], "copy_accuracy": kinds, "training_tokens": ["copies", "chr20"], "promoter_auroc": ["8000bp"], "promoter_less_kmers": ["8000bp"],
                        "inference_tokens_per_second": ["256", "512"], "inference_tokens_per_second_gather": ["256", "512"],
                        "bins_auroc": ["other"], "bins_less_kmers": ["other"],
                        "bits": ["256_tokens", "128_tokens", "none"]}.items():
    for system in systems:
        for at in places:
            assert (system, at) in by[measure], (measure, system, at)
assert all(1.5 < value < 2.5 for (_, at), value in by["bits"].items() if at.endswith("_tokens"))
for system in systems[1:]:  # paired: the same tokens
    difference = by["bits"][system, "256_tokens"] - by["bits"]["window", "256_tokens"]
    assert abs(by["bits_difference"][system, "256_tokens"] - difference) < 1.1e-5, system
for task, at in (("promoter", "8000bp"), ("bins", "other")):
    assert ("kmers", at) in by[f"{task}_auroc"] and ("scratch:window", at) in by[f"{task}_auroc"]
    for system in [*systems[1:], "scratch:window"]:  # paired: the same examples
        difference = by[f"{task}_auroc"][system, at] - by[f"{task}_auroc"]["window", at]
        assert abs(by[f"{task}_difference"][system, at] - difference) < 2e-6, (task, system)
# a pass without gradients is no slower than a step, but for the load of the machine
assert all(by["inference_tokens_per_second"][key] > value / 2 for key, value in by["tokens_per_second"].items())
# causal models, which windows and their gates can be, next to counts of the tokens before and the shuffled past
causal = ["window", "gated", "strided:near=window,stride=2"]
assert set(by["autoregressive_bits"]) == {(name, "256_tokens") for name in causal + ["shuffled:" + name for name in causal] + ["unigram", "one_sided_bigram", "one_sided_trigram"]}
assert all(1.5 < value < 2.5 for value in by["autoregressive_bits"].values())
assert {system for system, at in by["training_tokens"] if at == "next"} == set(causal)
# reach: words of 250 bp, blocks of 8; lsh may read all; the stride of 2 and windows join all blocks in two layers or read them in part
reach = lambda system, at: (by["reach_every"][system, at], by["reach_farthest"][system, at])
assert reach("window", "copies_one_layer") == (8 * 250, 15 * 250) and reach("window", "copies_all_layers") == (16 * 250, 23 * 250)
assert reach("lsh:chunk=16", "copies_one_layer") == (31 * 250, 31 * 250)
assert reach("longformer+global-window:window=5", "copies_one_layer")[0] == 31 * 250
for system in systems:
    (every, farthest), (every_all, farthest_all) = reach(system, "chr20_one_layer"), reach(system, "chr20_all_layers")
    assert 0 < every <= every_all <= farthest_all and every <= farthest <= farthest_all < 255 * 6, system
for system in ["shuffled:window", "copies"]: assert (system, "inverted_4kb") in by["copy_accuracy"] and (system, "256_tokens") in by["bits"]
# what is to be found: the model of counts finds words whose surroundings and copy it can see, in every kind
assert all(by["copy_accuracy"]["copies", kind] > 0.3 and by["copy_accuracy"]["copies_elsewhere", kind] < 0.1 for kind in kinds)
PY
  grep -q "comparison of attentions" out/compare.html
  sort out/compare.tsv >before.tsv
  rm out/compare.* out/systems/window/chr20/run.json
  touch out/systems/window/chr20/.unfinished  # as a run that was stopped
  run "${script[@]}"
  [ "$status" -eq 0 ]
  [ "$(grep '^== ' <<<"$output")" = "== systems/window/chr20" ]
  sort out/compare.tsv >after.tsv
  same_files before.tsv after.tsv
}

@test "compare.sh refuses what it does not know, before it does anything" {
  cd "$BATS_TEST_TMPDIR"
  local script=("$BIGDNA_SOURCE_DIR/pipelines/compare.sh" --no-build --bin "$(dirname "$BIGDNA")" --quick)
  fails 2 "compare: --systems: no attention, pattern or stack is called flash" "${script[@]}" --systems "window flash"
  fails 2 "compare: --systems: window:dilation: dilation is no SETTING=VALUE" "${script[@]}" --systems "window:dilation"
  fails 2 "compare: --systems: no attention, pattern or stack is called windows" "${script[@]}" --systems "windows:dilation=2"
  fails 2 "compare: --systems: lsh+none: no pattern is called none" "${script[@]}" --systems lsh+none
  fails 2 "compare: --jobs needs --tokens and --copy-tokens" "$BIGDNA_SOURCE_DIR/pipelines/compare.sh" --no-build --bin "$(dirname "$BIGDNA")" --jobs 2 --tokens 10
  fails 2 "compare: --minutes is a number" "${script[@]}" --minutes ten
  fails 1 "compare: --data: no such folder" "${script[@]}" --data absent
  fails 1 "compare: --peaks: no such file" "${script[@]}" --peaks absent
  [ ! -e compare ]
}

@test "copy_task.awk: each word stands again at its distance, directly or as reverse complement" {
  cd "$BATS_TEST_TMPDIR"
  task word=20 pool=8 unit=2 document=24 documents=3 tested=2 distances=2,6 >genome.fa
  task word=20 pool=8 unit=2 document=24 documents=3 tested=2 distances=2,6 | cmp - genome.fa
  python3 - <<'PY'
word, unit = 20, 2
records, complement = {}, str.maketrans("ACGT", "TGCA")
for line in open("genome.fa"):
    if line[0] == ">": name = line[1:].strip(); records[name] = []
    else: records[name].append(line.strip())
assert len(records) == 4 * (3 + 2)
pool = set(open("words.txt").read().split())
assert len(pool) == 16 and all(w[0] == "A" and w[-1] == "T" and set(w[1:-1]) <= set("CG") and w[::-1].translate(complement) in pool for w in pool)
for name, words in records.items():
    direction, distance = name.split("_")[0], int(name.split("_")[1])
    assert len(words) == 24 and set(words) <= pool and all(len(w) == word for w in words)
    for begin in range(0, 24, 2 * distance):
        first, second = words[begin:begin + distance], words[begin + distance:begin + 2 * distance]
        if direction == "direct": assert first == second
        else:
            for block in range(0, distance, unit):
                assert "".join(second[block:block + unit]) == "".join(first[block:block + unit])[::-1].translate(complement)
held_out = [line.split() for line in open("held_out.bed")]
assert {name for name, *_ in held_out} == {name for name in records if name.endswith("_held_out")}
assert {(start, end) for _, start, end in held_out} == {("0", str(24 * word))}
PY
  # one token for each word, also where words and their reverse complements meet
  bigdna vocab words.txt --vocab-size 2000 --max-piece-length 20 -o vocabulary --quiet
  bigdna corpus genome.fa --vocab vocabulary --contigs all --hold-out 0 --passes 1 --start 0 --sentences 1-1 --sentence-length 480-480 -o corpus --quiet
  [ "$(bigdna corpus --show 99 corpus | grep -c 'tokens=24$')" -eq 20 ]
  # all of a kind in one contig
  task joined=1 documents=3 tested=2 document=24 word=20 pool=8 distances=2 directions=direct >joined.fa
  [ "$(grep '^>' joined.fa | tr '\n' ' ')" = ">direct_2 >direct_2_held_out " ]
  [ "$(cat held_out.bed)" = "$(printf 'direct_2_held_out\t0\t960')" ]
}
