"""Models of bigdna as PyTorch modules. This file needs torch and safetensors, and nothing else of bigdna.

    import bigdna_torch
    model = bigdna_torch.load("human-chr20-chrX")        # the folder of a model or a run, or the name of a model that comes with bigdna
    x = bigdna_torch.one_hot(["ACGT" * 4000])       # [sequences, 4, bases]; the rows are A, C, G and T, and N is zeros
    model(x)                                        # [sequences, outputs]: what `bigdna predict` gives
    model.names                                     # the outputs

`load` reads networks on bases (`bigdna train`) with k-mers beside them or without, and BPNet or ChromBPNet (`bigdna convert`).
Numbers differ from the program's by less than 1e-5 in single precision. Parameters have the names that they have in
model.safetensors, so a module can be trained further. Functions that explain a model want log-odds: `load(..., answers="logits")`.
"""
from __future__ import annotations

import json
import math
import os
from typing import Optional, Sequence, Union

import torch
from safetensors.torch import load_file
from torch import Tensor, nn
from torch.nn import functional as F


def load(model: str, *others: str, **options) -> nn.Module:
    """The module of a model, in evaluation mode; with others, their mean, as `--ensemble` takes it.

    Options of networks on bases (Model): `strands` "forward" or "average" (default: as `bigdna predict`), `answers` "predictions" or
    "logits". Options of BPNet and ChromBPNet (Profile): `strands`, `part`. ValueError, which names the folder, for what is no such model.
    """
    modules = []
    for folder in map(_folder, (model, *others)):
        kind = _json(folder, "config.json").get("model_type")
        if kind not in _MODULES:
            raise ValueError(f"{folder}: is a model of type '{kind}'; bigdna_torch reads networks on bases (bigdna train) and BPNet or ChromBPNet "
                             "(bigdna convert). transformers reads encoders")
        modules.append(_MODULES[kind](folder, **options))
    return (modules[0] if not others else Ensemble(modules)).eval()


def one_hot(sequences: Union[str, Sequence[str]]) -> Tensor:
    """Sequences of one length as [sequences, 4, bases]. Lower case is read as upper case and U as T; all but A, C, G and T is zeros."""
    rows = [sequences] if isinstance(sequences, str) else list(sequences)
    if len({len(row) for row in rows}) != 1:
        raise ValueError("one_hot takes one or more sequences of one length")
    codes = torch.full((256,), 4)
    for code, letters in enumerate(("Aa", "Cc", "Gg", "TtUu")):
        codes[[ord(letter) for letter in letters]] = code
    text = torch.frombuffer(bytearray("".join(rows), "latin-1"), dtype=torch.uint8).long()
    return F.one_hot(codes[text].view(len(rows), -1), 5)[..., :4].mT.float()


def around_middle(x: Tensor, length: int) -> Tensor:
    """`length` positions around the middle of the last dimension, with zeros where there are none."""
    size = x.shape[-1]
    first = (size - length) // 2 if size >= length else -((length - size) // 2)
    return F.pad(x, (-first, first + length - size))


