# bigdna train: networks that learn tracks: counts of reads, alone and beside peaks, on simulated fragments that prefer GC; for behaviour, not skill.
load helpers

small=(--preset tiny --steps 30 --batch 2 --window 4000 --precision fp32 --quiet)

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  genome=$TEST_DATA/genome.fa.gz
  # fragments of 100 bp, 1 to 40 of them in a bin by its GC content; a contig that is not counted
  python3 - <<'PY'
import gzip, os, random
random.seed(7)
contigs, name = {}, ""
for line in gzip.open(os.environ["TEST_DATA"] + "/genome.fa.gz", "rt"):
    if line[0] == ">": name = line[1:].split()[0]; contigs[name] = []
    else: contigs[name].append(line.strip().upper())
with open("fragments.bed", "w") as bed:
    for name in ("chr1", "chr2", "chr3", "chrX"):
        bases = "".join(contigs[name])
        for start in range(0, len(bases) - 400, 200):
            gc = sum(base in "GC" for base in bases[start:start + 200]) / 200
            for i in range(random.randint(0, 2) + int(40 * max(0, gc - 0.4) / 0.3)):
                at = start + random.randrange(200)
                print(name, at, at + 100, sep="\t", file=bed)
PY
  sed "2,\$s|^|$TEST_DATA/|" "$TEST_DATA/peaks.tsv" >peaks.tsv
  printf 'file\tname\tcell\tgroup\tcount\nfragments.bed\tmid\tSim\tATAC\tmidpoints\n' >track.tsv
  printf 'file\tname\tcell\tgroup\tcount\tstrand\nfragments.bed\tATAC\tSim\tATAC\tcuts\t+\nfragments.bed\tATAC\tSim\tATAC\tcuts\t-\nfragments.bed\tmid\tSim\tATAC\tmidpoints\t.\n' >tracks.tsv
  build=(bigdna dataset chromatin -g "$genome" --contigs 'chr[123X]' --upstream 0 --downstream 0 --test chr3 --validation chrX --keep all --max-bins 2500 --quiet)
  "${build[@]}" --tracks track.tsv -o track
  "${build[@]}" --tracks tracks.tsv --peaks peaks.tsv -o mixed
  bigdna train track "${small[@]}" -o alone -@ 1 >alone.out
  bigdna train mixed "${small[@]}" --no-kmers --no-baseline -o both -@ 1 >both.out
  printf 'chr1\t20000\t21000\nchr2\t30000\t30200\n' >regions.bed
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}

rows() { grep -v '^#' "$1"; }

# Changes the first count of the first training bin, or all counts of the first track, in a copy of a dataset.
with_counts() {  # DATASET COPY one|all VALUE
  cp -r "$1" "$2"
  python3 - "$2/labels.safetensors" "$3" "$4" <<'PY'
import json, struct, sys
path, which, value = sys.argv[1], sys.argv[2], float(sys.argv[3])
data = bytearray(open(path, "rb").read())
size = struct.unpack("<Q", data[:8])[0]
array = json.loads(data[8:8 + size])["counts"]
begin, (rows, tracks) = 8 + size + array["data_offsets"][0], array["shape"]
for row in range(rows if which == "all" else 1):
    struct.pack_into("<f", data, begin + 4 * row * tracks, value)
open(path, "wb").write(data)
PY
}

@test "tracks: a run has metrics of counts beside k-mers, GC content, the mean and halves of the reads" {
  for file in run.json metrics.tsv metrics.json tracks.tsv metrics.svg scores.tsv.gz model/model.safetensors network-1/learning_curve.svg; do [ -s "$shared/alone/$file" ]; done
  same_files "$shared/alone.out" "$shared/alone/metrics.tsv"
  same_files "$shared/alone/metrics.tsv" "$shared/alone/tracks.tsv"
  [ "$(header "$shared/alone.out")" = $'#index\tname\tcell\tassay\tgroup\tstrand\tbins\trows\tmethod\tsplit\tmetric\tvalue\tlow\thigh' ]
  [ "$(rows "$shared/alone.out" | cut -f9 | grep -v -e - -e network | sort -u)" = $'bigdna\nconstant\ngc\nhalves\nkmers' ]
  [ "$(rows "$shared/alone.out" | cut -f11 | sort -u)" = $'deviance_explained\npearson\npearson_log1p\nr2_log1p\nspearman\ntotal_ratio' ]
  # of counts that follow GC content: the mean explains nothing, GC content much, and totals agree
  rows "$shared/alone.out" | all_rows '$12 > 0.3' '$9 == "gc" && $11 == "pearson_log1p"'
  rows "$shared/alone.out" | all_rows '$12 < 0.001' '$9 == "constant" && $11 == "deviance_explained"'
  rows "$shared/alone.out" | all_rows '$12 > 0.5 && $12 < 2' '$9 == "bigdna" && $11 == "total_ratio"'
  grep -q 'validation_pearson' "$shared/alone/network-1/metrics.jsonl"
  # a verdict in each table; tracks are judged by the logarithm of counts
  grep -q "^##verdict=.*(Pearson's r of log(1 + count))" "$shared/alone.out"
  for table in alone.out both/metrics.tsv; do grep -q '^##verdict=' "$shared/$table"; done
  # with peaks: their table as without tracks, tracks in all bins and in those with a label
  [ "$(rows "$shared/both/tracks.tsv" | cut -f7 | sort -u)" = $'all\nlabelled' ]
  [ "$(header "$shared/both/metrics.tsv" | cut -f1,6)" = $'#group\tauroc_median' ]
  [ "$(rows "$shared/both/features.tsv" | wc -l)" = 3 ]
  grep -q 'validation_auroc' "$shared/both/network-1/metrics.jsonl"
}

