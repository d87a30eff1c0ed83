# bigdna variants on the simulated genome: very small models, for behaviour, not skill. edited_fasta.py edits sequences independently.
load helpers

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  cp "$TEST_DATA/genome.fa.gz" .
  chmod u+w genome.fa.gz
  local small=(--preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 200 --steps 2 --batch 2 --evaluation-tokens 1000)
  bigdna pretrain genome.fa.gz "${small[@]}" --hold-out chr2,chr3 -o pre --quiet -@1
  bigdna dataset chromatin --peaks "$TEST_DATA/peaks.tsv" -g genome.fa.gz --upstream 200 --downstream 200 --max-bins 300 --split-like pre/model \
    --validation chrX --keep any -o bins --quiet
  bigdna finetune pre bins --steps 4 --evaluations 2 --no-baseline -o chromatin --quiet -@1 >/dev/null
  bigdna finetune pre bins --steps 4 --evaluations 1 --seed 2 --from-scratch --no-baseline -o chromatin2 --quiet -@1 >/dev/null
  bigdna dataset promoter --promoters "$TEST_DATA/tss.bed" -g genome.fa.gz --upstream 400 --downstream 200 --tss-distance 700 \
    --split-like pre/model --validation chrX -o starts --quiet
  bigdna finetune pre starts --steps 30 --no-baseline -o promoter --quiet -@1 >/dev/null
  edited random genome.fa.gz 1 150 >random.vcf
  # every kind of allele; the bases of chr1 from 20001 on are what the records' REF say
  local at ref
  at() { samtools faidx genome.fa.gz "chr1:$1-$(($1 + $2 - 1))" | sed 1d | tr -d '\n'; }
  {
    printf '##fileformat=VCFv4.2\n##contig=<ID=1,length=420000>\n##contig=<ID=chr9>\n##INFO=<ID=X,Number=1,Type=Float,Description="x">\n'
    printf '##FORMAT=<ID=GT,Number=1,Type=String,Description="genotype">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts1\ts2\n'
    printf '1\t0\ttelomere\tN\tA\t.\t.\t.\tGT\t0|1\t./.\n'
    printf '1\t20001\tlower_case\t%s\tggcc\t1.50\tPASS\tX=0.10\tGT\t0|1\t./.\n' "$(at 20001 1 | tr ACGT acgt)"
    printf '1\t20011\tmany\t%s\t<DEL>,*,%sTT,R,%s,A],.A\t.\t.\tX=1e-3;\tGT\t0|1\t./.\n' "$(at 20011 1)" "$(at 20011 1)" "$(at 20011 1)"
    printf '1\t20021\tnone\t%s\t.\t.\t.\t.\tGT\t0|1\t./.\n' "$(at 20021 1)"
    printf '1\t20031\twrong\t%s\tC\t.\t.\t.\tGT\t0|1\t./.\n' "$(at 20031 3 | tr ACGT TGCA)"
    printf '1\t20041\tdeletion\t%s\t%s\t.\t.\t.\tGT\t0|1\t./.\n' "$(at 20041 6)" "$(at 20041 1)"
    printf '1\t20051\tlong\t%s\t%s\t.\t.\t.\tGT\t0|1\t./.\n' "$(at 20051 150)" "$(at 20051 1)"
    printf '1\t20061\ttwo words\t%s\tC,T\t.\t.\t.\tGT\t0|1\t./.\n' "$(at 20061 1)"
    printf '1\t420001\tpast\tA\tC\t.\t.\t.\tGT\t0|1\t./.\n'
    printf 'chr9\t7\tcontig\tA\tC\t.\t.\t.\tGT\t0|1\t./.\n'
  } >kinds.vcf
}

edited() { python3 "$BIGDNA_SOURCE_DIR/tests/cli/edited_fasta.py" "$@"; }

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$BATS_FILE_TMPDIR/genome.fa.gz chromatin=$BATS_FILE_TMPDIR/chromatin promoter=$BATS_FILE_TMPDIR/promoter
  random=$BATS_FILE_TMPDIR/random.vcf kinds=$BATS_FILE_TMPDIR/kinds.vcf
}

