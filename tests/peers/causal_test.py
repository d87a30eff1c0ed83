#!/usr/bin/env python3
"""Causal models against transformers' ModernBertDecoderForCausalLM with the same weights.

`pretrain --objective next --pattern full` writes a folder that transformers opens, and `convert` makes one of another causal pattern. A folder of
transformers comes through `convert` and back unchanged. `likelihood --each token` agrees with the logits within 1e-4 bits, for records of several
lengths, and `variants --effects LLR` of substitutions and indels with the difference of the windows' log-likelihoods within 1e-3 nats. What one of
them has and the other has not is refused by name.
"""
import json
import math
import os
import subprocess
import tempfile

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, ModernBertDecoderConfig, ModernBertDecoderForCausalLM, ModernBertDecoderForSequenceClassification, ModernBertDecoderModel

from likelihood_test import CONTEXT, GENOME, bigdna, fetch
from modern_test import BIGDNA, load, same_weights


def decoder(folder):
    assert isinstance(AutoModelForCausalLM.from_pretrained(folder), ModernBertDecoderForCausalLM)
    return load(ModernBertDecoderForCausalLM, folder).double()


def config(**changes):
    return ModernBertDecoderConfig(**{**dict(vocab_size=120, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=48, max_position_embeddings=256,
                                             initializer_range=0.15, pad_token_id=0, bos_token_id=2, cls_token_id=2, eos_token_id=3, sep_token_id=3,
                                             layer_types=["full_attention"] * 2), **changes})


def nats_of(peer, tokens, bases):
    ids = tokens(bases, add_special_tokens=False)["input_ids"]
    with torch.no_grad():
        p = torch.log_softmax(peer(input_ids=torch.tensor([[tokens.cls_token_id, *ids]])).logits[0], -1)
    return ids, [-p[i, id].item() for i, id in enumerate(ids)]


def compare_likelihood(what, folder, peer, records):
    tokens = AutoTokenizer.from_pretrained(folder)
    with open("records.fa", "w") as file:
        for i, bases in enumerate(records):
            file.write(f">r{i}\n{bases}\n")
    rows = bigdna("likelihood", folder, "records.fa", "--precision", "fp32", "--each", "token")
    at, largest = 0, 0
    for bases in records:
        for id, value in zip(*nats_of(peer, tokens, bases)):
            assert rows[at][3] == str(id)
            largest = max(largest, abs(float(rows[at][4]) - value / math.log(2)))
            at += 1
    assert at == len(rows) > 50
    print(f"{what}: likelihood of {at} tokens: largest difference {largest:.1e} bits", flush=True)
    assert largest < 1e-4


def refused(theirs, text):
    theirs.save_pretrained("theirs")
    run = subprocess.run([BIGDNA, "convert", "theirs", "-o", "refused", "--vocab", "run/model"], capture_output=True, text=True)
    assert run.returncode == 1 and text in run.stderr and not os.path.exists("refused"), run.stderr
    print("ok: refused:", text, flush=True)


def conversions(records):
    theirs = ModernBertDecoderForCausalLM(config()).eval()
    theirs.save_pretrained("theirs")
    bigdna("convert", "theirs", "-o", "ours", "--vocab", "run/model")
    same_weights(theirs, load(ModernBertDecoderForCausalLM, "ours"))
    assert json.load(open("ours/config.json"))["model_type"] == "modernbert-decoder"
    compare_likelihood("of transformers", "ours", decoder("ours"), records)
    bigdna("convert", "ours", "-o", "bare", "--head", "none")
    same_weights(theirs.model, load(ModernBertDecoderModel, "bare"))

    refused(ModernBertDecoderForCausalLM(config(layer_types=["full_attention", "sliding_attention"])), "sliding attention")
    refused(ModernBertDecoderForCausalLM(config(tie_word_embeddings=False)), "decoder.weight differs from model.embeddings.tok_embeddings.weight")
    refused(ModernBertDecoderForSequenceClassification(config()), "ModernBertDecoderForSequenceClassification is not supported")
    bigdna("convert", "ours", "-o", "sparse", "--pattern", "window")
    try:
        AutoModelForCausalLM.from_pretrained("sparse")
        raise SystemExit("transformers opened a model with another pattern")
    except (ValueError, KeyError) as error:
        print("ok: transformers refuses pattern window:", str(error).splitlines()[0], flush=True)
    bigdna("convert", "sparse", "-o", "full", "--pattern", "full")
    same_weights(theirs, load(ModernBertDecoderForCausalLM, "full"))


def main():
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        bigdna("pretrain", GENOME, "-o", "run", "--objective", "next", "--pattern", "full", "--block", 16, "--layers", 2, "--heads", 2, "--hidden", 32, "--ffn", 48,
               "--preset", "tiny", "--steps", 40, "--batch", 4, "--learning-rate", 0.01, "--evaluation-tokens", 200, "--passes", 1, "--vocab-size", 120, "--vocab-bases", 100000,
               "--max-length", 256, "--device", "cpu", "--precision", "fp32")
        peer, tokens = decoder("run/model"), AutoTokenizer.from_pretrained("run/model")

        def nats(bases):
            return nats_of(peer, tokens, bases)

        records = [fetch("chr1", 5000, 5000 + length) for length in (3, 40, 41, 150, 333)]
        compare_likelihood("pretrain --pattern full", "run/model", peer, records)
        conversions(records)

        places = []
        for i in range(8):
            position = 6000 + 977 * i
            bases = fetch("chr1", position, position + 4)
            if "N" not in bases:
                places += [(position, bases[0], "ACGT"[("ACGT".index(bases[0]) + 1 + i % 3) % 4]), (position, bases[:3], bases[0]), (position, bases[0], bases[0] + "ACG"[: 1 + i % 3])]
        with open("some.vcf", "w") as file:
            file.write("##fileformat=VCFv4.2\n##contig=<ID=chr1>\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n")
            for position, ref, alt in places:
                file.write(f"chr1\t{position + 1}\t.\t{ref}\t{alt}\t.\t.\t.\n")
        bigdna("variants", "run", "some.vcf", "-g", GENOME, "--context", CONTEXT, "--effects", "LLR", "--strands", "forward", "--precision", "fp32", "-o", "out.tsv")
        found = [line.rstrip("\n").split("\t") for line in open("out.tsv") if not line.startswith("#")]
        assert len(found) == len(places) > 12
        largest = 0
        for (position, ref, alt), row in zip(places, found):
            before = fetch("chr1", position - CONTEXT // 2, position + CONTEXT // 2)
            after = before[: CONTEXT // 2] + alt + before[CONTEXT // 2 + len(ref):]
            largest = max(largest, abs(sum(nats(before)[1]) - sum(nats(after)[1]) - float(row[9])))
        print(f"LLR of {len(places)} alleles: largest difference {largest:.1e} nats")
        assert largest < 1e-3


if __name__ == "__main__":
    main()
