# Causal models: pretrain --objective next, and what other commands do with them. That the numbers are transformers' decoder's is shown by
# tests/peers/causal_test.py.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  genome=$TEST_DATA/genome.fa.gz
  bigdna pretrain "$genome" --objective next --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 200 --steps 4 --batch 2 --hold-out chr3 \
    --evaluation-tokens 1000 --checkpoint-every 2 --precision fp32 -o next --quiet -@ 1
  printf '>a\nACGTTGCANNACGATTACAG\n>empty\n>c\n%s\n' "$(printf 'ACGTTGCATTGACCA%.0s' {1..200})" >records.fa
}
setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}
likelihood() { bigdna likelihood "$shared/next" "$@" --quiet --precision fp32; }
numbers() { grep -v '^##' "$@"; }

@test "pretrain: metrics have one-sided counts beside them, a stopped run goes on bit for bit, info says causal" {
  grep held_out_bpc "$shared/next/metrics.jsonl" | tail -1 >last.json
  python3 - last.json <<'PY'
import json, sys
found = json.load(open(sys.argv[1]))
assert {"held_out_bpc", "held_out_bpc_shuffled", "unigram_bpc", "one_sided_bigram_bpc", "one_sided_trigram_bpc"} <= found.keys(), found
assert not {"held_out_bpc_bert", "two_sided_bigram_bpc", "held_out_nsp_accuracy"} & found.keys(), found
assert found["one_sided_bigram_bpc"] < found["unigram_bpc"] and 1.5 < found["held_out_bpc"] < 2.5, found
PY
  bigdna info "$shared/next" >info.txt
  grep -q "causal: no token reads a later one" info.txt
  grep -q "^ *objective  *next" info.txt
  grep -q '"causal": true' "$shared/next/model/config.json"
  grep -q '"model_type": "bigdna"' "$shared/next/model/config.json"
  cp -r "$shared/next" cut
  rm -r cut/model cut/run.json cut/checkpoints/step-000000004 cut/checkpoints/last
  ln -s step-000000002 cut/checkpoints/last
  bigdna pretrain -o cut --resume -@ 2 --precision fp32 --quiet
  same_files cut/model/model.safetensors "$shared/next/model/model.safetensors"
}

@test "likelihood --copies: what stood before is cheap on either strand, also from --history; the same on any number of threads and from stdin" {
  python3 - <<'PY'
import random
random.seed(5)
def bases(n): return "".join(random.choice("ACGT") for _ in range(n))
a, b = bases(3000), bases(3000)
back = a[::-1].translate(str.maketrans("ACGT", "TGCA"))
open("all.fa", "w").write(f">first\n{a}\n>again\n{a}\n>back\n{back}\n>other\n{b}\n")
open("known.fa", "w").write(f">known\n{a}\n")
open("again.fa", "w").write(f">again\n{a}\n")
open("genome.fa", "w").write(f">g\n{a}{a}\n")
PY
  likelihood all.fa -o alone.tsv
  likelihood all.fa --copies -@ 1 --counts counts.json -o one.tsv
  likelihood - --copies -@ 2 -o two.tsv <all.fa
  same_rows one.tsv two.tsv
  python3 - <<'PY'
import json
def bits(name): return {f[0]: float(f[5]) for f in (line.split("\t") for line in open(name) if line[0] != "#")}
alone, copies = bits("alone.tsv"), bits("one.tsv")
assert abs(copies["first"] / alone["first"] - 1) < .01 and abs(copies["other"] / alone["other"] - 1) < .01, (alone, copies)
assert copies["again"] < .1 * alone["again"] and copies["back"] < .1 * alone["back"], (alone, copies)
counts = json.load(open("counts.json"))
assert abs(counts["copies"]["bits_without_copies"] - sum(alone.values())) < .1 and abs(counts["bits"] - sum(copies.values())) < .1, counts
assert 0 < counts["copies"]["copies_right"] <= counts["copies"]["tokens_with_a_copy"], counts
PY
  likelihood again.fa --copies --history known.fa | sed '/^#/d' >history.tsv
  # what was scored has also taught the weights
  paste history.tsv <(sed -n '/^again/p' one.tsv) | all_rows '$6 > 0.98 * $13 && $6 < 1.02 * $13'
  printf 'g\t0\t3000\n' >before.bed
  printf 'g\t3000\t6000\tagain\n' >after.bed
  likelihood -R after.bed -g genome.fa --copies --history before.bed | sed '/^#/d' | same_files - history.tsv
  fails 2 "only causal models read tokens in order" bigdna likelihood human-chr20-encoder again.fa --copies
  fails 2 "--history" likelihood again.fa --history known.fa
  fails 1 "missing.fa" likelihood again.fa --copies --history missing.fa -o out.tsv
  fails 2 "--history: stdin is the input already" likelihood - --copies --history -
  cp known.fa known.txt
  fails 1 "known.txt" likelihood again.fa --copies --history known.txt -o known.txt
  same_files known.fa known.txt
  # regions that can be read only once
  likelihood -R after.bed -g genome.fa -o file.bw
  likelihood -R <(cat after.bed) -g genome.fa -o pipe.bw
  same_files file.bw pipe.bw
}

