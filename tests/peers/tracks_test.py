"""A network of peaks and tracks, read by bigdna_torch from its folder alone, gives bigdna's probabilities and expected counts, and what
`evaluate` says of the counts is what SciPy and scikit-learn say of the same pairs."""
import csv, gzip, os, subprocess, tempfile

import numpy as np
import torch
from bases_network_test import bases_of
from bigdna_torch import load, one_hot
from scipy import stats
from sklearn.metrics import d2_tweedie_score, r2_score


def main():
    root = os.environ["BIGDNA_SOURCE_DIR"]
    data, genome = root + "/test-data/", root + "/test-data/genome.fa.gz"
    run = lambda *words: subprocess.run([os.environ["BIGDNA"], *words, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    starts = (40000, 40200, 60000, 80400)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run("dataset", "chromatin", "--peaks", data + "peaks.tsv", "--tracks", data + "tracks.tsv", "-g", genome, "--contigs", "chr[123X]",
            "--upstream", "0", "--downstream", "0", "--validation", "chrX", "--test", "chr3", "-o", "bins")
        run("train", "bins", "--preset", "tiny", "--networks", "2", "--steps", "40", "--window", "4000", "--no-baseline", "-o", "model")
        with open("regions.bed", "w") as bed:
            bed.writelines(f"chr1\t{start}\t{start + 200}\n" for start in starts)
        run("chromatin", "model", "regions.bed", "-g", genome, "--precision", "fp32", "-o", "out.tsv")
        ours = np.array([[float(x) for x in line.split("\t")[6:]] for line in open("out.tsv") if line[0] != "#"])
        model, flank = load("model"), 7000
        with torch.no_grad():
            theirs = model(one_hot([bases_of(genome, start - flank, start + 200 + flank) for start in starts])).numpy()
        counts = model.link.counts.numpy()
        assert ours.shape == theirs.shape and counts.any() and not counts.all() and ours[:, counts].std() > 1e-3
        difference = (np.abs(ours - theirs) / np.maximum(1, theirs)).max()
        print(f"largest difference of {ours.size} probabilities and expected counts: {difference:.2g}")
        assert difference < 1e-5, difference

        # the metrics of the test split, from the table of scores
        run("evaluate", "model", "bins", "--precision", "fp32", "--no-baseline", "--report", "report")
        with gzip.open("report/scores.tsv.gz", "rt") as file:
            rows = list(csv.DictReader((line for line in file if not line.startswith("##")), delimiter="\t"))
        observed, expected = (np.array([float(row[kind + "ATAC|SimCell"]) for row in rows]) for kind in ("label:", "bigdna:"))
        log_observed, log_expected = np.log1p(observed), np.log1p(expected)
        wanted = {"pearson_log1p": stats.pearsonr(log_observed, log_expected)[0], "pearson": stats.pearsonr(observed, expected)[0],
                  "spearman": stats.spearmanr(observed, expected)[0], "r2_log1p": r2_score(log_observed, log_expected),
                  "deviance_explained": d2_tweedie_score(observed, expected, power=1), "total_ratio": expected.sum() / observed.sum()}
        with open("report/tracks.tsv") as file:
            given = {row["metric"]: float(row["value"]) for row in csv.DictReader((line for line in file if not line.startswith("##")), delimiter="\t")
                     if row["bins"] == "all" and row["method"] == "bigdna"}
        for metric, value in wanted.items():
            print(f"{metric}: {given[metric]:.6f}, SciPy and scikit-learn {value:.6f}")
            assert abs(given[metric] - value) < 2e-6 * max(1, abs(value)), metric


if __name__ == "__main__":
    main()
