"""Times a training step of other software's base-size models on a GPU: step.py TOKENS BATCH [bigbird|bigbird-compiled|bert ...]

transformers' BigBird (eager and compiled) and a dense BERT on SDPA, bf16 autocast, fused AdamW, dropout 0.1. All predict the whole
sequence's tokens at the masked positions' loss, as their users train them. TSV rows as `bench_gpu step` prints them, without MFU and queued_ms.
"""

import statistics
import sys
import time

import torch
from transformers import BertConfig, BertForPreTraining, BigBirdConfig, BigBirdForPreTraining


def model_of(kind, tokens):
    sizes = dict(vocab_size=32000, hidden_size=768, num_hidden_layers=12, num_attention_heads=12, intermediate_size=3072, max_position_embeddings=tokens)
    if kind == "bert":
        return BertForPreTraining(BertConfig(**sizes, attn_implementation="sdpa"))
    model = BigBirdForPreTraining(BigBirdConfig(**sizes, attention_type="block_sparse", block_size=64, num_random_blocks=3))
    return torch.compile(model) if kind == "bigbird-compiled" else model


def main():
    tokens, batch = int(sys.argv[1]), int(sys.argv[2])
    for kind in sys.argv[3:] or ["bigbird", "bigbird-compiled", "bert"]:
        name = {"bigbird": "transformers BigBird", "bigbird-compiled": "transformers BigBird compiled", "bert": "dense BERT (SDPA)"}[kind]
        try:
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
            model = model_of(kind, tokens).cuda().train()
            optimiser = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
            ids = torch.randint(5, 32000, (batch, tokens), device="cuda")
            labels = torch.where(torch.rand(batch, tokens, device="cuda") < 0.15, ids, -100)
            sentence = torch.zeros(batch, dtype=torch.long, device="cuda")
            times = []
            while len(times) < 6 or (sum(times[3:]) < 5 and len(times) < 100):
                torch.cuda.synchronize()
                start = time.perf_counter()
                with torch.autocast("cuda", torch.bfloat16):
                    loss = model(input_ids=ids, attention_mask=torch.ones_like(ids), labels=labels, next_sentence_label=sentence).loss
                loss.backward()
                optimiser.step()
                optimiser.zero_grad(set_to_none=True)
                torch.cuda.synchronize()
                times.append(time.perf_counter() - start)
            seconds = statistics.median(times[3:])
            print(f"{tokens}\t{batch}\t{name}\t{seconds * 1e3:.1f}\t{batch * tokens / seconds:.0f}\t-\t{torch.cuda.max_memory_allocated() / 1e9:.1f}\t-", flush=True)
        except Exception as error:
            print(f"{tokens}\t{batch}\t{name}\t{type(error).__name__}: {str(error).splitlines()[0][:80]}", flush=True)
        model = optimiser = None


main()
