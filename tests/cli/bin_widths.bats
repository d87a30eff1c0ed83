# dataset chromatin --bin: bins of other widths than 200 bp, and everything that reads them: labels, counts, networks, predictions, tracks,
# variants, explanations, start sites. Simulated fragments that lie where a motif does; small networks, for behaviour.
load helpers

small=(--preset tiny --batch 2 --window 4000 --precision fp32 --quiet)

setup_file() {
  cd "$BATS_FILE_TMPDIR"
  genome=$TEST_DATA/genome.fa.gz
  python3 - <<'PY'
import gzip, os, random, re
random.seed(11)
contigs, name = {}, ""
for line in gzip.open(os.environ["TEST_DATA"] + "/genome.fa.gz", "rt"):
    if line[0] == ">": name = line[1:].split()[0]; contigs[name] = []
    else: contigs[name].append(line.strip().upper())
with open("fragments.bed", "w") as bed:
    for name in ("chr1", "chr2", "chr3", "chrX"):
        bases = "".join(contigs[name])
        for start in range(0, len(bases) - 400, 100):  # a background of one in 100 bp
            at = start + random.randrange(100)
            print(name, at, at + 20, sep="\t", file=bed)
        for motif in re.finditer("(?=AAAA|TTTT)", bases[:-400]):
            for i in range(8): print(name, max(0, motif.start() - 8), motif.start() + 12, sep="\t", file=bed)
PY
  sed "2,\$s|^|$TEST_DATA/|" "$TEST_DATA/peaks.tsv" >peaks.tsv
  printf 'file\tname\tcell\tgroup\tcount\nfragments.bed\tmid\tSim\tATAC\tmidpoints\n' >tracks.tsv
  build=(bigdna dataset chromatin -g "$genome" --contigs 'chr[123X]' --upstream 0 --downstream 0 --test chr3 --validation chrX --keep all --quiet)
  for bin in 200 128 100 50 32; do
    "${build[@]}" --bin $bin --tracks tracks.tsv --peaks peaks.tsv --start-sites "$TEST_DATA/tss.bed" -o all$bin
  done
  "${build[@]}" --bin 50 --max-bins 6000 --tracks tracks.tsv -o track50
  "${build[@]}" --bin 200 --max-bins 1500 --tracks tracks.tsv -o track200
  "${build[@]}" --bin 50 --max-bins 3000 --start-sites "$TEST_DATA/tss.bed" -o sites50
  bigdna train track50 "${small[@]}" --steps 80 -o run -@ 1 >run.out
  bigdna train track200 "${small[@]}" --steps 2 --no-kmers --no-baseline -o run200 >run200.out
}

setup() {
  cd "$BATS_TEST_TMPDIR"
  shared=$BATS_FILE_TMPDIR genome=$TEST_DATA/genome.fa.gz
}
rows() { grep -v '^#' "$1"; }

