#!/usr/bin/env bash
# run.sh FUZZ_READERS BIGDNA [ARGS of fuzz_readers]: makes small files of every kind that bigdna reads, and damages them.
# The test fuzz_readers (label slow) reads 4000 damaged inputs; `--inputs 20000 --jobs 2 --seed 7` is the full run. A failing input is kept
# in fuzz-failures, with its number: `--first NUMBER --inputs 1` with the same seed makes and reads it again.
set -euo pipefail
fuzz=$(readlink -f "$1") bigdna=$(readlink -f "$2") profile_models=$(dirname "$(readlink -f "$0")")/../../test-data/profile
shift 2
export GOMP_SPINCOUNT=0 OMP_NUM_THREADS=1
seeds=$(mktemp -d)
trap 'rm -rf "$seeds"' EXIT
cd "$seeds"
python3 - <<'P'
import gzip, os, random

random.seed(1)
bases = lambda n, letters="ACGT": "".join(random.choices(letters, k=n))
contigs = {"chr1": bases(1500) + bases(700).lower() + "N" * 100 + bases(700), "2": bases(2000), "chrM": bases(300)}
with open("g.fa", "w") as f:
    for name, text in contigs.items():
        print(f">{name} a comment", *(text[i:i + 60] for i in range(0, len(text), 60)), sep="\n", file=f)
gzip.open("plain.fa.gz", "wt").write(open("g.fa").read())
with open("r.bed", "w") as f:
    print("track name=x\n# a comment", file=f)
    for i in range(12):
        print(("chr1", "2")[i % 2], 100 * i, 100 * i + 80, f"r{i}", i, "+-."[i % 3], "more", sep="\t", file=f)
sites = [(("chr1", "2")[i % 2], 150 + 75 * i, "+-"[i % 2]) for i in range(22)]
with open("tss.bed", "w") as bed, open("tss.sga", "w") as sga, open("tss.fps", "w") as fps, open("tss.tsv", "w") as table:
    for i, (contig, at, strand) in enumerate(sites):
        print(contig, at, at + 1, f"s{i}", 0, strand, sep="\t", file=bed)
        print(contig, "TSS", at + 1, strand, 1, f"s{i}", sep="\t", file=sga)
        print(f"FP   gene {i}            :+S  EU:{contig}  1{strand} {at + 1:9d}; {i}.", file=fps)
        print(contig, at, strand, sep="\t", file=table)
with open("tss.gtf", "w") as gtf, open("tss.gff3", "w") as gff:
    print("##gff-version 3", file=gff)
    for i, (contig, at, strand) in enumerate(sites):
        print(contig, "src", "transcript" if i % 3 else "exon", at + 1, at + 60, ".", strand, ".",
              f'gene_id "g{i}"; transcript_id "t{i}"; gene_name "G{i}";', sep="\t", file=gtf)
        print(contig, "src", "miRNA", at + 9, at + 20, ".", strand, ".", f"ID=m{i};{'Parent' if i % 2 else 'Derives_from'}=t{i}", sep="\t", file=gff)
        print(contig, "src", "mRNA" if i % 3 else "exon", at + 1, at + 60, ".", strand, ".",
              f"ID=t{i};gene=G%20{i}" if i % 3 else f"Parent=t{i}", sep="\t", file=gff)
open("chrom.sizes", "w").write("".join(f"{name}\t{len(text)}\n" for name, text in contigs.items()))
with open("reads.sam", "w") as sam, open("reads.bed", "w") as bed, open("pairs.bedpe", "w") as bedpe, open("signal.bedGraph", "w") as signal, gzip.open("fragments.tsv.gz", "wt") as fragments:
    print("@HD\tVN:1.6\tSO:coordinate", *(f"@SQ\tSN:{name}\tLN:{len(text)}" for name, text in contigs.items()), "@RG\tID:a\tSM:s", sep="\n", file=sam)
    print("track type=bedGraph name=s", file=signal)
    print("# a comment", file=fragments)
    for contig in ("chr1", "2"):
        for i in range(20):
            at, strand = 60 * i + 3, i % 2
            print(f"q{i}", (99, 147)[strand] if i % 5 else (0, 16)[strand] | (0, 4, 256, 1024, 2048)[i % 4], contig, at + 1, 30 + i, ("20M", "5S10M2I3M", "8M3D12M", "5M100N15M")[i % 4], "=" if i % 5 else "*",
                  at + 61 if i % 5 else 0, (90, -90)[strand] if i % 5 else 0, contigs[contig][at:at + 20].upper(), "I" * 20, "RG:Z:a", f"CB:Z:cell{i % 4}", sep="\t", file=sam)
            print(contig, at, at + 20, f"q{i}", 30 + i, "+-"[strand], sep="\t", file=bed)
            print(contig, at, at + 20, contig, at + 60, at + 80, f"q{i}", i, "+", "-", sep="\t", file=bedpe)
            print(contig, at, at + 60, (0.5, 0, 3, 1e-3)[i % 4] if contig == "2" else i, sep="\t", file=signal)
            print(contig, at, at + 90, f"cell{i % 4}", 1 + i % 3, sep="\t", file=fragments)