@test "likelihood --overlap: pieces of a long record have the bits of one pass where the model reads no further" {
  bigdna pretrain "$genome" --objective next --preset tiny --pattern window --window 3 --block 16 --layers 1 --hidden 32 --ffn 64 --max-length 128 --vocab-size 200 --steps 4 \
    --batch 2 --evaluation-tokens 500 --precision fp32 -o short --quiet
  bigdna convert short --max-length 4096 -o long --quiet
  of() { bigdna likelihood "$@" "$shared/records.fa" --each token --precision fp32 --quiet | sed '/^#/d' | grep '^c' | cut -f2-5; }
  of long >one_pass.tsv
  of short >pieces.tsv
  of short --overlap 40 >overlap.tsv
  [ "$(wc -l <one_pass.tsv)" -gt 200 ]
  same() { paste one_pass.tsv "$1" | all_rows '$1 == $5 && $2 == $6 && ($4 - $8) ^ 2 < 1e-8'; }
  same overlap.tsv
  not same pieces.tsv
  fails 2 "reads no more than 126 tokens" bigdna likelihood short "$shared/records.fa" --overlap 126
}

@test "likelihood: bits of a record are the sum of its tokens, the same on any number of threads and from stdin" {
  likelihood "$shared/records.fa" -@1 >records.tsv
  likelihood "$shared/records.fa" --each token -@2 >tokens.tsv
  [ "$(numbers records.tsv | sed 1d | cut -f1-3)" = $'a\t0\t20\nc\t0\t3000' ]
  awk -F'\t' '/^#/ {next} NR == FNR {if ($5 != ".") {bits[$1] += $5; ++tokens[$1]; bases[$1] += $3 - $2} next}
    {++n; d = bits[$1] - $6; if (d * d > 1e-4 || tokens[$1] != $4 || bases[$1] != $5 || ($1 == "a" && $5 > 18)) bad = 1} END {exit bad || n != 2}' tokens.tsv records.tsv
  same_files <(numbers records.tsv) <(likelihood - -@2 <"$shared/records.fa" | numbers)
}

@test "likelihood: what follows a token does not change its bits" {
  printf '>a\nACGTTGCATTGACCAACGTTGCATTGACCAGGCATCAGCATACAGTTTAG\n' >short.fa
  printf '>a\nACGTTGCATTGACCAACGTTGCATTGACCAGGCATCAGCATACAGTTTAGCCCCCCCCCCCCCCCCCCCCAAAAAAAAAAAAAAAAAAATTTTTGGGGG\n' >long.fa
  likelihood short.fa --each token | numbers | cut -f2-5 >short.tsv
  likelihood long.fa --each token | numbers | cut -f2-5 >long.tsv
  # up to the last tokens, which may be other ones where more bases follow
  awk -F'\t' 'NR == FNR {there[$1 "-" $2 "-" $3] = $4; next} FNR > 1 && $2 <= 35 {++n; if (!(($1 "-" $2 "-" $3) in there) || (there[$1 "-" $2 "-" $3] - $4) ^ 2 > 1e-6) bad = 1} END {exit bad || n < 5}' long.tsv short.tsv
}

@test "variants --effects LLR of substitutions and indels: of ALT to REF it is the negative" {
  sequence=$(samtools faidx "$genome" chr1:5001-5003 | tail -1 | tr acgt ACGT)
  vcf() { printf '##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr1\t5001\t.\t%s\t%s\t.\t.\t.\n' "$@"; }
  for other in "$(tr ACGT CATG <<<"${sequence:0:1}")${sequence:1}" "${sequence:0:1}"; do
    vcf "$sequence" "$other" >one.vcf
    bigdna variants "$shared/next" one.vcf -g "$genome" --context 200 --effects LLR --precision fp32 --quiet -o one.tsv -@1
    bigdna variants "$shared/next" one.vcf -g "$genome" --context 200 --effects LLR --precision fp32 --quiet -o two.tsv -@2
    same_files <(numbers one.tsv) <(numbers two.tsv)
    numbers one.tsv | sed 1d | cut -f10 | grep -q '^-*[0-9]'
  done
  other=$(tr ACGT CATG <<<"${sequence:0:1}")${sequence:1}
  vcf "$sequence" "$other" >one.vcf
  bigdna variants "$shared/next" one.vcf -g "$genome" --context 200 --effects LLR --precision fp32 --quiet -o one.tsv
  { samtools faidx "$genome" chr1:1-5000; echo "$other"; samtools faidx "$genome" chr1:5004-20000 | sed 1d; } | sed 's/^>.*/>chr1/' | awk '/^>/ {print; next} {printf "%s", $0} END {print ""}' >other.fa
  vcf "$other" "$sequence" >back.vcf
  bigdna variants "$shared/next" back.vcf -g other.fa --context 200 --effects LLR --precision fp32 --quiet -o back.tsv
  awk -F'\t' '/^#/ {next} NR == FNR {there = $10; next} {++n; bad = (there + $10) ^ 2 > 1e-6 || there == 0} END {exit bad || n != 1}' one.tsv back.tsv
}