# The largest difference that `edited compare` prints (of logits above 1, relative to them) is at most 1e-6 and the rounding of
# predictions to six decimals, and the effects are large enough to say so.
# Arguments: the effects that it must have compared.
close() { tee -a /dev/stderr | awk -v effects="$*" '!($NF <= 2e-6) {bad = 1} {most = $(NF - 3) + 0; bad += most < 0.01; found[$1] = 1}
  END {n = split(effects, names, " "); for (i = 1; i <= n; ++i) bad += !(names[i] in found); exit bad > 0 || !NR}'; }
rows() { grep -v '^#' "$1"; }

@test "variants: every reason for which an allele has no score" {
  first_columns() { bigdna variants "$chromatin" "$kinds" -g "$genome" --max-allele 100 -o kinds.tsv && sed '/^##/d' kinds.tsv | cut -f1-9; }
  golden variants_kinds first_columns
  first_columns 2>/dev/null >/dev/null
  # what is skipped has no effects, what is not has all of them
  awk -F'\t' '!/^#/ {for (i = 10; i <= NF; ++i) if (($9 == ".") == ($i == ".")) bad = 1; ++n} END {exit bad || !n}' kinds.tsv
}

@test "variants: all but INFO stays as it was, byte for byte, and norm -m- splits it" {
  bigdna variants "$chromatin" "$kinds" -g "$genome" --quiet >out.vcf
  diff <(rows "$kinds" | cut -f1-7,9-) <(rows out.vcf | cut -f1-7,9-)
  diff <(rows "$kinds" | cut -f8 | sed 's/;$//; s/^\.$//') <(rows out.vcf | cut -f8 | sed 's/;*BIGDNA_.*//; s/^\.$//')
  diff <(grep '^##' "$kinds") <(grep '^##' out.vcf | grep -v -e BIGDNA_ -e bigdna_variants)
  grep -q '^##INFO=<ID=BIGDNA_DIFF_CTCF_SimCell,Number=A,Type=Float,Description="p(alt) - p(ref) of CTCF|SimCell, model chromatin [0-9a-f]\{32\}"' out.vcf
  bcftools view -e 'POS=0' out.vcf 2>err | bcftools norm -m- 2>/dev/null | bcftools query -f '%ID %ALT %BIGDNA_SKIPPED %BIGDNA_SAR_DNase_SimCell\n' | grep '^many' >split
  [ ! -s err ]
  tr ' ' '\t' <split | all_rows '$3 == "." ? $4 != "." && $2 ~ /TT$/ : $4 == "."'
  [ "$(wc -l <split)" = 7 ]
  # annotated once more: the same
  bigdna variants "$chromatin" out.vcf -g "$genome" --quiet >again.vcf
  same_rows out.vcf again.vcf
}

@test "variants: VCF, BCF, stdin, TSV, one thread and two say the same" {
  bcftools view -Ob -o in.bcf "$random"
  bgzip -c "$random" >in.vcf.gz
  bigdna variants "$chromatin" "$random" -g "$genome" --quiet -@1 >one.vcf
  bigdna variants "$chromatin" - -g "$genome" --quiet -@2 <"$random" >two.vcf
  bigdna variants "$chromatin" in.vcf.gz -g "$genome" --quiet >gz.vcf
  cat in.bcf | bigdna variants "$chromatin" - -g "$genome" --quiet >bcf.vcf
  same_rows one.vcf two.vcf gz.vcf
  same_rows <(rows one.vcf) <(rows bcf.vcf)
  bigdna variants "$chromatin" in.bcf -g "$genome" --quiet -o out.bcf --write-index -@2
  bigdna variants "$chromatin" "$random" -g "$genome" --quiet -o out.vcf.gz --write-index
  same_rows <(bcftools view -H out.bcf) <(bcftools view -H out.vcf.gz)
  [ "$(bcftools view -H -r chr2 out.vcf.gz | wc -l)" = "$(rows "$random" | grep -c $'^chr2\t')" ]
  [ "$(bcftools view -H -r chr2 out.bcf | wc -l)" = "$(rows "$random" | grep -c $'^chr2\t')" ]
  bigdna variants "$chromatin" "$random" -g "$genome" --quiet -o out.tsv.gz
  diff <(rows one.vcf | sed 's/.*BIGDNA_DIFF_CTCF_SimCell=//; s/;.*//' | tr ',' '\n') <(zcat out.tsv.gz | sed '/^#/d' | cut -f10)
  bigdna variants "$chromatin" "$random" -g "$genome" --quiet -o out.h5
  [ "$(od -A n -t x1 -N 4 out.h5)" = " 89 48 44 46" ]
}

@test "variants: chromatin equals bigdna chromatin on edited sequences, on either strand" {
  edited chromatin "$genome" "$random" 200 e
  bigdna chromatin "$chromatin" e.bed -g e.fa --precision fp32 --parts --quiet -o e.tsv
  bigdna variants "$chromatin" "$random" -g "$genome" --effects P_REF,P_ALT,DIFF,LOGIT --quiet -o out.tsv
  edited compare out.tsv e.tsv | close DIFF LOGIT P_REF P_ALT
  # in each row the difference of the two probabilities is the third number
  sed '/^##/d' out.tsv | awk -F'\t' -v k="$(sed 1d "$chromatin/model/features.tsv" | wc -l)" '
    NR == 1 {if ($10 !~ /^P_REF:/ || $(10 + k) !~ /^P_ALT:/ || $(10 + 2 * k) !~ /^DIFF:/) bad = 1; next}
    $9 == "." {++n; for (i = 10; i < 10 + k; ++i) {d = $(i + k) - $i - $(i + 2 * k); if (d * d > 4e-12 || $i < 0 || $i > 1) bad = 1}}
    END {exit bad || n < 100}'
  bigdna chromatin "$chromatin" e.bed -g e.fa --precision fp32 --strands average --ensemble "$shared/chromatin2" --quiet -o e.tsv
  bigdna variants "$chromatin" "$random" -g "$genome" --strands average --ensemble "$shared/chromatin2" --quiet -o out.tsv
  edited compare out.tsv e.tsv | close DIFF
}

@test "variants: the table's first columns are Selene's, header and rows" {
  { cat "$random"; grep -P '\twrong\t' "$kinds" | cut -f1-8 | sed 's/^1/chr1/'; } >some.vcf
  bigdna variants "$chromatin" some.vcf -g "$genome" --effects DIFF --quiet -o out.tsv
  edited selene "$genome" some.vcf 200 >selene.tsv
  same_files selene.tsv <(sed '/^##/d; s/^#//' out.tsv | cut -f1-8)
  [ "$(sed '/^##/d' selene.tsv | cut -f7 | sort | uniq -c | awk '{print $2}' | tr '\n' ' ')" = "False True ref_match " ]
  [ "$(sed '/^##/d' selene.tsv | cut -f8 | grep -c True)" -gt 0 ]
  # then why there is no score, and a number for each feature in the model's order
  [ "$(header out.tsv | cut -f9-)" = "$(printf 'skipped'; sed 1d "$chromatin/model/features.tsv" | awk -F'\t' '{printf "\tDIFF:%s|%s", $2, $3} END {printf "\tseen"}')" ]
}

@test "variants: promoter tiles equal predict-promoter on edited sequences, at the ends of contigs too" {
  edited promoter "$genome" "$random" 600 150 e
  bigdna predict-promoter "$promoter" e.fa --precision fp32 --parts --quiet -o e.tsv
  bigdna variants "$promoter" "$random" -g "$genome" --effects DIFF,LOGIT,P_REF,P_ALT --quiet -o out.tsv
  edited compare out.tsv e.tsv | close DIFF LOGIT P_REF P_ALT
}

@test "variants: --sites takes the largest change of all start sites in reach, as predict-promoter has it on edited sequences" {
  edited random "$genome" 3 1000 >many.vcf
  edited sites "$genome" many.vcf "$TEST_DATA/tss.bed" 400 200 e
  bigdna predict-promoter "$promoter" e.fa --precision fp32 --parts --quiet -o e.tsv
  bigdna variants "$promoter" many.vcf -g "$genome" --sites "$TEST_DATA/tss.bed" --quiet -o out.tsv
  edited compare out.tsv e.tsv | close DIFF LOGIT
  [ "$(sed '/^##/d' out.tsv | cut -f9 | grep -cx '[.]')" -gt 50 ]
  [ "$(sed '/^##/d' out.tsv | cut -f9 | grep -cx no_site)" -gt 50 ]
  # only those within 100 bp of the variant
  bigdna variants "$promoter" many.vcf -g "$genome" --sites "$TEST_DATA/tss.bed" --reach 100 --quiet -o reach.tsv
  awk -F'\t' 'NR == FNR {site[$1, $2 + 1] = 1; next} !/^#/ {near = 0; for (k = -100; k <= 100; ++k) near += ($1, $2 + k) in site; if (near == 0 && $9 != "no_site") bad = 1; if (near && $9 == ".") ++scored} END {exit bad || scored < 5}' "$TEST_DATA/tss.bed" reach.tsv
}

@test "variants: --reach takes the bin of the largest change, as chromatin has it on edited sequences" {
  head -80 "$random" >few.vcf
  edited chromatin "$genome" few.vcf 200 e 200
  bigdna chromatin "$chromatin" e.bed -g e.fa --precision fp32 --parts --quiet -o e.tsv
  bigdna variants "$chromatin" few.vcf -g "$genome" --quiet --effects DIFF,LOGIT,P_REF,P_ALT --reach 200 -o out.tsv
  edited compare out.tsv e.tsv | close DIFF LOGIT P_REF P_ALT
  fails 2 "--reach 600: the model reads 200 bp on either side of a bin" bigdna variants "$chromatin" few.vcf -g "$genome" --reach 600
  fails 2 "--reach 199: the bins of this model are 200 bp apart" bigdna variants "$chromatin" few.vcf -g "$genome" --reach 199
  fails 2 "--context: only for models without a task" bigdna variants "$chromatin" few.vcf -g "$genome" --context 500
}

@test "variants: distance of hidden states, of a model without a task too" {
  head -30 "$random" >few.vcf
  bigdna variants "$shared/pre" few.vcf -g "$genome" --context 200 --quiet -o dist.tsv
  header dist.tsv | grep -cP 'skipped\tDIST\tseen$'
  # by hand, of the first single base: embed's rows
  IFS=$'\t' read -r contig position _ ref alt _ < <(rows few.vcf | awk -F'\t' 'length($4 $5) == 2 && $2 > 200' | sed -n 1p)
  samtools faidx "$genome" "$contig:$((position - 100))-$((position + 99))" | sed 1d | tr -d '\n' | tr acgt ACGT >seq
  printf '>r\n%s\n>a\n%s%s%s\n' "$(cat seq)" "$(head -c 100 seq)" "$alt" "$(tail -c +102 seq)" >e.fa
  bigdna embed "$shared/pre" e.fa --precision fp32 --quiet | awk -F'\t' '/^r/ {for (i = 4; i <= NF; ++i) r[i] = $i} /^a/ {for (i = 4; i <= NF; ++i) d += ($i - r[i]) ^ 2; print sqrt(d)}' >expected
  all_rows "(\$10 - $(cat expected))^2 < 1e-10" "\$2 == $position && \$5 == \"$alt\"" <dist.tsv
  fails 2 "DIST and LLR are its only effects" bigdna variants "$shared/pre" few.vcf -g "$genome" --effects DIFF
  bigdna variants "$chromatin" few.vcf -g "$genome" --effects DIST,DIFF --features CTCF --quiet | grep -v '^#' | grep -c 'BIGDNA_DIST=.*BIGDNA_DIFF_CTCF'
}

@test "start sites outside of the genome: all are an error, many a warning, and each is counted" {
  head -80 "$random" >few.vcf
  sed 's/^/scaffold/' "$TEST_DATA/tss.bed" >none.bed
  { head -20 "$TEST_DATA/tss.bed"; cat none.bed; } >many.bed
  { cat "$TEST_DATA/tss.bed"; head -20 none.bed; } >few.bed
  fails 1 "none.bed: none of its 188 start sites is in $genome: are its contigs called otherwise" bigdna variants "$promoter" few.vcf -g "$genome" --sites none.bed -o out.tsv --quiet
  bigdna variants "$promoter" few.vcf -g "$genome" --sites many.bed -o out.tsv 2>err
  grep -q "warning: many.bed: 188 of 208 start sites are not in $genome" err
  bigdna variants "$promoter" few.vcf -g "$genome" --sites few.bed -o out.tsv 2>err
  not grep -q "warning: few.bed" err
  grep -q "20 of 208 start sites are not in" err
  fails 1 "none.bed: no start site lies on a contig of $genome" bigdna dataset promoter --promoters none.bed -g "$genome" --test all -o d --quiet
  bigdna dataset promoter --promoters many.bed -g "$genome" --upstream 100 --downstream 50 --tss-distance 300 --test all -o d 2>err
  grep -q "208 start sites read, .*contig_not_in_genome 188" err
  [ "$(cut -f7 d/dropped.tsv | grep -c contig_not_in_genome)" = 188 ]
  fails 1 "none.bed: no peak lies on a contig that is used: peaks are on scaffold" bigdna dataset chromatin --start-sites none.bed -g "$genome" --keep all --upstream 0 --downstream 0 -o c --quiet
  bigdna dataset chromatin --start-sites many.bed -g "$genome" --keep all --upstream 0 --downstream 0 --test chr3 -o c 2>err
  grep -q "188 peaks lie on contigs that are not used" err
}

@test "variants: --features takes an exact name before a pattern that matches others" {
  head -80 "$random" >few.vcf
  cp -r "$chromatin/model" m
  sed -i '2s/\t[^\t]*/\tTF[1]/; 3s/\t[^\t]*/\tTF1/' m/features.tsv
  taken() { bigdna variants m few.vcf -g "$genome" --effects DIFF --features "$1" -o out.tsv --quiet; header out.tsv | tr '\t' '\n' | sed -n 's/^DIFF:\(.*\)|.*/\1/p' | xargs; }
  [ "$(taken 'TF[1]')" = "TF[1]" ]
  [ "$(taken TF1)" = TF1 ]
  [ "$(taken 'TF?')" = TF1 ]
  [ "$(taken 'TF*')" = "TF[1] TF1" ]
  [ "$(taken 'TF[1],TF1')" = "TF[1] TF1" ]
}

@test "variants: --top lists the features of the largest effects" {
  bigdna variants "$chromatin" "$random" -g "$genome" --quiet --effects DIFF,SAR --top 0 >all.vcf
  bigdna variants "$chromatin" "$random" -g "$genome" --quiet --effects DIFF,SAR --top 1 >top.vcf
  rows top.vcf | all_rows 'split($8, part, ";") == 3 && part[3] ~ /^BIGDNA_SEEN=[01]$/' '$5 !~ /,/ && /BIGDNA_DIFF/'
  value() { rows "$1" | awk -F'\t' '$5 !~ /,/ && /BIGDNA_DIFF/ {most = 0; n = split($8, part, ";"); for (i = 1; i <= n; ++i) if (part[i] ~ /DIFF/) {sub(/.*=/, "", part[i]); v = part[i] + 0; if (v * v > most * most) most = v}; print $1, $2, most}'; }
  same_rows <(value all.vcf) <(value top.vcf)
  bcftools view top.vcf >/dev/null
  bigdna variants "$chromatin" "$random" -g "$genome" --quiet --effects DIFF,SAR >default.vcf
  bigdna variants "$chromatin" "$random" -g "$genome" --quiet --effects DIFF,SAR --top 3 >three.vcf
  same_rows default.vcf three.vcf
  fails 2 "--top: only for VCF and BCF" bigdna variants "$chromatin" "$random" -g "$genome" --top 1 -o x.tsv
}

@test "variants: --table ranks the alleles by the first effect, whatever it is, and says which training has read" {
  export BIGDNA_CACHE=$PWD/cache
  rank() { bigdna variants "$1" "$random" -g "$genome" --quiet "${@:2}"; }
  rank "$chromatin" --effects LOGIT,DIFF --null 200 -o all.tsv --table top.tsv -@ 1
  rank "$chromatin" --effects LOGIT,DIFF --null 200 -o again.vcf --table again.tsv -@ 2
  same_rows top.tsv again.tsv
  rank "$chromatin" --effects P_REF,P_ALT -o probabilities.tsv
  bigdna variants "$chromatin" "$random" -g "$genome" --effects SAR -o sar.tsv --table sar.top --table-rows 2 2>err
  grep -E "sar.top: the 2 strongest of [0-9]+ alleles are listed \(--table-rows\)" err
  rank "$chromatin" --effects DIST -o dist.tsv --table dist.top
  rank "$promoter" -o promoter.tsv --table promoter.top
  python3 - <<'PY'
def read(path):
    header, *rows = [line.rstrip("\n").split("\t") for line in open(path) if not line.startswith("##")]
    return [dict(zip([name.lstrip("#") for name in header], row)) for row in rows]
place = lambda row: (row["chrom"], row["pos"], row["ref"], row["alt"])
top, whole = read("top.tsv"), {place(row): row for row in read("all.tsv")}
probabilities = {place(row): row for row in read("probabilities.tsv")}
scored = [row for row in whole.values() if row["skipped"] == "."]
assert len(top) == min(100, len(scored)) and [row["rank"] for row in top] == [str(i) for i in range(1, len(top) + 1)]
assert f"##alleles={len(scored)}\n" in open("top.tsv").readlines()
sizes = [abs(float(row["value"])) for row in top]
assert sizes == sorted(sizes, reverse=True)
largest = sorted((max(abs(float(v)) for k, v in row.items() if k.startswith("LOGIT:")) for row in scored), reverse=True)
assert sizes == largest[:len(sizes)]
for row in top:
    of, output = whole[place(row)], row["output"]
    assert row["effect"] == "LOGIT" and row["value"] == of["LOGIT:" + output] and row["percentile"] == of["LOGIT_percentile:" + output]
    assert row["seen"] == of["seen"] and row["seen"] in "01"
    assert abs(float(row["logit"]) - float(row["value"])) < 1e-5
    for name in ("P_REF", "P_ALT"):
        assert abs(float(row[name.lower()]) - float(probabilities[place(row)][name + ":" + output])) < 1e-6
assert {row["seen"] for row in whole.values()} >= {"0", "1"}  # chr3 was held out
assert [row["effect"] for row in read("sar.top")] == ["SAR", "SAR"]
dist = read("dist.top")
assert dist and all(row["output"] == row["p_ref"] == row["logit"] == "." and float(row["value"]) > 0 for row in dist)
promoters = read("promoter.top")
assert promoters and all(row["output"] == "score" and 0 <= float(row["p_alt"]) <= 1 for row in promoters)
PY
  fails 2 "--table cannot be used with --shard" rank "$chromatin" -o x.vcf --table t.tsv --shard 1/2
  fails 1 "none/t.tsv" rank "$chromatin" -o x.vcf --table none/t.tsv
  fails 2 "--strongest requires --pictures" rank "$chromatin" -o x.vcf --strongest 3
  fails 2 "--strongest requires --pictures" rank "$chromatin" -o x.vcf --table t.tsv --strongest 3
  fails 2 "--table-rows requires --table" rank "$chromatin" -o x.vcf --table-rows 3
  fails 2 "--table-rows" rank "$chromatin" -o x.vcf --table t.tsv --table-rows 0
}

@test "variants: --genes adds the nearest start site and its distance to --table, from BED, GTF and GFF3" {
  rank() { bigdna variants "$chromatin" "$random" -g "$genome" --quiet --effects DIFF --table-rows 1000 "$@"; }
  awk -v OFS='\t' '{sub(/^chr/, "", $1); from = $6 == "+" ? $3 : $3 > 99 ? $3 - 99 : 1
    print $1, "x", "transcript", from, $6 == "+" ? $3 + 99 : $3, ".", $6, ".", "gene_id \"g" NR "\"; transcript_id \"t" NR "\"; gene_name \"" $4 "\";"}' \
    "$TEST_DATA/tss.bed" >genes.gtf
  sed -E 's/gene_id.*gene_name "(.*)";/ID=i\1;Name=\1/; s/transcript\t/mRNA\t/' genes.gtf >genes.gff3
  rank -o x.tsv --table plain.tsv
  rank -o x.tsv --table bed.tsv --genes "$TEST_DATA/tss.bed" -@ 1
  rank -o x.vcf --table stdin.tsv --genes - -@ 2 <"$TEST_DATA/tss.bed"
  for format in gtf gff3; do rank -o x.tsv --table $format.tsv --genes genes.$format; done
  same_rows bed.tsv stdin.tsv
  same_rows gtf.tsv gff3.tsv
  for format in bed gtf; do sed '/^##/d' $format.tsv | cut -f1-16 >$format.rows; done
  same_files bed.rows gtf.rows
  same_files <(sed '/^##/d' bed.tsv | cut -f1-14) <(sed '/^##/d' plain.tsv)
  python3 - "$TEST_DATA/tss.bed" <<'PY'
import sys
sites = [line.split("\t") for line in open(sys.argv[1])]
header, *rows = [line.rstrip("\n").split("\t") for line in open("bed.tsv") if not line.startswith("##")]
assert header[-3:] == ["gene", "distance", "location"] and len(rows) > 100
assert {row.pop() for row in rows} == {"."}
for row in rows:
    along = {s[3]: (int(row[2]) - 1 - int(s[1])) * (1 if s[5].strip() == "+" else -1) for s in sites if s[0][3:] == row[1].removeprefix("chr")}
    if not along:
        assert row[-2:] == [".", "."], row
        continue
    assert int(row[-1]) == along[row[-2]] and abs(int(row[-1])) == min(map(abs, along.values())), row
assert sum(row[-1].startswith("-") for row in rows) > 10 and sum(row[-1] != "." for row in rows) > 40, [row[-1] for row in rows]
PY
  # transcripts with exons: where each allele lies, counted again
  awk -v OFS='\t' '{sub(/^chr/, "", $1); from = $6 == "+" ? $3 : $3 > 1999 ? $3 - 1999 : 1; to = $6 == "+" ? $3 + 1999 : $3
    of = "gene_id \"g" NR "\"; transcript_id \"t" NR "\";"
    print $1, "x", "transcript", from, to, ".", $6, ".", of; print $1, "x", "exon", from, from + 299, ".", $6, ".", of; print $1, "x", "exon", to - 299, to, ".", $6, ".", of}' \
    "$TEST_DATA/tss.bed" >exons.gtf
  rank -o x.tsv --table exons.tsv --genes exons.gtf
  grep -v $'\ttranscript\t' exons.gtf >alone.gtf  # a transcript without its row lies between its exons, too
  rank -o x.tsv --table alone.tsv --genes alone.gtf
  same_rows exons.tsv alone.tsv
  python3 - "$TEST_DATA/tss.bed" <<'PY'
