#!/usr/bin/env python3
"""Every attention of the table against an independent implementation: outputs and gradients in double precision.

References are transformers' Longformer and XLNet, PyTorch's conv1d, and n x n matrices written from the equations of the publications (docs/attentions.md).
What is drawn at random (features) or chosen (buckets, clusters) is taken from bigdna after it was checked by itself.
"""
import os
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file
from transformers import LongformerConfig, XLNetConfig
from transformers.models.longformer.modeling_longformer import LongformerSelfAttention
from transformers.models.xlnet.modeling_xlnet import XLNetModel, XLNetRelativeAttention

PROGRAM = os.path.join(os.path.dirname(os.environ["BIGDNA"]), "peer_attentions")
HEADS, SIZE = 3, 8
WIDTH = HEADS * SIZE
BOUND = 1e-9
torch.set_default_dtype(torch.float64)


def inputs(n, seed=1, **own):
    g = torch.Generator().manual_seed(seed)
    made = {name: torch.randn(HEADS, n, SIZE, generator=g) for name in ("q", "k", "v", "weights")}
    made["states"] = torch.randn(n, WIDTH, generator=g)
    for name, shape in own.items():
        made["own." + name] = torch.randn(*shape, generator=g) * 0.3
    return made


def ours(attention, tensors, layer=1, pattern="bigbird", block=4, blocks_global=2, window=3):
    save_file({k: v.detach().contiguous() for k, v in tensors.items()}, "in.safetensors")
    subprocess.run([PROGRAM, attention, str(layer), pattern, str(block), str(blocks_global), str(window), "in.safetensors", "out.safetensors"], check=True)
    return load_file("out.safetensors")


def compare(what, n, actual, reference, tensors):
    """`reference` computes the output from leaves like `tensors`."""
    leaves = {k: v.clone().requires_grad_(k != "weights") for k, v in tensors.items()}
    out = reference(leaves)
    (out * leaves["weights"]).sum().backward()
    apart = (out - actual["out"]).abs().max().item() / max(1, out.abs().max().item())
    gradients = 0
    for name, leaf in leaves.items():
        if leaf.grad is None:
            assert "grad." + name not in actual or actual["grad." + name].abs().max() == 0, f"{what}: {name} has a gradient"
            continue
        assert "grad." + name in actual, f"{what}: no gradient of {name}"
        gradients = max(gradients, (leaf.grad - actual["grad." + name]).abs().max().item() / max(1, leaf.grad.abs().max().item()))
    print(f"{what:40} {n:5} {apart:9.1e} {gradients:9.1e}", flush=True)
    assert apart < BOUND and gradients < BOUND, what


def softmax_attention(q, k, v, mask=None, scale=SIZE ** -0.5):
    scores = q @ k.transpose(1, 2) * scale
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return torch.softmax(scores, 2) @ v


