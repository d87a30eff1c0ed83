"""Loss curve of our training loop against transformers' BigBirdForPreTraining trained by torch's AdamW: the same initial
weights, batches, schedule and clipping, no dropout, 50 steps. Every step's loss agrees to 1e-4."""
import json
import os
import subprocess
import sys
import tempfile
import warnings

import torch
from safetensors.torch import load_file
from transformers import BigBirdForPreTraining
from transformers.utils import logging

warnings.filterwarnings("ignore")
logging.set_verbosity_error()
logging.disable_progress_bar()
torch.set_num_threads(1)
bigdna = os.environ["BIGDNA"]
peer_training = os.path.join(os.path.dirname(bigdna), "peer_training")
genome = os.path.join(os.environ["BIGDNA_SOURCE_DIR"], "test-data", "genome.fa.gz")
STEPS, WARMUP, PEAK, BOUND = 50, 5, 1e-3, 1e-4


def rate(step):
    return PEAK * (step + 1) / WARMUP if step < WARMUP else PEAK * (STEPS - step) / (STEPS - WARMUP)


def trained(folder):
    """The losses and gradient norms of transformers' model on the same batches."""
    model = BigBirdForPreTraining.from_pretrained(folder + "/initial").eval()  # its block-sparse eval mode
    assert model.config.attention_type == "block_sparse"
    batches = load_file(folder + "/batches.safetensors")
    plain = [p for name, p in model.named_parameters() if name.endswith("bias") or "LayerNorm" in name]
    decayed = [p for name, p in model.named_parameters() if not (name.endswith("bias") or "LayerNorm" in name)]
    optimiser = torch.optim.AdamW([dict(params=decayed, weight_decay=0.01), dict(params=plain, weight_decay=0.0)], betas=(0.9, 0.999), eps=1e-6)
    losses, norms = [], []
    for step in range(STEPS):
        batch = {name.split(".")[1]: value for name, value in batches.items() if name.startswith(f"{step}.")}
        mask = (torch.arange(batch["ids"].shape[1])[None] < batch["lengths"][:, None]).long()
        out = model(input_ids=batch["ids"], token_type_ids=batch["token_types"], attention_mask=mask)
        logits = out.prediction_logits.flatten(0, 1)[batch["masked"]]
        loss = torch.nn.functional.cross_entropy(logits, batch["masked_labels"])
        loss = loss + torch.nn.functional.cross_entropy(out.seq_relationship_logits, batch["nsp_labels"])
        optimiser.zero_grad()
        loss.backward()
        norms.append(float(torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)))
        for group in optimiser.param_groups:
            group["lr"] = rate(step)
        optimiser.step()
        losses.append(float(loss))
    return losses, norms


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([bigdna, "vocab", genome, "-o", "vocabulary", "--vocab-size", "128", "--quiet"], check=True, cwd=folder)
    subprocess.run([bigdna, "corpus", genome, "--vocab", "vocabulary", "-o", "corpus", "--passes", "1", "--quiet"], check=True, cwd=folder)
    subprocess.run([peer_training, "corpus", "run", str(STEPS)], check=True, cwd=folder, stderr=subprocess.DEVNULL)
    lines = [json.loads(line) for line in open(folder + "/run/metrics.jsonl")]
    theirs, norms = trained(folder + "/run")

ours = [line["loss"] for line in lines]
assert [line["step"] for line in lines] == list(range(1, STEPS + 1))
assert all(abs(line["learning_rate"] - rate(step)) < 1e-12 for step, line in enumerate(lines))
assert ours[-1] < ours[0] - 0.3, "nothing was learned: the comparison would say little"
worst = max(abs(a - b) for a, b in zip(ours, theirs))
norm = max(abs(line["gradient_norm"] / b - 1) for line, b in zip(lines, norms))
print(f"{STEPS} steps, loss {ours[0]:.4f} -> {ours[-1]:.4f}: largest difference {worst:.1e}, of gradient norms {norm:.1e} relative")
sys.exit(0 if worst <= BOUND and norm <= 1e-2 else 1)
