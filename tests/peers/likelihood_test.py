#!/usr/bin/env python3
"""Likelihoods of alleles and of sequences against transformers' logits of the same folder.

`bigdna variants --effects LLR` and `bigdna likelihood` agree with ModernBertForMaskedLM and AutoTokenizer within 1e-4 nats or bits, for a
vocabulary of BPE and for one of single bases, on both strands; and with single bases LLR is the plain log ratio at the hidden base.
"""
import math
import os
import subprocess
import tempfile

import torch
from transformers import AutoModelForMaskedLM, AutoTokenizer

BIGDNA, SOURCE = os.environ["BIGDNA"], os.environ["BIGDNA_SOURCE_DIR"]
GENOME = os.path.join(SOURCE, "test-data/genome.fa.gz")
CONTEXT = 200


def bigdna(*arguments):
    run = subprocess.run([BIGDNA, *map(str, arguments), "--quiet"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return [line.split("\t") for line in run.stdout.splitlines() if not line.startswith("#")]


def fetch(contig, start, end):
    text = subprocess.run(["samtools", "faidx", GENOME, f"{contig}:{start + 1}-{end}"], capture_output=True, text=True, check=True).stdout
    return "".join(text.splitlines()[1:]).upper()


def reverse(bases):
    return bases[::-1].translate(str.maketrans("ACGTN", "TGCAN"))


class Peer:
    def __init__(self, folder):
        self.tokens, self.model = AutoTokenizer.from_pretrained(folder), AutoModelForMaskedLM.from_pretrained(folder).eval()

    def encode(self, bases):
        """Ids, and the first base of each with the length behind the last."""
        ids = self.tokens(bases, add_special_tokens=False)["input_ids"]
        begins = [0]
        for piece in self.tokens.convert_ids_to_tokens(ids):
            begins.append(begins[-1] + len(piece))
        assert begins[-1] == len(bases)
        return ids, begins

    def nats(self, ids, hidden):
        """-ln p of the tokens at these places, all of which are hidden."""
        given = torch.tensor([[self.tokens.cls_token_id, *ids, self.tokens.sep_token_id]])
        for place in hidden:
            given[0, place + 1] = self.tokens.mask_token_id
        with torch.no_grad():
            p = torch.log_softmax(self.model(input_ids=given).logits[0].double(), -1)
        return [-p[place + 1, ids[place]].item() for place in hidden]

    def ratio(self, before, after, at, ref, alt):
        (a, a_begins), (b, b_begins) = self.encode(before), self.encode(after)
        fewest = min(len(a), len(b))
        left = right = 0
        while left < fewest and a[left] == b[left] and a_begins[left + 1] <= at:
            left += 1
        while left + right < fewest and a[-1 - right] == b[-1 - right] and a_begins[-2 - right] >= at + ref and b_begins[-2 - right] >= at + alt:
            right += 1
        if left + right == fewest:
            left -= 1
        of = lambda ids: sum(self.nats(ids, range(left, len(ids) - right)))
        return of(a) - of(b)


def check(folder, single):
    peer = Peer(folder + "/model")
    places, largest = [], 0
    for i in range(12):
        position = 5000 + 977 * i
        bases = fetch("chr1", position, position + 4)
        if "N" in bases:
            continue
        places.append((position, bases[0], "ACGT"[("ACGT".index(bases[0]) + 1 + i % 3) % 4]))
        if i % 3 == 0:
            places.append((position, bases[:3], bases[0]))
            places.append((position, bases[0], bases[0] + "ACGT"[:2 + i % 3]))
    with open("some.vcf", "w") as file:
        file.write("##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n")
        for position, ref, alt in places:
            file.write(f"chr1\t{position + 1}\t.\t{ref}\t{alt}\t.\t.\t.\n")
    for strands in ("forward", "average"):
        rows = bigdna_table("variants", folder, "some.vcf", "-g", GENOME, "--context", CONTEXT, "--effects", "LLR", "--strands", strands)
        assert len(rows) == len(places) > 12
        for (position, ref, alt), row in zip(places, rows):
            start = position - CONTEXT // 2
            before = fetch("chr1", start, start + CONTEXT)
            at = CONTEXT // 2
            after = before[:at] + alt + before[at + len(ref):]
            expected = peer.ratio(before, after, at, len(ref), len(alt))
            if strands == "average":
                other = peer.ratio(reverse(before), reverse(after), len(before) - at - len(ref), len(ref), len(alt))
                expected = (expected + other) / 2
            largest = max(largest, abs(expected - float(row[9])))
            if single and strands == "forward" and len(ref) == len(alt) == 1:
                ids, _ = peer.encode(before)
                there, _ = peer.encode(alt)
                plain = peer.nats(ids, [at])[0] - peer.nats(ids[:at] + there + ids[at + 1:], [at])[0]
                assert abs(plain - expected) < 1e-9
    print(f"{folder}: LLR of {len(places)} alleles, largest difference {largest:.1e} nats")
    assert largest < 1e-4

    with open("some.bed", "w") as file:
        file.write("chr1\t5000\t5150\ta\t0\t+\nchr1\t9000\t9180\tb\t0\t-\n")
    rows = bigdna("likelihood", folder, "-R", "some.bed", "-g", GENOME, "--precision", "fp32")
    tokens = bigdna("likelihood", folder, "-R", "some.bed", "-g", GENOME, "--precision", "fp32", "--each", "token")
    at = 0
    for row, bases in zip(rows, (fetch("chr1", 5000, 5150), reverse(fetch("chr1", 9000, 9180)))):
        ids, begins = peer.encode(bases)
        bits = [0.0] * len(ids)
        for first in range(7):
            hidden = list(range(first, len(ids), 7))
            for place, nats in zip(hidden, peer.nats(ids, hidden)):
                bits[place] = nats / math.log(2)
        assert row[3] == str(len(ids)) and row[4] == str(len(bases))
        assert abs(float(row[5]) - sum(bits)) < 1e-3 and abs(float(row[6]) - sum(bits) / len(bases)) < 1e-5
        for place, value in enumerate(bits):
            assert tokens[at][1:4] == [str(begins[place]), str(begins[place + 1]), str(ids[place])]
            assert abs(float(tokens[at][4]) - value) < 1e-4
            at += 1
    assert at == len(tokens)


def bigdna_table(*arguments):
    bigdna(*arguments, "-o", "out.tsv", "--precision", "fp32")
    with open("out.tsv") as file:
        return [line.rstrip("\n").split("\t") for line in file if not line.startswith("#")]


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        small = ["--layers", 2, "--heads", 2, "--hidden", 32, "--ffn", 48, "--steps", 30, "--batch", 4, "--learning-rate", 0.01, "--evaluation-tokens", 200,
                 "--passes", 1, "--device", "cpu", "--precision", "fp32", "--pattern", "full"]
        for name, vocabulary in (("bpe", 120), ("bases", 10)):
            bigdna("pretrain", GENOME, "-o", name, *small, "--vocab-size", vocabulary, "--vocab-bases", 100000, "--max-length", 256)
            check(name, name == "bases")


if __name__ == "__main__":
    main()