@test "tracks: the same bytes with two threads; totals of validation rows agree by one factor" {
  bigdna train "$shared/mixed" "${small[@]}" --no-kmers --no-baseline -o two -@ 2 >two.out
  same_files "$shared/both/model/model.safetensors" two/model/model.safetensors
  same_rows "$shared/both.out" two.out
  bigdna evaluate "$shared/both" "$shared/mixed" --split validation --precision fp32 --no-baseline --quiet >validation.tsv
  rows validation.tsv | all_rows '($12 - 1)^2 < 1e-4' '$7 == "all" && $9 == "bigdna" && $11 == "total_ratio"'
  bigdna evaluate "$shared/both" "$shared/mixed" --precision fp32 --quiet >again.tsv
  paste <(rows again.tsv | awk -F'\t' '$9 == "bigdna"' | cut -f11,12) <(rows "$shared/both/tracks.tsv" | awk -F'\t' '$9 == "bigdna"' | cut -f11,12) |
    all_rows '$1 == $3 && ($2 - $4)^2 < 1e-5'
}

@test "tracks: expected counts in TSV, HDF5 and bigWig; parts add up to their logarithms" {
  bigdna chromatin "$shared/both" "$shared/regions.bed" -g "$genome" --precision fp32 --tile 200 --quiet -@ 1 >one.tsv
  bigdna chromatin "$shared/both" "$shared/regions.bed" -g "$genome" --precision fp32 --tile 200 --bigwig bw -o two.tsv --quiet -@ 2
  same_rows one.tsv two.tsv
  [ "$(header one.tsv | cut -f10-)" = $'ATAC|Sim|+\tATAC|Sim|-\tmid|Sim' ]
  rows one.tsv | all_rows '$10 > 0 && $11 > 0 && $12 > 0'
  rows one.tsv | all_rows '$7 < 1 && $8 < 1 && $9 < 1'
  [ "$(rows one.tsv | awk -F'\t' '$10 > 1' | wc -l)" -gt 0 ]
  [ "$(ls bw | wc -l)" = 6 ]
  bigdna chromatin "$shared/both" "$shared/regions.bed" -g "$genome" --precision fp32 --tile 200 -o out.h5 --quiet
  grep -aq feature_kind out.h5
  [ -e "$shared/alone/model/kmers.safetensors" ]
  bigdna chromatin "$shared/alone" "$shared/regions.bed" -g "$genome" --precision fp32 --features mid --parts -o parts.tsv --quiet
  rows parts.tsv | all_rows '(log($7) - $8 - $9)^2 < 1e-8'
  # the strand that is read makes no difference but for strands' own outputs, which change places
  bigdna chromatin "$shared/both" "$shared/regions.bed" -g "$genome" --precision fp32 --tile 200 --strands forward -o forward.tsv --quiet
  not same_rows one.tsv forward.tsv
}