open("barcodes.tsv", "w").write("barcode\tgroup\n" + "".join(f"cell{i}\t{'ab'[i % 2]}\n" for i in range(4)))
open("tracks.tsv", "w").write("file\tname\tcount\tshift\tfragment_length\tmin_mapq\tduplicates\tscale\tbarcodes\tbarcode_group\tstrand\n"
                              "reads.bam\tr\tcuts\t4,-5\tany\t5\tkeep\tcpm\t\t\t+\nfragments.tsv.gz\tf\tmidpoints\t\t0-100\t\t\t2\tbarcodes.tsv\ta\t\nsignal.bedGraph\ts\t\t\t\t\t\t\t\t\t\n")
import json
pieces = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]", "A", "C", "G", "T", "N", "AC", "GT", "TA", "ACGT", "TATA"]
token = lambda i, text, special: dict(id=i, content=text, single_word=False, lstrip=False, rstrip=False, normalized=False, special=special)
for name, words in (("words.json", dict(type="WhitespaceSplit")), ("isolated.json", dict(type="Split", pattern=dict(String="-"), behavior="Isolated", invert=False))):
    json.dump(dict(version="1.0", added_tokens=[token(i, text, True) for i, text in enumerate(pieces[:5])] + [token(15, "<cell>", False)],
                   normalizer=dict(type="Sequence", normalizers=[dict(type="Strip", strip_left=True, strip_right=True), dict(type="Replace", pattern=dict(String="U"), content="T")]),
                   pre_tokenizer=words,
                   post_processor=dict(type="BertProcessing", cls=["[CLS]", 1], sep=["[SEP]", 2]),
                   model=dict(type="BPE", unk_token="[UNK]", vocab={c: i for i, c in enumerate(pieces)}, merges=["A C", "G T", "T A", "AC GT", "TA TA"])), open(name, "w"))
open("m.meme", "w").write("MEME version 4\nALPHABET= ACGT\nMOTIF a b\nletter-probability matrix: alength= 4 w= 2\n"
                          ".1 .2 .3 .4\n1 0 0 0\n\nMOTIF c\nletter-probability matrix:\n.25 .25 .25 .25\n")
open("m.jaspar", "w").write(">MA0001.1\tfirst\nA  [ 2 0 ]\nC  [ 1 0 ]\nG  [ 1 4 ]\nT  [ 0 0 ]\n>second\n1\n1\n1\n1\n")

# DeepSEA's bundle as MATLAB 5 writes it: two rows of a part.
import struct
element = lambda kind, data: struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)
def array(name, shape, values):
    body = (element(6, struct.pack("<II", 9, 0)) + element(5, struct.pack(f"<{len(shape)}i", *shape)) +
            element(1, name.encode()) + element(2, bytes(values)))
    return element(14, body)
os.mkdir("deepsea")
for k, part in enumerate(("train", "valid", "test")):
    windows = [contigs["2"][at:at + 1000] for at in (300 * k, 300 * k + 150)]
    hot = [int(window[i] == letter) for i in range(1000) for letter in "AGCT" for window in windows]
    labels = [int((i * 7 + k) % 50 == row) for i in range(919) for row in range(2)]
    open(f"deepsea/{part}.mat", "wb").write(b"MATLAB 5.0 MAT-file".ljust(124) + struct.pack("<HH", 0x100, 0x4d49) +
                                            array(part + "xdata", (2, 4, 1000), hot) + array(part + "data", (2, 919), labels))

