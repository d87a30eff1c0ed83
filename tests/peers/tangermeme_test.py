"""tangermeme runs on a module of bigdna_torch: its mutagenesis and marginalisation give what `bigdna explain` and `bigdna marginalize`
give of the same model, and `bigdna predict` finds that what it designs has the output that it says."""
import csv, io, os, subprocess, sys, tempfile

import numpy as np
import torch
from bases_network_test import bases_of
from bigdna_torch import load, one_hot

try:
    from tangermeme.design import greedy_substitution
    from tangermeme.marginalize import marginalize
    from tangermeme.saturation_mutagenesis import saturation_mutagenesis
except ImportError as error:
    print(f"SKIPPED: {error} (tests/peers/setup.sh installs it)")
    sys.exit(77)

SOURCE = os.environ["BIGDNA_SOURCE_DIR"]
GENOME, MODEL, CONTEXT = SOURCE + "/test-data/genome.fa.gz", "yeast", 13400
MOTIF = "GCGCGCTATAAATTGCA"  # 17 bases
STARTS = (40000, 60200, 80000)


def table(*words):
    text = subprocess.run([os.environ["BIGDNA"], *words, "--quiet", "-@", "2"], check=True, capture_output=True, text=True).stdout
    lines = "".join(line.lstrip("#") + "\n" for line in text.splitlines() if not line.startswith("##"))
    return list(csv.DictReader(io.StringIO(lines), delimiter="\t"))


def main():
    os.environ["BIGDNA_MODELS"] = SOURCE + "/models"
    model = load(MODEL, answers="logits")
    windows = one_hot([bases_of(GENOME, start - 6600, start + 6800) for start in STARTS])  # around the bin from `start` on
    assert windows.shape[2] == CONTEXT == model.context

    first, last = 6694, 6706  # 12 bases around the middle of the bin, which is the middle that explain takes
    theirs = [saturation_mutagenesis(model, windows[:1], start=first, end=last, target=label, device="cpu", batch_size=16)[0].sum(0).numpy()
              for label in range(len(model.names))]
    rows = table("explain", MODEL, "-r", f"chr1:{STARTS[0] + first - 6600 + 1}-{STARTS[0] + last - 6600}", "-g", GENOME, "--method", "mutagenesis")
    ours = np.array([[float(row[name]) for name in model.names] for row in rows]).T
    difference = np.abs(ours - np.array(theirs)).max()
    print(f"saturation mutagenesis of {last - first} bases: largest contribution {np.abs(ours).max():.3g}, largest difference {difference:.2g}")
    assert np.abs(ours).max() > 1e-3 and difference < 1e-4, difference

    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/motif.meme", "w") as file:
            file.write(f"MEME version 4\n\nALPHABET= ACGT\n\nMOTIF made\nletter-probability matrix: alength= 4 w= {len(MOTIF)}\n")
            file.writelines(" ".join("0.97" if base == letter else "0.01" for letter in "ACGT") + "\n" for base in MOTIF)
        with open(folder + "/regions.bed", "w") as bed:
            bed.writelines(f"chr1\t{start}\t{start + 200}\n" for start in STARTS)
        rows = table("marginalize", MODEL, folder + "/motif.meme", "-R", folder + "/regions.bed", "-g", GENOME, "--background", "given", "-o", "-")
    ours = np.array([[float(row["change"]) for row in rows if row["strand"] == strand and row["feature"] == name] for strand in "+-" for name in model.names])
    before, after = zip(*(marginalize(model, windows, motif, start=(CONTEXT - len(MOTIF)) // 2, device="cpu", batch_size=4)
                          for motif in (one_hot(MOTIF), one_hot(MOTIF).flip(1, 2))))
    theirs = torch.cat([(b - a).mean(0) for a, b in zip(before, after)]).numpy()
    difference = np.abs(ours[:, 0] - theirs).max()
    print(f"marginalize, {len(STARTS)} windows: largest change {np.abs(ours).max():.3g}, largest difference {difference:.2g}")
    assert np.abs(ours).max() > 1e-2 and difference < 1e-4, difference

    places = torch.zeros(CONTEXT, dtype=torch.bool)
    places[6660:6740:20] = True
    designed = greedy_substitution(model, windows[:1], motifs=[MOTIF], input_mask=places, max_iter=2, device="cpu", batch_size=8)
    with torch.no_grad():
        first, last = model(windows[:1])[0], model(designed)[0]
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/designed.fa"
        with open(path, "w") as file:
            file.write(">designed\n" + "".join("ACGT"[code] for code in designed[0].argmax(0)) + "\n")
        row = table("predict", MODEL, path, "--precision", "fp32")[0]
    difference = np.abs(np.array([float(row[name]) for name in model.names]) / torch.sigmoid(last).numpy() - 1).max()
    print(f"greedy design, 2 rounds: mean log-odds {first.mean():.4g} to {last.mean():.4g}, relative difference from bigdna predict {difference:.2g}")
    assert last.mean() > first.mean() + 0.01 and difference < 1e-4, difference


if __name__ == "__main__":
    main()