import collections, sys
sites = [line.split("\t") for line in open(sys.argv[1])]
header, *rows = [line.rstrip("\n").split("\t") for line in open("exons.tsv") if not line.startswith("##")]
column, counts = header.index("location"), collections.Counter()
for row in rows:
    at, end, expected = int(row[2]) - 1, int(row[2]) - 1 + len(row[4]), "intergenic"
    rank = {"intergenic": 0, "intron": 1, "exon": 2, "promoter": 3}
    for s in sites:
        if s[0][3:] != row[1].removeprefix("chr"): continue
        t, plus = int(s[1]), s[5].strip() == "+"
        first, last = (t, t + 2000) if plus else (max(0, t - 1999), t + 1)
        promoter = (t - 1000, t + 100) if plus else (t - 99, t + 1001)
        for name, low, high in (("promoter", *promoter), ("exon", first, first + 300), ("exon", last - 300, last), ("intron", first, last)):
            if low < end and at < high and rank[name] > rank[expected]: expected = name
    assert row[column] == expected, (row, expected)
    counts[expected] += 1
assert len(counts) >= 3, counts
PY
  bigdna report bed.tsv -o page.html --quiet
  grep -q '"distance"' page.html
  printf 'chr1\t10\t11\t.\t0\t+\n' >one.bed
  rank -o x.tsv --table one.tsv --genes one.bed
  sed '/^##/d' one.tsv | all_rows '$15 == "." && ($2 == "chr1" || $2 == "1" ? $16 == $3 - 11 : $16 == ".")'
  printf 'chrQ\t10\t11\ta\t0\t+\n' >other.bed
  fails 1 "other.bed: none of its 1 start site is in" rank -o y.tsv --table y.top --genes other.bed
  fails 1 "none.gtf" rank -o y.tsv --table y.top --genes none.gtf
  fails 2 "--genes requires --table" bigdna variants "$chromatin" "$random" -g "$genome" -o y.tsv --genes genes.gtf
  [ ! -e y.tsv ]
}