open("a.chain", "w").write("chain 900 chr1 3000 + 0 2900 chr1 3000 + 50 2950 1\n1000\t0\t5\n900\t5\t0\n995\n\n"
                           "chain 500 2 2000 + 100 1900 2 2000 - 100 1900 2\n1800\n\n")
with open("v.vcf", "w") as f:
    print('##fileformat=VCFv4.2\n##contig=<ID=chr1,length=3000>\n##contig=<ID=2,length=2000>\n##FILTER=<ID=q10,Description="q">\n'
          '##INFO=<ID=AC,Number=A,Type=Integer,Description="c">\n##INFO=<ID=AF,Number=A,Type=Float,Description="f">\n'
          '##FORMAT=<ID=GT,Number=1,Type=String,Description="g">\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ts1', file=f)
    for contig in ("chr1", "2"):
        for at in range(50, 1900, 150):
            ref = contigs[contig][at - 1:at + at % 4].upper()
            alt = random.choice(("A", "C,G", "ACGT", "<DEL>", "*", "N", "A]chr1:5]"))
            print(contig, at, f"rs{at}", ref, alt, random.choice((".", "30", "nan", "1e-3")), random.choice(("PASS", ".", "q10")),
                  f"AC={'1,2' if ',' in alt else 1};AF={'.5,.1' if ',' in alt else .5}", "GT", "0/1", sep="\t", file=f)
