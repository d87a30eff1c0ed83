"""Values that `bigdna coverage` reads from real bigWig files equal pyBigWig's, and what it writes is read by pyBigWig."""
import os
import subprocess
import sys
import tempfile
import unittest

BIGDNA = os.environ["BIGDNA"]
DATA = os.environ.get("BIGDNA_DATA") or os.path.join(os.environ["BIGDNA_SOURCE_DIR"], "../shared/data")
if not os.path.exists(f"{DATA}/coverage/K562.PROseq.hg19.chr21.plus.bw"):
    print("SKIPPED: no real data in", DATA)
    sys.exit(77)
import numpy
import pyBigWig

LENGTH = 48129895  # of hg19's chr21


def values(path):
    return numpy.nan_to_num(pyBigWig.open(path).values("chr21", 0, LENGTH, numpy=True))


class Coverage(unittest.TestCase):
    def test_pro_seq(self):
        sizes = f"{DATA}/liftover/chrom_sizes/human.hg19.genome"
        for strand, total in (("plus", 1549575), ("minus", 1403768)):
            path = f"{DATA}/coverage/K562.PROseq.hg19.chr21.{strand}.bw"
            with tempfile.TemporaryDirectory() as folder:
                track, bins = f"{folder}/track.bw", f"{folder}/bins.bw"
                for output, options in ((track, []), (bins, ["--bin", "200"])):
                    subprocess.run([BIGDNA, "coverage", path, "--chrom-sizes", sizes, "-o", output, "--quiet", *options], check=True)
                expected = abs(values(path))
                self.assertEqual(expected.sum(dtype=float), total)
                self.assertTrue((values(track) == expected).all())
                whole = LENGTH // 200 * 200
                sums = expected[:whole].reshape(-1, 200).sum(1, dtype=float)
                self.assertTrue((values(bins)[:whole:200] == sums).all())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