def performer():
    for n in (1, 37, 300):
        for kernel in ("relu", "exp", "cos"):
            x = inputs(n)
            actual = ours(f"performer:features=20,kernel={kernel}", x)
            W, b = actual["features"], actual["phases"]
            for first in range(0, 20, SIZE):  # rows of a block are orthogonal
                rows = W[:, first:first + SIZE]
                product = rows @ rows.transpose(1, 2)
                assert (product - torch.diag_embed(torch.diagonal(product, dim1=1, dim2=2))).abs().max() < 1e-9

            def reference(t):
                q, k = t["q"] * SIZE ** -0.25, t["k"] * SIZE ** -0.25
                if kernel == "relu":
                    fq, fk = torch.relu(q @ W.mT) + 1e-3, torch.relu(k @ W.mT) + 1e-3
                elif kernel == "exp":
                    def positive(y, over):
                        e = y - y.amax(over, keepdim=True)
                        return e.exp() + 1e-6
                    fq = positive(q @ W.mT, (2,))
                    fk = positive(k @ W.mT - (k ** 2).sum(2, keepdim=True) / 2, (1, 2))
                else:
                    half = (k ** 2).sum(2, keepdim=True) / 2
                    h = (half - half.detach().amax((1, 2), keepdim=True)).exp()
                    fq, fk = (2 / 20) ** 0.5 * torch.cos(q @ W.mT + b), (2 / 20) ** 0.5 * torch.cos(k @ W.mT + b) * h
                    weights = fq @ fk.mT  # n x n: what is never made
                    return (weights @ t["v"]) / weights.sum(2, keepdim=True).clamp_min(0.01 * h.sum(1, keepdim=True))
                weights = fq @ fk.mT
                return (weights @ t["v"]) / weights.sum(2, keepdim=True)
            compare(f"performer {kernel}", n, actual, reference, x)

    # exp and cos estimate softmax, with an error that falls as M^-0.5; relu does not
    x = inputs(64)
    x["q"], x["k"] = x["q"] * 0.35, x["k"] * 0.35
    exact = softmax_attention(x["q"], x["k"], x["v"])

    def error(kernel, M, layers=6):
        return sum((ours(f"performer:from=0,features={M},kernel={kernel}", x, layer=layer)["out"] - exact).pow(2).mean().item() for layer in range(layers)) ** 0.5
    for kernel in ("exp", "cos"):
        slope = torch.tensor(error(kernel, 4096) / error(kernel, 64)).log2().item() / 6
        print(f"performer {kernel}: error ~ M^{slope:.2f}", flush=True)
        assert -0.6 < slope < -0.42, slope  # LAPACK's QR with its own signs gives -0.38 for exp
    assert error("relu", 4096) > 0.5 * error("relu", 64)


def linear():
    for n in (1, 50):
        x = inputs(n)

        def reference(t):
            weights = (torch.nn.functional.elu(t["q"]) + 1) @ (torch.nn.functional.elu(t["k"]) + 1).mT
            return (weights / weights.sum(2, keepdim=True)) @ t["v"]
        compare("linear", n, ours("linear", x), reference, x)


def linformer():
    for n in (1, 40, 4096):
        x = inputs(n, keys=(5, 4096 + 8), values=(5, 4096 + 8))  # bigdna's longest input; bigbird-etc adds 8 global tokens

        def reference(t):
            return softmax_attention(t["q"], t["own.keys"][:, :n] @ t["k"], t["own.values"][:, :n] @ t["v"])
        compare("linformer", n, ours("linformer:rank=5", x, pattern="bigbird-etc"), reference, x)


def compressed():
    for n in (1, 3, 40, 41):
        x = inputs(n, keys=(HEADS, 3, SIZE, SIZE), values=(HEADS, 3, SIZE, SIZE))

        def reference(t):
            def conv(y, weights):  # conv1d: [batch, channels, n] and [out, in, taps]
                padded = torch.nn.functional.pad(y.mT, (0, -n % 3))
                return torch.stack([torch.conv1d(padded[h][None], weights[h].permute(2, 1, 0), stride=3)[0].mT for h in range(HEADS)])
            return softmax_attention(t["q"], conv(t["k"], t["own.keys"]), conv(t["v"], t["own.values"]))
        compare("compressed", n, ours("compressed:stride=3", x), reference, x)


def axial():
    for n in (1, 5, 36, 41):
        for width in (0, 4, 100):
            for layer in (1, 2):
                x = inputs(n)
                w = min(n, width or int(n ** 0.5) + (int(n ** 0.5) ** 2 < n))
                i = torch.arange(n)
                line = i // w if layer == 1 else i % w
                mask = line[:, None] == line[None]
                compare(f"axial width {width}, layer {layer}", n, ours(f"axial:width={width}", x, layer=layer),
                        lambda t: softmax_attention(t["q"], t["k"], t["v"], mask), x)