# Networks on bases: x is [batch, channels, positions] between convolutions.
class Stage(nn.Conv1d):
    """A convolution whose outputs are pooled and scaled."""

    def __init__(self, inputs: int, filters: int, width: int, pool: int):
        super().__init__(inputs, filters, width, padding=width // 2)
        self.pool, self.activation = nn.MaxPool1d(pool), nn.GELU("tanh")
        self.norm = nn.ParameterDict({"weight": torch.ones(filters), "bias": torch.zeros(filters)})

    def forward(self, x: Tensor) -> Tensor:
        return self.activation(self.pool(super().forward(x)) * self.norm["weight"].unsqueeze(1) + self.norm["bias"].unsqueeze(1))


class Residual(nn.Module):
    """A dilated convolution beside the bins that it adds to."""

    def __init__(self, channels: int, dilation: int, dropout: float):
        super().__init__()
        inner = max(1, channels // 2)
        self.norm, self.activation = nn.LayerNorm(channels), nn.GELU("tanh")
        self.dilated, self.inner_activation = nn.Conv1d(channels, inner, 3, padding=dilation, dilation=dilation), nn.GELU("tanh")
        self.output, self.dropout = nn.Linear(inner, channels), nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        inner = self.inner_activation(self.dilated(self.activation(self.norm(x.mT)).mT))
        return x + self.dropout(self.output(inner.mT)).mT


class SeedPooling(nn.Module):
    """What learned seeds read of all bins, [batch, bins, channels], by attention (Set Transformer's PMA)."""

    def __init__(self, channels: int, seeds: int, heads: int):
        super().__init__()
        self.heads, self.seeds = heads, nn.Parameter(torch.zeros(seeds, channels))
        for name in ("states", "query", "key", "value", "output", "rows"):
            setattr(self, name, nn.Linear(channels, channels))
        self.norm, self.last_norm = nn.LayerNorm(channels), nn.LayerNorm(channels)

    def forward(self, x: Tensor) -> Tensor:
        split = lambda rows: rows.unflatten(2, (self.heads, -1)).transpose(1, 2)
        seeds, states = self.seeds.expand(len(x), -1, -1), F.relu(self.states(x))
        read = F.scaled_dot_product_attention(split(self.query(seeds)), split(self.key(states)), split(self.value(states)))
        rows = self.norm(seeds + self.output(read.transpose(1, 2).flatten(2)))
        return self.last_norm(rows + F.relu(self.rows(rows))).flatten(1)


class Network(nn.Module):
    """One-hot bases [batch, 4, bases] to logits [batch, bins, labels]; of a network for whole sequences [batch, 1, labels]."""

    def __init__(self, config: dict):
        super().__init__()
        channels = [4, *(stage["filters"] for stage in config["stages"])]
        self.stages = nn.ModuleList(Stage(inputs, **stage) for inputs, stage in zip(channels, config["stages"]))
        self.tower = nn.ModuleList(Residual(channels[-1], dilation, config["dropout"]) for dilation in config["dilations"])
        self.norm, self.activation, self.dropout = nn.LayerNorm(channels[-1]), nn.GELU("tanh"), nn.Dropout(config["dropout"])
        self.pooled, seeds = bool(config.get("pooled")), config.get("pooling")
        self.pool = SeedPooling(channels[-1], **seeds) if seeds else None
        reads = (seeds["seeds"] if seeds else 2) if self.pooled else 1  # of bins
        self.head = nn.Linear(reads * channels[-1], config["labels"])

    def forward(self, x: Tensor) -> Tensor:
        for layer in (*self.stages, *self.tower):
            x = layer(x)
        x = self.activation(self.norm(x.mT))
        if self.pooled:
            x = self.dropout(self.pool(x) if self.pool else torch.cat([x.amax(1), x.mean(1)], 1)).unsqueeze(1)
        return self.head(x)


class Networks(nn.Module):
    """All networks of a model's folder, which give the mean of their logits, of every bin that they are given. `bin`: bp of a bin;
    `margin`: bins on either side that the logits of a bin depend on; `context`: bp that are read for an answer."""

    def __init__(self, folder: str):
        super().__init__()
        self.config = _json(folder, "config.json")
        if "attention" in self.config:
            raise ValueError(f"{folder}: its network has layers of attention, which bigdna_torch does not compute")
        self.networks = nn.ModuleList(Network(self.config) for _ in range(self.config["networks"]))
        _fill(self, folder)
        self.bin, bases = 1, 0
        for stage in self.config["stages"]:
            bases += stage["width"] // 2 * self.bin
            self.bin *= stage["pool"]
        self.margin = sum(self.config["dilations"]) - (-bases // self.bin)
        self.context = self.config["window"] if self.config.get("pooled") else (2 * self.margin + 1) * self.bin

    def forward(self, x: Tensor) -> Tensor:
        return torch.stack([network(x) for network in self.networks]).mean(0)


# Terms of a model. Each turns one-hot sequences [batch, 4, bases], which may be the reverse complements, into logits [batch, labels].
class NetworkTerm(Networks):
    def of_sequences(self, x: Tensor, reverse: bool) -> Tensor:
        if self.config.get("pooled"):
            return self(around_middle(x, self.context))[:, 0].double()
        read = around_middle(x.flip(2) if reverse else x, self.context)  # the bin is chosen on the strand as given
        return self(read.flip(2) if reverse else read)[:, self.margin].double()


class Kmers(nn.Module):
    """Frequencies of k-mers around the site, times weights (kmers.safetensors). Differentiable: a k-mer's count is a product of letters.
    Of a sequence, the `context` bp around the middle are counted (0: all)."""

    TOGETHER = 1 << 14  # bases of the sequences that are counted together, which bounds the memory

    def __init__(self, folder: str, anchor: float, context: int):
        super().__init__()
        arrays = load_file(os.path.join(folder, "kmers.safetensors"))
        if any(name.startswith("kernel.") for name in arrays) or "from" not in arrays:
            raise ValueError(f"{folder}: its kmers.safetensors holds more than k-mers' weights, or is of an older version")
        self.anchor, self.context, self.roots = anchor, context, bool(arrays["square_roots"].any())
        self.windows = list(zip(*(arrays[name].tolist() for name in ("from", "to", "longest", "both_strands"))))
        for name in ("weight", "bias", "base_weight"):
            self.register_buffer(name, arrays[name].double())

    @staticmethod
    def columns(length: int) -> Tensor:
        """Of each k-mer, the rank of the smaller of it and its reverse complement."""
        kmers, reverse, rest = torch.arange(4**length), torch.zeros(4**length, dtype=torch.long), torch.arange(4**length)
        for _ in range(length):
            reverse, rest = reverse * 4 + 3 - rest % 4, rest // 4
        return torch.unique(torch.minimum(kmers, reverse), return_inverse=True)[1]

    def frequencies(self, x: Tensor, longest: int, both_strands: int) -> Tensor:
        found, all_lengths = torch.ones_like(x[:, :1]), []
        for length in range(1, longest + 1):
            found = (found[:, :, None, : max(0, x.shape[2] - length + 1)] * x[:, None, :, length - 1 :]).flatten(1, 2)
            counts = found.sum(2)
            if both_strands:
                columns = self.columns(length).to(x.device)
                counts = counts.new_zeros(len(x), int(columns.max()) + 1).index_add(1, columns, counts)
            all_lengths.append(counts / counts.sum(1, keepdim=True).clamp(min=1))
        return torch.cat(all_lengths, 1)

    def values(self, x: Tensor, reverse: bool) -> Tensor:
        size = x.shape[2]
        site = min(max(0, math.floor((1 - self.anchor if reverse else self.anchor) * size + 0.5)), max(0, size - 1))
        parts = []
        for first, last, longest, both_strands in self.windows:
            start = min(max(0, site + first), size)
            parts.append(self.frequencies(x[..., start : min(max(start, site + last), size)], longest, both_strands))
        values = torch.cat(parts, 1)
        return torch.where(values > 0, values.clamp(min=1e-30).sqrt(), 0) if self.roots else values

    def of_sequences(self, x: Tensor, reverse: bool) -> Tensor:
        x = around_middle(x, self.context) if self.context else x
        values = [self.values(part, reverse) for part in x.split(max(1, self.TOGETHER // max(1, x.shape[2])))]
        return torch.cat(values).double() @ self.weight.mT + self.bias


def _terms(folder: str, config: dict, details: dict) -> list:
    """The terms of a model and the weight of each. A new kind of term is a class like those above, and lines here."""
    network, files = NetworkTerm(folder), {file["name"] for file in details["files"]}
    if "encoder_head.safetensors" in files:
        raise ValueError(f"{folder}: has a pretrained encoder as a term (bigdna train --encoder), which bigdna_torch does not compute")
    if "kmers.safetensors" not in files:
        return [(network, torch.ones(config["labels"], dtype=torch.float64))]
    kmers = Kmers(folder, details.get("anchor", 0.5), 0 if config.get("pooled") else network.context)
    terms = [(kmers, torch.ones_like(kmers.base_weight))]
    return terms if config["networks"] == 0 else [*terms, (network, kmers.base_weight)]


class Link(nn.Module):
    """What turns logits [batch, labels] into answers, and takes the weights of training back."""

    def __init__(self, details: dict, counts: list):
        super().__init__()
        self.kind = details.get("link", "sigmoid")
        self.register_buffer("counts", torch.tensor(counts))
        key = {"sigmoid": "positive_weight", "softmax": "class_weights"}.get(self.kind)
        weights = torch.tensor(details.get(key, 1.0), dtype=torch.float64)
        self.register_buffer("log_weights", weights.log().expand(len(counts)).clone())
        if self.kind == "linear":
            for name in ("mean", "scale"):
                self.register_buffer(name, torch.tensor(details[name], dtype=torch.float64))

    def log_odds(self, logits: Tensor) -> Tensor:
        """What `bigdna explain` explains: log-odds (of a class: against all others), logarithms of counts, or numbers in their own units."""
        if self.kind == "linear":
            return self.mean + self.scale * logits
        logits = logits - self.log_weights
        if self.kind in ("sigmoid", "exponential"):
            return logits
        own = torch.eye(logits.shape[1], dtype=torch.bool, device=logits.device)
        return logits - logits.unsqueeze(1).expand(-1, len(own), -1).masked_fill(own, -math.inf).logsumexp(2)

    def forward(self, logits: Tensor) -> Tensor:
        odds = self.log_odds(logits)
        return odds if self.kind == "linear" else torch.where(self.counts, odds.exp(), torch.sigmoid(odds))


class Model(nn.Module):
    """Networks on bases and what is added to them. forward: [batch, 4, bases] to [batch, outputs], as `bigdna predict` reads a sequence:
    a network that labels bins answers for the bin in the middle. `logits` is the sum of the terms, `context` how many bp are read."""

    def __init__(self, folder: str, strands: Optional[str] = None, answers: str = "predictions"):
        super().__init__()
        config, details = _json(folder, "config.json"), _json(folder, "bigdna.json")
        pooled = bool(config.get("pooled"))
        strands = strands or ("forward" if pooled and not details.get("either_strand") else "average")
        _one_of("strands", strands, ("forward", "average"))
        _one_of("answers", answers, ("predictions", "logits"))
        self.folder, self.both_strands, self.answers = folder, strands == "average", answers
        self.names, counts = _outputs(folder, config, details)
        terms = _terms(folder, config, details)
        self.terms = nn.ModuleList(term for term, _ in terms)
        self.register_buffer("weights", torch.stack([weight for _, weight in terms]))
        self.register_buffer("reversed", torch.tensor(config.get("reversed") or range(config["labels"])))
        self.context = self.terms[-1].context
        self.link = Link(details if pooled else {}, counts)

    def logits(self, x: Tensor) -> Tensor:
        logits = self._sum(x, False)  # A, C, G, T reversed is the complement
        return (logits + self._sum(x.flip(1, 2), True)[:, self.reversed]) / 2 if self.both_strands else logits

    def _sum(self, x: Tensor, reverse: bool) -> Tensor:
        return sum(weight * term.of_sequences(x, reverse) for term, weight in zip(self.terms, self.weights))

    def forward(self, x: Tensor) -> Tensor:
        answer = self.link if self.answers == "predictions" else self.link.log_odds
        return answer(self.logits(x)).to(x.dtype)


class Ensemble(nn.Module):
    """The mean of several models' answers."""

    def __init__(self, members: Sequence[nn.Module]):
        super().__init__()
        self.members, self.names = nn.ModuleList(members), members[0].names
        for member in members:
            if member.names != self.names or isinstance(member, Profile):
                raise ValueError(f"{member.folder}: cannot be averaged with {members[0].folder}: their outputs differ, or are profiles")

    def forward(self, x: Tensor) -> Tensor:
        return torch.stack([member(x) for member in self.members]).mean(0)


# BPNet and ChromBPNet
class Half(nn.Module):
    """One BPNet: logits of the profile [batch, strands, bases] and the logarithm of the counts [batch, 1]. No convolution is padded."""

    def __init__(self, config: dict, half: dict):
        super().__init__()
        filters, self.controls, self.output, self.averaged = half["filters"], config["controls"], config["output"], half["averaged"]
        self.first = nn.Conv1d(4, filters, 21)
        self.dilated = nn.ModuleList(nn.Conv1d(filters, filters, 3, dilation=2 << layer) for layer in range(half["layers"]))
        self.profile = nn.Conv1d(filters + self.controls, config["strands"], 75)
        self.count = nn.Linear(filters + (self.controls > 0), 1)
        self.activations = nn.ModuleList(nn.ReLU() for _ in range(half["layers"] + 1))

    def forward(self, x: Tensor):
        x = self.activations[0](self.first(x))
        for convolution, activation in zip(self.dilated, self.activations[1:]):
            d = convolution.dilation[0]
            x = x[..., d:-d] + activation(convolution(x))
        logits = self.profile(F.pad(around_middle(x, self.output + 74), (0, 0, 0, self.controls)))  # tracks of controls are zeros
        return logits, self.count(F.pad(around_middle(x, self.averaged).mean(2), (0, int(self.controls > 0))))


class Profile(nn.Module):
    """A BPNet, or a ChromBPNet with its bias model. forward: [batch, 4, bases] to the logits of the profile [batch, strands, bases]
    and the natural logarithm of the expected reads [batch, 1], as bpnet-lite returns them. `part`: "whole", "model" or "bias"."""

    def __init__(self, folder: str, strands: str = "forward", part: str = "whole"):
        super().__init__()
        self.config, self.folder, self.names = _json(folder, "config.json"), folder, ["profile", "log_counts"]
        halves = [half["name"] for half in self.config["halves"]]
        _one_of("strands", strands, ("forward", "average"))
        _one_of("part", part, ("whole", "model", "bias") if len(halves) == 2 else ("whole",))
        self.both_strands, self.used = strands == "average", halves if part == "whole" else [part]
        for half in self.config["halves"]:
            self.add_module(half["name"], Half(self.config, half))
        _fill(self, folder)

    def _sum(self, x: Tensor):
        halves = [getattr(self, name)(x) for name in self.used]
        return sum(logits for logits, _ in halves), torch.stack([counts for _, counts in halves]).logsumexp(0)

    def forward(self, x: Tensor):
        x = around_middle(x, self.config["window"])
        logits, counts = self._sum(x)
        if self.both_strands:
            other_logits, other_counts = self._sum(x.flip(1, 2))
            logits, counts = (logits + other_logits.flip(1, 2)) / 2, torch.logaddexp(counts, other_counts) - math.log(2)
        return logits, counts


_MODULES = {"bigdna-network": Model, "bigdna-bpnet": Profile}  # by model_type of config.json


def _folder(path: str) -> str:
    """The model's folder: of a run, or of a name."""
    here = os.path.dirname(os.path.abspath(__file__))
    beside = [os.path.join(here, part) for part in ("../models", "bigdna/share/bigdna/models", "../../models")]  # share/, a wheel, the source
    named = [os.path.join(folder, path) for folder in (*filter(None, os.environ.get("BIGDNA_MODELS", "").split(":")), *beside)]
    for folder in (os.path.join(path, "model"), path, *(() if os.path.exists(path) else named)):
        if os.path.isfile(os.path.join(folder, "config.json")):
            return folder
    is_file = "is a file; a model's folder is expected (a .tar has to be unpacked)"
    raise ValueError(f"{path}: {is_file if os.path.isfile(path) else 'no config.json there, and no model of that name'}")


def _json(folder: str, name: str) -> dict:
    path = os.path.join(folder, name)
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _outputs(folder: str, config: dict, details: dict):
    """The names of the outputs, as columns of tables have them, and of each whether it is a count."""
    path, labels, kinds = os.path.join(folder, "features.tsv"), [], []
    if not os.path.exists(path):
        labels = [details["task"]]
    else:
        with open(path, encoding="utf-8") as file:
            columns, *rows = (line.rstrip("\n").lstrip("#").split("\t") for line in file)
        for row in (dict(zip(columns, row)) for row in rows):
            cell, strand = row.get("cell", "-"), row.get("strand", ".")
            labels.append("|".join([row["name"], *[cell] * (cell != "-"), *[strand] * (strand != ".")]))
            kinds.append(row.get("kind") == "counts")
    if len(labels) != config["labels"]:
        raise ValueError(f"{path}: {len(labels)} outputs, but the model has {config['labels']}")
    names = [label if labels.count(label) == 1 else f"{label}|{i}" for i, label in enumerate(labels)]
    return names, kinds or [False] * len(labels)


def _fill(module: nn.Module, folder: str) -> None:
    """Reads model.safetensors, whose weights may be in half precision."""
    path = os.path.join(folder, "model.safetensors")
    try:
        module.load_state_dict({name: value.float() for name, value in load_file(path).items()})
    except Exception as error:  # safetensors and torch have several
        raise ValueError(f"{path}: {' '.join(str(error).split())}") from None


def _one_of(what: str, value: str, choices: tuple) -> None:
    if value not in choices:
        raise ValueError(f"{what} is '{value}'; it must be {' or '.join(choices)}")
