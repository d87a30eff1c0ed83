"""The event file of a run, read by TensorBoard's own loader: the same steps and values as metrics.jsonl, after a run was
killed and resumed too."""
import glob
import json
import math
import os
import random
import signal
import subprocess
import tempfile
import time

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

bigdna = os.environ["BIGDNA"]


def check(run):
    (path,) = glob.glob(os.path.join(run, "*tfevents*"))
    events = list(EventFileLoader(path).Load())
    assert events[0].file_version == "brain.Event:2"
    steps = [event.step for event in events]
    assert steps == sorted(steps), steps
    assert all(abs(event.wall_time - time.time()) < 3600 for event in events)
    board = EventAccumulator(run)  # what `tensorboard --logdir RUN` shows
    board.Reload()
    seen = {}
    for tag in board.Tags()["scalars"]:
        for scalar in board.Scalars(tag):
            assert (tag, scalar.step) not in seen, (tag, scalar.step)
            seen[tag, scalar.step] = scalar.value
    wanted = {}
    for line in open(os.path.join(run, "metrics.jsonl")):
        values = json.loads(line)
        group = "training/" if "loss" in values else "evaluation/"
        for name, value in values.items():
            if name != "step" and isinstance(value, (int, float)):
                wanted[group + name, values["step"]] = value
    assert seen.keys() == wanted.keys(), seen.keys() ^ wanted.keys()
    for key, value in wanted.items():
        assert math.isclose(seen[key], value, rel_tol=1e-6), (key, seen[key], value)
    assert os.path.getsize(os.path.join(run, "learning_curve.svg")) > 1000
    return len(seen)


with tempfile.TemporaryDirectory() as folder:
    random.seed(3)
    genome = os.path.join(folder, "genome.fa")
    with open(genome, "w") as out:
        out.write(">chr1\n" + "".join(random.choice("ACGT") for _ in range(150_000)) + "\n")
    run = os.path.join(folder, "run")
    command = [bigdna, "pretrain", genome, "-o", run, "--layers", "1", "--heads", "2", "--hidden", "16", "--ffn", "32", "--max-length", "64",
               "--block", "8", "--vocab-size", "64", "--batch", "2", "--steps", "300", "--checkpoint-every", "7", "--evaluate-every", "50",
               "--evaluation-tokens", "2000", "--precision", "fp32", "-@", "1", "--quiet"]
    metrics = os.path.join(run, "metrics.jsonl")
    process = subprocess.Popen(command)
    while process.poll() is None and not (os.path.exists(metrics) and open(metrics).read().count("\n") >= 5):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    with open(glob.glob(os.path.join(run, "*tfevents*"))[0], "ab") as events:
        events.write(b"torn")
    subprocess.run(command + ["--resume"], check=True)
    print("TensorBoard reads", check(run), "values of a run that was killed and resumed")
