"""Predictions of `chromatin` as HDF5 (h5py) and bigWig (pyBigWig) equal the table; `evaluate` equals
scikit-learn to 1e-12 feature by feature, and its bootstrap a plain one with the rows themselves resampled.
"""
import json
import os
import subprocess
import tempfile
import warnings

import h5py
import numpy as np
import pyBigWig
from sklearn import metrics

warnings.filterwarnings("ignore")
source = os.environ["BIGDNA_SOURCE_DIR"]
test_data = os.path.join(source, "test-data")
genome = os.path.join(test_data, "genome.fa.gz")


def bigdna(*arguments):
    return subprocess.run([os.environ["BIGDNA"], *arguments, "--quiet", "-@2"], check=True, capture_output=True, text=True).stdout


def table(text):
    lines = [line.split("\t") for line in text.splitlines() if not line.startswith("##")]
    return lines[0], lines[1:]


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    bigdna("pretrain", genome, "--preset", "tiny", "--layers", "1", "--hidden", "32", "--ffn", "64", "--max-length", "256", "--vocab-size", "200", "--steps", "2",
           "--batch", "2", "--hold-out", "chr2,chr3", "--evaluation-tokens", "1000", "-o", "pre")
    bigdna("dataset", "chromatin", "--peaks", os.path.join(test_data, "peaks.tsv"), "-g", genome, "--upstream", "200", "--downstream", "200", "--split-like",
           "pre/model", "--validation", "chrX", "--keep", "any", "--negatives", "0.5", "-o", "bins")
    bigdna("finetune", "pre", "bins", "--steps", "6", "--evaluations", "1", "--no-baseline", "-o", "one")
    bigdna("finetune", "pre", "bins", "--steps", "3", "--evaluations", "1", "--random-head", "--seed", "2", "--no-baseline", "-o", "two")

    # regions with further columns; some in N
    with open("regions.bed", "w") as file:
        for i in range(3000):
            file.write(f"chr1\t{i * 100 + 300}\t{i * 100 + 350 + i % 50}\tr{i}\t{i}\t{'+-.'[i % 3]}\tmore{i}\tüñ{i}\n")
    header, rows = table(bigdna("chromatin", "one", "regions.bed", "-g", genome, "--features", "CTCF,HM"))
    bigdna("chromatin", "one", "regions.bed", "-g", genome, "--features", "CTCF,HM", "-o", "out.h5", "--seen")
    with h5py.File("out.h5") as file:
        predictions = file["predictions"][:]
        assert predictions.dtype == np.float32 and predictions.shape == (3000, 2) and file["predictions"].chunks is not None
        expected = np.array([[np.nan if v == "." else float(v) for v in row[8:]] for row in rows])
        assert (np.isnan(predictions) == np.isnan(expected)).all() and np.isnan(expected).any()
        assert np.nanmax(np.abs(predictions - expected)) <= 5.1e-7
        contigs = file["contigs"].asstr()[:]
        assert [contigs[i] for i in file["chrom"]] == [row[0] for row in rows]
        assert file["start"][:].tolist() == [int(row[1]) for row in rows] and file["end"][:].tolist() == [int(row[2]) for row in rows]
        assert file["name"].asstr()[:].tolist() == [row[3] for row in rows]
        assert file["further_columns"].asstr()[:].tolist() == [row[6:8] for row in rows]
        assert file["feature_name"].asstr()[:].tolist() == ["CTCF", "H3K4me3"] and file["feature_index"][:].tolist() == [0, 2]
        assert file["feature_column"].asstr()[:].tolist() == header[8:] and file["feature_strand"].asstr()[:].tolist() == [".", "."]
        assert file["feature_group"].asstr()[:].tolist() == ["TF", "HM"] and file["feature_positive_weight"][:].tolist() == [8, 8]
        assert set(file["seen"][:].tolist()) <= {0, 1}
    print("HDF5: 3000 regions as the table has them")

    header, rows = table(bigdna("chromatin", "one", "-g", genome, "--contigs", "chr3|chrM"))
    bigdna("chromatin", "one", "-g", genome, "--contigs", "chr3|chrM", "--bigwig", "tracks", "--ensemble", "one")  # the mean of it and itself
    for column, name in enumerate(("0_CTCF_SimCell", "1_DNase_SimCell", "2_H3K4me3_SimCell")):
        with pyBigWig.open(f"tracks/{name}.bw") as track:
            found = [(contig, *interval) for contig in track.chroms() for interval in (track.intervals(contig) or [])]
        found.sort()
        expected = sorted((row[0], int(row[1]), int(row[2]), float(row[6 + column])) for row in rows if row[6 + column] != ".")
        assert [f[:3] for f in found] == [e[:3] for e in expected] and len(found) > 300
        assert max(abs(f[3] - e[3]) for f, e in zip(found, expected)) <= 6e-7
    print(f"bigWig: 3 tracks of {len(found)} tiles as the table has them")

    # evaluation: --scores gives the float32 back; JSON has all digits
    bigdna("evaluate", "one", "bins", "--compare", "two", "--no-baseline", "--scores", "scores.tsv", "--json", "e.json", "--resamples", "200")
    header, rows = table(open("scores.tsv").read())
    values = np.array([[float(v) for v in row[6:]] for row in rows])
    labels, scores = values[:, :3].astype(int), {"bigdna": values[:, 3:6].astype(np.float32), "two": values[:, 6:9].astype(np.float32)}
    report = json.load(open("e.json"))
    worst, aurocs = 0.0, {}
    for f, feature in enumerate(report["features"]):
        assert feature["positives"] == labels[:, f].sum() and abs(feature["prevalence"] - labels[:, f].mean()) < 1e-15
        for method, columns in scores.items():
            auroc = metrics.roc_auc_score(labels[:, f], columns[:, f])
            aurocs.setdefault(method, []).append(auroc)
            worst = max(worst, abs(auroc - feature[method]["auroc"]),
                        abs(metrics.average_precision_score(labels[:, f], columns[:, f]) - feature[method]["auprc"]))
        worst = max(worst, abs(feature["minus_two"]["value"] - (aurocs["bigdna"][f] - aurocs["two"][f])))
        assert feature["minus_two"]["low"] <= feature["minus_two"]["value"] <= feature["minus_two"]["high"]
    for statistic, function in (("median", np.median), ("mean", np.mean)):
        worst = max(worst, abs(function(aurocs["bigdna"]) - report["groups"]["all"]["bigdna"][f"auroc_{statistic}"]["value"]))
    assert worst <= 1e-12, worst
    print(f"evaluation of {len(rows)} rows: largest difference to scikit-learn {worst:.1e}")

    # the interval against an ordinary bootstrap of whole blocks (1 Mb, halved where they are fewer than ten): the same width, within what
    # 200 and 400 resamples can differ
    rng = np.random.default_rng(1)
    size, blocks = 2_000_000, []
    while len(set(blocks)) < 10 and size // 2 >= 30_000:
        size //= 2
        blocks = [f"{row[0]}:{int(row[1]) // size}" for row in rows]
    names = sorted(set(blocks))
    if len(names) > 1:
        members = {name: np.flatnonzero(np.array(blocks) == name) for name in names}
        draws = []
        for _ in range(400):
            index = np.concatenate([members[name] for name in rng.choice(names, len(names))])
            if len(set(labels[index, 0])) == 2:
                draws.append(metrics.roc_auc_score(labels[index, 0], scores["bigdna"][index, 0]) - metrics.roc_auc_score(labels[index, 0], scores["two"][index, 0]))
        low, high = np.percentile(draws, [2.5, 97.5])
        ours = report["features"][0]["minus_two"]
        assert abs(ours["low"] - low) <= 0.35 * (high - low) + 1e-9 and abs(ours["high"] - high) <= 0.35 * (high - low) + 1e-9, (ours, low, high)
        print(f"paired difference: [{ours['low']:.4f}, {ours['high']:.4f}], by rows [{low:.4f}, {high:.4f}]")
