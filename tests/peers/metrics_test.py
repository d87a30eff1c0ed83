"""lib/metrics against scikit-learn to 1e-12, on the cases the unit test draws (random, tied, degenerate)."""
import json
import math
import os
import subprocess
import sys
import tempfile
import warnings

from sklearn import metrics

warnings.filterwarnings("ignore")
program = os.path.join(os.path.dirname(os.environ["BIGDNA"]), "test_metrics")
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "cases.json")
    subprocess.run([program, "--gtest_filter=Auroc.EqualsAllPairs"], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "BIGDNA_METRICS_CASES": path})
    cases = json.load(open(path))

worst = 0.0
for case in cases:
    scores, labels = case["scores"], case["labels"]
    calls = [score >= case["threshold"] for score in scores]
    expected = {
        "auroc": metrics.roc_auc_score(labels, scores) if len(set(labels)) == 2 else None,
        "auprc": metrics.average_precision_score(labels, scores),
        "f1": metrics.f1_score(labels, calls, zero_division=0),
        "precision": metrics.precision_score(labels, calls, zero_division=0),
        "recall": metrics.recall_score(labels, calls, zero_division=0),
        "mcc": metrics.matthews_corrcoef(labels, calls),
        "accuracy": metrics.accuracy_score(labels, calls),
    }
    for name, value in expected.items():
        if value is None or math.isnan(value):
            assert case[name] is None, (name, case[name])
            continue
        worst = max(worst, abs(case[name] - value))
print(f"{len(cases)} cases, largest difference {worst:.2e}")
sys.exit(0 if cases and worst <= 1e-12 else 1)
