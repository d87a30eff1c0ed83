"""A model of `bigdna train`, read by bigdna_torch from its folder alone, gives bigdna's predictions and explanations: mutagenesis by
editing the one-hot sequence, gradients by autograd, integrated gradients by Captum.
"""
import itertools, json, os, subprocess, tempfile

import h5py
import numpy as np
import torch
from bigdna_torch import load, one_hot
from captum.attr import IntegratedGradients


def bases_of(genome, start, end):
    text = subprocess.run(["samtools", "faidx", genome, f"chr1:{start + 1}-{end}"], check=True, capture_output=True, text=True).stdout
    return "".join(text.split("\n")[1:]).upper()


def explain(run, genome, both):
    """Largest difference of contributions to all labels, both strands averaged, of 12 bases, and their spread."""
    start, end, flank = 40094, 40106, 7000  # the bin is 40000 to 40200
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
    both = lambda x: model(x)[:, label]
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
            change = float((both(x) - both(reference)).detach())
            results.append((np.abs(ours - theirs.detach().numpy()).max() / np.abs(ours).max(), abs(ours.sum() - change) / abs(change)))
        best.append(min(results))
        if len(best) == 3:
            break
    assert len(best) == 3, "there are too few places to compare"
    return np.array(best).max(0)


def numbers(path, first):
    """The columns of a table from one on."""
    return np.array([[float(x) for x in line.rstrip("\n").split("\t")[first:]] for line in open(path) if line[0] != "#"])


def differ(ours, theirs, what):
    """Fails where predictions differ, or all are the same."""
    assert ours.shape == theirs.shape and ours.std() > 1e-4, f"{what}: the predictions say nothing"
    largest = (np.abs(ours - theirs) / np.maximum(1, np.abs(ours))).max()
    print(f"{what}: largest difference of {ours.size} predictions {largest:.2g}")
    assert largest < 1e-5, what


