"""Vocabularies and ids against the sentencepiece wheel, transformers' AutoTokenizer and tokenizers.

BIGDNA_PEER_BASES (default 1000000) bounds the real sequence taken from each genome; 0 takes all of it (101 Mbp), with a vocabulary of 32 000 pieces:
about 15 minutes of one core.
"""
import gzip
import lzma
import os
import random
import shutil
import subprocess
import sys
import tempfile

import sentencepiece
from tokenizers import Tokenizer
from transformers import AutoTokenizer

BIGDNA = os.environ["BIGDNA"]
DATA = os.environ.get("BIGDNA_DATA") or os.path.join(os.environ["BIGDNA_SOURCE_DIR"], "../shared/data")
LIMIT = int(os.environ.get("BIGDNA_PEER_BASES", "1000000"))
GENOMES = ["GRCh37.chr20.fa.gz", "dm3.chr2R.softmasked.fa.gz", "sacCer3.fa.gz", "Ecoli_K12_MG1655.fa.gz"]
random.seed(1)


def run(*arguments, stdin=None):
    return subprocess.run([BIGDNA, *arguments, "--quiet"], input=stdin, check=True, capture_output=True, text=True).stdout


def ids(lines, vocabulary):
    rows = run("tokenize", "-", "--text", "--vocab", vocabulary, "--ids", stdin="".join(line + "\n" for line in lines)).splitlines()
    rows = [row for row in rows if not row.startswith("#")]
    return [[int(i) for i in row.split("\t")[6].split()] for row in rows]


