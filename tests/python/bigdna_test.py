"""`import bigdna` (apps/python/bigdna) gives the command's numbers, and raises what the command says."""
import gzip, os, pathlib, subprocess, sys, tempfile, unittest, warnings

SOURCE = pathlib.Path(os.environ["BIGDNA_SOURCE_DIR"])
os.environ["PATH"] = os.path.dirname(os.environ["BIGDNA"]) + ":" + os.environ["PATH"]
os.environ["BIGDNA_MODELS"] = str(SOURCE / "models")
sys.path.insert(0, str(SOURCE / "apps/python"))

import numpy as np

import bigdna

GENOME, RECORDS = SOURCE / "test-data/genome.fa.gz", SOURCE / "test-data/records.fa"


def command(*words):
    """The columns of numbers of a table, and their names."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "out.tsv")
        subprocess.run([os.environ["BIGDNA"], *map(str, words), "--quiet", "-o", path], check=True)
        text = path.read_text()
    rows = [line.split("\t") for line in text.splitlines() if not line.startswith("##")]
    return rows[0], rows[1:]


def sequences():
    records = [record.split("\n", 1) for record in RECORDS.read_text().split(">")[1:]]
    return {name.split()[0]: "".join(bases.split()) for name, bases in records[:5]}


class Model(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        tempfile.tempdir = self.folder.name
        self.model = bigdna.load("yeast", threads=1)

    def tearDown(self):
        self.assertEqual(os.listdir(self.folder.name), [], "temporary files are left")
        tempfile.tempdir = None
        self.folder.cleanup()

    def same(self, table, words, first):
        names, rows = command(*words, "-@", 1)
        self.assertEqual(table.outputs, names[first:])
        self.assertEqual([list(row.values()) for row in table.rows], [row[:first] for row in rows])
        expected = np.array([[np.nan if x == "." else float(x) for x in row[first:]] for row in rows], np.float32)
        np.testing.assert_array_equal(table.values, expected)
        self.assertEqual(table.values.dtype, np.float32)
        self.assertTrue(np.nanstd(table.values) > 1e-4, "the numbers say nothing")

    def test_predicts_sequences_as_the_command_does(self):
        given = sequences()
        table = self.model.predict(given)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "in.fa")
            path.write_text("".join(f">{name}\n{bases}\n" for name, bases in given.items()))
            self.same(table, ("predict", "yeast", path), 6)
        self.assertEqual([row["name"] for row in table.rows], list(given))
        np.testing.assert_array_equal(self.model.predict(list(given.values())).values, table.values)
        np.testing.assert_array_equal(self.model.predict(next(iter(given.values()))).values, table.values[:1])
        np.testing.assert_array_equal(table["TSS|+"], table.values[:, 0])
        self.assertEqual(len(table), len(given))
        with self.assertRaises(KeyError):
            table["CTCF"]

    def test_predicts_regions_given_as_a_file_or_as_tuples(self):
        regions = SOURCE / "test-data/regions.bed"
        tuples = [tuple(line.split("\t")[:6]) for line in regions.read_text().splitlines() if line[:1] not in "#tb"]
        self.same(self.model.predict(regions=regions, genome=GENOME, strands="forward"), ("predict", "yeast", "-R", regions, "-g", GENOME, "--strands", "forward"), 7)
        of_tuples = self.model.predict(regions=tuples, genome=GENOME, features="TSS", strands="forward")
        np.testing.assert_array_equal(of_tuples.values, self.model.predict(regions=regions, genome=GENOME, strands="forward").values)

    def test_averages_an_ensemble_and_passes_further_options(self):
        both = bigdna.load("yeast", SOURCE / "models/yeast", threads=1, device="cpu", precision="fp32").predict(sequences(), options=["--spread"])
        self.assertEqual(both.outputs, ["TSS|+", "TSS|-", "spread:TSS|+", "spread:TSS|-"])
        np.testing.assert_allclose(both.values[:, :2], self.model.predict(sequences(), options=["--precision", "fp32"]).values, rtol=1e-5)

    def test_gives_none_for_what_has_no_bases(self):
        self.assertTrue(np.isnan(self.model.predict(["N" * 500]).values).all())

    def test_explains_as_the_command_does(self):
        region = [("chr1", 40090, 40100)]
        table = self.model.explain(regions=region, genome=GENOME, method="gradient")
        names, rows = command("explain", "yeast", "-r", "chr1:40091-40100", "-g", GENOME, "--method", "gradient", "-@", 1)
        np.testing.assert_array_equal(table.values, np.array([row[5:] for row in rows], np.float32))
        self.assertEqual("".join(row["base"] for row in table.rows), "".join(row[4] for row in rows))
        self.assertEqual(table.outputs, names[5:])
        self.assertEqual(len(self.model.explain(["ACGTTTTATAAAGG" * 3], features="TSS|+")), 42)

    def test_scores_variants_as_the_command_does(self):
        genome = {}
        for record in gzip.open(GENOME, "rt").read().split(">")[1:]:
            name, bases = record.split("\n", 1)
            genome[name.split()[0]] = "".join(bases.split()).upper()
        with tempfile.TemporaryDirectory() as folder:
            vcf = pathlib.Path(folder, "in.vcf")
            lines = ["##fileformat=VCFv4.2", "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO"]
            for at in (40000, 40050, 60000):
                ref = genome["chr1"][at - 1]
                lines.append(f"chr1\t{at}\t.\t{ref}\t{'A' if ref != 'A' else 'C'},<DEL>\t.\t.\t.")
            vcf.write_text("\n".join(lines) + "\n")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                table = self.model.variants(vcf, GENOME, effects="LOGIT,DIFF")
            names, rows = command("variants", "yeast", vcf, "-g", GENOME, "--effects", "LOGIT,DIFF", "-@", 1)
            numbers = [i for i, name in enumerate(names) if ":" in name]
            self.assertEqual(table.outputs, [names[i] for i in numbers])
            np.testing.assert_array_equal(table.values, np.array([[np.nan if row[i] == "." else float(row[i]) for i in numbers] for row in rows], np.float32))
        self.assertEqual([row["skipped"] for row in table.rows], [".", "symbolic_allele"] * 3)
        self.assertTrue(np.isnan(table.values[1::2]).all() and np.isfinite(table.values[::2]).all())

    def test_asks_a_bpnet_for_counts_contributions_and_effects(self):
        made = SOURCE / "test-data/profile"
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            bigdna.run("convert", made / "bpnet.torch", "-o", folder / "bpnet")
            model = bigdna.load(folder / "bpnet", threads=1)
            self.same(model.profile(["ACGTT" * 500], strands="average"), self.fasta(folder, "profile", "ACGTT" * 500, "--strands", "average"), 4)
            contributions = model.explain(["ACGTT" * 4], features="counts_score", method="gradient")
            self.assertEqual(contributions.values.shape, (20, 1))
            with self.assertRaisesRegex(bigdna.Error, "bigdna profile"):
                model.predict(["ACGT" * 600])

    def fasta(self, folder, command, bases, *words):
        (folder / "in.fa").write_text(f">sequence0\n{bases}\n")
        return command, folder / "bpnet", folder / "in.fa", *words

    def test_raises_what_the_command_says(self):
        def raised(code, text, call, *words, **options):
            with self.assertRaises(bigdna.Error) as caught:
                call(*words, **options)
            self.assertIn(text, str(caught.exception))
            self.assertEqual(caught.exception.returncode, code)
        raised(1, "nowhere", bigdna.load, "nowhere")
        raised(1, "sequences.fa", self.model.predict, ["ACGT*"])
        raised(2, "--strands", self.model.predict, ["ACGT"], strands="sideways")
        raised(2, "CTCF", self.model.predict, ["ACGT" * 100], features="CTCF")
        raised(1, "no.vcf", self.model.variants, "no.vcf", GENOME)
        self.assertRaises(TypeError, self.model.predict)
        self.assertRaises(TypeError, self.model.predict, regions=[("chr1", 1, 2)])
        self.assertRaises(ValueError, self.model.predict, {"two words": "ACGT"})
        self.assertRaisesRegex(ValueError, "'sequence1': has no bases", self.model.predict, ["ACGT", "", "ACGT"])
        self.assertRaisesRegex(TypeError, "'sequence0': is bytes, and not str", self.model.predict, [b"ACGT"])

    def test_warns_of_what_the_command_warns_of(self):
        with self.assertWarnsRegex(UserWarning, "was trained on chrM of 85779 bp"):
            self.model.predict(regions=[("chr1", 40000, 40200)], genome=GENOME)


class Package(unittest.TestCase):
    def test_says_that_numpy_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "numpy.py").write_text("raise ImportError('none')")
            done = subprocess.run([sys.executable, "-c", "import bigdna"], capture_output=True, text=True,
                                  env={**os.environ, "PYTHONPATH": f"{folder}:{SOURCE}/apps/python"})
        self.assertIn("needs NumPy (pip install numpy)", done.stderr)

    def test_says_that_the_program_is_missing(self):
        path = os.environ["PATH"]
        os.environ["PATH"] = "/nonexistent"
        try:
            with self.assertRaisesRegex(FileNotFoundError, "no such program on the PATH"):
                bigdna.run("info")
        finally:
            os.environ["PATH"] = path

    def test_types_are_right(self):
        mypy = pathlib.Path(sys.executable).with_name("mypy")
        if not mypy.exists():
            self.skipTest("no mypy: tests/peers/setup.sh installs it")
        with tempfile.TemporaryDirectory() as folder:
            user = pathlib.Path(folder, "user.py")
            user.write_text("import bigdna\n\nreveal_type(bigdna.load('yeast').predict(['ACGT']).values)\nbigdna.load(3)\n")
            done = subprocess.run([mypy, "--strict", "--cache-dir", folder, "-p", "bigdna"], capture_output=True, text=True, cwd=SOURCE / "apps/python")
            self.assertEqual(done.returncode, 0, done.stdout)
            done = subprocess.run([mypy, "--strict", "--cache-dir", folder, user], capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(SOURCE / "apps/python")})
        self.assertRegex(done.stdout, "float32|_32Bit")
        self.assertIn('incompatible type "int"', done.stdout)


if __name__ == "__main__":
    unittest.main()