@test "convert: full attention makes it transformers' decoder, which reads the same there and back" {
  bigdna convert "$shared/next" -o sparse 2>err
  grep -q "sparse: transformers has nothing for causal models with pattern bigbird (bigdna convert --pattern full makes it full, with the same weights), and refuses to load the model" err
  bigdna convert "$shared/next" -o full --pattern full 2>err
  not grep -q "transformers has nothing" err
  [ "$(of_json full/config.json '[model_type, architectures, cls_token_id]')" = '["modernbert-decoder",["ModernBertDecoderForCausalLM"],2]' ]
  grep -q "attn.k_proj.weight" full/model.safetensors
  not grep -q "Wqkv" full/model.safetensors
  bigdna convert full -o back --pattern bigbird --quiet
  same_files back/model.safetensors "$shared/next/model/model.safetensors"
  bigdna convert full -o bare --head none --quiet
  [ "$(of_json bare/config.json architectures)" = '["ModernBertDecoderModel"]' ]

  # as transformers writes it
  mkdir theirs
  cp full/{model.safetensors,tokenizer.json,tokenizer_config.json} theirs
  python3 -c 'import json; config = json.load(open("full/config.json")); del config["bigdna"]; json.dump(config, open("theirs/config.json", "w"), indent=1)'
  bigdna convert theirs -o again --quiet
  same_files again/model.safetensors full/model.safetensors
  for model in full theirs again; do bigdna likelihood $model "$shared/records.fa" --precision fp32 --quiet | numbers >$model.tsv; done
  same_files full.tsv theirs.tsv again.tsv
  not cmp -s full.tsv <(likelihood "$shared/records.fa" | numbers)
  cp theirs/config.json config.json
  sed -i '0,/"full_attention"/s//"sliding_attention"/' theirs/config.json
  fails 1 "theirs/config.json: layers with sliding attention are not supported" bigdna convert theirs -o out
  sed 's/ForCausalLM/ForSequenceClassification/' config.json >theirs/config.json
  fails 1 "ModernBertDecoderForSequenceClassification is not supported (bigdna reads ModernBertDecoderForCausalLM, ModernBertDecoderModel)" bigdna convert theirs -o out
  [ ! -e out ]
}

@test "what makes no sense for a causal model is refused with the reason" {
  on=(--objective next --preset tiny --steps 1 -o run --quiet)
  fails 2 "bigbird-etc cannot be causal: its extra tokens read the text that follows" bigdna pretrain "$genome" "${on[@]}" --pattern bigbird-etc
  fails 2 "blockbert cannot be causal: a head attends to another span" bigdna pretrain "$genome" "${on[@]}" --pattern blockbert
  fails 2 "strided can be causal only with --stride" bigdna pretrain "$genome" "${on[@]}" --pattern strided
  fails 2 "attention performer: it cannot be causal: its sums run over all tokens" bigdna pretrain "$genome" "${on[@]}" --attention performer
  fails 2 "--masking has no effect with --objective next" bigdna pretrain "$genome" "${on[@]}" --masking all
  fails 2 "is causal, so it learns by --objective next alone" bigdna pretrain "$genome" -o run --init-from "$shared/next" --steps 1 --quiet
  fails 1 "is causal: it predicts no masked tokens" bigdna evaluate mlm "$shared/next" "$genome" -o out.tsv
  fails 2 "is causal: it predicts each token from those before it" likelihood "$shared/records.fa" --mask-fraction 0.2
  fails 2 "is causal, so its [CLS] reads nothing but itself" bigdna embed "$shared/next" "$shared/records.fa" --pool cls -o out.tsv
  bigdna embed "$shared/next" "$shared/records.fa" --quiet -o embedded.tsv
  [ "$(numbers embedded.tsv | wc -l)" = 3 ]
}

@test "every causal pattern trains" {
  patterns=$(bigdna info --attentions | sed -n '/^## Patterns/,/^## /s/^| `\([a-z-]*\)` .* | yes.*/\1/p')
  [ "$(wc -w <<<"$patterns")" -ge 10 ]
  for pattern in $patterns; do
    stride=()
    case $pattern in strided | fixed | image) stride=(--stride 3) ;; esac
    bigdna pretrain "$shared/next/corpus" --objective next --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --steps 1 --batch 2 --evaluation-tokens 500 \
      --pattern "$pattern" "${stride[@]}" -o "of-$pattern" --quiet -@ 1
    bigdna likelihood "of-$pattern" "$shared/records.fa" --quiet | numbers | tail -1 | cut -f7 | grep -q '^[12][.]'
  done
}
