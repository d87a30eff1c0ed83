# bigdna fill, and pretrain --gaps, which trains its models. That the probabilities are right is shown by tests/unit/session.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  genome=$TEST_DATA/genome.fa.gz
  bigdna pretrain "$genome" --objective next --gaps 0.5 --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 100 --steps 6 --batch 4 \
    --hold-out chr3 --evaluation-tokens 2000 --checkpoint-every 3 --precision fp32 -o gaps --quiet -@ 1
  small_encoder
  python3 - <<'PY'
import random
random.seed(3)
def bases(n): return "".join(random.choice("ACGT") for _ in range(n))
open("records.fa", "w").write(f">a first\n{bases(300)}NNNNNNNN{bases(50)}N{bases(40)}\n>whole\n{bases(100)}\n>empty\n>ends\nNNN{bases(70)}{'N' * 150}{bases(20)}nnnn\n")
PY
}
setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}
fill() { bigdna fill "$shared/gaps" "$@" --precision fp32 --quiet; }
numbers() { grep -v '^##' "$@"; }

@test "pretrain --gaps: held-out middles beside two nulls, config and info say so, a stopped run goes on bit for bit" {
  grep held_out_gap_bpc "$shared/gaps/metrics.jsonl" | tail -1 >last.json
  python3 - last.json <<'PY'
import json, sys
found = json.load(open(sys.argv[1]))
both, shuffled, left, end = (found["held_out_gap_bpc" + name] for name in ("", "_shuffled", "_left", "_with_end"))
assert all(1 < value < 4 for value in (both, shuffled, left)) and end > both, found
assert len({both, shuffled, left}) == 3, found
PY
  [ "$(of_json "$shared/gaps/model/config.json" 'bigdna["gaps"]')" = 0.5 ]
  [ "$(of_json "$shared/gaps/model/bigdna.json" gaps)" = 0.5 ]
  bigdna info "$shared/gaps" >info.txt
  grep -q "gaps  *trained with a middle behind its flanks in 0.5 of the examples" info.txt
  cp -r "$shared/gaps" cut
  rm -r cut/model cut/run.json cut/checkpoints/step-000000006 cut/checkpoints/last
  ln -s step-000000003 cut/checkpoints/last
  bigdna pretrain -o cut --resume -@ 2 --precision fp32 --quiet
  same_files cut/model/model.safetensors "$shared/gaps/model/model.safetensors"
  fails 2 "--gaps needs --objective next" bigdna pretrain "$genome" --gaps 0.5 --preset tiny --steps 1 -o run --quiet
  fails 2 "must be 7 or more with gaps" bigdna pretrain "$genome" --objective next --gaps 0.5 --preset tiny --max-length 6 --steps 1 -o run --quiet
}

@test "--bidirectional-flanks: trained, recorded, the same by a stopped run, on 1 thread and 2, and by another backend" {
  both=(--objective next --gaps 0.8 --bidirectional-flanks --preset tiny --layers 2 --hidden 32 --ffn 64 --max-length 128 --block 8 --pattern full --vocab-size 100
    --steps 6 --batch 4 --hold-out chr3 --evaluation-tokens 2000 --checkpoint-every 3 --precision fp32 --quiet)
  bigdna pretrain "$genome" "${both[@]}" -o both -@ 1
  [ "$(of_json both/model/config.json 'bigdna["bidirectional_flanks"]')" = true ]
  bigdna info both >info.txt
  grep -q "in 0.8 of the examples; flanks are read in both directions" info.txt
  cp -r both cut
  rm -r cut/model cut/run.json cut/checkpoints/step-000000006 cut/checkpoints/last
  ln -s step-000000003 cut/checkpoints/last
  bigdna pretrain -o cut --resume -@ 2 --precision fp32 --quiet
  same_files cut/model/model.safetensors both/model/model.safetensors
  for options in "-@ 1" "-@ 2" "--backend gather" "--backend dense"; do
    bigdna fill both "$shared/records.fa" --precision fp32 --quiet $options -o filled.fa --table "table$options.tsv"
  done
  same_rows "table-@ 1.tsv" "table-@ 2.tsv"
  python3 - table*.tsv <<'PY'
import sys
tables = [[line.rstrip("\n").split("\t") for line in open(path) if not line.startswith("#")] for path in sys.argv[1:]]
assert len(tables) == 4 and len(tables[0]) == 4
for table in tables[1:]:
    for row, other in zip(tables[0], table, strict=True):
        for a, b in zip(row, other, strict=True):
            assert a == b or abs(float(a) - float(b)) < 1e-3, (row, other)
PY
  # the same weights read the flanks otherwise if they are read in one direction
  cp -r both one
  sed -i 's/"bidirectional_flanks": true/"bidirectional_flanks": false/' one/model/config.json
  for model in both one; do bigdna fill $model "$shared/records.fa" --precision fp32 --quiet --table - -o /dev/null | numbers >$model.tsv; done
  not cmp -s both.tsv one.tsv
  fails 2 "--bidirectional-flanks needs --gaps" bigdna pretrain "$genome" --objective next --bidirectional-flanks --preset tiny --steps 1 -o run --quiet
  fails 2 "cannot read flanks in both directions" bigdna pretrain "$genome" "${both[@]}" --attention xl -o run
}

