#!/usr/bin/env python3
"""Every stack that transformers does not have against one that is written here from the publications' equations, around the
layers of transformers' ModernBERT: same weights, same tokens, same states, logits and gradients.
"""
import json
import os
import shutil
import sys
import tempfile

import torch
from model_test import BOUND, batch, difference, ours
from modern_test import GENOME, bigdna, theirs
from safetensors.torch import load_file
from transformers import ModernBertConfig, ModernBertForMaskedLM


class Stack(torch.nn.Module):
    """Takes the place of the list of layers. `own`: what each layer has beside transformers' weights, by name."""

    def __init__(self, layers, settings, own):
        super().__init__()
        self.layers, self.settings, self.attention_type = layers, settings, layers[0].attention_type
        self.own = torch.nn.ParameterDict({name.replace(".", "|"): torch.nn.Parameter(value) for name, value in own.items()})

    @staticmethod
    def prepare(model):
        """Gives transformers' layers the weights that they lack."""

    def of(self, layer, name):
        return self.own[f"model|layers|{layer}|bigdna|{type(self).NAME}|{name.replace('.', '|')}"]


class Gated(Stack):
    """GTrXL (Parisotto et al. 2019)."""
    NAME = "gated"

    def gate(self, layer, name, x, y):
        d = x.shape[-1]
        W_r, W_z, W_g = self.of(layer, name + ".branch").split(d)
        U_r, U_z = self.of(layer, name + ".stream").split(d)
        U_g, b = self.of(layer, name + ".candidate"), self.of(layer, name + ".bias")
        r = torch.sigmoid(y @ W_r.T + x @ U_r.T)
        z = torch.sigmoid(y @ W_z.T + x @ U_z.T - b)
        h = torch.tanh(y @ W_g.T + (r * x) @ U_g.T)
        return (1 - z) * x + z * h

    def forward(self, x, **kwargs):
        for i, layer in enumerate(self.layers):
            x = self.gate(i, "attention", x, torch.relu(layer.attn(layer.attn_norm(x), **kwargs)[0]))
            x = self.gate(i, "feed_forward", x, torch.relu(layer.mlp(layer.mlp_norm(x))))
        return x


class Universal(Stack):
    """Universal Transformer (Dehghani et al. 2019) with adaptive computation time (Graves 2016)."""
    NAME = "universal"

    @staticmethod
    def prepare(model):
        model.model.layers[0].attn_norm = torch.nn.LayerNorm(model.config.hidden_size, eps=model.config.norm_eps, bias=False)

    def one_step(self, x, n, **kwargs):
        delta = torch.arange(0, x.shape[-1], 2).double()
        angles = n / 10_000 ** (delta / x.shape[-1])
        x = x + torch.stack([angles.sin(), angles.cos()], 1).flatten().to(x)
        for layer in self.layers:
            x = layer(x, **kwargs)
        return x

    def forward(self, x, **kwargs):
        M = int(self.settings["steps"])
        if self.settings["halting"] == "no":
            for n in range(1, M + 1):
                x = self.one_step(x, n, **kwargs)
            return x
        w, b = self.of(len(self.layers) - 1, "weight"), self.of(len(self.layers) - 1, "offset")
        states, h = [], []
        halted = torch.zeros(x.shape[:2], dtype=torch.bool)
        for n in range(1, M + 1):  # every step of every token, with those that have halted as they were
            x = torch.where(halted[..., None], x, self.one_step(x, n, **kwargs))
            states.append(x)
            h.append(torch.sigmoid(x @ w + b))
            halted = halted | (sum(h) >= 1 - float(self.settings["epsilon"]))
        h = torch.stack(h)
        reached = h.cumsum(0) >= 1 - float(self.settings["epsilon"])
        N = torch.where(reached.any(0), reached.int().argmax(0), M - 1)  # from 0
        n = torch.arange(M)[:, None, None]
        R = 1 - torch.where(n < N, h, 0).sum(0)
        self.steps = set(N.flatten().tolist())
        return (torch.where(n < N, h, torch.where(n == N, R, 0))[..., None] * torch.stack(states)).sum(0)


def load(folder, kind):
    """The model of a folder of ours, of which transformers computes everything but the stack."""
    settings = json.load(open(folder + "/config.json"))
    own = {name: value for name, value in load_file(folder + "/model.safetensors").items() if ".bigdna." in name}
    assert settings.pop("model_type") == "bigdna" and settings["bigdna"]["architecture"] == "modern"
    name, _, text = settings.pop("bigdna")["stack"].partition(":")
    assert name == kind.NAME
    model = ModernBertForMaskedLM(ModernBertConfig(**settings)).eval()
    kind.prepare(model)
    state = {key: value for key, value in load_file(folder + "/model.safetensors").items() if key not in own}
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected and missing == ["decoder.weight"], (missing, unexpected)
    model.tie_weights()
    model.model.layers = torch.nn.ModuleList([kind(model.model.layers, dict(part.split("=") for part in text.split(",")), own)])
    return model


def name_of(key):
    """Of a gradient, as our weights are named."""
    if key.startswith("grad.model.layers.0.own."):
        return "grad." + key[len("grad.model.layers.0.own."):].replace("|", ".")
    return key.replace("model.layers.0.layers.", "model.layers.")


def main():
    torch.set_num_threads(2)
    os.chdir(tempfile.mkdtemp())
    try:
        small = ["--preset", "tiny", "--architecture", "modern", "--pattern", "full", "--objective", "mlm", "--init", "random", "--hidden", 64,
                 "--max-length", 256, "--vocab-size", 100, "--steps", 5, "--batch", 2, "--evaluation-tokens", 500, "--device", "cpu",
                 "--precision", "fp32", "-@", 2]
        print(f"{'what':40} {'n':>5} {'lengths':16} {'forward':>9} {'gradients':>9}")
        for kind, stack, layers in ((Gated, "gated", 3), (Gated, "gated:bias=0", 2), (Universal, "universal:halting=no,steps=3", 2),
                                    (Universal, "universal:steps=3", 1), (Universal, "universal:steps=4,epsilon=0.4", 2)):
            bigdna("pretrain", GENOME, "-o", "run", *small, "--stack", stack, "--layers", layers, "--force")
            model = load("run/model", kind)
            for n, lengths in ((64, [64]), (200, [200, 77])):
                inputs = batch(n, lengths, vocab_size=100)
                expected = {name_of(key): value for key, value in theirs(model, inputs).items()}
                actual = ours("run/model", inputs, "dense")
                assert not set(expected) - set(actual), set(expected) - set(actual)
                assert sum(".bigdna." in key for key in expected) == len(model.model.layers[0].own)
                forward, gradients = difference(expected, actual, lengths)
                print(f"{stack:40} {n:5} {str(lengths):16} {forward:9.1e} {gradients:9.1e}", flush=True)
                assert forward < BOUND and gradients < 2 * BOUND
    finally:
        shutil.rmtree(os.getcwd(), ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
