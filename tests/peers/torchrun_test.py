"""bigdna pretrain under PyTorch's own launcher, torchrun: two processes, the same curve as one."""
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BIGDNA = os.environ["BIGDNA"]
TORCHRUN = Path(sys.executable).with_name("torchrun")
OPTIONS = ("--layers 1 --heads 2 --hidden 16 --ffn 32 --max-length 64 --block 8 --batch 4 --learning-rate 1e-3 --vocab-size 64 --steps 6 "
           "--evaluation-tokens 1000 --precision fp32 --device cpu --log-every 1 --quiet").split()


def curve(run):
    lines = [json.loads(line) for line in (run / "metrics.jsonl").open()]
    return [{key: value for key, value in line.items() if key != "tokens_per_second"} for line in lines]


class Torchrun(unittest.TestCase):
    def test_two_processes_train_as_one(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            bases = random.Random(5)
            (folder / "genome.fa").write_text(">chr1\n" + "".join(bases.choice("ACGT") for _ in range(90000)) + "\n")
            command = [BIGDNA, "pretrain", folder / "genome.fa", *OPTIONS]
            environment = dict(os.environ, OMP_NUM_THREADS="1")
            subprocess.run([*command, "-@", "1", "-o", folder / "one"], check=True, env=environment)
            subprocess.run([TORCHRUN, "--no-python", "--standalone", "--nproc-per-node", "2", *command, "-o", folder / "two"], check=True, env=environment)
            one, two = curve(folder / "one"), curve(folder / "two")
            self.assertEqual(len(one), len(two))
            self.assertGreaterEqual(len(one), 7)
            for a, b in zip(one, two):
                self.assertEqual(a.keys(), b.keys())
                for key in a:
                    self.assertAlmostEqual(a[key], b[key], delta=2e-5 * max(1, abs(a[key])), msg=f"{key} of {a}")

    def test_torchrun_reports_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([TORCHRUN, "--no-python", "--standalone", "--nproc-per-node", "2", BIGDNA, "pretrain", "absent.fa", "-o", Path(folder) / "run"],
                                  capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("absent.fa: No such file", done.stderr)


if __name__ == "__main__":
    unittest.main()