@test "runs of N are filled in lower case, everything else stays, longer gaps are counted" {
  fill "$shared/records.fa" -o filled.fa --table gaps.tsv
  python3 - "$shared/records.fa" filled.fa gaps.tsv <<'PY'
import sys
def records(path): return {lines[0].split()[0]: "".join(lines[1:]) for lines in (text.split("\n") for text in open(path).read().split(">")[1:])}
before, after = records(sys.argv[1]), records(sys.argv[2])
assert list(before) == list(after) == ["a", "whole", "empty", "ends"]
filled = {}
for name in before:
    assert len(before[name]) == len(after[name])
    i, long_run = 0, before[name].find("N" * 101)
    for i, (old, new) in enumerate(zip(before[name].upper(), after[name])):
        if old == "N" and not (long_run >= 0 and long_run <= i < long_run + 150):
            assert new in "acgt", (name, i, new)
        else:
            assert new == old, (name, i, old, new)
rows = [line.rstrip("\n").split("\t") for line in open(sys.argv[3]) if line[0] != "#"]
assert [(r[0], int(r[1]), int(r[2])) for r in rows] == [("a", 300, 308), ("a", 358, 359), ("ends", 0, 3), ("ends", 243, 247)], rows
for name, start, end, sequence, bits in rows:
    assert after[name][int(start):int(end)] == sequence.lower() and sequence == sequence.upper()
    assert 0 < float(bits) < 3, bits
PY
  bigdna fill "$shared/gaps" "$shared/records.fa" --precision fp32 -o again.fa 2>err
  grep -q "4 records: 4 gaps of 16 bp filled" err
  grep -q "1 gap of more than 100 bp (150 bp) left as in the input" err
  fill "$shared/records.fa" --max-gap 3 -o few.fa
  [ "$(grep -v '^>' few.fa | tr -cd a-z | wc -c)" = 4 ]
  fill "$shared/records.fa" --max-gap 200 -o long.fa
  [ "$(grep -v '^>' long.fa | tr -cd a-z | wc -c)" = 166 ]
  fails 2 "reads 256 tokens, so a gap can have 250 bp" fill "$shared/records.fa" --max-gap 251 -o out.fa
}

@test "the same on one thread and two, from stdin, and compressed; seeds and temperatures differ" {
  fill "$shared/records.fa" -@1 -o one.fa
  fill "$shared/records.fa" -@2 -o two.fa
  fill - <"$shared/records.fa" >stdin.fa
  gzip -c "$shared/records.fa" >records.fa.gz
  fill records.fa.gz -o from_gz.fa
  fill records.fa.gz -o packed.fa.gz
  same_files one.fa two.fa stdin.fa from_gz.fa <(zcat packed.fa.gz)
  fill "$shared/records.fa" --seed 2 -o seed.fa
  same_files one.fa seed.fa  # at temperature 0 nothing is random
  fill "$shared/records.fa" --temperature 1 -@1 -o drawn.fa
  fill "$shared/records.fa" --temperature 1 -@2 -o drawn2.fa
  same_files drawn.fa drawn2.fa
  fill "$shared/records.fa" --temperature 1 --seed 2 -o other.fa
  not cmp -s drawn.fa other.fa
  not cmp -s drawn.fa one.fa
}