@test "bins: counts of narrower bins add up to those of wider ones; peaks and start sites label them by their definitions" {
  python3 - "$shared" <<'PY'
import gzip, json, os, struct, sys, array
shared, test_data = sys.argv[1], os.environ["TEST_DATA"]
def load(bin):
    folder = f"{shared}/all{bin}"
    data = open(folder + "/labels.safetensors", "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    part = lambda name: data[8 + size + header[name]["data_offsets"][0]:8 + size + header[name]["data_offsets"][1]]
    rows = [line.split("\t") for line in gzip.open(folder + "/regions.bed.gz", "rt") if line[0] != "#"]
    counts, bits = array.array("f", part("counts")), part("labels")
    names = [line.split("\t") for line in open(folder + "/features.tsv")][1:]
    assert json.load(open(folder + "/dataset.json"))["bin"] == bin and len(counts) == len(rows)
    width = len(bits) // len(rows)
    return {(row[0], int(row[1])): (counts[i], bits[i * width:(i + 1) * width], int(row[2])) for i, row in enumerate(rows)}, names
bins = {bin: load(bin) for bin in (200, 128, 100, 50, 32)}
for bin, (rows, _) in bins.items():
    assert all(end - start == bin and start % bin == 0 for (_, start), (_, _, end) in rows.items()), bin
for bin in (100, 50):  # those that divide 200
    checked = 0
    for (contig, start), (count, _, _) in bins[200][0].items():
        parts = [bins[bin][0].get((contig, at)) for at in range(start, start + 200, bin)]
        if None in parts: continue
        assert sum(part[0] for part in parts) == count, (bin, contig, start)
        checked += count > 0
    assert checked > 500, (bin, checked)
totals = {bin: sum(count for count, _, _ in rows.values()) for bin, (rows, _) in bins.items()}
assert max(totals.values()) - min(totals.values()) < 0.01 * totals[200], totals
# labels: more than half of the bin under a feature's peaks; or a start site of the strand in it
peaks = [line.rstrip("\n").split("\t") for line in open(test_data + "/peaks.tsv")]
sites = [line.split("\t") for line in open(test_data + "/tss.bed") if line[0] != "#"]
lines = lambda path: (line for line in (gzip.open if path.endswith(".gz") else open)(path, "rt") if line[0] not in "#t")
for bin, (rows, names) in bins.items():
    for f, feature in enumerate(names):
        if feature[6].strip() == "counts": continue
        covered = {}
        if feature[1] == "TSS":
            for contig, start, end, _, _, strand, *_ in sites:
                site = int(start) if strand.strip() == "+" else int(end) - 1
                if strand.strip() == feature[5]: covered[contig, site // bin * bin] = bin
        else:
            path = next(row[0] for row in peaks[1:] if row[1] == feature[1])
            bases = set()
            for line in lines(f"{test_data}/{path}"):
                contig, start, end = line.split()[:3]
                bases.update((contig, at) for at in range(int(start), int(end)))
            for contig, at in bases: covered[contig, at // bin * bin] = covered.get((contig, at // bin * bin), 0) + 1
        found = sum(bits[f // 8] >> f % 8 & 1 for _, bits, _ in rows.values())
        for place, (_, bits, _) in rows.items():
            assert (bits[f // 8] >> f % 8 & 1) == (2 * covered.get(place, 0) > bin), (bin, feature, place)
        assert found > 0, (bin, feature)
PY
  bigdna info "$shared/all50" --quiet >info.txt
  bigdna info --verify "$shared/all32" --quiet >info.txt
}

@test "bins: widths without stages are usage errors that name the others; DeepSEA's are 200 bp" {
  for bin in 70 0 -50 201 1; do
    fails 2 "--bin $bin" bigdna dataset chromatin --peaks "$shared/peaks.tsv" -g "$genome" --bin=$bin -o no
  done
  fails 2 "--bin 64: networks have stages for bins of 200, 128, 100, 50, 32 bp" bigdna dataset chromatin --peaks "$shared/peaks.tsv" -g "$genome" --bin 64 -o no
  fails 2 "--bin" bigdna dataset chromatin --deepsea . -g "$genome" --bin 100 -o no
  [ ! -e no ]
  cp -r "$shared/track50" damaged
  sed -i 's/"bin": 50/"bin": 60/' damaged/dataset.json
  fails 1 "damaged/dataset.json: has bins of 60 bp" bigdna train damaged "${small[@]}" -o no
}

@test "bins: networks pool to each width and reach as far in bp; the same bytes with two threads" {
  for bin in 128 100 32; do
    bigdna train "$shared/all$bin" --preset tiny --batch 2 --precision fp32 --quiet --window 12800 --steps 1 --no-kmers --no-baseline -o run$bin >out.txt
    python3 - run$bin/model/config.json $bin <<'PY'
import json, math, sys
config, bin = json.load(open(sys.argv[1])), int(sys.argv[2])
assert config["bin"] == bin == math.prod(stage["pool"] for stage in config["stages"])
assert 4000 < sum(config["dilations"]) * bin < 6500 and max(config["dilations"]) * bin <= 3200, config["dilations"]
PY
  done
  tr -d ' \n' <"$shared/run/model/config.json" | grep -q '"dilations":\[1,2,4,8,16,32,64,1\]'
  tr -d ' \n' <"$shared/run200/model/config.json" | grep -q '"dilations":\[1,2,4,8,16,1\]'
  bigdna train "$shared/track50" "${small[@]}" --steps 80 -o two -@ 2 >two.out
  same_files "$shared/run/model/model.safetensors" two/model/model.safetensors
  same_rows "$shared/run.out" two.out
  bigdna train "$shared/track50" "${small[@]}" --steps 1 --dilations 1,3 --no-kmers --no-baseline -o own >out.txt
  tr -d ' \n' <own/model/config.json | grep -q '"dilations":\[1,3\]'
  bigdna info run32 --quiet | grep -q "32 bp; a bin's labels are predicted from"
}

@test "bins: a model of 50-bp bins learns what lies in them, beside k-mers of the same bins" {
  value() { awk -F'\t' -v m="$1" -v n="$2" '$9 == m && $11 == n {print $12}' "$shared/run.out"; }
  value bigdna pearson_log1p | all_rows '$1 > 0.5'
  value kmers pearson_log1p | all_rows '$1 > 0.3'
  value constant deviance_explained | all_rows '$1 < 0.01'
  value bigdna total_ratio | all_rows '$1 > 0.7 && $1 < 1.4'
  [ "$(rows "$shared/run.out" | cut -f9 | grep -v -e bigdna- -e network | sort -u | tr '\n' ' ')" = "bigdna constant gc halves kmers kmers-bin " ]
  bigdna evaluate "$shared/run" "$shared/track50" --precision fp32 --scores scores.tsv --no-baseline --quiet >again.tsv
  paste <(rows again.tsv | awk -F'\t' '$9 == "bigdna"' | cut -f11,12) <(rows "$shared/run/tracks.tsv" | awk -F'\t' '$9 == "bigdna"' | cut -f11,12) |
    all_rows '$1 == $3 && ($2 - $4)^2 < 1e-5'
  # chromatin predicts the same bins from a BED file, a scan of the contig and a bigWig
  rows scores.tsv >scored.tsv
  head -40 scored.tsv | cut -f1-3 >some.bed
  bigdna chromatin "$shared/run" some.bed -g "$genome" --precision fp32 -o some.tsv --quiet
  paste <(rows some.tsv) <(head -40 scored.tsv) | all_rows '$2 == $9 && ($7 - $15)^2 < 1e-6 * (1 + $7^2)'
  bigdna chromatin "$shared/run" -g "$genome" --contigs chr3 --precision fp32 -o scan.tsv --quiet -@ 1
  bigdna chromatin "$shared/run" -g "$genome" --contigs chr3 --precision fp32 --bigwig tracks --quiet -@ 2
  rows scan.tsv | all_rows '$2 % 50 == 0 && $3 - $2 <= 50'
  awk -F'\t' 'NR == FNR {if ($0 !~ /^#/) of[$2] = $7; next} {d = of[$2] - $7; if (!($2 in of) || d * d > 1e-6 * (1 + $7 ^ 2)) bad = 1} END {exit bad}' scan.tsv <(rows some.tsv)
  printf 'chr3\t20000\t20200\n' >region.bed
  bigdna chromatin "$shared/run" region.bed -g "$genome" --precision fp32 --track of=tracks/0_mid_Sim.bw --tile 50 -o read.tsv --quiet
  rows read.tsv | all_rows '($7 - $8)^2 < 1e-8 * (1 + $7^2)'
  bigdna chromatin "$shared/run" -r chr3:20001-20200 -g "$genome" --precision fp32 -o one.tsv --quiet
  [ "$(rows one.tsv | wc -l)" = 4 ]
  # a record of just what the model reads is its middle bin
  context=$(bigdna info "$shared/run" --quiet | sed -nE "s/.*predicted from ([0-9,]+) bp.*/\1/p" | tr -d ,)
  samtools faidx "$genome" "chr3:$((20001 - context))-$((20050 + context))" >record.fa
  bigdna predict "$shared/run" record.fa --precision fp32 -o record.tsv --quiet
  rows one.tsv >four.tsv
  paste <(rows record.tsv) <(head -1 four.tsv) | all_rows '($7 - $14)^2 < 1e-8 * (1 + $7^2)'
}

@test "bins: variants sum over the bins within --reach, 50 bp apart" {
  ref=$(samtools faidx "$genome" chr3:20020-20020 | sed 1d)
  alt=$([ "$ref" = A ] && echo C || echo A)
  printf '##fileformat=VCFv4.2\n##contig=<ID=chr3>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr3\t20020\t.\t%s\t%s\t.\t.\t.\n' "$ref" "$alt" >in.vcf
  bigdna variants "$shared/run" in.vcf -g "$genome" --precision fp32 --effects LFC,P_REF --reach 100 -o wide.tsv --quiet
  bigdna variants "$shared/run" in.vcf -g "$genome" --precision fp32 --effects LFC,P_REF -o own.tsv --quiet
  bgzip -dc "$genome" | awk -v alt="$alt" '/^>/ {name = $1; print; next} {b[name] = b[name] $0; if (name != last && last) ; last = name; print}' >plain.fa
  python3 - plain.fa edited.fa chr3 20019 "$alt" <<'PY'
import sys
contigs, name = {}, ""
for line in open(sys.argv[1]):
    if line[0] == ">": name = line[1:].split()[0]; contigs[name] = []
    else: contigs[name].append(line.strip())
bases = "".join(contigs[sys.argv[3]])
at = int(sys.argv[4])
contigs[sys.argv[3]] = [bases[:at] + sys.argv[5] + bases[at + 1:]]
with open(sys.argv[2], "w") as out:
    for name, lines in contigs.items(): print(f">{name}\n" + "".join(lines), file=out)
PY
  # bins whose centres are the variant's and 50 and 100 bp to either side
  for k in -2 -1 0 1 2; do printf 'chr3\t%d\t%d\n' $((20019 + 50 * k - 25)) $((20019 + 50 * k + 25)); done >around.bed
  bigdna chromatin "$shared/run" around.bed -g "$genome" --precision fp32 -o ref.tsv --quiet
  bigdna chromatin "$shared/run" around.bed -g edited.fa --precision fp32 -o alt.tsv --quiet
  python3 - ref.tsv alt.tsv wide.tsv own.tsv <<'PY'
import math, sys
def table(path): return [line.rstrip("\n").split("\t") for line in open(path) if line[0] != "#"]
ref, alt = ([float(row[6]) for row in table(path)] for path in sys.argv[1:3])
wide, own = table(sys.argv[3])[0], table(sys.argv[4])[0]
assert abs(float(wide[-3]) - math.log2(sum(alt) / sum(ref))) < 2e-4, (wide, ref, alt)
assert abs(float(own[-3]) - math.log2(alt[2] / ref[2])) < 2e-4 and abs(float(own[-2]) - ref[2]) < 1e-4 * (1 + ref[2]), (own, ref, alt)
PY
  fails 2 "--reach 40: the bins of this model are 50 bp apart, so it is 0 or at least 50" bigdna variants "$shared/run" in.vcf -g "$genome" --reach 40
  fails 2 "--reach 100: the bins of this model are 200 bp apart" bigdna variants "$shared/run200" in.vcf -g "$genome" --reach 100
}

@test "bins: explain and motifs work with narrow bins: a change is what variants say of it" {
  bigdna explain "$shared/run" -r chr3:20020-20021 -g "$genome" --around 2 --precision fp32 -o bases.tsv --substitutions changes.tsv --quiet
  # of the base at whose left edge the bin's middle is, variants give the same change to the same bin
  rows changes.tsv | awk -F'\t' '$2 == 20020' >changed.tsv
  read -r start ref alt change < <(head -1 changed.tsv | cut -f2,5-7 | tr '\t' ' ')
  printf '##fileformat=VCFv4.2\n##contig=<ID=chr3>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\nchr3\t%d\t.\t%s\t%s\t.\t.\t.\n' $((start + 1)) "$ref" "$alt" >change.vcf
  bigdna variants "$shared/run" change.vcf -g "$genome" --precision fp32 --effects LFC -o lfc.tsv --quiet
  [ "$(rows lfc.tsv | wc -l)" = 1 ]
  awk -v a="$change" -v b="$(rows lfc.tsv | cut -f10)" 'BEGIN {exit !(a != 0 && (a - b * log(2))^2 < 1e-7)}'
  bigdna explain "$shared/run" -r chr3:20020-20021 -g "$genome" --around 2 --precision fp32 --method gradient -o gradient.tsv --quiet
  [ "$(rows gradient.tsv | wc -l)" = "$(rows bases.tsv | wc -l)" ]
  printf 'chr3\t20000\t24000\n' >region.bed
  bigdna motifs "$shared/run" -R region.bed -g "$genome" --sites 50 -o found.meme --quiet
  grep -q '^MOTIF' found.meme
  bigdna marginalize "$shared/run" found.meme -r chr3:20001-20050 -g "$genome" --sequences 5 -o marginal.tsv --quiet
  [ "$(rows marginal.tsv | wc -l)" -gt 0 ]
}

@test "bins: start sites of 50-bp bins are scanned bin by bin" {
  bigdna train "$shared/sites50" "${small[@]}" --steps 2 --no-kmers --no-baseline -o sites >out.txt
  bigdna predict-promoter sites -g "$genome" --contigs chr3 --precision fp32 --quiet -@ 1 >one.tsv
  bigdna predict-promoter sites -g "$genome" --contigs chr3 --precision fp32 --quiet -@ 2 >two.tsv
  same_rows one.tsv two.tsv
  rows one.tsv | all_rows '$3 - $2 == 50'
  # what chromatin says of the same bins
  bigdna chromatin sites -g "$genome" --contigs chr3 --precision fp32 --quiet >bins.tsv
  awk -F'\t' 'NR == FNR {if ($0 !~ /^#/) {of[$2 "+"] = $7; of[$2 "-"] = $8}; next} !/^#/ && $5 != "." && ($2 $6) in of {++n; d = of[$2 $6] - $5; if (d * d > 1e-10) bad = 1} END {exit bad || n < 50}' bins.tsv one.tsv
}

@test "bins: datasets and models of different widths do not mix" {
  fails 1 "track200: its bins have 200 bp, and the bins of the model $shared/run have 50" bigdna evaluate "$shared/run" "$shared/track200"
  fails 2 "labels bins of 200 bp, and the bins of $shared/track50 have 50" bigdna train "$shared/track50" --from "$shared/run200" --steps 1 -o no
  fails 1 "its bins have 200 bp, and the other's have 50" bigdna chromatin "$shared/run" -r chr3:1-200 -g "$genome" --ensemble "$shared/run200"
  [ ! -e no ]
}

@test "bins: an encoder's bins have the width of its dataset" {
  bigdna pretrain "$genome" --preset tiny --layers 1 --hidden 32 --ffn 64 --max-length 256 --vocab-size 200 --steps 1 --batch 2 --hold-out chr3 --evaluation-tokens 1000 -o pre --quiet
  bigdna dataset chromatin --peaks "$shared/peaks.tsv" -g "$genome" --bin 100 --upstream 100 --downstream 100 --max-bins 300 --split-like pre/model --validation chrX --keep any -o peaks --quiet
  bigdna finetune pre peaks --steps 2 -o tuned --quiet >out.txt
  grep -q '"bin": 100' tuned/model/bigdna.json
  bigdna evaluate tuned peaks --no-baseline --precision fp32 --scores scores.tsv --quiet >out.txt
  rows scores.tsv >scored.tsv
  head -5 scored.tsv | cut -f1-3 >some.bed
  bigdna chromatin tuned some.bed -g "$genome" --precision fp32 -o some.tsv --quiet
  paste <(rows some.tsv | cut -f7) <(head -5 scored.tsv | cut -f10) | all_rows '($1 - $2)^2 < 1e-8'
  bigdna chromatin tuned -r chr3:20001-20400 -g "$genome" -o four.tsv --quiet
  [ "$(rows four.tsv | wc -l)" = 4 ]
}
