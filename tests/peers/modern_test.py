#!/usr/bin/env python3
"""--architecture modern against transformers' ModernBERT: same weights, same tokens, same numbers.

Hidden states and logits agree to 1e-5 relative (logits to 1e-4, too), the gradients of the loss to 2e-5, for each backend, padded and not; folders that `bigdna pretrain`
wrote load with nothing missing or unexpected, and folders of transformers come through `bigdna convert` and back unchanged.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import torch
from model_test import BOUND, batch, difference, ours
from safetensors.torch import load_file
from transformers import (AutoModelForMaskedLM, AutoTokenizer, ModernBertConfig, ModernBertForMaskedLM,
                          ModernBertForSequenceClassification, ModernBertModel)

BIGDNA, SOURCE = os.environ["BIGDNA"], os.environ["BIGDNA_SOURCE_DIR"]
GENOME = os.path.join(SOURCE, "test-data/genome.fa.gz")


def bigdna(*arguments):
    run = subprocess.run([BIGDNA, *map(str, arguments), "--quiet"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def config(**changes):
    return ModernBertConfig(**{**dict(vocab_size=200, hidden_size=64, num_hidden_layers=3, num_attention_heads=2, intermediate_size=96,
                                      max_position_embeddings=2048, initializer_range=0.15, global_attn_every_n_layers=1, pad_token_id=0,
                                      bos_token_id=2, cls_token_id=2, eos_token_id=3, sep_token_id=3, num_labels=5,
                                      problem_type="multi_label_classification"), **changes})


def theirs(model, inputs):
    tensors = {k: torch.from_numpy(np.asarray(v)) for k, v in inputs.items()}
    mask = (torch.arange(inputs["ids"].shape[1])[None] < tensors["lengths"][:, None]).long()
    result = {"hidden": model.model(input_ids=tensors["ids"], attention_mask=mask).last_hidden_state}
    logits = model(input_ids=tensors["ids"], attention_mask=mask).logits
    if isinstance(model, ModernBertForSequenceClassification):
        result["task_logits"] = logits
    else:
        result["mlm_logits"] = logits.reshape(-1, logits.shape[-1])[tensors["masked"]]
        result["loss"] = torch.nn.functional.cross_entropy(result["mlm_logits"], tensors["masked_labels"])
        model.zero_grad()
        result["loss"].backward()
        result.update({"grad." + k: p.grad for k, p in model.named_parameters() if p.grad is not None})
    return {k: v.detach().numpy() for k, v in result.items()}


def compare(what, n, lengths, model, folder, backends=("gather", "fused", "dense"), gradient_bound=2 * BOUND):
    inputs = batch(n, lengths, vocab_size=model.config.vocab_size)
    expected = theirs(model, inputs)
    for backend in backends:
        actual = ours(folder, inputs, backend)
        assert not set(expected) - set(actual), set(expected) - set(actual)
        forward, gradients = difference(expected, actual, lengths)
        largest = max(np.abs(expected[k] - actual[k].reshape(expected[k].shape)).max() for k in expected if k.endswith("logits"))
        print(f"{what:30} {n:5} {str(lengths):16} {backend:7} {forward:9.1e} {gradients:9.1e} {largest:9.1e}", flush=True)
        assert forward < BOUND and gradients < gradient_bound and largest < 1e-4


def load(cls, folder, unexpected=()):
    model, info = cls.from_pretrained(folder, output_loading_info=True)
    assert set(info.pop("unexpected_keys")) == set(unexpected), info
    assert not any(info.values()), f"{cls.__name__}: {info}"
    return model.eval()


def same_weights(a, b):
    a, b = a.state_dict(), b.state_dict()
    assert a.keys() == b.keys() and all(torch.equal(a[k], b[k]) for k in a)


def main():
    torch.manual_seed(2)
    torch.set_num_threads(2)
    os.chdir(tempfile.mkdtemp())
    try:
        print(f"{'what':30} {'n':>5} {'lengths':16} {'backend':7} {'forward':>9} {'gradients':>9} {'logits':>9}")
        model = ModernBertForMaskedLM(config()).eval()
        model.save_pretrained("theirs")
        for n, lengths in [(64, [64]), (100, [100, 31]), (700, [700, 5]), (1024, [1024])]:
            compare("of transformers", n, lengths, model, "theirs")
        model = ModernBertForMaskedLM(config(hidden_activation="gelu_new", classifier_activation="gelu_new", pad_token_id=1, norm_eps=1e-3,
                                             rope_parameters={"full_attention": {"rope_type": "default", "rope_theta": 300.0}})).eval()
        model.save_pretrained("theirs")
        compare("theta 300, gelu_new", 300, [300, 120], model, "theirs", ["fused"])
        for pooling in ("cls", "mean"):
            model = ModernBertForSequenceClassification(config(classifier_pooling=pooling)).eval()
            model.save_pretrained("theirs")
            compare("classifier, " + pooling, 200, [200, 90], model, "theirs", ["fused"])

        # folders of transformers through ours and back
        bigdna("vocab", GENOME, "-o", "vocab", "--size", 200)
        for cls in (ModernBertModel, ModernBertForMaskedLM, ModernBertForSequenceClassification):
            model = cls(config()).eval()
            model.save_pretrained("theirs")
            bigdna("convert", "theirs", "-o", "ours", "--vocab", "vocab", "--force")
            again = load(cls, "ours")
            same_weights(model, again)
            ids = torch.randint(5, 200, (1, 150))
            with torch.no_grad():
                assert (model(ids)[0] - again(ids)[0]).abs().max() < 1e-6
            print("ok: round trip of", cls.__name__, flush=True)
        ModernBertForMaskedLM(config(global_attn_every_n_layers=3)).save_pretrained("theirs")
        run = subprocess.run([BIGDNA, "convert", "theirs", "-o", "refused", "--vocab", "vocab"], capture_output=True, text=True)
        assert run.returncode == 1 and "sliding attention" in run.stderr and not os.path.exists("refused"), run.stderr

        # models of ours: trained for a few steps, so that no LayerNorm is what it began as
        small = ["--preset", "tiny", "--architecture", "modern", "--layers", 2, "--hidden", 64, "--max-length", 256, "--vocab-size", 100, "--steps", 5,
                 "--batch", 2, "--evaluation-tokens", 500, "--device", "cpu", "--precision", "fp32", "-@", 2]
        sharp = 2e-4  # models that started from counts look so sharply at the next token that rounding is magnified
        for pattern, objective, unexpected in (("full", "mlm", []), ("bigbird", "mlm+nsp", ["nsp.dense.weight", "nsp.output.bias", "nsp.output.weight"])):
            bigdna("pretrain", GENOME, "-o", "run", *small, "--pattern", pattern, "--objective", objective, "--force")
            model = load(ModernBertForMaskedLM, "run/model", unexpected)
            assert isinstance(AutoModelForMaskedLM.from_pretrained("run/model"), ModernBertForMaskedLM)
            assert model.config.rope_parameters["full_attention"]["rope_theta"] == 10000, model.config
            if objective == "mlm":
                compare(f"pretrain --pattern {pattern}", 250, [250, 99], model, "run/model", gradient_bound=sharp)
            else:  # so few blocks that each sees every other
                bigdna("convert", "run/model", "-o", "mlm", "--head", "mlm", "--force")
                compare(f"pretrain --pattern {pattern}", 64, [64, 40], load(ModernBertForMaskedLM, "mlm"), "mlm", gradient_bound=sharp)
        bigdna("convert", "mlm", "-o", "longer", "--max-length", 600, "--pattern", "full")
        compare("convert --max-length", 600, [600, 300], load(ModernBertForMaskedLM, "longer"), "longer", ["fused"], gradient_bound=sharp)

        sequence = "".join(np.random.default_rng(1).choice(list("ACGT"), 400))
        with open("x.fa", "w") as file:
            file.write(f">x\n{sequence}\n")
        bigdna("embed", "longer", "x.fa", "--pool", "token", "-o", "x.safetensors", "--precision", "fp32", "--device", "cpu")
        rows = load_file("x.safetensors")
        encoded = AutoTokenizer.from_pretrained("longer")(sequence, return_tensors="pt")
        assert encoded["input_ids"][0, 1:-1].tolist() == rows["token"].tolist(), "AutoTokenizer gives other ids"
        with torch.no_grad():
            states = load(ModernBertForMaskedLM, "longer").model(input_ids=encoded["input_ids"])[0][0, 1:-1]
        apart = (states - rows["embeddings"]).abs().max() / states.abs().max()
        assert apart < 1e-5, f"embed differs by {apart}"
        print(f"ok: {states.shape[0]} tokens of AutoTokenizer, embed agrees to {apart:.1e}", flush=True)
        assert json.load(open("longer/config.json"))["model_type"] == "modernbert"
    finally:
        shutil.rmtree(os.getcwd(), ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
