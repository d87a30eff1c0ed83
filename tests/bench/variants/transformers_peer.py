"""Variants through transformers' BigBirdForSequenceClassification with the same weights: CPU seconds of the predictions alone (neither
imports nor loading), and the largest difference to bigdna's LOGIT.

  transformers_peer.py MODEL RECORDS.fa VARIANTS.tsv THREADS

RECORDS are those of tests/cli/edited_fasta.py. Each distinct sequence is encoded once.
"""
import os
import sys
import time

import torch
from transformers import AutoTokenizer, BigBirdForSequenceClassification

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "cli"))
from edited_fasta import change  # noqa: E402

folder, fasta, table, threads = sys.argv[1:]
torch.set_num_threads(int(threads))
model = BigBirdForSequenceClassification.from_pretrained(folder).eval()
tokenizer = AutoTokenizer.from_pretrained(folder)
records = [record.split("\n")[:2] for record in open(fasta).read().split(">")[1:]]
expected = [line.rstrip("\n").split("\t") for line in open(table)]
columns = [i for i, name in enumerate(expected[0]) if name.split(":")[0] == "LOGIT"]

started, logits = time.process_time(), {}
with torch.no_grad():
    for _, sequence in records:
        if sequence not in logits:
            ids = tokenizer(sequence, return_tensors="pt")["input_ids"][:, :model.config.max_position_embeddings]
            logits[sequence] = model(input_ids=ids).logits[0].tolist()
seconds = time.process_time() - started

alleles, largest, worst = {}, 0.0, 0.0
for name, sequence in records:
    allele, kind, tile = name.split("|")
    alleles.setdefault(int(allele), {}).setdefault(tile, {})[kind] = logits[sequence]
for allele, tiles in alleles.items():
    for k, column in enumerate(columns):
        value = change(tiles, k)
        largest, worst = max(largest, abs(value)), max(worst, abs(value - float(expected[1 + allele][column])))
print(f"transformers, {threads} threads\t{len(alleles)} variants, {len(logits)} sequences\t{seconds:.1f} CPU s\t"
      f"{len(alleles) / seconds:.3f} variants/CPU s\tlogits of up to {largest:.2g} differ by at most {worst:.1e}")
