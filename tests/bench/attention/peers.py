"""Times other software's attention on the shapes ours.cpp times: peers.py THREADS "SHAPE ..." [LABEL].

Rows as ours.cpp prints them: PyTorch's dense SDPA, FlexAttention compiled with the same block mask (forward only: it
has no CPU backward), transformers' BigBird block-sparse attention. Backward up to 4096 tokens. Useful work is the block-sparse one's throughout.
"""

import random
import statistics
import sys
import time

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from transformers import BigBirdConfig
from transformers.models.big_bird.modeling_big_bird import BigBirdBlockSparseAttention, BigBirdModel


def median(run):
    """Milliseconds; the first run is not counted. At least three more, where they take less than 20 s."""
    start = time.perf_counter()
    run()
    times = []
    while not times or (len(times) < 3 and time.perf_counter() - start < 20) or (time.perf_counter() - start < 1 and len(times) < 200):
        before = time.perf_counter()
        run()
        times.append((time.perf_counter() - before) * 1e3)
    return statistics.median(times)


def layout(blocks, heads):
    """BigBird's with g = 2, w = 3, r = 3: [heads, blocks, blocks], bool."""
    attended = torch.zeros(heads, blocks, blocks, dtype=torch.bool)
    attended[:, [0, -1]] = True
    attended[:, :, [0, -1]] = True
    for head in range(heads):
        for i in range(1, blocks - 1):
            attended[head, i, i - 1 : i + 2] = True
            free = [j for j in range(blocks) if not attended[head, i, j]]
            attended[head, i, random.sample(free, min(3, len(free)))] = True
    return attended


def report(shape, software, kind, gflop, forward, both):
    cells = [f"{forward:.2f}", f"{both:.2f}" if both else "-", f"{gflop / forward * 1e3:.0f}", f"{3.5 * gflop / both * 1e3:.0f}" if both else "-"]
    print(shape, software, kind, *cells, sep="\t", flush=True)


def time_shape(shape, label):
    batch, heads, head_size, block, n = map(int, shape.split("x"))
    attended = layout(n // block, heads)
    gflop = 4e-9 * batch * int(attended.sum()) * block * block * head_size

    def tensors(kind, backward):
        made = [torch.randn(batch, n, heads, head_size).to(kind).transpose(1, 2).detach().requires_grad_(backward) for _ in range(3)]
        return made, torch.randn(batch, n, heads, head_size).to(kind).transpose(1, 2)

    def both_ways(name, kind, attention, backward=True):
        qkv, grad = tensors(kind, backward)

        def forward():
            with torch.no_grad():
                attention(*qkv)

        def both():
            attention(*qkv).backward(grad)
            for x in qkv:
                x.grad = None

        named = "fp32" if kind == torch.float32 else "bf16"
        try:
            report(shape, name + label, named, gflop, median(forward), median(both) if backward and n <= 4096 else None)
        except Exception as error:  # what it cannot do or hold is its result
            print(f"# {name} {shape} {named}: {str(error).splitlines()[0]}", flush=True)

    for kind in (torch.float32, torch.bfloat16):
        both_ways("SDPA dense", kind, torch.nn.functional.scaled_dot_product_attention)

    mask_bytes = 8 * heads * n * n  # create_block_mask's, on its way
    if mask_bytes > 16e9:
        print(f"# FlexAttention {shape}: making its mask would take {mask_bytes / 1e9:.0f} GB", flush=True)
    else:
        mask = create_block_mask(lambda b, h, i, j: attended[h, i // block, j // block], B=None, H=heads, Q_LEN=n, KV_LEN=n, BLOCK_SIZE=block, device="cpu")
        compiled = torch.compile(flex_attention)
        for kind in (torch.float32, torch.bfloat16):
            both_ways("FlexAttention", kind, lambda q, k, v: compiled(q, k, v, block_mask=mask), backward=False)

    if n // block >= 12:  # below, it asks for full attention
        config = BigBirdConfig(hidden_size=heads * head_size, num_attention_heads=heads, block_size=block, num_random_blocks=3, max_position_embeddings=n)
        sparse = BigBirdBlockSparseAttention(config, seed=0)
        blocked, band, from_mask, to_mask = BigBirdModel.create_masks_for_block_sparse_attn(torch.ones(batch, n), block)

        def bigbird(q, k, v):
            out, _ = sparse.bigbird_block_sparse_attention(
                q, k, v, band, from_mask, to_mask, blocked, blocked, heads, 3, head_size, block, block, batch, n, n,
                seed=0, plan_from_length=None, plan_num_rand_blocks=None,
            )
            return out.transpose(1, 2)

        both_ways("transformers BigBird", torch.float32, bigbird)


def main():
    torch.manual_seed(0)
    random.seed(0)
    torch.set_num_threads(int(sys.argv[1]))
    label = f" ({sys.argv[3]})" if len(sys.argv) > 3 else ""
    for shape in sys.argv[2].split():
        time_shape(shape, label)


main()
