#!/usr/bin/env python3
"""Our encoder and heads against transformers' BigBird: same weights, same tokens, same numbers.

Hidden states, MLM and NSP logits and the gradients of the loss agree to 1e-5 relative (of the largest magnitude of
each array), for each backend, at lengths around every switch of transformers' code, padded and not, in huggingface
mode (its eval mode), in original mode (its training mode, whose random blocks are the released code's) and with full
attention. Prints a table; exits 1 where a figure is above the bound.
"""
import json
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import torch
from safetensors.numpy import load_file, save_file
from transformers import BigBirdConfig, BigBirdForPreTraining, BigBirdForSequenceClassification
from transformers.utils import logging

warnings.filterwarnings("ignore")
logging.set_verbosity_error()
logging.disable_progress_bar()
PEER_MODEL = os.path.join(os.path.dirname(os.environ["BIGDNA"]), "peer_model")
BOUND = 1e-5
failures = 0


def config(**changes):
    settings = dict(vocab_size=200, hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=128,
                    max_position_embeddings=4096, block_size=64, num_random_blocks=3, hidden_dropout_prob=0.0,
                    attention_probs_dropout_prob=0.0, initializer_range=0.15, sep_token_id=3)
    return BigBirdConfig(**{**settings, **changes})


def batch(n, lengths, seed=0, vocab_size=200):
    rng = np.random.default_rng(seed)
    ids = rng.integers(5, vocab_size, (len(lengths), n))
    types = np.zeros_like(ids)
    masked = []
    for b, length in enumerate(lengths):
        ids[b, length:] = 0
        types[b, length // 2:length] = 1
        masked += [b * n + i for i in range(1, length, 7)]
    return dict(ids=ids, token_types=types, lengths=np.array(lengths), masked=np.array(masked),
                masked_labels=rng.integers(5, vocab_size, len(masked)), nsp_labels=rng.integers(0, 2, len(lengths)))


def ours(folder, inputs, backend):
    with tempfile.TemporaryDirectory() as beside:  # not in the model's folder, which holds bigdna's files alone
        given, result = beside + "/in.safetensors", beside + "/out.safetensors"
        save_file({k: np.ascontiguousarray(v, dtype=np.int64) for k, v in inputs.items()}, given)
        subprocess.run([PEER_MODEL, folder, given, result, backend], check=True)
        return load_file(result)


def theirs(model, inputs):
    n = inputs["ids"].shape[1]
    tensors = {k: torch.from_numpy(np.asarray(v)) for k, v in inputs.items()}
    mask = (torch.arange(n)[None] < tensors["lengths"][:, None]).long()
    out = model(input_ids=tensors["ids"], token_type_ids=tensors["token_types"], attention_mask=mask, output_hidden_states=True)
    result = {"hidden": out.hidden_states[-1]}
    if isinstance(model, BigBirdForSequenceClassification):
        result["task_logits"] = out.logits
    else:
        logits = out.prediction_logits.reshape(-1, out.prediction_logits.shape[-1])[tensors["masked"]]
        result.update(mlm_logits=logits, nsp_logits=out.seq_relationship_logits)
        loss = torch.nn.functional.cross_entropy(logits, tensors["masked_labels"])
        loss = loss + torch.nn.functional.cross_entropy(out.seq_relationship_logits, tensors["nsp_labels"])
        model.zero_grad()
        loss.backward()
        result["loss"] = loss
        result.update({"grad." + k: p.grad for k, p in model.named_parameters() if p.grad is not None})
    return {k: v.detach().numpy() for k, v in result.items()}


def difference(expected, actual, lengths):
    """Largest relative differences: (hidden and logits, gradients)."""
    forward, gradients = 0.0, 0.0
    for name, value in expected.items():
        other = actual[name.replace("cls.predictions.decoder.bias", "cls.predictions.bias")]
        if name == "hidden":
            pairs = [(value[b, :length], other[b, :length]) for b, length in enumerate(lengths)]
        else:
            pairs = [(value, other.reshape(value.shape))]
        for a, b in pairs:
            d = float(np.abs(a - b).max() / max(np.abs(a).max(), 1e-3))
            if name.startswith("grad."):
                # key biases have no gradient but rounding: softmax is invariant to them
                gradients = max(gradients, 0.0 if name.endswith("key.bias") else d)
            else:
                forward = max(forward, d)
    return forward, gradients


def check(what, n, lengths, model, folder, backends, bigdna=None):
    global failures
    model.save_pretrained(folder)
    if bigdna:
        path = folder + "/config.json"
        settings = json.load(open(path))
        settings["bigdna"] = bigdna
        json.dump(settings, open(path, "w"))
    inputs = batch(n, lengths)
    expected = theirs(model, inputs)
    for backend in backends:
        actual = ours(folder, inputs, backend)
        missing = set(expected) - set(actual) - {"grad.cls.predictions.decoder.bias"}
        forward, gradients = difference(expected, actual, lengths)
        good = forward < BOUND and gradients < 2 * BOUND and not missing
        failures += not good
        print(f"{what:14} {n:5} {str(lengths):22} {backend:7} {forward:9.1e} {gradients:9.1e}  {'ok' if good else 'FAILED'}"
              + (f" missing {missing}" if missing else ""), flush=True)


def main():
    torch.manual_seed(1)
    torch.set_num_threads(2)
    original = dict(head="pretraining", head_kind="classification", labels=0,
                    pattern=dict(name="bigbird", **{"global": 2}, window=3, global_blocks="edges", random_blocks="original", seed=0))
    print(f"{'mode':14} {'n':>5} {'lengths':22} {'backend':7} {'forward':>9} {'gradients':>9}")
    with tempfile.TemporaryDirectory() as folder:
        # 704 = (5 + 2 r) blocks is the last length with full attention; 700 and 1000 are no whole blocks
        for n, lengths in [(704, [704, 500]), (768, [768, 130]), (1000, [1000, 999]), (1024, [1024]), (1024, [1024, 600]),
                           (2048, [2048, 1]), (3072, [3072, 2000]), (4096, [4096]), (4096, [4096, 1500])]:
            model = BigBirdForPreTraining(config()).eval()
            check("huggingface", n, lengths, model, folder, ["gather", "fused"] if n > 1024 else ["gather", "fused", "dense"])
        for n, lengths in [(704, [700]), (1024, [1024, 600])]:
            check("full", n, lengths, BigBirdForPreTraining(config(attention_type="original_full")).eval(), folder, ["gather", "fused"])
        for n in (1024, 2048, 4096):
            model = BigBirdForPreTraining(config()).train()
            check("original", n, [n], model, folder, ["gather", "fused"], bigdna=original)
        for block, n in [(16, 1024), (32, 3072)]:
            check(f"block {block}", n, [n, n - 50], BigBirdForPreTraining(config(block_size=block)).eval(), folder, ["fused"])
        for labels in (1, 919):
            model = BigBirdForSequenceClassification(config(num_labels=labels)).eval()
            check(f"{labels} labels", 1024, [1024, 800], model, folder, ["fused"])
        model = BigBirdForPreTraining(config(hidden_act="gelu", rescale_embeddings=True, pad_token_id=1)).eval()
        check("gelu, rescaled", 768, [768, 300], model, folder, ["fused"])
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
