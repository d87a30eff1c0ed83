#!/usr/bin/env python3
"""transformers' pipeline("text-classification") gives `bigdna predict`'s numbers: classes, measured numbers, several labels and one.

The pipeline is told nothing: config.json says which function turns logits into scores, and what the outputs are called. What config.json
cannot say is in bigdna.json: class weights and positive weights of the loss, and the unit of numbers.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

from transformers import pipeline
from transformers.utils import logging

logging.set_verbosity_error()
logging.disable_progress_bar()
BIGDNA, SOURCE = os.environ["BIGDNA"], os.environ["BIGDNA_SOURCE_DIR"]
GENOME = os.path.join(SOURCE, "test-data/genome.fa.gz")
PROBLEMS = {"classes": "single_label_classification", "numbers": "regression", "several": "multi_label_classification",
            "binary": "multi_label_classification"}
COLUMNS = {"numbers": ["share", "twice"], "several": ["rich", "poor"]}


def bigdna(*arguments):
    run = subprocess.run([BIGDNA, *map(str, arguments), "--quiet"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def datasets():
    draw = random.Random(3)
    tables = {name: ["name,sequence,split," + ",".join(COLUMNS.get(name, ["label"]))] for name in PROBLEMS}
    sequences = []
    for i in range(120):
        share = draw.choice((0.35, 0.5, 0.65))
        bases = "".join(draw.choice("GC" if draw.random() < share else "AT") for _ in range(draw.randint(90, 130)))
        gc = sum(base in "GC" for base in bases) / len(bases)
        labels = {"binary": int(gc > 0.5), "classes": ("low", "middle", "rich")[(gc > 0.43) + (gc > 0.57)],
                  "several": f"{int(gc > 0.5)},{int(gc < 0.45)}", "numbers": f"{1000 * gc:.2f},{2e-3 * gc:.6f}"}
        split = ("train", "train", "train", "validation", "test")[i % 5]
        for name, rows in tables.items():
            rows.append(f"r{i},{bases},{split},{labels[name]}")
        if split == "test":
            sequences.append(bases)
    for name, rows in tables.items():
        with open(name + ".csv", "w") as file:
            file.write("\n".join(rows) + "\n")
        columns = ["--label-columns", ",".join(COLUMNS[name])] if name in COLUMNS else []
        bigdna("dataset", "table", name + ".csv", *columns, "-o", name)
    with open("test.fa", "w") as fasta:
        fasta.writelines(f">s{i}\n{bases}\n" for i, bases in enumerate(sequences))
    return sequences


def corrected(scores, names, details):
    """What bigdna.json says of the scores, which a pipeline does not know."""
    link = details.get("link", "sigmoid")
    if link == "linear":
        return [m + s * scores[n] for n, m, s in zip(names, details["mean"], details["scale"])]
    weights = details["class_weights" if link == "softmax" else "positive_weight"]
    weights = weights if isinstance(weights, list) else [weights]  # one for all, or one for each
    weights = weights * len(names) if len(weights) == 1 else weights
    if link == "softmax":
        shares = [scores[n] / w for n, w in zip(names, weights)]
        return [share / sum(shares) for share in shares]
    return [scores[n] / (scores[n] + w * (1 - scores[n])) for n, w in zip(names, weights)]


def compare(model, problem, sequences):
    config, details = json.load(open(model + "/config.json")), json.load(open(model + "/bigdna.json"))
    assert config["problem_type"] == problem, config["problem_type"]
    lines = [line.split("\t") for line in bigdna("predict", model, "test.fa", "--precision", "fp32", "--device", "cpu").splitlines()
             if not line.startswith("##")]
    names, rows = lines[0][6:], [[float(x) for x in line[6:]] for line in lines[1:]]
    if not names:  # one output, whose value is the score
        names, rows = list(config["label2id"]), [[float(line[4])] for line in lines[1:]]
    assert [config["id2label"][str(i)] for i in range(len(names))] == names == list(config["label2id"]), (names, config["id2label"])
    classify, worst = pipeline("text-classification", model=model, top_k=None), 0
    for sequence, row in zip(sequences, rows, strict=True):
        scores = {entry["label"]: entry["score"] for entry in classify([sequence])[0]}
        if problem == "single_label_classification":
            assert abs(sum(scores.values()) - 1) < 1e-5, scores
        for ours, theirs in zip(row, corrected(scores, names, details), strict=True):
            worst = max(worst, abs(ours - theirs) / max(1e-3, abs(theirs)))
    assert worst < 1e-4, worst  # of six significant digits
    return worst


def main():
    os.chdir(tempfile.mkdtemp())
    try:
        sequences = datasets()
        for architecture in "bigbird", "modern":
            bigdna("pretrain", GENOME, "--preset", "tiny", "--architecture", architecture, "--pattern", "full", "--layers", 1, "--hidden", 32, "--ffn", 64,
                   "--max-length", 256, "--vocab-size", 200, "--steps", 2, "--batch", 2, "--evaluation-tokens", 1000, "-o", "pre", "--force")
            for name, problem in PROBLEMS.items():
                bigdna("finetune", "pre", name, "--steps", 6, "--evaluations", 2, "--no-baseline", "--pool", "cls", "--head",
                       "classification", "-o", "run", "--force")
                worst = compare("run/model", problem, sequences)
                config = json.load(open("run/model/config.json"))  # as versions before wrote it: convert mends it
                names = dict(config["id2label"])
                config.update(problem_type="multi_label_classification", id2label={i: f"LABEL_{i}" for i in names}, label2id={})
                json.dump(config, open("run/model/config.json", "w"))
                bigdna("convert", "run", "-o", "again", "--force")
                compare("again", problem, sequences)
                print(f"ok: {architecture}, {name}: {len(sequences)} sequences, largest relative difference {worst:.1e}", flush=True)
    finally:
        shutil.rmtree(os.getcwd(), ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
