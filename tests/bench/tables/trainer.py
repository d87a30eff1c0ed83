#!/usr/bin/env python3
"""The same encoder, split and settings fine-tuned by transformers' Trainer and by bigdna: trainer.py MODEL DATASET OUT

MODEL: a pretrained model of bigdna; DATASET: a folder of `bigdna dataset table` with one binary label, of sequences
so short that the model's pattern is full attention. Both have AdamW (weight decay 0.01, not of biases and LayerNorm;
epsilon 1e-6), linear warm-up over a tenth of the steps and linear decay, clipping at a norm of 1, transformers' head
(`--head classification`), binary cross-entropy, and the validation AUROC, which chooses the step; seeds draw the head
and the order of the rows, each program in its own way. Needs the peers' Python (tests/peers/setup.sh) and bigdna in
the PATH. Prints a row for each program and seed, then the mean, the least and the greatest of the seeds. Metrics are
computed here from the test rows' logits or probabilities; calls are made from 0.5 on. Seconds: processor time of the
whole process, and of that what Trainer.train() takes with its validations (bigdna: all of it again).
"""
import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import time

import numpy as np


def options_of(arguments):
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("dataset")
    parser.add_argument("out")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--batch", type=int, default=16)
    parser.add_argument("--learning-rate", type=float, default=2e-4)
    parser.add_argument("--pool", choices=("cls", "mean"), default="cls")
    parser.add_argument("--evaluations", type=int, default=4)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--trainer-seed", type=int, help=argparse.SUPPRESS)  # this process is the Trainer's
    return parser.parse_args(arguments)


def read_dataset(folder):
    """split: (sequences, labels), in file order."""
    parts = {}
    with gzip.open(f"{folder}/regions.bed.gz", "rt") as regions, gzip.open(f"{folder}/sequences.fa.gz", "rt") as fasta:
        records = fasta.read().split(">")[1:]
        rows = [line.rstrip("\n").split("\t") for line in regions if line[0] != "#"]
    assert len(rows) == len(records), "regions.bed.gz and sequences.fa.gz hold other rows"
    for row, record in zip(rows, records):
        name, *lines = record.split("\n")
        assert name.split()[0] == row[3], f"{row[3]}: the FASTA says {name}"
        sequences, labels = parts.setdefault(row[6], ([], []))
        sequences.append("".join(lines))
        labels.append(float(row[4]))
    return parts


def trainer(options):
    """One seed of transformers' Trainer. Saves the test rows' logits and prints the seconds of train()."""
    import torch
    from sklearn.metrics import roc_auc_score
    from transformers import (AutoModelForSequenceClassification, AutoTokenizer, DataCollatorWithPadding, Trainer,
                              TrainingArguments)

    seed = options.trainer_seed
    torch.set_num_threads(options.threads)
    torch.manual_seed(seed)
    tokenizer = AutoTokenizer.from_pretrained(options.model)
    with open(f"{options.model}/config.json") as file:
        big_bird = json.load(file)["model_type"] == "big_bird"
    changes = {"attention_type": "original_full"} if big_bird else {"classifier_pooling": options.pool}
    model = AutoModelForSequenceClassification.from_pretrained(
        options.model, num_labels=1, problem_type="multi_label_classification", **changes)

    def rows(split):
        sequences, labels = read_dataset(options.dataset)[split]
        return [{"input_ids": ids, "labels": [label]} for ids, label in zip(tokenizer(sequences)["input_ids"], labels)]

    every = options.steps // options.evaluations
    run = Trainer(
        model=model,
        args=TrainingArguments(
            output_dir=f"{options.out}/trainer.{seed}", max_steps=options.steps, learning_rate=options.learning_rate,
            per_device_train_batch_size=options.batch, per_device_eval_batch_size=64, lr_scheduler_type="linear",
            warmup_steps=options.steps // 10, weight_decay=0.01, adam_epsilon=1e-6, max_grad_norm=1.0,
            optim="adamw_torch", eval_strategy="steps", eval_steps=every, save_strategy="steps", save_steps=every,
            save_total_limit=1,
            load_best_model_at_end=True, metric_for_best_model="auroc", logging_strategy="no", report_to="none",
            use_cpu=True, seed=seed, disable_tqdm=True),
        train_dataset=rows("train"), eval_dataset=rows("validation"), data_collator=DataCollatorWithPadding(tokenizer),
        compute_metrics=lambda p: {"auroc": roc_auc_score(p.label_ids.ravel(), p.predictions.ravel())})
    started = time.process_time()
    run.train()
    print(time.process_time() - started)
    np.savetxt(f"{options.out}/trainer.{seed}.logits", run.predict(rows("test")).predictions.ravel())


def processor_seconds(command, log):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(log, "w") as errors:
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=errors, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, output


def of_trainer(options, seed):
    seconds, output = processor_seconds([sys.executable, __file__, *sys.argv[1:], "--trainer-seed", str(seed)],
                                        f"{options.out}/trainer.{seed}.log")
    return np.loadtxt(f"{options.out}/trainer.{seed}.logits"), seconds, float(output.split()[-1])


def of_bigdna(options, seed):
    run = f"{options.out}/bigdna.{seed}"
    seconds, _ = processor_seconds(
        ["bigdna", "finetune", options.model, options.dataset, "-o", run, "--force",
         "--no-baseline", "--head", "classification", "--pool", options.pool, "--steps", str(options.steps), "--batch",
         str(options.batch), "--learning-rate", str(options.learning_rate), "--evaluations", str(options.evaluations),
         "--patience", "0",
         "--validation-rows", "0", "--seed", str(seed), "-@", str(options.threads), "--precision", "fp32", "--device",
         "cpu"],
        f"{run}.log")
    with gzip.open(f"{run}/scores.tsv.gz", "rt") as file:
        header = next(line for line in file if not line.startswith("##"))
        column = [name.split(":")[0] for name in header.rstrip("\n").split("\t")].index("bigdna")
        probabilities = np.array([float(line.rstrip("\n").split("\t")[column]) for line in file])
    return probabilities - 0.5, seconds, seconds


def show(name, what, values):
    print(name, what, *("%.4f" % v for v in values[:2]), *("%.1f" % v for v in values[2:]), sep="\t", flush=True)


def main():
    options = options_of(sys.argv[1:])
    if options.trainer_seed is not None:
        return trainer(options)
    from sklearn.metrics import matthews_corrcoef, roc_auc_score

    os.makedirs(options.out, exist_ok=True)
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    truth = np.array(read_dataset(options.dataset)["test"][1])
    print("program\tseed\tMCC\tAUROC\tprocessor seconds\tof training")
    for name, method in (("transformers", of_trainer), ("bigdna", of_bigdna)):
        values = []
        for seed in map(int, options.seeds.split(",")):
            scores, *seconds = method(options, seed)
            assert len(scores) == len(truth)
            values.append([matthews_corrcoef(truth, scores > 0), roc_auc_score(truth, scores), *seconds])
            show(name, seed, values[-1])
        for what, of in (("mean", np.mean), ("least", np.min), ("greatest", np.max)):
            show(name, what, of(values, 0))


if __name__ == "__main__":
    main()