@test "variants: --null scores a background once, and gives percentiles" {
  export BIGDNA_CACHE=$PWD/cache
  cp -r "$chromatin" model
  bigdna variants model "$random" -g "$genome" --null 200 --effects LOGIT --features CTCF -o a.tsv 2>err
  grep -q 'scoring 200 background variants' err
  header a.tsv | grep -cP 'LOGIT:CTCF\|SimCell\tLOGIT_percentile:CTCF\|SimCell\tseen$'
  all_rows '$11 > 0 && $11 < 100' '$9 == "."' <a.tsv
  bigdna variants model "$random" -g "$genome" --null 200 --effects LOGIT --features CTCF -o b.tsv -@1 2>err
  grep -q 'the background of 200 variants' err
  same_rows a.tsv b.tsv
  bigdna variants model "$random" -g "$genome" --null 200 --effects LOGIT --features CTCF --quiet | rows /dev/stdin | grep -c 'BIGDNA_LOGIT_PERCENTILE_CTCF_SimCell='
  bigdna variants model "$random" -g "$genome" --null 200 --effects LOGIT --features CTCF --seed 2 -o c.tsv 2>err
  grep -q 'scoring 200 background variants' err
  not cmp a.tsv c.tsv
  same_files "$chromatin" model
  BIGDNA_CACHE=/proc bigdna variants model "$random" -g "$genome" --null 200 --effects LOGIT --features CTCF -o d.tsv 2>err
  grep -q 'the background is not kept: no cache folder can be written' err
  same_rows a.tsv d.tsv
}

