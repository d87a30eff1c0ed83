"""A network on bases (config.json of model_type bigdna-network), rebuilt in PyTorch from its folder alone; channels first, fp32."""
import itertools
import json

import torch
from safetensors.torch import load_file
from torch import nn
from torch.nn import functional as F


class Network(nn.Module):
    def __init__(self, config, arrays, prefix):
        super().__init__()
        self.config, self.w = config, {name[len(prefix):]: value for name, value in arrays.items() if name.startswith(prefix)}

    def conv(self, name, x, dilation=1):  # x: [batch, channels, positions]
        weight = self.w[name + ".weight"]
        return F.conv1d(x, weight, self.w[name + ".bias"], padding=weight.shape[2] // 2 * dilation, dilation=dilation)

    def norm(self, name, x):
        rows = F.layer_norm(x.transpose(1, 2), (x.shape[1],), self.w[name + ".weight"], self.w[name + ".bias"], 1e-5)
        return F.gelu(rows, approximate="tanh").transpose(1, 2)

    def linear(self, name, x):
        return F.linear(x.transpose(1, 2), self.w[name + ".weight"], self.w[name + ".bias"]).transpose(1, 2)

    def forward(self, x):
        for i, stage in enumerate(self.config["stages"]):
            scale, shift = (self.w[f"stages.{i}.norm.{part}"].unsqueeze(1) for part in ("weight", "bias"))
            x = F.gelu(F.max_pool1d(self.conv(f"stages.{i}", x), stage["pool"]) * scale + shift, approximate="tanh")
        for i, dilation in enumerate(self.config["dilations"]):
            inner = F.gelu(self.conv(f"tower.{i}.dilated", self.norm(f"tower.{i}.norm", x), dilation), approximate="tanh")
            x = x + F.dropout(self.linear(f"tower.{i}.output", inner), self.config["dropout"], self.training)
        x = self.norm("norm", x)
        if self.config.get("pooled"):
            x = self.pooled(x)
        return self.linear("head", x).transpose(1, 2)  # [batch, bins, labels]

    def pooled(self, x):  # [batch, channels, 1]
        if "pooling" not in self.config:
            return torch.cat([x.amax(2), x.mean(2)], 1).unsqueeze(2)
        # Set Transformer's PMA; PyTorch's attention has the projections of queries, keys and values in one array
        width, part = x.shape[1], lambda names, kind: torch.cat([self.w[f"pool.{name}.{kind}"] for name in names])
        attention = nn.MultiheadAttention(width, self.config["pooling"]["heads"], batch_first=True)
        attention.load_state_dict({"in_proj_weight": part(("query", "key", "value"), "weight"), "in_proj_bias": part(("query", "key", "value"), "bias"),
                                   "out_proj.weight": self.w["pool.output.weight"], "out_proj.bias": self.w["pool.output.bias"]})
        norm = lambda name, rows: F.layer_norm(rows, (width,), self.w[f"pool.{name}.weight"], self.w[f"pool.{name}.bias"])
        relu = lambda name, rows: F.relu(F.linear(rows, self.w[f"pool.{name}.weight"], self.w[f"pool.{name}.bias"]))
        seeds, states = self.w["pool.seeds"].expand(len(x), -1, -1), relu("states", x.transpose(1, 2))
        rows = norm("norm", seeds + attention(seeds, states, states)[0])
        return norm("last_norm", rows + relu("rows", rows)).flatten(1).unsqueeze(2)


class Model(nn.Module):
    """All networks of a folder, without dropout; the mean of their logits. x: one-hot bases, [batch, 4, bases]; [batch, bins, labels]."""

    def __init__(self, folder):
        super().__init__()
        self.config = json.load(open(folder + "/config.json"))
        assert "attention" not in self.config
        arrays = {name: value.float() for name, value in load_file(folder + "/model.safetensors").items()}
        self.networks = nn.ModuleList(Network(self.config, arrays, f"networks.{i}.") for i in range(self.config["networks"]))
        self.eval()

    def forward(self, x):
        return sum(network(x) for network in self.networks) / len(self.networks)


class Kmers:
    """The k-mers' term of a folder's sum, and the network's weight beside it (kmers.safetensors), for bins."""

    def __init__(self, folder):
        arrays = load_file(folder + "/kmers.safetensors")
        self.weight, self.bias, self.base_weight = (arrays[name].double() for name in ("weight", "bias", "base_weight"))
        self.windows = list(zip(*(arrays[name].tolist() for name in ("from", "to", "longest", "both_strands"))))
        assert not arrays["square_roots"].any()

    @staticmethod
    def frequencies(bases, longest, both):
        other = lambda kmer: kmer[::-1].translate(str.maketrans("ACGT", "TGCA"))
        values = []
        for length in range(1, longest + 1):
            kmers = ["".join(letters) for letters in itertools.product("ACGT", repeat=length)]
            if both:
                kmers = [kmer for kmer in kmers if kmer <= other(kmer)]
            counts = dict.fromkeys(kmers, 0)
            for i in range(len(bases) - length + 1):
                kmer = bases[i:i + length]
                if "N" not in kmer:
                    counts[min(kmer, other(kmer)) if both else kmer] += 1
            total = sum(counts.values())
            values += [count / max(1, total) for count in counts.values()]
        return values

    def logits(self, bases):
        site = len(bases) // 2
        values = []
        for start, end, longest, both in self.windows:
            begin = max(0, site + start)
            values += self.frequencies(bases[begin:max(begin, min(len(bases), site + end))], longest, both)
        return self.bias + self.weight @ torch.tensor(values, dtype=torch.float64)


def one_hot(bases):
    return torch.tensor([[float(base == letter) for base in bases] for letter in "ACGT"]).unsqueeze(0)
