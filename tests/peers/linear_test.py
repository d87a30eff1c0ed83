"""Ridge and multinomial regressions of tables against scikit-learn: the same penalties, the same folds, the same choice."""
import json
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge

warnings.filterwarnings("ignore")
penalties = [30, 10, 3, 1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001]
program = os.path.join(os.path.dirname(os.environ["BIGDNA"]), "test_classification")
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "cases.json")
    subprocess.run([program, "--gtest_filter=FitLinear.Cases"], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "BIGDNA_LINEAR_CASES": path})
    cases = json.load(open(path))


def outputs_of(x, y, penalty, classes, where):
    """A fit of the rows of x and y, and its outputs where asked: log probabilities of classes."""
    if classes:
        model = LogisticRegression(C=1 / (penalty * len(x)), max_iter=20000, tol=1e-9)
        out = np.full((len(where), y.shape[1]), -np.inf)
        model.fit(x, y.argmax(1))
        out[:, model.classes_] = model.predict_log_proba(where)
        return out
    return Ridge(alpha=penalty * len(x)).fit(x, y).predict(where).reshape(len(where), -1)


worst = 0.0
for case in cases:
    rows, folds, classes = case["rows"], np.array(case["folds"]), case["classes"]
    x = np.array(case["x"]).reshape(rows, -1)
    y = np.array(case["y"]).reshape(rows, -1)
    ours, ours_out = (np.array(case[name]).reshape(rows, -1) for name in ("outputs", "out_of_fold"))
    deviation = x.std(0)
    x = (x - x.mean(0)) / np.where(deviation > 1e-9, deviation, np.inf)
    for block in [slice(None)] if classes else [slice(f, f + 1) for f in range(y.shape[1])]:
        truth = y[:, block]
        held = np.stack([np.zeros_like(truth) for _ in penalties])
        for p, penalty in enumerate(penalties):
            for fold in range(folds.max() + 1):
                inside = folds == fold
                held[p, inside] = outputs_of(x[~inside], truth[~inside], penalty, classes, x[inside])
        errors = -(held * truth).sum(2) if classes else ((held - truth) ** 2).sum(2)
        best = errors.sum(1).argmin()
        expected = outputs_of(x, truth, penalties[best], classes, x)
        found, found_out = ours[:, block], ours_out[:, block]
        normal = lambda z: z - np.log(np.exp(z).sum(1, keepdims=True)) if classes else z
        worst = max(worst, np.abs(normal(found) - expected).max())
        for fold in range(folds.max() + 1):
            inside = folds == fold
            chosen = errors[:, ~inside].sum(1).argmin()
            worst = max(worst, np.abs(normal(found_out[inside]) - held[chosen, inside]).max())
print(f"{len(cases)} cases, largest difference {worst:.1e}")
sys.exit(0 if cases and worst < 5e-3 else 1)
