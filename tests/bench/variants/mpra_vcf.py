"""One element of Kircher et al.'s saturation mutagenesis as VCF, with the measured log2 effect as INFO/MEASURED: arguments elements.tsv.gz,
element, release, genome (FASTA with .fai, read by samtools). Deletions get the base before them, as VCF asks.
"""
import csv
import gzip
import subprocess
import sys

table, element, release, genome = sys.argv[1:]
with gzip.open(table, "rt") as file:
    rows = [row for row in csv.DictReader(file, delimiter="\t") if row["Element"] == element and row["Release"] == release]
contig, positions = rows[0]["Chrom"], [int(row["Pos"]) for row in rows]
first = min(positions) - 1
fasta = subprocess.run(["samtools", "faidx", genome, f"{contig}:{first}-{max(positions)}"], check=True, capture_output=True, text=True).stdout
bases = "".join(fasta.split("\n")[1:]).upper()
lines = []
for row, position in zip(rows, positions):
    ref, alt = row["Ref"], row["Alt"]
    if alt == "-":
        position -= 1
        ref, alt = bases[position - first] + ref, bases[position - first]
    lines.append((position, f"{contig}\t{position}\t{row['Pos']}{row['Ref']}{row['Alt']}\t{ref}\t{alt}\t.\t.\tMEASURED={row['Coefficient']}"))
print("##fileformat=VCFv4.2")
print(f"##contig=<ID={contig}>")
print('##INFO=<ID=MEASURED,Number=1,Type=Float,Description="Measured log2 effect on expression">')
print("#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO")
print("\n".join(line for _, line in sorted(lines)))
