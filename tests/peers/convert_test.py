#!/usr/bin/env python3
"""Models to and from transformers: convert, the classes that load the result, the tokenizer, and embed's numbers."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from transformers import (AutoTokenizer, BigBirdConfig, BigBirdForMaskedLM, BigBirdForPreTraining,
                          BigBirdForSequenceClassification, BigBirdModel)
from transformers.utils import logging

logging.set_verbosity_error()
logging.disable_progress_bar()
BIGDNA, SOURCE = os.environ["BIGDNA"], os.environ["BIGDNA_SOURCE_DIR"]
GENOME = os.path.join(SOURCE, "test-data/genome.fa.gz")
CLASSES = [BigBirdModel, BigBirdForPreTraining, BigBirdForMaskedLM, BigBirdForSequenceClassification]


def bigdna(*arguments):
    return subprocess.run([BIGDNA, *map(str, arguments), "--quiet"], check=True, capture_output=True, text=True).stdout


def config(**changes):
    return BigBirdConfig(**{**dict(vocab_size=300, hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64,
                                   max_position_embeddings=1024, block_size=16, initializer_range=0.1, num_labels=5), **changes})


def load(cls, folder):
    model, info = cls.from_pretrained(folder, output_loading_info=True)
    problems = {k: v for k, v in info.items() if v}
    assert not problems, f"{cls.__name__}: {problems}"
    return model.eval()


def same_weights(a, b):
    a, b = a.state_dict(), b.state_dict()
    assert a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)


def main():
    torch.manual_seed(2)
    os.chdir(tempfile.mkdtemp())
    try:
        bigdna("vocab", GENOME, "-o", "vocab", "--size", 300)
        ids = torch.randint(5, 300, (1, 400))

        for cls in CLASSES:  # a folder of transformers through ours and back: the same weights, nothing missing
            model = cls(config(problem_type="regression", id2label={i: f"output {i}" for i in range(5)})).eval()
            model.save_pretrained("theirs")
            bigdna("convert", "theirs", "-o", "ours", "--vocab", "vocab", "--force")
            again = load(cls, "ours")
            same_weights(model, again)
            if cls is BigBirdForSequenceClassification:
                assert again.config.problem_type == "regression" and again.config.id2label == model.config.id2label, again.config
            with torch.no_grad():
                difference = (model(ids)[0] - again(ids)[0]).abs().max()
                assert difference < 1e-6, difference  # another run of the same may round otherwise
            print("ok: round trip of", cls.__name__, flush=True)

        # one pretraining model, exported for each class
        model = BigBirdForPreTraining(config())
        model.save_pretrained("theirs")
        for head, cls in (("pretraining", BigBirdForPreTraining), ("mlm", BigBirdForMaskedLM), ("none", BigBirdModel)):
            bigdna("convert", "theirs", "-o", "ours", "--vocab", "vocab", "--head", head, "--force")
            load(cls, "ours")
            print("ok: export for", cls.__name__, flush=True)

        # files as older versions wrote them: torch.save, tied keys there or absent, position_ids, gamma and beta, pad id 1
        shutil.rmtree("theirs")
        model = BigBirdForPreTraining(config(pad_token_id=1)).eval()
        model.save_pretrained("theirs")
        os.remove("theirs/model.safetensors")
        state = model.state_dict()
        def save(state):
            save_file({k: v.detach().clone().contiguous() for k, v in state.items()}, "theirs/model.safetensors")

        for change in (lambda v: v, lambda v: v.half(), lambda v: v.bfloat16()):
            save({k: change(v) for k, v in state.items()})
            bigdna("convert", "theirs", "-o", "ours", "--vocab", "vocab", "--force")
            same = BigBirdForPreTraining(model.config).eval()
            same.load_state_dict({k: change(v).float() for k, v in state.items()})
            same_weights(same, load(BigBirdForPreTraining, "ours"))
        torch.save(model.state_dict(), "theirs/pytorch_model.bin")  # tied tensors are in one storage
        os.remove("theirs/model.safetensors")
        refused = subprocess.run([BIGDNA, "convert", "theirs", "-o", "ours", "--force"], capture_output=True, text=True)
        remedy = refused.stderr[refused.stderr.index("python -c ") + len("python -c "):].strip().strip('"')
        subprocess.run([sys.executable, "-c", remedy], check=True)  # what the error says
        bigdna("convert", "theirs", "-o", "ours", "--vocab", "vocab", "--force")
        same_weights(model, load(BigBirdForPreTraining, "ours"))
        os.remove("theirs/pytorch_model.bin")
        save({"_orig_mod.module." + k: v for k, v in state.items()})
        bigdna("convert", "theirs", "-o", "ours", "--vocab", "vocab", "--force")
        same_weights(model, load(BigBirdForPreTraining, "ours"))
        state = dict(state)
        state["bert.embeddings.position_ids"] = torch.arange(1024)[None]
        save(state)
        bigdna("convert", "theirs", "-o", "ours", "--vocab", "vocab", "--force")
        same_weights(model, load(BigBirdForPreTraining, "ours"))
        assert json.load(open("ours/config.json"))["pad_token_id"] == 1
        for name in ("cls.predictions.decoder.weight", "cls.predictions.decoder.bias"):
            del state[name]
        save({k.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"): v for k, v in state.items()})
        bigdna("convert", "theirs/model.safetensors", "-o", "ours", "--vocab", "vocab", "--force")
        same_weights(model, load(BigBirdForPreTraining, "ours"))
        half = {k: v.half() for k, v in state.items() if not k.startswith("cls.seq")}
        save_file({k: v for k, v in half.items() if v.is_floating_point()}, "theirs/model.safetensors")
        bigdna("convert", "theirs", "-o", "ours", "--vocab", "vocab", "--force")
        load(BigBirdForMaskedLM, "ours")
        print("ok: old, tied, half-precision and MLM-only files", flush=True)

        # tokenizer and embeddings
        model = BigBirdForPreTraining(config()).eval()
        model.save_pretrained("theirs")
        bigdna("convert", "theirs", "-o", "ours", "--vocab", "vocab", "--force")
        sequence = "".join(np.random.default_rng(1).choice(list("ACGT"), 1500))
        with open("x.fa", "w") as file:
            file.write(f">x\n{sequence}\n>y\n{sequence[:300]}\n")
        bigdna("embed", "ours", "x.fa", "--pool", "token", "-o", "x.safetensors", "--precision", "fp32", "--device", "cpu")
        rows = load_file("x.safetensors")
        tokenizer = AutoTokenizer.from_pretrained("ours")
        for record, text in enumerate((sequence, sequence[:300])):
            encoded = tokenizer(text, return_tensors="pt")
            mine = rows["record"] == record
            assert encoded["input_ids"][0, 1:-1].tolist() == rows["token"][mine].tolist(), "AutoTokenizer gives other ids"
            with torch.no_grad():
                theirs = BigBirdModel.from_pretrained("ours").eval()(**encoded)[0][0, 1:-1]
            difference = (theirs - rows["embeddings"][mine]).abs().max() / theirs.abs().max()
            assert difference < 1e-5, f"embed differs by {difference}"
            print(f"ok: {theirs.shape[0]} tokens of AutoTokenizer, embed agrees to {difference:.1e}", flush=True)
    finally:
        shutil.rmtree(os.getcwd(), ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
