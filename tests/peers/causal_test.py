#!/usr/bin/env python3
"""Causal models against transformers' ModernBertDecoderForCausalLM with the same weights.

`bigdna likelihood --each token` of a model of `pretrain --objective next --pattern full` agrees with it within 1e-4 bits, for records of several
lengths; and `variants --effects LLR` of substitutions and indels with the difference of the windows' log-likelihoods within 1e-3 nats.
"""
import json
import math
import os
import tempfile

import torch
from safetensors.torch import load_file
from transformers import AutoTokenizer, ModernBertDecoderConfig, ModernBertDecoderForCausalLM

from likelihood_test import CONTEXT, GENOME, bigdna, fetch


def decoder(folder):
    config = json.load(open(folder + "/config.json"))
    layers, hidden = config["num_hidden_layers"], config["hidden_size"]
    peer = ModernBertDecoderForCausalLM(ModernBertDecoderConfig(
        vocab_size=config["vocab_size"], hidden_size=hidden, intermediate_size=config["intermediate_size"], num_hidden_layers=layers,
        num_attention_heads=config["num_attention_heads"], max_position_embeddings=config["max_position_embeddings"], hidden_activation=config["hidden_activation"],
        norm_eps=config["norm_eps"], pad_token_id=config["pad_token_id"], cls_token_id=config["bos_token_id"], bos_token_id=config["bos_token_id"],
        sep_token_id=config["sep_token_id"], eos_token_id=config["eos_token_id"],
        layer_types=["full_attention"] * layers, rope_parameters=config["rope_parameters"], tie_word_embeddings=True)).double().eval()
    weights = {}
    for name, value in load_file(folder + "/model.safetensors").items():
        if name.startswith("head."):
            weights["lm_head." + name[5:]] = value
        elif ".attn.Wqkv." in name:
            for part, rows in zip("qkv", value.split(hidden)):
                weights[name.replace("Wqkv", part + "_proj")] = rows
        else:
            weights[name] = value
    missing, unexpected = peer.load_state_dict({name: value.double() for name, value in weights.items()}, strict=False)
    assert not unexpected and set(missing) <= {"decoder.weight"}, (missing, unexpected)
    peer.tie_weights()
    return peer


def main():
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        bigdna("pretrain", GENOME, "-o", "run", "--objective", "next", "--pattern", "full", "--block", 16, "--layers", 2, "--heads", 2, "--hidden", 32, "--ffn", 48,
               "--preset", "tiny", "--steps", 40, "--batch", 4, "--learning-rate", 0.01, "--evaluation-tokens", 200, "--passes", 1, "--vocab-size", 120, "--vocab-bases", 100000,
               "--max-length", 256, "--device", "cpu", "--precision", "fp32")
        peer, tokens = decoder("run/model"), AutoTokenizer.from_pretrained("run/model")

        def nats(bases):
            ids = tokens(bases, add_special_tokens=False)["input_ids"]
            with torch.no_grad():
                p = torch.log_softmax(peer(input_ids=torch.tensor([[tokens.cls_token_id, *ids]])).logits[0], -1)
            return ids, [-p[i, id].item() for i, id in enumerate(ids)]

        records = [fetch("chr1", 5000, 5000 + length) for length in (3, 40, 41, 150, 333)]
        with open("records.fa", "w") as file:
            for i, bases in enumerate(records):
                file.write(f">r{i}\n{bases}\n")
        rows = bigdna("likelihood", "run", "records.fa", "--precision", "fp32", "--each", "token")
        at, largest = 0, 0
        for bases in records:
            for id, value in zip(*nats(bases)):
                assert rows[at][3] == str(id)
                largest = max(largest, abs(float(rows[at][4]) - value / math.log(2)))
                at += 1
        assert at == len(rows)
        print(f"likelihood of {at} tokens: largest difference {largest:.1e} bits")
        assert largest < 1e-4

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