def longformer():
    n, one_sided, g = 48, 4, 3
    config = LongformerConfig(hidden_size=WIDTH, num_attention_heads=HEADS, attention_window=[2 * one_sided], attention_probs_dropout_prob=0)
    theirs = LongformerSelfAttention(config, 0).eval()
    torch.manual_seed(3)
    for layer in (theirs.query, theirs.key, theirs.value, theirs.query_global, theirs.key_global, theirs.value_global):
        torch.nn.init.normal_(layer.weight, std=0.4)
        torch.nn.init.zeros_(layer.bias)
    x = torch.randn(1, n, WIDTH, requires_grad=True)
    is_global = (torch.arange(n) < g)[None]
    mask = torch.zeros(1, n)
    mask[is_global] = 10000.0
    out = theirs(x, attention_mask=mask, is_index_masked=torch.zeros(1, n, dtype=torch.bool), is_index_global_attn=is_global, is_global_attn=True)[0][0]
    weights = torch.randn(n, WIDTH)
    (out * weights).sum().backward()

    def split(y):
        return y.view(n, HEADS, SIZE).transpose(0, 1)
    states = x.detach()[0]
    tensors = {"q": split(theirs.query(states)), "k": split(theirs.key(states)), "v": split(theirs.value(states)), "states": states, "weights": split(weights),
               "own.query": theirs.query_global.weight, "own.key": theirs.key_global.weight, "own.value": theirs.value_global.weight}
    actual = ours("longformer", tensors, pattern="global-window", block=1, blocks_global=g, window=2 * one_sided + 1)
    apart = (split(out) - actual["out"]).abs().max().item()

    def merged(name):
        return actual["grad." + name].transpose(0, 1).reshape(n, WIDTH)
    grad_x = merged("q") @ theirs.query.weight + merged("k") @ theirs.key.weight + merged("v") @ theirs.value.weight + actual["grad.states"]
    gradients = max((grad_x - x.grad[0]).abs().max().item(), (actual["grad.own.query"] - theirs.query_global.weight.grad).abs().max().item(),
                    (actual["grad.own.key"] - theirs.key_global.weight.grad).abs().max().item(),
                    (actual["grad.own.value"] - theirs.value_global.weight.grad).abs().max().item())
    print(f"{'longformer, transformers':40} {n:5} {apart:9.1e} {gradients:9.1e}", flush=True)
    assert apart < 5e-6 and gradients < 5e-5  # their softmax is fp32


def lsh():
    for n, chunk, rounds in ((1, 8, 2), (2, 1, 1), (50, 8, 1), (61, 8, 4), (300, 4, 3)):
        x = inputs(n)
        if n > 2:
            x["q"][:, n - 1] = -3 * x["q"][:, 0]  # the opposite direction: the opposite half of the buckets
        actual = ours(f"lsh:chunk={chunk},rounds={rounds}", x)
        buckets = actual["choice.0"].long()
        assert buckets.shape == (rounds, HEADS, n)
        if n == 61:  # 2 * 8 buckets, of one hash
            assert ((buckets[:, :, 0] - buckets[:, :, n - 1]).abs() == 8).all() and buckets.max() < 16
        place = torch.argsort(torch.argsort(buckets * n + torch.arange(n), -1), -1) // min(n, chunk)
        same = buckets[..., :, None] == buckets[..., None, :]
        step = place[..., None, :] - place[..., :, None]
        met = same & (step.abs() <= 1)

        def reference(t, times=False, met=met):
            union = met.sum(0)
            k = t["q"] / t["q"].norm(dim=2, keepdim=True)
            scores = (t["q"] @ k.mT).masked_fill(torch.eye(n, dtype=torch.bool), -1e5).masked_fill(union == 0, -torch.inf)
            return torch.softmax(scores + (union.clamp_min(1).log() if times else 0), 2) @ t["v"]
        compare(f"lsh chunk {chunk}, {rounds} rounds", n, actual, reference, x)
        if n == 61:  # the two traps would be seen
            assert (reference(x, times=True) - actual["out"]).abs().max() > 0.01
            assert (reference(x, met=met & (step <= 0)) - actual["out"]).abs().max() > 0.01


