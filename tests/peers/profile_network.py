"""A network on bases (config.json of model_type bigdna-profile), rebuilt in PyTorch from its folder alone; channels first, fp32."""
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


def one_hot(bases):
    return torch.tensor([[float(base == letter) for base in bases] for letter in "ACGT"]).unsqueeze(0)
