"""Logistic, ridge and multinomial regressions against scikit-learn: the same penalties, the same folds, the same choice."""
import json
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge

warnings.filterwarnings("ignore")
every = [30, 10, 3, 1, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001]
program = os.path.join(os.path.dirname(os.environ["BIGDNA"]), "test_linear")
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "cases.json")
    subprocess.run([program, "--gtest_filter=FitLinear.Cases"], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "BIGDNA_LINEAR_CASES": path})
    cases = json.load(open(path))


def outputs_of(x, y, penalty, kind, where):
    """A fit of the rows of x and y, and its outputs where asked: log probabilities of classes, logits of labels."""
    if kind == "regression":
        return Ridge(alpha=penalty * len(x)).fit(x, y).predict(where).reshape(len(where), -1)
    if kind == "multilabel" and y.min() == y.max():
        return np.full((len(where), 1), np.log((y.sum() + 0.5) / (len(y) - y.sum() + 0.5)))
    model = LogisticRegression(C=1 / (penalty * len(x)), max_iter=20000, tol=1e-9)
    if kind == "multilabel":
        return model.fit(x, y[:, 0]).decision_function(where)[:, None]
    out = np.full((len(where), y.shape[1]), -np.inf)
    model.fit(x, y.argmax(1))
    out[:, model.classes_] = model.predict_log_proba(where)
    return out


def losses_of(out, truth, kind):
    if kind == "classes":
        return -(out * truth).sum(1)
    return ((out - truth) ** 2 if kind == "regression" else np.logaddexp(0, out) - out * truth).sum(1)


def held_out(x, truth, folds, penalty, kind):
    held = np.zeros_like(truth)
    for fold in range(folds.max() + 1):
        held[folds == fold] = outputs_of(x[folds != fold], truth[folds != fold], penalty, kind, x[folds == fold])
    return held


worst = 0.0
for case in cases:
    rows, folds, kind = case["rows"], np.array(case["folds"]), case["type"]
    x = np.array(case["x"]).reshape(rows, -1)
    y = np.array(case["y"]).reshape(rows, -1)
    ours, ours_out = (np.array(case[name]).reshape(rows, -1) for name in ("outputs", "out_of_fold"))
    deviation = x.std(0)
    x = (x - x.mean(0)) / np.where(deviation > 1e-9, deviation, np.inf)
    for block in [slice(None)] if kind == "classes" else [slice(f, f + 1) for f in range(y.shape[1])]:
        truth, held, errors = y[:, block], [], []
        penalties = every if kind != "multilabel" else every[2:]
        for penalty in penalties:
            held.append(held_out(x, truth, folds, penalty, kind))
            errors.append(losses_of(held[-1], truth, kind))
            if kind == "multilabel" and len(errors) > np.argmin([e.sum() for e in errors]) + 2:
                break  # a label's penalties end where two have been no better
        held, errors = np.array(held), np.array(errors)
        best = errors.sum(1).argmin()
        expected = outputs_of(x, truth, penalties[best], kind, x)
        found, found_out = ours[:, block], ours_out[:, block]
        normal = lambda z: z - np.log(np.exp(z).sum(1, keepdims=True)) if kind == "classes" else z
        worst = max(worst, np.abs(normal(found) - expected).max())
        for fold in range(folds.max() + 1):
            inside = folds == fold
            chosen = errors[:, ~inside].sum(1).argmin()
            worst = max(worst, np.abs(normal(found_out[inside]) - held[chosen, inside]).max())
print(f"{len(cases)} cases, largest difference {worst:.1e}")
sys.exit(0 if cases and worst < 5e-3 else 1)