@test "tracks: LFC of variants is the ratio of expected counts, summed over bins within --reach; P_REF are counts" {
  bigdna explain "$shared/both" -r chr2:30100-30100 -g "$genome" --features mid --precision fp32 -o bases.tsv --substitutions changes.tsv --quiet
  { printf '##fileformat=VCFv4.2\n##contig=<ID=chr2>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n'
    rows changes.tsv | head -1 | awk -F'\t' -v OFS='\t' '{print $1, $3, ".", $5, $6, ".", ".", "."}'; } >in.vcf
  bigdna variants "$shared/both" in.vcf -g "$genome" --precision fp32 --effects LFC,P_REF,P_ALT,LOGIT -o own.tsv --quiet
  header own.tsv | tr '\t' '\n' | grep -e LFC -e LOGIT >columns
  [ "$(cat columns)" = $'LFC:ATAC|Sim|+\nLFC:ATAC|Sim|-\nLFC:mid|Sim\nLOGIT:CTCF|SimCell\nLOGIT:DNase|SimCell\nLOGIT:H3K4me3|SimCell' ]
  python3 - own.tsv <<'PY'
import math, sys
lines = [line.rstrip("\n").split("\t") for line in open(sys.argv[1]) if not line.startswith("##")]
row = dict(zip(lines[0], lines[1]))
for name in ("ATAC|Sim|+", "mid|Sim"):
    lfc, ref, alt = (float(row[f"{effect}:{name}"]) for effect in ("LFC", "P_REF", "P_ALT"))
    assert ref > 0 and lfc != 0 and abs(lfc - math.log2(alt / ref)) < 1e-4, (lfc, ref, alt)
PY
  # what explain --substitutions says is the change of the natural logarithm
  change=$(rows changes.tsv | head -1 | cut -f7) lfc=$(rows own.tsv | cut -f12)
  awk -v a="$change" -v b="$lfc" 'BEGIN {exit !((a - b * log(2))^2 < 1e-8)}'
  bigdna variants "$shared/both" in.vcf -g "$genome" --precision fp32 --effects LFC --features mid --reach 400 -o wide.tsv --quiet
  bigdna variants "$shared/both" in.vcf -g "$genome" --precision fp32 --effects LFC --features mid --reach 400 -o wide2.tsv --quiet -@ 2
  same_rows wide.tsv wide2.tsv
  not same_rows <(cut -f10 wide.tsv) <(cut -f10 own.tsv)
  bigdna variants "$shared/both" in.vcf -g "$genome" --precision fp32 -o out.vcf --quiet
  grep -q 'ID=BIGDNA_LFC_mid_Sim,.*log2 of expected count of alt' out.vcf
  fails 2 "predicts counts, not probabilities: it has no LOGIT" bigdna variants "$shared/alone" in.vcf -g "$genome" --effects LOGIT
}

@test "tracks: explain, motifs and marginalize take the logarithm of the expected count" {
  bigdna explain "$shared/both" -r chr2:30050-30060 -g "$genome" --features 'mid*' --precision fp32 -o one.tsv --quiet -@ 1
  bigdna explain "$shared/both" -r chr2:30050-30060 -g "$genome" --features 'mid*' --precision fp32 -o two.tsv --quiet -@ 2
  same_rows one.tsv two.tsv
  [ "$(rows one.tsv | wc -l)" -ge 11 ]
  bigdna motifs "$shared/alone" -R "$shared/regions.bed" -g "$genome" --sites 100 -o found.meme --quiet
  bigdna marginalize "$shared/alone" found.meme -r chr1:20001-20200 -g "$genome" -o changes.tsv --quiet
  rows changes.tsv | grep -c 'mid|Sim'
}

@test "tracks: what cannot be learned or evaluated" {
  with_counts "$shared/mixed" zero all 0
  fails 1 "zero: track ATAC|Sim|+ is 0 in all training bins, so there is nothing to learn" bigdna train zero "${small[@]}" -o x
  with_counts "$shared/mixed" negative one -3
  fails 1 "negative/labels.safetensors: track ATAC|Sim|+ is -3 in bin1; models learn counts, which are at least 0" bigdna train negative "${small[@]}" -o x
  with_counts "$shared/track" nan one nan
  fails 1 "track mid|Sim is nan in bin1" bigdna evaluate "$shared/alone" nan
  bigdna dataset chromatin -g "$genome" --contigs 'chr[123X]' --upstream 0 --downstream 0 --test chr3 --validation chrX --keep all --quiet --peaks "$shared/peaks.tsv" -o peaks
  fails 1 "peaks: has labels only, and the model" bigdna evaluate "$shared/alone" peaks
  # tracks that a model does not predict are left out
  bigdna train peaks "${small[@]}" --no-kmers --no-baseline -o of_peaks >/dev/null
  bigdna evaluate of_peaks "$shared/mixed" --no-baseline 2>err >out.tsv
  grep -q "mixed: its 3 tracks are left out: the model of_peaks predicts none" err
  [ "$(rows out.tsv | cut -f2 | sort -u)" = bigdna ]
  fails 1 "track: has tracks only, and the model of_peaks predicts none" bigdna evaluate of_peaks "$shared/track"
}

@test "tracks: k-mers are added to networks of peaks and tracks that are kept" {
  bigdna train "$shared/mixed" --from "$shared/both" --keep-networks --no-baseline --precision fp32 --quiet -o sum >/dev/null
  same_files "$shared/both/model/model.safetensors" sum/model/model.safetensors
  [ -e sum/model/kmers.safetensors ]
  bigdna evaluate sum "$shared/mixed" --precision fp32 --quiet >sum.tsv
  rows sum.tsv | cut -f9 | grep -cx kmers
  rows sum.tsv | all_rows '$12 > 0.5 && $12 < 2' '$9 == "bigdna" && $11 == "total_ratio"'
}

@test "tracks: --force replaces a run of tracks, all of whose files are its own" {
  for run in alone both; do
    cp -r "$shared/$run" run
    ls run/tracks.tsv
    bigdna train "$shared/track" "${small[@]}" --no-kmers --no-baseline -o run --force >/dev/null
    echo mine >run/tracks.notes
    fails 1 "run: holds tracks.notes, which bigdna did not write" bigdna train "$shared/track" "${small[@]}" -o run --force
    rm -r run
  done
}
