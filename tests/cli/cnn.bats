# The CNN branch of fine-tuned models: trained by --cnn-filters, read by every command, kept by convert, shown by info.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  small_encoder
  small_promoters
  bigdna finetune pre promoters --cnn-filters 8 --steps 12 --evaluations 3 --positive-weight 2 --precision fp32 -o promoter --quiet -@1 >promoter.out
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}

scores() { bigdna predict-promoter "$1" "$TEST_DATA/records.fa" --quiet "${@:2}"; }

# MODEL: its CNN branch made to say something whatever training kept
loud() {
  python3 - "$1/model.safetensors" <<'END'
import array, json, random, struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
size, = struct.unpack("<Q", data[:8])
begin, end = json.loads(data[8:8 + size])["bigdna.cnn.output.weight"]["data_offsets"]
rng = random.Random(1)
data[8 + size + begin:8 + size + end] = array.array("f", (rng.gauss(0, 1) for _ in range((end - begin) // 4))).tobytes()
open(sys.argv[1], "wb").write(data)
END
}

@test "finetune --cnn-filters: evaluate says the same; 1 and 2 threads; info" {
  bigdna evaluate "$shared/promoter" "$shared/promoters" --precision fp32 --quiet >again
  same_rows again "$shared/promoter.out"
  same_rows <(scores "$shared/promoter" -@1) <(bigdna predict-promoter "$shared/promoter" - --quiet -@2 <"$TEST_DATA/records.fa")
  bigdna info "$shared/promoter/model" | grep -q "^  CNN  *8 filters of 15 bases, over 1000 bp"
  grep -q '"cnn_filters": 8' "$shared/promoter/model/config.json"
}

@test "all commands read the branch, which sees what tokens do not" {
  cp -r "$shared/promoter/model" loud
  loud loud
  bigdna predict-promoter loud "$TEST_DATA/records.fa" --parts --quiet --precision fp32 >loud.tsv
  bigdna predict-promoter "$shared/promoter" "$TEST_DATA/records.fa" --parts --quiet --precision fp32 >quiet.tsv
  same_rows <(cut -f1-3,8 loud.tsv) <(cut -f1-3,8 quiet.tsv)   # the k-mers are the same
  not same_rows <(cut -f9 loud.tsv) <(cut -f9 quiet.tsv)       # the branch is a part of the encoder's
  awk -F'\t' '!/^#/ && $5 != "." {n++; d = 1 / (1 + exp(-$8 - $9 - $10)) - $5; if (d * d > 1e-11) bad = 1} END {exit bad || !n}' loud.tsv
  # one substitution: variants' LOGIT is the difference of the log-odds that predict-promoter gives
  printf '>r\n%s\n' "$(samtools faidx "$genome" chr1:30001-30600 | tail -n +2 | tr -d '\n')" >r.fa
  samtools faidx r.fa
  ref=$(sed -n 2p r.fa | cut -c395) alt=$([ "$ref" = A ] && echo C || echo A)
  printf '>r\n%s%s%s\n' "$(sed -n 2p r.fa | cut -c1-394)" "$alt" "$(sed -n 2p r.fa | cut -c396-)" >m.fa
  printf '##fileformat=VCFv4.2\n##contig=<ID=r>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nr\t395\t.\t%s\t%s\t.\t.\t.\n' "$ref" "$alt" >v.vcf
  printf 'r\t400\t401\ts\t0\t+\n' >site.bed
  bigdna variants loud v.vcf -g r.fa --sites site.bed --effects LOGIT --quiet --precision fp32 -o v.tsv
  for file in r.fa m.fa; do bigdna predict-promoter loud $file --parts --quiet --precision fp32 | tail -1 | cut -f8-10; done >logits
  awk -v said="$(tail -1 v.tsv | awk '{print $(NF - 1)}')" '{z[NR] = $1 + $2 + $3} END {d = z[2] - z[1] - said; exit !(d * d < 1e-7 && (z[2] - z[1]) ^ 2 > 1e-6)}' logits
  # explanations have the branch's part too
  printf 'r\t0\t600\n' >r.bed
  for model in loud "$shared/promoter"; do
    bigdna explain $model -R r.bed -g r.fa --around 30 -o e.bg --quiet
    grep -v '^#' e.bg | cut -f4 >values.${model##*/}
  done
  [ "$(paste values.loud values.promoter | awk '($1 - $2) ^ 2 > 1e-6' | wc -l)" -gt 20 ]
  bigdna embed loud "$TEST_DATA/records.fa" -o a.npy --quiet --precision fp32
  bigdna embed "$shared/promoter" "$TEST_DATA/records.fa" -o b.npy --quiet --precision fp32
  same_files a.npy b.npy  # the encoder's states alone
}

@test "chromatin; convert keeps the branch and says what reads it" {
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g "$genome" --upstream 200 --downstream 200 --max-bins 300 --split-like "$shared/pre/model" \
    --validation chrX --keep any -o bins --quiet
  bigdna finetune "$shared/pre" bins --cnn-filters 4 --steps 4 --evaluations 1 --reverse-complement -o chromatin --quiet >chromatin.out
  [ "$(sed '/^##/d' chromatin.out | cut -f2 | grep -vE 'encoder|cnn' | sort -u | tr '\n' ' ')" = "bigdna bigdna-kmers kmers method " ]
  bigdna chromatin chromatin "$TEST_DATA/regions.bed" -g "$genome" --quiet -@1 | grep -v '^##' >one.tsv
  [ "$(grep -vc '^#' one.tsv)" -gt 20 ]
  same_rows one.tsv <(bigdna chromatin chromatin "$TEST_DATA/regions.bed" -g "$genome" --quiet -@2 | grep -v '^##')
  bigdna convert "$shared/promoter" -o copy 2>log
  grep -q "transformers does not read the 8 CNN filters" log
  same_rows <(scores copy) <(scores "$shared/promoter")
  bigdna convert "$shared/promoter" --head none -o bare --quiet
  bigdna info bare | grep -c "^  CNN" >count || true
  [ "$(cat count)" = 0 ]
}

@test "256 filters beside k-mers, none without; --cnn-filters 0: none; a folder without its filters is an error; a bad number" {
  finetune() { bigdna finetune "$shared/pre" "$shared/promoters" --steps 2 --evaluations 1 --no-baseline -o "$@" --quiet >/dev/null; }
  finetune default
  finetune spelled_out --cnn-filters 256
  finetune none --cnn-filters 0
  finetune plain --no-kmers
  cmp default/model/model.safetensors spelled_out/model/model.safetensors
  grep -q '"cnn_filters": 256' default/model/config.json
  not grep -q '"cnn_filters"' none/model/config.json
  not grep -q '"cnn_filters"' plain/model/config.json
  not grep -q 'bigdna.cnn' none/model/model.safetensors
  cp -r "$shared/promoter/model" broken
  sed -i 's/"cnn_filters": 8/"cnn_filters": 9/' broken/config.json
  fails 1 "bigdna.cnn.filter.weight [8, 4, 15] instead of [9, 4, 15]" scores broken
  sed -i '/"cnn_filters": 9/d; s/"labels": 1,$/"labels": 1/' broken/config.json
  fails 1 "unexpected: bigdna.cnn.filter.bias" scores broken
  fails 2 "--cnn-filters" bigdna finetune "$shared/pre" "$shared/promoters" --cnn-filters -1 -o x --quiet
}

@test "killed and resumed: the bytes of an uninterrupted run" {
  run=(finetune "$shared/pre" "$shared/promoters" --cnn-filters 8 --steps 12 --evaluations 3 --positive-weight 2 --precision fp32 --checkpoint-every 2 -o run --quiet -@1)
  killed_when '[ -e run/checkpoints/step-000000004 ]' bigdna "${run[@]}"
  bigdna "${run[@]}" --resume >/dev/null
  cmp run/model/model.safetensors "$shared/promoter/model/model.safetensors"
  cmp run/model/kmers.safetensors "$shared/promoter/model/kmers.safetensors"
}
