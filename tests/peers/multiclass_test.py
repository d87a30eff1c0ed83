"""Metrics of classes, several labels and regression against scikit-learn and SciPy to 1e-10, on the cases the unit test draws."""
import json
import math
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np
from scipy import stats
from sklearn import metrics

warnings.filterwarnings("ignore")
program = os.path.join(os.path.dirname(os.environ["BIGDNA"]), "test_metrics")
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "cases.json")
    subprocess.run([program, "--gtest_filter=Multiclass.Cases"], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "BIGDNA_MULTICLASS_CASES": path})
    cases = json.load(open(path))

worst, compared = 0.0, 0
for case in cases:
    truth = np.array(case["truth"])
    calls = np.array(case["scores"]).reshape(len(truth), case["classes"]).argmax(1)
    labels, called = np.array(case["labels"]).T, np.array(case["calls"]).T
    measured, predicted = np.array(case["measured"]), np.array(case["predicted"])
    expected = {
        "accuracy": metrics.accuracy_score(truth, calls),
        "f1_macro": metrics.f1_score(truth, calls, average="macro", zero_division=0),
        "mcc": metrics.matthews_corrcoef(truth, calls),
        "multilabel_f1_macro": metrics.f1_score(labels, called, average="macro", zero_division=0),
        "multilabel_f1_micro": metrics.f1_score(labels, called, average="micro", zero_division=0),
        "pearson": stats.pearsonr(measured, predicted).statistic,
        "spearman": stats.spearmanr(measured, predicted).statistic,
        "r2": metrics.r2_score(measured, predicted),
        "rmse": math.sqrt(metrics.mean_squared_error(measured, predicted)),
    }
    for name, value in expected.items():
        if math.isnan(value):
            assert case[name] is None, (name, case[name])
            continue
        scale = max(1.0, abs(value))
        worst, compared = max(worst, abs(case[name] - value) / scale), compared + 1
print(f"{len(cases)} cases, {compared} values, largest difference {worst:.2e}")
sys.exit(0 if compared > 400 and worst <= 1e-10 else 1)
