"""`bigdna convert` and `bigdna profile` beside bpnet-lite itself, on models of random weights and of several shapes.

bpnet-lite is not in requirements.txt, because it asks for peak callers and motif finders that nothing here needs. Where it is not installed
(pip install --no-deps bpnet-lite tangermeme tqdm pandas numba llvmlite), this test is skipped; tests/unit/profile compares with its numbers all the same.
"""
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np
import torch

try:
    from bpnetlite.bpnet import BPNet
    from bpnetlite.chrombpnet import ChromBPNet
except ImportError as error:
    print(f"SKIPPED: {error}")
    sys.exit(77)

OUTPUT = 1000
rng = np.random.default_rng(1)


def bpnet(**shape):
    return BPNet(verbose=False, **({"n_outputs": 1, "n_control_tracks": 0} | shape))


def models():
    """Name, model, window."""
    yield "small", bpnet(n_filters=4, n_layers=1), OUTPUT + 2 * 49
    yield "stranded", bpnet(n_filters=8, n_layers=8, n_outputs=2, profile_output_bias=False), 2114
    yield "controls", bpnet(n_filters=5, n_layers=3, n_outputs=2, n_control_tracks=2, count_output_bias=False), OUTPUT + 2 * 61
    yield "one_control", bpnet(n_filters=5, n_layers=2, n_control_tracks=1), OUTPUT + 2 * 53
    yield "trimmed", bpnet(n_filters=6, n_layers=4, trimming=200), OUTPUT + 400
    yield "usual", bpnet(n_filters=64, n_layers=8), 2114
    yield "chrombpnet", ChromBPNet(bpnet(n_filters=16, n_layers=4), bpnet(n_filters=32, n_layers=8)), 2114


def randomise(model):
    """Weights that keep logits small: fp32 has seven digits, and the softmax is an exponential."""
    with torch.no_grad():
        for value in model.parameters():
            value.copy_(torch.randn_like(value) * 0.6 / np.sqrt(value[0].numel() if value.dim() > 1 else 25))


def expected(model, letters):
    """Logarithms of counts, and expected reads at each base, of two strands one after the other."""
    controls = getattr(model, "n_control_tracks", 0)
    given = (torch.zeros(len(letters), controls, letters.shape[2]),) if controls else ()
    with torch.no_grad():
        logits, counts = model(letters, *given)
    profile = torch.softmax(logits.double().flatten(1), dim=1) * torch.exp(counts.double())
    return counts[:, 0].numpy(), profile.numpy()


torch.manual_seed(1)
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for name, model, window in models():
        randomise(model)
        rows = ["".join(rng.choice(list("ACGTN"), size=window, p=[0.29, 0.2, 0.2, 0.3, 0.01])) for _ in range(4)]
        with open("in.fa", "w") as file:
            file.writelines(f">s{i}\n{row}\n" for i, row in enumerate(rows))
        letters = torch.tensor(np.array([[[base == letter for base in row] for letter in "ACGT"] for row in rows], dtype=np.float32))
        counts, profile = expected(model, letters)
        torch.save(model, name + ".torch")
        torch.save(model.state_dict(), name + "_state.pt")
        for path in (name + ".torch", name + "_state.pt"):
            if name == "trimmed" and path.endswith(".pt"):  # a state dict does not say it
                continue
            subprocess.run(["bigdna", "convert", path, "-o", path + ".model", "--quiet"], check=True)
            subprocess.run(["bigdna", "profile", path + ".model", "in.fa", "-o", "out.h5", "--quiet"], check=True)
            with h5py.File("out.h5") as file:
                of_counts = np.abs(file["log_counts"][:].ravel() - counts).max()
                of_profile = np.abs(file["profile"][:] - profile).max() / profile.max()
            print(f"{path}: log counts differ by {of_counts:.1e}, profiles by {of_profile:.1e} of the largest value")
            assert of_counts < 1e-5 and of_profile < 1e-5, path
    shallow = bpnet(n_filters=4, n_layers=3, trimming=20)
    torch.save(shallow, "padded.torch")
    result = subprocess.run(["bigdna", "convert", "padded.torch", "-o", "out"], capture_output=True, text=True)
    assert result.returncode == 1 and "trimming is 20, but 3 layers reach 61 bp" in result.stderr, result.stderr
