"""The same regions through transformers' BigBirdForSequenceClassification with the same weights: seconds, and the largest
difference to bigdna's probabilities. Arguments: model folder, BED, bgzipped genome, bigdna's table.
"""
import json
import subprocess
import sys
import time

import torch
from transformers import AutoTokenizer, BigBirdForSequenceClassification

folder, bed, genome, table = sys.argv[1:]
model = BigBirdForSequenceClassification.from_pretrained(folder).eval()
tokenizer = AutoTokenizer.from_pretrained(folder)
details = json.load(open(f"{folder}/bigdna.json"))
weight, room = details["positive_weight"], model.config.max_position_embeddings
regions = []
for line in open(bed):
    contig, start, end = line.split()[:3]
    middle = (int(start) + int(end)) // 2
    regions.append(f"{contig}:{middle - 100 - details['upstream'] + 1}-{middle + 100 + details['downstream']}")
fasta = subprocess.run(["samtools", "faidx", genome, *regions], check=True, capture_output=True, text=True).stdout
sequences = ["".join(record.split("\n")[1:]).upper() for record in fasta.split(">")[1:]]
rows = [[float(v) for v in line.split("\t")[6:]] for line in open(table) if not line.startswith("#")]

worst, started = 0.0, time.time()
with torch.no_grad():
    for sequence, row in zip(sequences, rows):
        ids = tokenizer(sequence, return_tensors="pt")["input_ids"][:, :room]
        q = torch.sigmoid(model(input_ids=ids).logits[0]).double()
        worst = max(worst, (q / (q + weight * (1 - q)) - torch.tensor(row, dtype=torch.float64)).abs().max().item())
seconds = time.time() - started
print(f"{len(sequences)} regions, transformers {torch.get_num_threads()} threads\t{seconds:.1f} s\t{len(sequences) / seconds:.2f} regions/s\tlargest difference {worst:.1e}")
