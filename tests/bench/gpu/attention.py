"""Times other software's attention on a GPU on the shapes of ours.cpp: attention.py LAYOUTS TOKENS ...

LAYOUTS is the file `bench_gpu attention --layouts` wrote, so that FlexAttention gets the very same block mask. Batch 16, 12 heads of 64,
blocks of 64, bf16. TSV rows as ours.cpp prints them; useful work is the block-sparse one's throughout, so dense attention's own
rate is higher than what stands here.
"""

import collections
import statistics
import sys

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.attention.flex_attention import BlockMask, flex_attention

BATCH, HEADS, SIZE, BLOCK = 16, 12, 64, 64
FLOPS, BYTES = 790e12, 4.3e12


def median(run):
    """Milliseconds, by events, over half a second; three runs are not counted. Short runs are timed several at a time, as ours.cpp does."""
    times, at_a_time = [], 1
    while len(times) < 6 or (sum(times[3:]) * at_a_time < 500 and len(times) < 300):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(at_a_time):
            run()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / at_a_time)
        if len(times) == 3:
            at_a_time = max(1, min(20, int(20 / times[-1])))
    return statistics.median(times[3:])


def read_layouts(path):
    layouts = collections.defaultdict(lambda: collections.defaultdict(dict))
    for line in open(path):
        tokens, head, row, *keys = map(int, line.split())
        layouts[tokens][head][row] = keys
    return layouts


def time_one(tokens, software, pairs, attention):
    flops, tensor = 4 * BATCH * pairs * BLOCK * BLOCK * SIZE, 2 * BATCH * HEADS * tokens * SIZE

    def make():
        return torch.randn(BATCH, tokens, HEADS, SIZE, device="cuda").bfloat16().transpose(1, 2)

    try:
        qkv, grad = [make().requires_grad_() for _ in range(3)], make()

        def forward():
            with torch.no_grad():
                attention(*qkv)

        def both():
            attention(*qkv).backward(grad)
            for x in qkv:
                x.grad = None

        ms, ms_both = median(forward), median(both)
        floor, floor_both = 1e3 * max(flops / FLOPS, 4 * tensor / BYTES), 1e3 * max(3.5 * flops / FLOPS, 12 * tensor / BYTES)
        print(f"{tokens}\t{software}\t{ms:.3f}\t{ms_both:.3f}\t{flops / ms / 1e9:.0f}\t{3.5 * flops / ms_both / 1e9:.0f}\t{100 * floor / ms:.0f}%\t{100 * floor_both / ms_both:.0f}%", flush=True)
    except Exception as error:  # out of memory, or what it cannot compile, is its result
        print(f"{tokens}\t{software}\t{type(error).__name__}: {str(error).splitlines()[0][:80]}", flush=True)
    torch.cuda.empty_cache()


def block_mask(tokens, layout, device):
    """The layout as it is: every block listed is attended in full, so no mask of single tokens is ever made."""
    blocks = tokens // BLOCK
    counts = torch.zeros(1, HEADS, blocks, dtype=torch.int32)
    indices = torch.zeros(1, HEADS, blocks, blocks, dtype=torch.int32)
    for head, rows in layout.items():
        for row, keys in rows.items():
            counts[0, head, row] = len(keys)
            indices[0, head, row, : len(keys)] = torch.tensor(keys)
    none, nowhere = torch.zeros_like(counts).to(device), torch.zeros_like(indices).to(device)
    return BlockMask.from_kv_blocks(none, nowhere, counts.to(device), indices.to(device), BLOCK_SIZE=BLOCK, seq_lengths=(tokens, tokens))


def offer_tiles_of_a_block():
    """torch 2.11 offers an H200 one tile for the backward pass, of 128 keys, which blocks of 64 rule out. These fit; it times them."""
    from torch._inductor.template_heuristics.triton import CUDAConfigHeuristic, FlexBwDConfig, FlexConfig

    CUDAConfigHeuristic.get_flex_attn_fwd_configs = lambda self, head_dim, dtype: [FlexConfig(64, 64, stages, 4) for stages in (2, 3)]
    CUDAConfigHeuristic.get_flex_attn_bwd_configs = lambda self, head_dim, dtype: [FlexBwDConfig(*tile, 3, 4) for tile in ((32, 64, 64, 32), (64, 64, 64, 64))]


def flex(tokens, layout):
    mask = block_mask(tokens, layout, "cuda")
    compiled = torch.compile(flex_attention, dynamic=False)
    return lambda q, k, v: compiled(q, k, v, block_mask=mask)


def sdpa(q, k, v):
    with sdpa_kernel([SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION], set_priority=True):
        return torch.nn.functional.scaled_dot_product_attention(q, k, v)


def bigbird(tokens):
    from transformers import BigBirdConfig
    from transformers.models.big_bird.modeling_big_bird import BigBirdBlockSparseAttention, BigBirdModel

    config = BigBirdConfig(hidden_size=HEADS * SIZE, num_attention_heads=HEADS, block_size=BLOCK, num_random_blocks=3, max_position_embeddings=tokens)
    sparse = BigBirdBlockSparseAttention(config, seed=0).cuda()
    blocked, band, from_mask, to_mask = (x.cuda().bfloat16() for x in BigBirdModel.create_masks_for_block_sparse_attn(torch.ones(BATCH, tokens), BLOCK))

    def run(q, k, v):
        out, _ = sparse.bigbird_block_sparse_attention(q, k, v, band, from_mask, to_mask, blocked, blocked, HEADS, 3, SIZE, BLOCK, BLOCK, BATCH, tokens, tokens, seed=0, plan_from_length=None, plan_num_rand_blocks=None)
        return out.transpose(1, 2)

    return run


def main():
    torch.manual_seed(0)
    offer_tiles_of_a_block()
    torch._dynamo.config.cache_size_limit = 64
    layouts = read_layouts(sys.argv[1])
    for tokens in map(int, sys.argv[2:]):
        pairs = sum(len(keys) for rows in layouts[tokens].values() for keys in rows.values())
        for software, make in (("FlexAttention, same mask", lambda: flex(tokens, layouts[tokens])), ("SDPA dense", lambda: sdpa), ("transformers BigBird", lambda: bigbird(tokens))):
            try:
                attention = make()
            except Exception as error:
                print(f"{tokens}\t{software}\t{type(error).__name__}: {str(error).splitlines()[0][:80]}", flush=True)
                continue
            time_one(tokens, software, pairs, attention)


main()