# The labels of a table, and the words of `dataset table` and `train` beside them.
SEQUENCES = {
    "largest and mean state": (lambda text: int("TATA" in text), [], ["--no-kmers"]),
    "seeds": (lambda text: int("TATA" in text), [], ["--no-kmers", "--pooling-seeds", "3", "--heads", "2"]),
    "k-mers, both strands": (lambda text: int("TATA" in text), [], ["--reverse-complement"]),
    "classes": (lambda text: ("few", "some", "many")[min(2, text.count("GC") // 4)], [], []),
    "numbers": (lambda text: 100 + 7.5 * text.count("GC"), ["--label-type", "regression"], []),
}


def sequences(run, what):
    """Networks that answer for a sequence as a whole, of lengths that they read with N around them, or without their ends."""
    of_text, of_dataset, of_training = SEQUENCES[what]
    draw = np.random.default_rng(1)
    texts = ["".join(draw.choice(list("ACGT"), int(length))) for length in draw.integers(80, 121, 60)]
    with open("table.csv", "w") as table:
        table.write("sequence,label\n")
        table.writelines(f"{text},{of_text(text)}\n" for text in texts)
    run("dataset", "table", "table.csv", *of_dataset, "-o", "table", "--force")
    run("train", "table", "--preset", "tiny", "--networks", "2", "--steps", "20", "--no-baseline", "-o", "sequences", "--force", *of_training)
    texts += [texts[0] * 5 + "A", texts[1][:51], "ACGNNTTTN" * 8]
    with open("table.fa", "w") as fasta:
        fasta.writelines(f">{i}\n{text}\n" for i, text in enumerate(texts))
    run("predict", "sequences", "table.fa", "--precision", "fp32", "-o", "table.tsv")
    model = load("sequences")
    columns = next(line for line in open("table.tsv") if not line.startswith("##")).split()
    assert columns[6:] == model.names, (columns, model.names)
    with torch.no_grad():
        theirs = torch.cat([model(one_hot(text)) for text in texts]).numpy()
    differ(numbers("table.tsv", 6), theirs, "sequences, " + what)


def bins(run, genome, folder, what):
    """Bins of a genome, and records of other lengths, of which the bin in the middle is predicted."""
    starts, flank = (40000, 40200, 60100), 7000
    with open("regions.bed", "w") as bed:
        bed.writelines(f"chr1\t{start}\t{start + 200}\n" for start in starts)
    run("chromatin", folder, "regions.bed", "-g", genome, "--precision", "fp32", "-o", "out.tsv")
    model = load(folder)
    with torch.no_grad():
        differ(numbers("out.tsv", 6), model(one_hot([bases_of(genome, start - flank, start + 200 + flank) for start in starts])).numpy(), what)
    texts = [bases_of(genome, 50000, 50000 + length) for length in (200, 601, 5000, 13401, 20001)]
    with open("records.fa", "w") as fasta:
        fasta.writelines(f">{i}\n{text}\n" for i, text in enumerate(texts))
    run("predict", folder, "records.fa", "--precision", "fp32", "-o", "out.tsv")
    with torch.no_grad():
        differ(numbers("out.tsv", 6), torch.cat([model(one_hot(text)) for text in texts]).numpy(), what + ", records")


def promoters(run, root, genome):
    run("dataset", "promoter", "--promoters", root + "/test-data/tss.bed", "-g", genome, "--upstream", "400", "--downstream", "200",
        "--tss-distance", "700", "--test", "chr3", "--validation", "chrX", "-o", "promoters")
    run("train", "promoters", "--preset", "tiny", "--networks", "1", "--steps", "20", "--no-baseline", "-o", "promoter")
    texts = [bases_of(genome, 50000, 50000 + length) for length in (600, 601, 450, 2000)]
    with open("records.fa", "w") as fasta:
        fasta.writelines(f">{i}\n{text}\n" for i, text in enumerate(texts))
    model = load("promoter")
    assert len(model.terms) == 2, "no k-mers"
    for strands in ("forward", "average"):
        run("predict", "promoter", "records.fa", "--strands", strands, "--precision", "fp32", "-o", "out.tsv")
        model.both_strands = strands == "average"
        with torch.no_grad():
            differ(numbers("out.tsv", 6), torch.cat([model(one_hot(text)) for text in texts]).numpy(), "promoters, " + strands)
    run("train", "promoters", "--networks", "0", "--no-baseline", "-o", "without_networks")
    model = load("without_networks")
    assert len(model.terms) == 1, "there is a network"
    run("predict", "without_networks", "records.fa", "--strands", "forward", "--precision", "fp32", "-o", "out.tsv")
    with torch.no_grad():
        differ(numbers("out.tsv", 6), torch.cat([model(one_hot(text)) for text in texts]).numpy(), "promoters without networks")
    run("pretrain", genome, "--preset", "tiny", "--layers", "1", "--steps", "2", "--batch", "2", "--evaluation-tokens", "1000", "-o", "pretrained")
    run("train", "promoters", "--from", "promoter", "--keep-networks", "--no-kmers", "--encoder", "pretrained", "--no-baseline", "-o", "with_encoder")
    refused("with_encoder", "with_encoder/model", "a pretrained encoder as a term", "--encoder")


def refused(path, *words):
    try:
        load(path)
    except ValueError as error:
        assert all(word in str(error) for word in words), error
        return
    raise AssertionError(path + " is read")


def main():
    root = os.environ["BIGDNA_SOURCE_DIR"]
    genome, run = root + "/test-data/genome.fa.gz", lambda *words: subprocess.run([os.environ["BIGDNA"], *words, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run("dataset", "chromatin", "--peaks", root + "/test-data/peaks.tsv", "-g", genome, "--keep", "all", "--upstream", "0", "--downstream", "0",
            "--start-sites", root + "/test-data/tss.bed", "-o", "bins")
        run("train", "bins", "--preset", "tiny", "--networks", "2", "--steps", "30", "--window", "4000", "--no-kmers", "--no-baseline", "-o", "model")
        bins(run, genome, "model", "bins")
        run("train", "bins", "--from", "model", "--keep-networks", "--no-baseline", "-o", "sum")
        bins(run, genome, "sum", "bins with k-mers")
        assert load("sum").terms[0].weight.abs().max() > 0, "the k-mers say nothing"
        run("predict", "model", "records.fa", "--ensemble", "sum", "--precision", "fp32", "-o", "out.tsv")
        with torch.no_grad():
            texts = [line.strip() for line in open("records.fa") if line[0] != ">"]
            differ(numbers("out.tsv", 6), torch.cat([load("model", "sum")(one_hot(text)) for text in texts]).numpy(), "ensemble")
        model = load("model", answers="logits")
        mutagenesis, gradient = explain(run, genome, model)
        print(f"of contributions, relative to the largest: mutagenesis {mutagenesis:.2g}, gradient {gradient:.2g}")
        assert max(mutagenesis, gradient) < 1e-3
        integrated, missing = explain_integrated(run, genome, model)
        print(f"integrated gradients: difference from Captum's {integrated:.2g}, missing to the change of the logit {missing:.2g}")
        assert integrated < 1e-3
        for what in SEQUENCES:
            sequences(run, what)
        promoters(run, root, genome)

        refused(root + "/models/human-chr20-encoder", "human-chr20-encoder: is a model of type 'modernbert'")
        refused("nowhere", "nowhere: no config.json there")
        refused("records.fa", "records.fa: is a file")
        os.truncate("model/model/model.safetensors", 1000)
        refused("model", "model/model/model.safetensors")
        config = json.load(open("model/model/config.json"))
        with open("model/model/config.json", "w") as file:
            json.dump({**config, "attention": {"layers": 1}}, file)
        refused("model", "model/model: its network has layers of attention")


if __name__ == "__main__":
    main()