rows = [(bases(random.randint(60, 90), "ACGT" if i % 2 else "ACGGGCCT"), i) for i in range(60)]
split = lambda i: ("train", "train", "validation", "test")[i // 2 % 4]
with open("binary.csv", "w") as f:
    print("name,sequence,split,label", *(f'"row ""{i}""",{s},{split(i)},{i % 2}' for s, i in rows), sep="\n", file=f)
with open("numbers.tsv", "w") as f:
    print("seq\tlabel\tgroup", *(f"{s}\t{i / 7 - 3:.3f}\tg{i % 9}" for s, i in rows), sep="\n", file=f)
with gzip.open("labels.csv.gz", "wt") as f:
    print("sequence,labels", *(f'{s},"{",".join(w for k, w in enumerate(("a", "b", "c")) if i >> k & 1)}"' for s, i in rows), sep="\n", file=f)
with open("places.bed", "w") as f:
    print("#chrom\tstart\tend\tname\tlabel\tstrand", *(f"{('chr1', '2')[i % 2]}\t{30 * i}\t{30 * i + 40}\tp{i}\t{i % 3}\t+" for _, i in rows), sep="\n", file=f)
with open("classes.fa", "w") as f:
    print(*(f">s{i}|{'abc'[i % 3]}\n{s}" for s, i in rows), sep="\n", file=f)
os.mkdir("tables")
for part, keep in (("train", 0), ("test", 3)):
    with open(f"tables/{part}.csv", "w") as f:
        print("sequence,label", *(f"{s},{i % 2}" for s, i in rows if i % 4 == keep or part == "train" and i % 4 < 3), sep="\n", file=f)
open("peaks.tsv", "w").write("file\tname\tcell\tassay\tgroup\np1.narrowPeak\tCTCF\tGM12878\tChIP\tTF\np2.broadPeak\tH3K4me3\tK562\tChIP\tHM\np3.gappedPeak\tH3K9me3\tK562\tChIP\tHM\n")
for path, more in (("p1.narrowPeak", "\t5.5\t3.2\t2.1\t40"), ("p2.broadPeak", "\t5.5\t3.2\t2.1")):
    with open(path, "w") as f:
        print(*(f"{('chr1', '2')[i % 2]}\t{90 * i}\t{90 * i + 160}\t.\t{i}\t.{more}" for i in range(18)), sep="\n", file=f)
with open("p3.gappedPeak", "w") as f:
    print(*(f"{('chr1', '2')[i % 2]}\t{90 * i}\t{90 * i + 300}\t.\t{i}\t.\t{90 * i}\t{90 * i + 300}\t0\t2\t50,40\t0,260\t5.5\t3.2\t2.1" for i in range(18)), sep="\n", file=f)
open("exclude.bed", "w").write("chr1\t0\t100\n2\t1900\t2000\n")
with open("big.fa", "w") as f:
    for name in ("chr1", "chr2", "chr3"):
        print(f">{name}", *(bases(60) for _ in range(800)), sep="\n", file=f)
with open("sites.bed", "w") as f:
    print(*(f"chr{1 + i % 3}\t{600 + 700 * i}\t{601 + 700 * i}\tt{i}\t0\t{'+-'[i % 2]}" for i in range(60)), sep="\n", file=f)
with open("panel.tsv", "w") as f:
    print("file\tname\tcell\tassay\tgroup\na.bed\tA\tx\ty\tTF\nb.bed\tB\tx\ty\tHM", file=f)
for k, path in enumerate(("a.bed", "b.bed")):
    with open(path, "w") as f:
        print(*(f"chr{1 + i % 3}\t{400 * i + 100 * k}\t{400 * i + 350}" for i in range(110)), sep="\n", file=f)
with open("cuts.bed", "w") as f:
    print(*(f"chr{1 + i % 3}\t{23 * i + 7}\t{23 * i + 47}\tr\t0\t{'+-'[i % 2]}" for i in range(1900)), sep="\n", file=f)
open("cuts.tsv", "w").write("file\tname\tcount\ncuts.bed\tcuts\tcuts\n")
P
bgzip -c g.fa >g.fa.gz
xz -kc g.fa >g.fa.xz
bgzip -c r.bed >r.bed.gz
samtools sort -o reads.bam reads.sam
samtools view -C -T g.fa -o reads.cram reads.bam
samtools faidx g.fa
samtools faidx g.fa.gz
bgzip -c v.vcf >v.vcf.gz
bcftools index v.vcf.gz
bcftools view -Ob -o v.bcf v.vcf 2>/dev/null
bcftools index v.bcf
run() { "$bigdna" "$@" --quiet -@1 >/dev/null; }
small=(--layers 1 --hidden 16 --ffn 16 --heads 2 --max-length 64 --vocab-size 80 --steps 2 --batch 2 --evaluation-tokens 300)
run vocab big.fa --vocab-size 80 -o vocabulary
run corpus big.fa --vocab vocabulary --hold-out chr3 -o corpus
run pretrain big.fa --preset tiny "${small[@]}" --hold-out chr3 -o pre
run pretrain big.fa --preset base "${small[@]}" --block 8 --hold-out chr3 -o bigbird
run dataset promoter --promoters sites.bed -g big.fa --upstream 100 --downstream 50 --tss-distance 150 --test chr3 --validation chr2 -o promoters
run dataset chromatin --peaks panel.tsv -g big.fa --upstream 100 --downstream 100 --keep any --max-bins 100 --test chr3 --validation chr2 -o bins
run dataset profile --tracks cuts.tsv --peaks a.bed -g big.fa --window 200 --width 100 --jitter 20 --test chr3 --validation chr2 -o profiles
run dataset table binary.csv -o table_data
run finetune pre promoters --steps 2 -o promoter
run finetune pre bins --steps 2 -o chromatin
run finetune pre table_data --steps 2 -o table
run dataset chromatin --peaks panel.tsv -g big.fa --keep all --upstream 0 --downstream 0 --test chr3 --validation chr2 -o all_bins
run train all_bins --preset tiny --networks 1 --window 4000 --epochs 1 --no-baseline -o network
run train table_data --preset tiny --networks 1 --epochs 1 --no-baseline -o pooled
run chromatin chromatin -g big.fa --tile 2000 --bigwig tracks --counts part.json -o part.tsv --shard 1/1
run chromatin chromatin -g big.fa --tile 2000 --bigwig part.tracks -o part.h5 --shard 1/1
run chromatin chromatin -g big.fa --tile 2000 -o part.bed.gz --shard 1/1
for kind in vcf bcf; do run variants chromatin v.vcf.gz -g g.fa -o part.$kind --shard 1/1; done
run chromatin chromatin -g big.fa --tile 2000 -o p.h5
for kind in tsv vcf; do run variants chromatin v.vcf.gz -g g.fa -o effects.$kind; done
cp tracks/0_*.bw track.bw
samtools faidx big.fa
cut -f1-2 big.fa.fai >big.sizes
tar -cf vocabulary.tar --format=pax vocabulary
tar -cf promoters.tar --format=gnu promoters
cp "$profile_models"/{chrombpnet,bias}.h5 "$profile_models"/{bpnet,bpnet_state}.torch .
mkdir foreign
cp pre/model/spiece.model foreign
rm -rf tracks pre/corpus pre/vocabulary all_bins big.fa*
cd "$OLDPWD"
"$fuzz" "$seeds" "$@"