def routing():
    for n, clusters in ((1, 1), (7, 3), (60, 5), (64, 100)):
        x = inputs(n, centroids=(HEADS, clusters, SIZE))
        actual = ours(f"routing:clusters={clusters}", x)
        width = -(-n // clusters)

        def normed(y):
            return (y - y.mean(2, keepdim=True)) / (y.var(2, keepdim=True, unbiased=False) + 1e-5).sqrt()

        def reference(t):
            q, k, v = normed(t["q"]), normed(t["k"]), t["v"]
            out = torch.zeros(HEADS, n, SIZE)
            for h in range(HEADS):
                rows, counts = [torch.zeros(SIZE) for _ in range(n)], [0] * n
                for c in range(clusters):
                    mu = x["own.centroids"][h, c]
                    mine = (q[h] @ mu).detach().argsort(descending=True, stable=True)[:width]
                    theirs = (k[h] @ mu).detach().argsort(descending=True, stable=True)[:width]
                    part = torch.softmax(q[h][mine] @ k[h][theirs].T * SIZE ** -0.5, 1) @ v[h][theirs]
                    for i, row in zip(mine.tolist(), part):
                        rows[i], counts[i] = rows[i] + row, counts[i] + 1
                out = out.index_put((torch.tensor(h),), torch.stack([r / max(1, m) for r, m in zip(rows, counts)]))
            return out
        compare(f"routing {clusters} clusters", n, actual, reference, x)


def span():
    for n, limit in ((1, 10), (70, 30), (200, 60), (200, 500)):
        i = torch.arange(n)
        distance = (i[:, None] - i[None]).abs()

        def attend(t, z):  # z [heads, n or 1, 1]
            m = ((6 + z - distance) / 6).clamp(0, 1)
            e = m * (t["q"] @ t["k"].mT * SIZE ** -0.5).exp()
            return (e / e.sum(2, keepdim=True)) @ t["v"]
        x = inputs(n, span=(HEADS,))
        x["own.span"] = torch.tensor([0.013, 0.3037, 0.987])  # no distance lies on a kink
        compare(f"span, limit {limit}", n, ours(f"span:limit={limit},ramp=6", x), lambda t: attend(t, t["own.span"][:, None, None] * limit), x)
        x = inputs(n, direction=(HEADS, WIDTH), offset=(HEADS,))
        compare(f"span, limit {limit}, dynamic", n, ours(f"span:limit={limit},ramp=6,dynamic=yes", x),
                lambda t: attend(t, torch.sigmoid(t["states"] @ t["own.direction"].T + t["own.offset"]).T[:, :, None] * limit), x)


def inducing():
    square = (WIDTH, WIDTH)

    def split(y):
        return y.view(-1, HEADS, SIZE).transpose(0, 1)

    def merged(y):
        return y.transpose(0, 1).reshape(-1, WIDTH)

    def norm(y, gain):
        return (y - y.mean(1, keepdim=True)) / (y.var(1, keepdim=True, unbiased=False) + 1e-5).sqrt() * gain
    for n in (1, 90):
        x = inputs(n, points=(6, WIDTH), key=square, value=square)

        def light(t):
            H = merged(softmax_attention(split(t["own.points"]), t["k"], t["v"]))
            return softmax_attention(t["q"], split(H @ t["own.key"].T), split(H @ t["own.value"].T))
        compare("inducing, light", n, ours("inducing:points=6,inner=light", x), light, x)
        x = inputs(n, points=(6, WIDTH), key=square, value=square, query=square, output=square, dense=square, norm=(WIDTH,), last_norm=(WIDTH,))

        def full(t):
            I = t["own.points"]
            H = norm(I + merged(softmax_attention(split(I @ t["own.query"].T), t["k"], t["v"])) @ t["own.output"].T, t["own.norm"])
            H = norm(H + torch.relu(H @ t["own.dense"].T), t["own.last_norm"])
            return softmax_attention(t["q"], split(H @ t["own.key"].T), split(H @ t["own.value"].T))
        compare("inducing, full", n, ours("inducing:points=6", x), full, x)


def etc():
    radius, k = 6, 4
    for n, extra, sentence in ((1, 0, 0), (90, 0, 0), (1, 412, 10), (95, 412, 10), (300, 412, 10), (300, 8, 0)):
        for mask in (True, False):
            labels = 2 * k + 1 if extra == 0 else 2 * (2 * k + 1) + 4
            x = inputs(extra + n, labels=(HEADS, labels, SIZE))
            length = sentence or 4096 // 8  # 4096: bigdna's longest input
            used = -(-n // length) if extra else 0
            i = torch.arange(extra + n)
            of_text, place = i >= extra, i - extra
            step = i[None] - i[:, None]
            near = step.clamp(-k, k) + k
            member = torch.where(of_text, place // length, i)
            same = member[:, None] == member[None]
            both_text, both_sentences = of_text[:, None] & of_text[None], ~of_text[:, None] & ~of_text[None]
            label = torch.where(both_text, near, torch.where(both_sentences, near + 2 * k + 1,
                                2 * (2 * k + 1) + 2 * (~of_text[:, None]).long() + (~same).long()))
            meets = torch.where(both_text, step.abs() <= radius, True)
            if mask:
                meets &= ~(~of_text[:, None] & of_text[None] & ~same)
            there = of_text | (i < used)
            meets &= there[:, None] & there[None]

            def reference(t):
                # relation by relation, as ETC's labels are defined: q_i . (k_j + a_l(i, j))
                with_labels = (t["q"][:, :, None] * (t["k"][:, None] + t["own.labels"][:, label.clamp_max(labels - 1)])).sum(3) * SIZE ** -0.5
                weights = torch.softmax(with_labels.masked_fill(~meets, -1e30), 2) * there[:, None]
                return weights @ t["v"]
            actual = ours(f"etc:radius={radius},labels={k},sentence={sentence},mask={'yes' if mask else 'no'}", x,
                          pattern="bigbird-etc" if extra else "bigbird", blocks_global=max(1, extra // 4))
            compare(f"etc, {extra} sentence tokens, mask {mask}", n, actual, reference, x)


def xl():
    # XLNet is Transformer-XL's equation and a term of segments, which is left out (seg_mat None). Its sinusoids are all sines, then all
    # cosines; bigdna's take turns, as the paper has them. So its W_R has the same columns in another order. It has no `reach`; a mask is one.
    theirs = XLNetRelativeAttention(XLNetConfig(d_model=WIDTH, n_head=HEADS, dropout=0)).eval()
    order = torch.cat([torch.arange(0, WIDTH, 2), torch.arange(1, WIDTH, 2)])
    for n in (1, 2, 40, 131):
        for reach in (9, 200):
            x = inputs(n, u=(HEADS, SIZE), v=(HEADS, SIZE), position=(WIDTH, WIDTH))
            distances = XLNetModel.positional_embedding(torch.arange(n, -n, -1.0), 1 / 10000 ** (torch.arange(0, WIDTH, 2.0) / WIDTH), 1)
            i = torch.arange(n)
            unread = ((i[:, None] - i[None]).abs() > reach).double()[:, :, None, None]

            def reference(t):
                for name, value in (("r_w_bias", t["own.u"]), ("r_r_bias", t["own.v"]), ("r", t["own.position"].T[order].view(WIDTH, HEADS, SIZE))):
                    theirs._parameters[name] = value  # no new leaf, so that gradients go on to t
                q, k, v = (t[name].transpose(0, 1)[:, None] for name in "qkv")  # [n, 1, HEADS, SIZE]
                positions = torch.einsum("ibh,hnd->ibnd", distances, theirs.r)
                return theirs.rel_attn_core(q, k, v, positions, attn_mask=unread)[:, 0].transpose(0, 1)
            compare(f"xl, reach {reach}, transformers' XLNet", n, ours(f"xl:reach={reach}", x), reference, x)


def main():
    os.chdir(tempfile.mkdtemp())
    print(f"{'what':40} {'n':>5} {'forward':>9} {'gradients':>9}")
    for test in (performer, linear, linformer, compressed, axial, longformer, lsh, routing, span, inducing, etc, xl):
        test()


if __name__ == "__main__":
    sys.exit(main())
