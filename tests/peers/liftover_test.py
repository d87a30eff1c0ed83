"""bigdna liftover against pyliftover on the real start sites: every site with one target is the same, both strands."""
import gzip
import os
import subprocess
import sys
import tempfile

data = os.environ.get("BIGDNA_DATA") or os.path.join(os.environ["BIGDNA_SOURCE_DIR"], "../shared/data")
bed = os.path.join(data, "promoters/EPDnew_human_hg38_29598.bed.gz")
chain = os.path.join(data, "liftover/hg38ToHg19.over.chain.gz")
if not os.path.exists(bed) or not os.path.exists(chain):
    print("SKIPPED: no real data in", data)
    sys.exit(77)
from pyliftover import LiftOver

with tempfile.TemporaryDirectory() as folder:
    out = os.path.join(folder, "out.bed")
    lost = os.path.join(folder, "lost.bed")
    named = os.path.join(folder, "in.bed")  # names by line, to find each record again
    expected = {}
    lifter = LiftOver(chain)
    with gzip.open(bed, "rt") as source, open(named, "w") as file:
        for number, line in enumerate(source):
            contig, start, _, _, _, strand = line.split("\t")[:6]
            strand = strand.strip()
            file.write(f"{contig}\t{start}\t{int(start) + 1}\t{number}\t0\t{strand}\n")
            targets = lifter.convert_coordinate(contig, int(start), strand) or []
            expected[number] = [(target, str(position), new) for target, position, new, _ in targets]
    subprocess.run([os.environ["BIGDNA"], "liftover", named, "--chain", chain, "-o", out, "--unmapped", lost, "--quiet"], check=True)
    ours, reasons, reason = {}, {}, ""
    for line in open(out):
        if line.startswith("#"):
            continue
        contig, start, _, number, _, strand = line.rstrip("\n").split("\t")
        ours[int(number)] = (contig, start, strand)
    for line in open(lost):
        if line.startswith("#"):
            reason = line.strip()
        else:
            reasons[int(line.split("\t")[3])] = reason

wrong = 0
for number, targets in expected.items():
    if len(targets) == 1:
        wrong += ours.get(number) != targets[0]
    else:
        wrong += reasons.get(number) != ("#Deleted in new" if not targets else "#Duplicated in new")
print(f"{len(expected)} start sites, {len(ours)} lifted, {wrong} differ")
sys.exit(wrong > 0)