@test "variants: --model-background: one that comes with the model; not of other settings, columns or models" {
  export BIGDNA_CACHE=$PWD/cache
  cp -r "$chromatin" model
  bigdna variants model "$random" -g "$genome" --null 200 --effects DIFF,LOGIT -o made.tsv --quiet
  fails 1 "background.safetensors: is missing" bigdna variants model "$random" -g "$genome" --model-background -o x.tsv --quiet
  cp cache/backgrounds/*.safetensors model/model/background.safetensors
  rm -r cache
  bigdna variants model "$random" -g "$genome" --model-background --effects DIFF,LOGIT -o given.tsv 2>err
  same_rows made.tsv given.tsv
  [ ! -e cache/backgrounds ]
  # columns are found by their names: one of them; a copy of the genome, or another genome, has the same background
  bigdna variants model "$random" -g "$genome" --null 200 --effects LOGIT --features CTCF -o one.tsv --quiet
  bigdna variants model "$random" -g "$genome" --model-background --effects LOGIT --features CTCF -o one_given.tsv --quiet
  same_rows one.tsv one_given.tsv
  fails 1 "has no effects SAR:" bigdna variants model "$random" -g "$genome" --model-background --effects SAR -o x.tsv --quiet
  bigdna variants model "$random" -g "$genome" --model-background --effects DIFF,LOGIT --reach 0 -o own_bin.tsv --quiet  # as without --reach
  same_files <(grep -v '^##' given.tsv) <(grep -v '^##' own_bin.tsv)
  fails 1 "were scored with reach unset, not 200" bigdna variants model "$random" -g "$genome" --model-background --reach 200 --effects LOGIT -o x.tsv --quiet
  fails 1 "were scored with strands" bigdna variants model "$random" -g "$genome" --model-background --strands average --effects LOGIT -o x.tsv --quiet
  cp -r "$shared/chromatin2" other
  cp model/model/background.safetensors other/model/
  fails 1 "were scored with weights" bigdna variants other "$random" -g "$genome" --model-background --effects LOGIT -o x.tsv --quiet
  fails 2 "--model-background" bigdna variants model "$random" -g "$genome" --model-background --null 5 -o x.tsv --quiet
  fails 2 "not to an ensemble" bigdna variants model "$random" -g "$genome" --model-background --ensemble "$shared/chromatin2" -o x.tsv --quiet
  bigdna info --verify model | grep -q "verified.*, checksums as recorded"
  python3 - model/model/background.safetensors <<'PY'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at = 8 + struct.unpack("<Q", data[:8])[0] + 100
data[at] ^= 1
open(sys.argv[1], "wb").write(data)
PY
  fails 1 "background.safetensors: its checksum is another" bigdna variants model "$random" -g "$genome" --model-background --effects LOGIT -o x.tsv --quiet
  fails 1 "background.safetensors: its checksum is another" bigdna info --verify model
  truncate -s 300 model/model/background.safetensors
  fails 1 "background.safetensors" bigdna variants model "$random" -g "$genome" --model-background --effects LOGIT -o x.tsv --quiet
}

@test "variants: --null: a background is known by its start sites, read once from a pipe too, and by the genome's bases" {
  export BIGDNA_CACHE=$PWD/cache
  cp -r "$promoter" model
  head -60 "$random" >few.vcf
  head -20 "$TEST_DATA/tss.bed" >a.bed
  tail -20 "$TEST_DATA/tss.bed" >b.bed
  null() { bigdna variants model few.vcf --null 40 --sites "$@" 2>err; }
  null b.bed -g "$genome" -o b.tsv
  null <(cat a.bed) -g "$genome" -o pipe.tsv
  grep -q 'scoring 40 background variants' err
  null - -g "$genome" -o stdin.tsv <b.bed
  grep -q 'the background of 40 variants' err
  same_rows b.tsv stdin.tsv
  null a.bed -g "$genome" -o a.tsv
  grep -q 'the background of 40 variants' err
  same_rows a.tsv pipe.tsv
  # masked by N, of the same size
  bgzip -dc "$genome" >soft.fa
  null a.bed -g soft.fa -o soft.tsv
  null a.bed -g soft.fa -o soft.tsv
  grep -q 'the background of 40 variants' err
  sed '/^>/!s/ACG/ACN/g' soft.fa >hard.fa
  null a.bed -g hard.fa -o hard.tsv
  grep -q 'scoring 40 background variants' err
}

@test "variants: parts put together are the whole; killed and resumed, the same bytes" {
  bigdna variants "$chromatin" "$random" -g "$genome" --quiet -o whole.vcf
  for i in 1 2 3; do bigdna variants "$chromatin" "$random" -g "$genome" --quiet --shard $i/3; done >parts.vcf
  same_rows whole.vcf parts.vcf
  for i in 1 2; do bigdna variants "$chromatin" "$random" -g "$genome" --quiet --shard $i/2 -o part$i.bcf; done
  same_rows <(bcftools concat -n part1.bcf part2.bcf 2>/dev/null | bcftools view -H) <(bcftools view whole.vcf -Ob | bcftools view -H)
  killed_when 'has_bytes 2500 out.vcf.gz.journal' bigdna variants "$chromatin" "$random" -g "$genome" --quiet -o out.vcf.gz --resume --reach 200 -@1
  [ ! -e out.vcf.gz ]
  bigdna variants "$chromatin" "$random" -g "$genome" --quiet -o out.vcf.gz --resume --reach 200
  bigdna variants "$chromatin" "$random" -g "$genome" --quiet -o once.vcf.gz --reach 200
  same_files once.vcf.gz out.vcf.gz
  [ ! -e out.vcf.gz.journal ]
  fails 1 "out.vcf.gz: was made with --reach 200, which is not given now" bigdna variants "$chromatin" "$random" -g "$genome" -o out.vcf.gz --resume --quiet
  run bigdna variants "$chromatin" "$random" -g "$genome" -o out.vcf.gz --resume --reach 200
  [[ $output == *"out.vcf.gz: is complete"* ]]
  [ ! -e out.vcf.gz.csi ]
  bigdna variants "$chromatin" "$random" -g "$genome" -o out.vcf.gz --resume --reach 200 --write-index --quiet
  same_files once.vcf.gz out.vcf.gz
  [ "$(bcftools view -H -r chr2 out.vcf.gz | wc -l)" = "$(rows "$random" | grep -c $'^chr2\t')" ]
}

@test "variants: suffixes in upper case; percentiles of an earlier run do not stay beside other effects" {
  cp -r "$chromatin" model
  head -60 "$random" >few.vcf
  bigdna variants model few.vcf -g "$genome" --effects LOGIT --features 0 --null 40 --quiet -o NULL.VCF.GZ
  bgzip -t NULL.VCF.GZ
  bigdna variants model NULL.VCF.GZ -g "$genome" --effects LOGIT --features 0 --quiet -o again.BCF
  bcftools view -H again.BCF >again
  not grep PERCENTILE again
  bigdna variants model NULL.VCF.GZ -g "$genome" --effects LOGIT --features 0 --quiet >again.vcf
  same_rows <(cut -f1-7 again) <(rows again.vcf | cut -f1-7)
  not grep PERCENTILE again.vcf
}

@test "variants: -r and -R through the index, contigs with or without chr" {
  bgzip -c "$random" >r.vcf.gz
  fails 1 "has no index, which -r and -R need" bigdna variants "$chromatin" r.vcf.gz -g "$genome" -r chr1
  bcftools index r.vcf.gz
  bigdna variants "$chromatin" r.vcf.gz -g "$genome" -r chr1:1-200,000 --quiet >region.vcf
  same_rows <(rows region.vcf | cut -f1-5) <(rows "$random" | awk '$1 == "chr1" && $2 <= 200000' | cut -f1-5)
  printf '1\t0\t1000\n1\t500\t2000\nchrX\t0\t1000000\n' >r.bed
  bigdna variants "$chromatin" r.vcf.gz -g "$genome" -R r.bed --quiet >bed.vcf
  same_rows <(rows bed.vcf | cut -f1-5) <(rows "$random" | awk '($1 == "chr1" && $2 <= 2000) || $1 == "chrX"' | cut -f1-5)
  printf 'chrZ\t0\t1000\n' >>r.bed
  bigdna variants "$chromatin" r.vcf.gz -g "$genome" -R r.bed >bed2.vcf 2>err
  same_rows bed.vcf bed2.vcf
  grep -q "warning: r.bed: 1 of 4 regions is on contigs that $genome lacks" err
  printf '1\t0\t1000\n1\t500\t2000\nchrX\t0\t1000000\nchr1\t7\t7\n' >r.bed
  bigdna variants "$chromatin" r.vcf.gz -g "$genome" -R r.bed >bed2.vcf 2>err
  same_rows bed.vcf bed2.vcf
  grep -q "warning: r.bed:4: the interval is empty (end = start) and is ignored" err
  fails 1 "r.bed:4: the interval is empty (end = start)" bigdna variants "$chromatin" r.vcf.gz -g "$genome" -R r.bed --strict --quiet
  fails 1 "stdin has no index" bigdna variants "$chromatin" - -g "$genome" -r chr1
}

@test "variants: --counts has every reason" {
  bigdna variants "$chromatin" "$kinds" -g "$genome" --max-allele 100 -o kinds.tsv --counts kinds.json -@1 --quiet
  python3 - <<'END'
import collections, json
rows = [line.split("\t")[8] for line in open("kinds.tsv") if line[0] != "#"]
counts, found = json.load(open("kinds.json")), collections.Counter(rows)
assert counts["command"] == "variants" and counts["records"] == 10 and counts["without_alternative"] == 1, counts
assert counts["alleles"] == len(rows) == counts["scored"] + sum(counts["skipped"].values()) and counts["scored"] == found["."]
assert {name: n for name, n in counts["skipped"].items() if n} == {name: n for name, n in found.items() if name != "."}
assert counts["seen"] == 3 and len(counts["skipped"]) == 12, counts
END
  bigdna variants "$chromatin" - -g "$genome" --max-allele 100 -o again.vcf --counts - --quiet -@2 <"$kinds" >stdin.json
  [ "$(counts stdin.json)" = "$(counts kinds.json)" ]
  fails 2 "stdout: two outputs would be written to it" bigdna variants "$chromatin" "$kinds" -g "$genome" --counts -
  fails 1 "nowhere/c.json: No such file or directory" bigdna variants "$chromatin" "$kinds" -g "$genome" -o o.tsv --counts nowhere/c.json --quiet
  bgzip -c "$random" >r.vcf.gz
  bcftools index r.vcf.gz
  printf 'chr1\t0\t1000\nchrZ\t0\t1000\n' >r.bed
  fails 1 "r.bed:2: $genome has no contig chrZ" bigdna variants "$chromatin" r.vcf.gz -g "$genome" -R r.bed --strict --quiet
}

@test "variants: contigs of other lengths than the header says are another assembly's" {
  { sed 1q "$random"; printf '##contig=<ID=1,length=420000>\n'; sed 1d "$random"; } | sed '/^##contig=<ID=chr/d' >same.vcf
  bigdna variants "$chromatin" same.vcf -g "$genome" --strict -o same.out.vcf 2>err
  not grep assembly err
  sed 's/length=420000/length=420001/' same.vcf >other.vcf
  text="its header says that 1 has 420001 bp, but in $genome chr1 has 420000: is it another assembly than the VCF's?"
  bigdna variants "$chromatin" other.vcf -g "$genome" -o other.tsv -@1 2>err
  grep -F "warning: other.vcf: $text" err
  bigdna variants "$chromatin" - -g "$genome" -o stdin.tsv -@2 2>err <other.vcf
  grep -F "warning: stdin: $text" err
  same_rows other.tsv stdin.tsv
  fails 1 "other.vcf: $text" bigdna variants "$chromatin" other.vcf -g "$genome" -o strict.vcf --strict --quiet
  { grep '^#' other.vcf; grep $'^chr1\t' other.vcf | sed 's/^chr1/1/'; } | bcftools view -Ob -o other.bcf
  fails 1 "other.bcf: $text" bigdna variants "$chromatin" other.bcf -g "$genome" -o strict.vcf --strict --quiet
  [ ! -e strict.vcf ]
}

@test "variants: odd files" {
  : >empty.vcf
  fails 1 "empty.vcf: is empty" bigdna variants "$chromatin" empty.vcf -g "$genome"
  grep '^#' "$random" >header.vcf
  bigdna variants "$chromatin" header.vcf -g "$genome" -o out.vcf.gz --write-index --quiet
  bcftools view -H out.vcf.gz | no_lines
  bigdna variants "$chromatin" header.vcf -g "$genome" -o out.tsv --quiet
  [ "$(sed '/^##/d' out.tsv | wc -l)" = 1 ]
  bgzip -c "$random" >cut.vcf.gz
  truncate -s -100 cut.vcf.gz
  fails 1 "truncated" bigdna variants "$chromatin" cut.vcf.gz -g "$genome" -o cut.vcf
  [ ! -e cut.vcf ]
  sed 's/^chr1\t\([0-9]*\)\([0-9]\)\t/chr1\t\1\t/' "$random" >other.vcf  # positions of another assembly
  bigdna variants "$chromatin" other.vcf -g "$genome" 2>err >/dev/null
  awk -F'\t' '$4 != "x"' "$random" | awk 'BEGIN {OFS = FS = "\t"} !/^#/ {$2 += 1} 1' >shifted.vcf
  bigdna variants "$chromatin" shifted.vcf -g "$genome" 2>err >/dev/null
  grep -q 'warning: .* alleles are not in .* (contig, position or REF): is it another assembly' err
  rows=$(printf 'chr1\t20031\twrong\t%s\tC\t.\t.\t.' "$(rows "$kinds" | grep wrong | cut -f4)")
  { cat header.vcf; echo "$rows"; } >wrong.vcf
  fails 1 "wrong.vcf:$(wc -l <wrong.vcf): REF " bigdna variants "$chromatin" wrong.vcf -g "$genome" --strict
  # none of the alleles is in the genome
  { cat header.vcf; rows "$random" | sed 's/^/un/'; } >contigs.vcf
  { cat header.vcf; rows "$random" | awk 'BEGIN {OFS = FS = "\t"} {$2 += 1e8} 1'; } >positions.vcf
  local file
  for file in wrong contigs positions; do
    fails 1 "$file.vcf: no allele is in $genome" bigdna variants "$chromatin" $file.vcf -g "$genome" -o out.$file.vcf --quiet
    [ ! -e out.$file.vcf ]
  done
  fails 1 "has no contig unchr1" bigdna variants "$chromatin" contigs.vcf -g "$genome" --strict
  fails 1 "are not on the contig of" bigdna variants "$chromatin" positions.vcf -g "$genome" --strict
  bigdna variants "$chromatin" contigs.vcf -g "$genome" -o out.part.vcf --shard 1/2 --quiet  # a part may be of such contigs alone
  { cat header.vcf; rows "$random" | sed -n 1,2p | tac; } >unsorted.vcf
  bigdna variants "$chromatin" unsorted.vcf -g "$genome" --quiet | rows /dev/stdin | cut -f1-5 | cmp - <(rows unsorted.vcf | cut -f1-5)
  { cat header.vcf; rows "$random" | grep '^chr1' | sed -n 1,2p | tac; } >unsorted.vcf
  fails 1 "was written, but without an index" bigdna variants "$chromatin" unsorted.vcf -g "$genome" -o out.bcf --write-index --quiet
}

@test "variants: usage errors" {
  fails 2 "files of this suffix cannot be used here" bigdna variants "$chromatin" "$random" -g "$genome" -o out.bed
  fails 2 "--sites: only for promoter models" bigdna variants "$chromatin" "$random" -g "$genome" --sites "$TEST_DATA/tss.bed"
  fails 2 "--reach: only for chromatin models" bigdna variants "$promoter" "$random" -g "$genome" --reach 200
  fails 2 "--strands both: only for promoter models" bigdna variants "$chromatin" "$random" -g "$genome" --strands both
  fails 2 "--features: only for models of chromatin and of tables" bigdna variants "$promoter" "$random" -g "$genome" --features 0
  fails 2 "--pictures: only for networks that label bins" bigdna variants "$chromatin" "$random" -g "$genome" --pictures logos
  [ ! -e logos ]
  fails 2 "'X' is not DIFF" bigdna variants "$chromatin" "$random" -g "$genome" --effects X
  fails 2 "--write-index: only for" bigdna variants "$chromatin" "$random" -g "$genome" -o out.vcf --write-index
  fails 2 "--shard cannot divide stdin" bigdna variants "$chromatin" - -g "$genome" --shard 1/2
  fails 2 "--resume needs regular files" bigdna variants "$chromatin" "$random" -g "$genome" --resume
  fails 1 "its head is 'promoter', not 'chromatin'" bigdna variants "$chromatin" "$random" -g "$genome" --ensemble "$promoter"
}

@test "variants: basenji's twins with a wrong REF and in the wrong order (real data)" {
  local from=$BIGDNA_DATA/variants/basenji_hg19_regulatory_validated twin
  [ -e "$from.vcf" ] || skip "no real data: $from.vcf"
  # No genome at hand has their places. Here they are at a thousandth of POS, in contigs of simulated sequence that have the right file's REF.
  for twin in "" _misref _misorder; do awk -v OFS='\t' '!/^#/ {$2 = int($2 / 1000)} 1' "$from$twin.vcf" >right$twin.vcf; done
  python3 - "$genome" >small.fa <<'END'
import gzip, sys
bases, contigs = "".join(line.strip() for line in gzip.open(sys.argv[1], "rt").read().split(">")[1].split("\n")[1:]), {}
for chrom, position, _, ref in (line.split()[:4] for line in open("right.vcf") if line[0] != "#"):
    contigs.setdefault(chrom, list(bases[20000:260000]))[int(position) - 1] = ref
for name, contig in contigs.items():
    print(f">{name}\n{''.join(contig)}")
END
  bigdna variants "$chromatin" right.vcf -g small.fa -o right.vcf.gz --write-index --quiet
  for twin in "" _misref _misorder; do bigdna variants "$chromatin" right$twin.vcf -g small.fa -o right$twin.tsv 2>right$twin.err; done
  [ "$(sed '/^##/d' right.tsv | cut -f9 | grep -cx '[.]')" = 16 ]
  # one REF is wrong: that allele has no effects, the others' are the same
  [ "$(sed -n '/^#/!{p;q}' right_misref.tsv | cut -f3-5,7,9,10)" = "$(printf 'rs72664324\tA\tG\tFalse\treference_mismatch\t.')" ]
  same_rows <(sed '/^#/d' right.tsv | sed 1d) <(sed '/^#/d' right_misref.tsv | sed 1d)
  grep 'skipped: 1 allele, reference_mismatch' right_misref.err
  not grep 'another assembly than' right_misref.err
  fails 1 "right_misref.vcf:3: REF A " bigdna variants "$chromatin" right_misref.vcf -g small.fa -o strict.vcf --strict --quiet
  [ ! -e strict.vcf ]
  # the first two are swapped: rows as they come, the same effects, and no index
  same_rows <(rows right_misorder.vcf | cut -f3) <(sed '/^#/d' right_misorder.tsv | cut -f3)
  not cmp right.tsv right_misorder.tsv
  same_rows <(sort right.tsv) <(sort right_misorder.tsv)
  fails 1 "was written, but without an index" bigdna variants "$chromatin" right_misorder.vcf -g small.fa -o misorder.vcf.gz --write-index --quiet
  same_rows <(zcat misorder.vcf.gz | rows /dev/stdin | cut -f1-5) <(rows right_misorder.vcf | cut -f1-5)
}

@test "variants: of 1000 Genomes, all that are no single bases (real data)" {
  local vcf=$BIGDNA_DATA/variants/1000G_b37_chr20_1-4Mb_300hap.reference.vcf.gz
  [ -e "$vcf" ] || skip "no real data: $vcf"
  bcftools view -V snps "$vcf" | bcftools annotate -x INFO,FORMAT 2>/dev/null | cut -f1-8 >some.vcf
  bcftools view -H -v snps "$vcf" | cut -f1-8 | awk 'NR % 30 == 0' >>some.vcf
  [ "$(rows some.vcf | wc -l)" -ge 2000 ]
  edited chromatin "$BIGDNA_DATA/genomes/GRCh37.chr20.fa.gz" some.vcf 200 e
  samtools faidx e.fa
  bigdna chromatin "$chromatin" e.bed -g e.fa --precision fp32 --parts --quiet -o e.tsv
  bigdna variants "$chromatin" some.vcf -g "$BIGDNA_DATA/genomes/GRCh37.chr20.fa.gz" --quiet -o out.tsv
  edited compare out.tsv e.tsv | close
  awk '/^#/ || NR % 10 == 0' some.vcf >few.vcf  # a promoter model reads 24 sequences for each; tests/bench/variants.sh takes them all
  edited promoter "$BIGDNA_DATA/genomes/GRCh37.chr20.fa.gz" few.vcf 600 150 e
  bigdna predict-promoter "$promoter" e.fa --precision fp32 --parts --quiet -o e.tsv
  bigdna variants "$promoter" few.vcf -g "$BIGDNA_DATA/genomes/GRCh37.chr20.fa.gz" --quiet -o out.tsv
  edited compare out.tsv e.tsv | close
}
