"""Times transformers' BigBird as ours.cpp times ours: peers.py THREADS SIZE TOKENS PRECISION forward|training block_sparse|original_full [LABEL].

Prints one TSV row in run.sh's columns. The training step is what its users write: BigBirdForPreTraining with labels, torch's AdamW,
clipping; bf16 is torch.autocast. Exits 3 with a comment row where transformers cannot run it (memory, unsupported type).
"""
import resource
import statistics
import sys
import time
import warnings

import torch
from transformers import BigBirdConfig, BigBirdForPreTraining, BigBirdModel
from transformers.utils import logging

warnings.filterwarnings("ignore")
logging.set_verbosity_error()
SIZES = dict(base=(12, 12, 768, 3072, 32000, 0.1), small=(4, 4, 256, 1024, 4096, 0.0))
BLOCK = 64


def median(seconds, run):
    """As in ours.cpp."""
    start = time.perf_counter()
    run()
    if time.perf_counter() - start > 60:
        return time.perf_counter() - start
    times = []
    start = time.perf_counter()
    while len(times) < 3 or time.perf_counter() - start < seconds:
        before = time.perf_counter()
        run()
        times.append(time.perf_counter() - before)
    return statistics.median(times)


def peak(kind):
    a, b, c = torch.randn(4096, 768).to(kind), torch.randn(768, 3072).to(kind), torch.empty(4096, 3072, dtype=kind)
    return 2e-9 * 4096 * 768 * 3072 / median(0.5, lambda: torch.matmul(a, b, out=c))


def pairs(blocks):
    """Query-key blocks that BigBird with g = 2, w = 3, r = 3 attends to in one head."""
    total = 2 * blocks
    for i in range(1, blocks - 1):
        near = {0, blocks - 1, i - 1, i, i + 1}
        total += len(near) + min(3, blocks - len(near))
    return total


def main():
    threads, size, n, precision, what, attention = int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), *sys.argv[4:7]
    label = f" ({sys.argv[7]})" if len(sys.argv) > 7 else ""
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    layers, heads, hidden, ffn, vocabulary, dropout = SIZES[size]
    kind = torch.float32 if precision == "fp32" else torch.bfloat16
    top = peak(kind)
    config = BigBirdConfig(vocab_size=vocabulary, hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=heads, intermediate_size=ffn,
                           max_position_embeddings=n, attention_type=attention, block_size=BLOCK, num_random_blocks=3,
                           hidden_dropout_prob=dropout, attention_probs_dropout_prob=dropout)
    ids = torch.randint(5, vocabulary, (1, n))
    types = (torch.arange(n) >= n // 2).long()[None]
    gflop = 1e-9 * layers * (2 * n * (4 * hidden * hidden + 2 * hidden * ffn) + 4 * heads * pairs(n // BLOCK) * BLOCK * BLOCK * hidden // heads)
    autocast = torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16")
    if what == "forward":
        model = BigBirdModel(config).eval()

        def run():
            with torch.no_grad(), autocast:
                model(input_ids=ids, token_type_ids=types)
    else:
        chosen = torch.arange(n) % 20 < 3
        labels = torch.where(chosen, ids[0], torch.tensor(-100))[None]
        gflop = 3 * (gflop + 2e-9 * int(chosen.sum()) * hidden * (hidden + vocabulary))
        model = BigBirdForPreTraining(config).train()
        optimiser = torch.optim.AdamW(model.parameters(), lr=1e-5)

        def run():
            with autocast:
                loss = model(input_ids=ids, token_type_ids=types, labels=labels, next_sentence_label=torch.tensor([1])).loss
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()

    # more memory than there is ends this process with an error, not the machine
    available = int(next(line.split()[1] for line in open("/proc/meminfo") if line.startswith("MemAvailable"))) * 1024
    mapped = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + available, resource.RLIM_INFINITY))
    name = f"transformers {attention}{label}"
    try:
        seconds = median(5, run)
    except (RuntimeError, MemoryError) as error:
        print(f"# {what} {n} {size} {precision} {name}: {' '.join(str(error).split())[:120]}", flush=True)
        sys.exit(3)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    print(what, n, size, precision, name, f"{seconds:.4g}", f"{gflop:.4g}", f"{gflop / seconds:.0f}", f"{top:.0f}", f"{gflop / seconds / top:.2f}", f"{memory:.0f}", sep="\t", flush=True)


main()