@test "a gap's own bases are not read, and the flanks on both sides are" {
  python3 - <<'PY'
import random
random.seed(5)
left, right, other = ("".join(random.choice("ACGT") for _ in range(60)) for _ in range(3))
open("with.fa", "w").write(f">a\n{left}{'ACGTACGTACGTACGTACGT'}{right}\n")
open("n.fa", "w").write(f">a\n{left}{'N' * 20}{right}\n")
open("right.fa", "w").write(f">a\n{left}{'N' * 20}{other}\n")
PY
  printf 'a\t60\t80\n' >gap.bed
  fill with.fa -R gap.bed -o regions.fa --table regions.tsv
  sed 's/^/chr/' gap.bed | fill with.fa -R - -o spelled.fa
  same_files regions.fa spelled.fa
  fill n.fa -o n_filled.fa --table n.tsv
  same_files regions.fa n_filled.fa
  [ "$(numbers regions.tsv | head -1)" = $'#chrom\tstart\tend\tsequence\tbits_per_base\toriginal\toriginal_bits_per_base\tleft_bits_per_base' ]
  [ "$(numbers regions.tsv | sed 1d | cut -f1-5)" = "$(numbers n.tsv | sed 1d)" ]
  [ "$(numbers regions.tsv | sed 1d | cut -f6)" = ACGTACGTACGTACGTACGT ]
  fill right.fa -o right_filled.fa --table right.tsv
  [ "$(numbers right.tsv | sed 1d | cut -f5)" != "$(numbers n.tsv | sed 1d | cut -f5)" ]
}

@test "regions of lambda: bits of what stands there, on one thread and two, and the mean on stderr" {
  [ -e "$BIGDNA_DATA/genomes/lambda_NC_001416.1.fa.gz" ] || skip "no data"
  lambda=$BIGDNA_DATA/genomes/lambda_NC_001416.1.fa.gz
  name=$(zcat "$lambda" | sed -n '1s/^>\([^ ]*\).*/\1/p')
  for start in 40 1000 12345 48450; do printf '%s\t%s\t%s\n' "$name" $start $((start + 30)); done >regions.bed
  bigdna fill "$shared/gaps" "$lambda" -R regions.bed --table one.tsv -o one.fa --precision fp32 -@1 2>err
  fill "$lambda" -R - --table two.tsv -o two.fa -@2 <regions.bed
  same_files one.fa two.fa
  same_files <(numbers one.tsv) <(numbers two.tsv)
  [ "$(numbers one.tsv | sed 1d | wc -l)" = 4 ]
  numbers one.tsv | sed 1d | all_rows 'length($6) == 30 && $7 > 1.2 && $7 < 4 && $8 > 1.2 && $8 < 4 && $7 != $8'
  mean=$(numbers one.tsv | sed 1d | awk -F'\t' '{sum += $7} END {printf "%.4f", sum / NR}')
  grep -q "bits per base of the 120 bp that stood there: ${mean:0:5}" err
}

