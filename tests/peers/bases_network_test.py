"""A network on bases of `bigdna train`, rebuilt in PyTorch from its folder alone, gives bigdna's predictions and explanations:
mutagenesis by editing the one-hot sequence, gradients by autograd, integrated gradients by Captum.
"""
import itertools, os, subprocess, sys, tempfile

import h5py
import numpy as np
import torch
from captum.attr import IntegratedGradients
from bases_network import Kmers, Model, one_hot
from torch.nn import functional as F


def bases_of(genome, start, end):
    text = subprocess.run(["samtools", "faidx", genome, f"chr1:{start + 1}-{end}"], check=True, capture_output=True, text=True).stdout
    return "".join(text.split("\n")[1:]).upper()


def explain(run, genome, model):
    """Largest difference of contributions to all labels, both strands averaged, of 12 bases, and their spread."""
    start, end, flank = 40094, 40106, 7000  # the bin is 40000 to 40200
    one_strand = lambda x: model(x)[:, flank // 200]
    both = lambda x: (one_strand(x) + one_strand(x.flip(1, 2))) / 2  # A, C, G, T reversed is the complement
    x = one_hot(bases_of(genome, 40000 - flank, 40200 + flank))
    places = [flank + position - 40000 for position in range(start, end)]
    result = []
    for method in ("mutagenesis", "gradient"):
        run("explain", "model", "-r", f"chr1:{start + 1}-{end}", "-g", genome, "--method", method, "-o", method + ".h5")
        with h5py.File(method + ".h5") as file:
            ours = file["contributions"][:]
            assert file["start"][:].tolist() == list(range(start, end))
        theirs = []
        if method == "mutagenesis":
            with torch.no_grad():
                for place in places:
                    edited = x.repeat(4, 1, 1)
                    edited[:, :, place] = torch.eye(4)
                    theirs.append((both(x)[0] - both(edited).mean(0)).numpy())
        else:
            leaf = x.clone().requires_grad_(True)
            logits = both(leaf)[0]
            slopes = [torch.autograd.grad(logit, leaf, retain_graph=True)[0][0] for logit in logits]
            for place in places:
                theirs.append([float(((slope[:, place] - slope[:, place].mean()) * x[0, :, place]).sum()) for slope in slopes])
        theirs = np.array(theirs)
        assert ours.shape == theirs.shape and theirs.std() > 1e-4
        result.append(np.abs(ours - theirs).max() / np.abs(theirs).max())
    return result


def shuffles(bases):
    """All orders of the bases with the same first and last one and the same pairs of neighbours."""
    pairs = lambda text: sorted(map("".join, zip(text, text[1:])))
    orders = {bases[0] + "".join(inner) + bases[-1] for inner in itertools.permutations(bases[1:-1])}
    return sorted(order for order in orders if pairs(order) == pairs(bases))


def explain_integrated(run, genome, model):
    """Integrated gradients of one label from one shuffle, which is the only thing that Captum is not told: one of the few
    possible ones has to give our numbers. Returns the difference of numbers, and what is missing to the change of the logit."""
    flank, steps, label = 7000, 100, 0
    one_strand = lambda x: model(x)[:, flank // 200, label]
    both = lambda x: (one_strand(x) + one_strand(x.flip(1, 2))) / 2
    attribution = IntegratedGradients(both)
    around = bases_of(genome, 40000 - flank, 40200 + flank)
    best = []
    for at in range(flank + 60, flank + 140, 8):  # 8 bases near the middle that have another order or two
        bases = around[at:at + 8]
        others = [order for order in shuffles(bases) if order != bases]
        if not 1 <= len(others) <= 2:
            continue
        position = 40000 + at - flank
        for seed in (1, 2, 3):
            run("explain", "model", "-r", f"chr1:{position + 1}-{position + 8}", "-g", genome, "--features", str(label), "--method", "integrated",
                "--shuffles", "1", "--steps", str(steps), "--seed", str(seed), "-o", "integrated.h5")
            with h5py.File("integrated.h5") as file:
                ours = file["contributions"][:, 0]
            if np.abs(ours).max() > 0:
                break
        else:
            continue
        x = one_hot(bases_of(genome, position + 4 - 100 - flank, position + 4 + 100 + flank))  # the bin is at the centre
        first, results = flank + 96, []
        for other in others:
            reference = x.clone()
            reference[:, :, first:first + 8] = one_hot(other)
            theirs = attribution.attribute(x, reference, n_steps=steps, method="riemann_middle", internal_batch_size=20)[0, :, first:first + 8].sum(0)
            change = float(both(x) - both(reference))
            results.append((np.abs(ours - theirs.detach().numpy()).max() / np.abs(ours).max(), abs(ours.sum() - change) / abs(change)))
        best.append(min(results))
        if len(best) == 3:
            break
    assert len(best) == 3, "there are too few places to compare"
    return np.array(best).max(0)


def sequences(run, *words):
    """Networks that answer for a sequence as a whole: the largest difference of probabilities."""
    draw = np.random.default_rng(1)
    texts = ["".join(draw.choice(list("ACGT"), 100)) for _ in range(80)]
    with open("table.csv", "w") as table:
        table.write("sequence,label\n")
        table.writelines(f"{text},{int('TATA' in text)}\n" for text in texts)
    run("dataset", "table", "table.csv", "-o", "table", "--force")
    run("train", "table", "--preset", "tiny", "--networks", "2", "--steps", "20", "--no-kmers", "--no-baseline", "-o", "sequences", "--force", *words)
    with open("table.fa", "w") as fasta:
        fasta.writelines(f">{i}\n{text}\n" for i, text in enumerate(texts))
    run("predict", "sequences", "table.fa", "--precision", "fp32", "-o", "table.tsv")
    rows = [line.rstrip("\n").split("\t") for line in open("table.tsv") if not line.startswith("##")]
    column = rows[0].index("label=1")
    ours = np.array([float(row[column]) for row in rows[1:]])
    model = Model("sequences/model")
    length = model.networks[0].config["window"]
    with torch.no_grad():
        theirs = torch.sigmoid(torch.cat([model(F.pad(one_hot(text), (0, length - len(text)))) for text in texts])[:, 0, 0]).numpy()
    assert ours.std() > 1e-4, "the predictions say nothing"
    return np.abs(ours - theirs).max()


def main():
    root = os.environ["BIGDNA_SOURCE_DIR"]
    genome, run = root + "/test-data/genome.fa.gz", lambda *words: subprocess.run([os.environ["BIGDNA"], *words, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run("dataset", "chromatin", "--peaks", root + "/test-data/peaks.tsv", "-g", genome, "--keep", "all", "--upstream", "0", "--downstream", "0", "-o", "bins")
        run("train", "bins", "--preset", "tiny", "--networks", "2", "--steps", "30", "--window", "4000", "--no-kmers", "--no-baseline", "-o", "model")
        with open("regions.bed", "w") as bed:
            bed.writelines(f"chr1\t{start}\t{start + 200}\n" for start in (40000, 40200, 60100))
        run("chromatin", "model", "regions.bed", "-g", genome, "--precision", "fp32", "-o", "out.tsv")
        ours = np.array([[float(x) for x in line.split("\t")[6:]] for line in open("out.tsv") if line[0] != "#"])
        model, flank = Model("model/model"), 7000
        theirs = []
        for start in (40000, 40200, 60100):
            x = one_hot(bases_of(genome, start - flank, start + 200 + flank))
            with torch.no_grad():  # both strands: the bin is in the middle
                theirs.append(torch.sigmoid((model(x) + model(x.flip(1, 2)))[0, flank // 200] / 2).numpy())
        difference = np.abs(ours - np.array(theirs)).max()
        assert ours.std() > 1e-4, "the predictions say nothing"
        assert difference < 1e-5, difference
        print(f"largest difference of {ours.size} probabilities: {difference:.2g}")
        # k-mers beside the same networks: a model is the sum of its terms
        run("train", "bins", "--from", "model", "--keep-networks", "--no-baseline", "-o", "sum")
        kmers = Kmers("sum/model")
        run("chromatin", "sum", "regions.bed", "-g", genome, "--precision", "fp32", "-o", "sum.tsv")
        ours = np.array([[float(x) for x in line.split("\t")[6:]] for line in open("sum.tsv") if line[0] != "#"])
        theirs = []
        for start in (40000, 40200, 60100):
            bases = bases_of(genome, start - flank, start + 200 + flank)
            x, read = one_hot(bases), 2 * 6600 + 200  # bp that the networks, and so the k-mers, read
            with torch.no_grad():
                of_network = (model(x) + model(x.flip(1, 2)))[0, flank // 200] / 2
            middle = len(bases) // 2
            theirs.append(torch.sigmoid(kmers.logits(bases[middle - read // 2:middle + read // 2]) + kmers.base_weight * of_network).numpy())
        difference = np.abs(ours - np.array(theirs)).max()
        print(f"with k-mers: largest difference of {ours.size} probabilities: {difference:.2g}")
        assert kmers.weight.abs().max() > 0 and difference < 1e-5, difference
        mutagenesis, gradient = explain(run, genome, model)
        print(f"of contributions, relative to the largest: mutagenesis {mutagenesis:.2g}, gradient {gradient:.2g}")
        assert max(mutagenesis, gradient) < 1e-3
        integrated, missing = explain_integrated(run, genome, model)
        print(f"integrated gradients: difference from Captum's {integrated:.2g}, missing to the change of the logit {missing:.2g}")
        assert integrated < 1e-3
        for words in ([], ["--pooling-seeds", "3", "--heads", "2"]):
            largest = sequences(run, *words)
            print(f"sequences, {' '.join(words) or 'largest and mean state'}: largest difference {largest:.2g}")
            assert largest < 1e-5


if __name__ == "__main__":
    main()