def real_pieces():
    """Pieces of 750 bp, 30 kb and whole stretches, N included."""
    pieces = []
    for name in GENOMES:
        path = os.path.join(DATA, "genomes", name)
        if not os.path.exists(path):
            continue
        with gzip.open(path, "rt") as file:
            bases = "".join(line.strip() for line in file if not line.startswith(">")).upper()
        middle = bases.find("ACGT", min(59_000, len(bases) // 2)) if name.startswith("GRCh37") else 0
        bases = bases[middle:middle + LIMIT] if LIMIT else bases
        bases = "".join(c if c in "ACGTN" else "N" for c in bases)
        at, lengths = 0, [750] * 40 + [30_000]
        while at < len(bases):
            length = lengths[len(pieces) % len(lengths)]
            pieces.append(bases[at:at + length])
            at += length
    return pieces


def simulated():
    return ["".join(random.choices("ACGT", k=random.randint(0, 3000))) for _ in range(300)]


def odd_pieces():
    lines = ["A", "C", "G", "T", "N"] + [unit * (n // len(unit)) for unit in ("A", "N", "AC", "TTAGGG", "AAN") for n in range(6, 600, 7)]
    return lines + ["".join(random.choices("ACGTN", weights=(9, 9, 9, 9, 1), k=random.randint(1, 5000))) for _ in range(500)]


failures = 0


def batches(lines, most=4_000_000):
    """The lines in lists of about 4 Mbp: ids of all of them at once would take gigabytes."""
    batch, bases = [], 0
    for line in lines:
        batch.append(line)
        bases += len(line)
        if bases > most:
            yield batch
            batch, bases = [], 0
    if batch:
        yield batch


class Check:
    """Sums up over batches; report() prints and counts a failure where any sequence differs."""

    def __init__(self, what):
        self.what, self.sequences, self.bases, self.tokens, self.bad = what, 0, 0, 0, []

    def add(self, ours, theirs, lines):
        if len(ours) != len(theirs) or len(ours) != len(lines):
            self.bad.append(f"{len(lines)} lines, {len(ours)} and {len(theirs)} rows")
        self.bad += [line for line, a, b in zip(lines, ours, theirs) if a != b]
        self.sequences += len(lines)
        self.bases += sum(map(len, lines))
        self.tokens += sum(map(len, ours))

    def report(self):
        global failures
        print(f"{self.what}: {self.sequences} sequences, {self.bases} bp, {self.tokens} tokens, {len(self.bad)} differ", flush=True)
        if self.bad:
            failures += 1
            print("  first:", len(self.bad[0]), self.bad[0][:80])


real = real_pieces()
if not real:
    print("no real data: simulated sequence alone", flush=True)
lines = (real or simulated()) + odd_pieces()
with tempfile.TemporaryDirectory() as folder:
    text = os.path.join(folder, "t.txt")
    with open(text, "w") as file:
        training = [line for line in lines if line]
        for line in training[: 2000 if LIMIT else len(training)]:
            for at in range(0, len(line), 1000):
                file.write(line[at:at + 1000] + "\n")
    for size in (300, 4096) if LIMIT else (32000,):
        vocabulary = os.path.join(folder, f"v{size}")
        run("vocab", text, "-o", vocabulary, "--size", str(size))
        wheel = sentencepiece.SentencePieceProcessor(model_file=os.path.join(vocabulary, "dna.model"))

        auto = AutoTokenizer.from_pretrained(vocabulary)  # the folder as it is
        failures += [auto.pad_token_id, auto.unk_token_id, auto.cls_token_id, auto.sep_token_id, auto.mask_token_id] != [0, 1, 2, 3, 4]
        failures += auto(["ACGT" * 100, "AC"], padding=True)["attention_mask"][1][-1] != 0  # two pieces of one token would need no padding
        failures += auto.model_input_names != ["input_ids", "attention_mask"]
        # lower case, U and IUPAC codes, as every reader of FASTA here takes them
        soft = ["".join(c.lower() if random.random() < 0.3 else random.choice("URYKMSWBDHVX") if random.random() < 0.01 else c for c in line)
                for line in lines if len(line) < 10_000][::3]
        hard = ["".join("T" if c in "uU" else c.upper() if c.upper() in "ACGTN" else "N" for c in line) for line in soft]
        tokenizer = Tokenizer.from_file(os.path.join(vocabulary, "tokenizer.json"))
        expected = ids(hard, vocabulary)
        for what, theirs in (("bigdna", ids(soft, vocabulary)), ("bigdna's tokenizer.json", ids(soft, os.path.join(vocabulary, "tokenizer.json"))),
                             ("sentencepiece", [wheel.encode(line) for line in soft]), ("AutoTokenizer", [row[1:-1] for row in auto(soft)["input_ids"]]),
                             ("tokenizers", [e.ids for e in tokenizer.encode_batch(soft, add_special_tokens=False)])):
            lower = Check(f"lower case, {what}, {size} pieces")
            lower.add(expected, theirs, soft)
            lower.report()
        with_wheel, with_auto = Check(f"sentencepiece, {size} pieces"), Check(f"AutoTokenizer, {size} pieces, [CLS] and [SEP]")
        for batch in batches(lines):
            ours = ids(batch, vocabulary)
            with_wheel.add(ours, [wheel.encode(line) for line in batch], batch)
            with_auto.add([[2, *row, 3] for row in ours], auto(batch)["input_ids"], batch)
        with_wheel.report()
        with_auto.report()
        pair = auto("ACGT", "TTT")
        expected = [2, *ids(["ACGT"], vocabulary)[0], 3, *ids(["TTT"], vocabulary)[0], 3]
        failures += pair["input_ids"] != expected or auto.decode(ids(lines[:1], vocabulary)[0]) != lines[0]

    for name in ("DNABERT2_4096.tokenizer.json", "GENA_LM_small_test.tokenizer.json", "GENA_LM_human_BPE_32k.tokenizer.json.xz",
                 "GENA_LM_human_BPE_32k_all_chr_10M.tokenizer.json.xz", "GENA_LM_t2t_1000h_multi_32k.tokenizer.json.xz"):
        path = os.path.join(DATA, "tokenizers", name)
        if not os.path.exists(path):
            print("no real data:", path)
            continue
        if name.endswith(".xz"):
            with lzma.open(path) as source, open(os.path.join(folder, name[:-3]), "wb") as target:
                shutil.copyfileobj(source, target)
            path = os.path.join(folder, name[:-3])
        theirs = Tokenizer.from_file(path)
        compared = Check(name)
        for batch in batches([line for line in lines if len(line) < 10_000][:: 3 if LIMIT else 20]):
            compared.add(ids(batch, path), [e.ids for e in theirs.encode_batch(batch, add_special_tokens=False)], batch)
        compared.report()

# a text with blanks, as DNABERT's k-mers: tokenizers reads its tokenizer.json, and all give the same ids
with tempfile.TemporaryDirectory() as folder:
    path, vocabulary = os.path.join(folder, "t.txt"), os.path.join(folder, "v")
    kmers = [" ".join(line[i:i + 3] for i in range(len(line) - 2)) for line in simulated()[:60] if len(line) > 10]
    with open(path, "w") as file:
        file.write("".join(line[:2000] + "\n" for line in kmers))
    run("vocab", path, "-o", vocabulary, "--size", "60")
    tokenizer = Tokenizer.from_file(os.path.join(vocabulary, "tokenizer.json"))
    wheel = sentencepiece.SentencePieceProcessor(model_file=os.path.join(vocabulary, "dna.model"))
    for what, theirs in (("tokenizers", [e.ids for e in tokenizer.encode_batch(kmers, add_special_tokens=False)]),
                         ("sentencepiece", [wheel.encode(line) for line in kmers])):
        blanks = Check("text with blanks, " + what)
        blanks.add(ids(kmers, vocabulary), theirs, kmers)
        blanks.report()
sys.exit(1 if failures else 0)