@test "variants --effects GAP: of ALT to REF it is the negative; substitutions and indels; one thread and two" {
  sequence=$(samtools faidx "$genome" chr1:5001-5003 | tail -1 | tr acgt ACGT)
  vcf() { printf '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr1\t5001\t.\t%s\t%s\t.\t.\t.\n' "$@"; }
  gap() { bigdna variants "$shared/gaps" "$1" -g "$2" --context 200 --effects GAP --precision fp32 --quiet "${@:3}"; }
  substitution=$(tr ACGT CATG <<<"${sequence:0:1}")${sequence:1}
  for other in "$substitution" "${sequence:0:1}"; do
    vcf "$sequence" "$other" >one.vcf
    gap one.vcf "$genome" -o one.tsv -@1
    gap one.vcf "$genome" -o two.tsv -@2
    same_files <(numbers one.tsv) <(numbers two.tsv)
    { samtools faidx "$genome" chr1:1-5000; echo "$other"; samtools faidx "$genome" chr1:5004-20000 | sed 1d; } | sed 's/^>.*/>chr1/' | awk '/^>/ {print; next} {printf "%s", $0} END {print ""}' >other.fa
    rm -f other.fa.fai
    vcf "$other" "$sequence" >back.vcf
    gap back.vcf other.fa -o back.tsv
    # with an indel the interval's outer end is another one, but for that it is the negative
    awk -F'\t' -v near="$([ "${#other}" = 3 ] && echo 1e-4 || echo 0.05)" '/^#/ {next} NR == FNR {there = $10; next} {++n; d = there + $10; bad = d > near || d < -near || there == 0} END {exit bad || n != 1}' one.tsv back.tsv
  done
  [ "$(numbers one.tsv | head -1 | cut -f6,10)" = $'strand\tGAP' ]
  gap one.vcf "$genome" --null 3 -o null.tsv
  [ "$(numbers null.tsv | head -1 | cut -f10,11)" = $'GAP\tGAP_percentile' ]
  # an allele of more tokens than the model reads has a reason, and is counted
  python3 - "$sequence" <<'PY'
import random, sys
random.seed(3)
head = "##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n"
open("long.vcf", "w").write(head + f"chr1\t5001\t.\t{sys.argv[1][0]}\t{sys.argv[1][0]}{''.join(random.choice('ACGT') for _ in range(990))}\t.\t.\t.\n")
PY
  for effect in GAP LLR; do
    bigdna variants "$shared/gaps" long.vcf -g "$genome" --context 4000 --effects $effect --counts counts.json --precision fp32 -o long.tsv 2>log
    grep -q "0 alleles scored, 1 skipped" log
    [ "$(of_json counts.json 'skipped["allele_too_long"]')" = 1 ]
    numbers long.tsv | sed 1d | grep -q "allele_too_long"
    bigdna variants "$shared/gaps" long.vcf -g "$genome" --context 4000 --effects $effect --precision fp32 --quiet -o long.out.vcf
    grep -q "BIGDNA_SKIPPED=allele_too_long" long.out.vcf
  done
  fails 2 "was not trained with gaps, so it has no GAP" bigdna variants "$shared/pre" one.vcf -g "$genome" --effects GAP
}

@test "bad input: one line, no output" {
  fails 1 "was not trained with gaps" bigdna fill "$shared/pre" "$shared/records.fa" -o out.fa
  fails 1 "no_model: not a model folder" bigdna fill no_model "$shared/records.fa" -o out.fa
  printf '>x\nHELLO\n' >bad.fa
  fails 1 "bad.fa" fill bad.fa -o out.fa
  fails 1 "missing.fa" fill missing.fa -o out.fa
  printf 'a\t10\t20\na\t15\t30\n' >overlap.bed
  fails 1 "overlap.bed:2: overlaps another region" fill "$shared/records.fa" -R overlap.bed -o out.fa --table out.tsv
  printf 'a\t10\t20\na\t390\t400\n' >past.bed
  fails 1 "past.bed:2: ends at 400, and a has 399 bases" fill "$shared/records.fa" -R past.bed -o out.fa --table out.tsv
  printf 'a\t10\t20\nb\t1\t2\n' >other.bed
  fails 1 "other.bed:2: $shared/records.fa has no sequence b" fill "$shared/records.fa" -R other.bed -o out.fa --table out.tsv
  fails 1 "stdin:2: $shared/records.fa has no sequence b" bash -c 'bigdna fill "$0" "$1" -R - -o out.fa <other.bed' "$shared/gaps" "$shared/records.fa"
  cat "$shared/records.fa" "$shared/records.fa" >twice.fa
  printf 'a\t10\t20\n' >a.bed
  fails 1 "twice.fa: regions on a were taken for an earlier sequence, and could be on this one, too" fill twice.fa -R a.bed -o out.fa
  printf 'chra\t10\t20\n' >spelled.bed
  fails 1 "twice.fa: regions on a were taken for an earlier sequence, and could be on this one, too" fill twice.fa -R spelled.bed -o out.fa
  : >none.bed
  fails 1 "none.bed" fill "$shared/records.fa" -R none.bed -o out.fa
  fails 2 "stdin can be given once" fill - -R - -o out.fa
  fails 2 "out.h5" fill "$shared/records.fa" --table out.h5 -o out.fa
  fails 1 "records.fa" fill "$shared/records.fa" -o "$shared/records.fa"
  for option in "--temperature -1" "--max-gap 0" "--seed x"; do
    # shellcheck disable=SC2086
    fails 2 "${option% *}" bigdna fill "$shared/gaps" "$shared/records.fa" $option -o out.fa
  done
  nothing_but a.bed bad.fa overlap.bed past.bed other.bed none.bed spelled.bed twice.fa
}
