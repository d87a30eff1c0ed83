"""Vocabularies and ids against the sentencepiece wheel, transformers' AutoTokenizer and tokenizers.

BIGDNA_PEER_BASES (default 1000000) bounds the real sequence taken from each genome; 0 takes all of it.
"""
import gzip
import json
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
    rows = run("tokenize", "-", "--text", "--vocab", vocabulary, "--ids", stdin="".join(line + "\n" for line in lines)).splitlines()[1:]
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


def check(what, ours, theirs, lines):
    global failures
    bad = [i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b]
    print(f"{what}: {len(lines)} sequences, {sum(map(len, lines))} bp, {sum(map(len, ours))} tokens, {len(bad)} differ", flush=True)
    if bad or len(ours) != len(theirs):
        failures += 1
        print("  first:", len(lines[bad[0]]) if bad else "", lines[bad[0]][:80] if bad else "")


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
    for size in (300, 4096):
        vocabulary = os.path.join(folder, f"v{size}")
        run("vocab", text, "-o", vocabulary, "--size", str(size))
        ours = ids(lines, vocabulary)
        wheel = sentencepiece.SentencePieceProcessor(model_file=os.path.join(vocabulary, "dna.model"))
        check(f"sentencepiece, {size} pieces", ours, [wheel.encode(line) for line in lines], lines)

        # AutoTokenizer reads a folder with a config.json, as our model folders have.
        with open(os.path.join(vocabulary, "config.json"), "w") as file:
            json.dump({"model_type": "big_bird"}, file)
        shutil.copy(os.path.join(vocabulary, "dna.model"), os.path.join(vocabulary, "spiece.model"))
        with open(os.path.join(vocabulary, "tokenizer_config.json"), "w") as file:
            json.dump({"tokenizer_class": "PreTrainedTokenizerFast", "cls_token": "[CLS]", "sep_token": "[SEP]", "pad_token": "[PAD]",
                       "unk_token": "[UNK]", "mask_token": "[MASK]", "clean_up_tokenization_spaces": False}, file)
        auto = AutoTokenizer.from_pretrained(vocabulary)
        check(f"AutoTokenizer, {size} pieces", [[2, *line, 3] for line in ours], auto(lines)["input_ids"], lines)
        pair = auto("ACGT", "TTT")
        expected = [2, *ids(["ACGT"], vocabulary)[0], 3, *ids(["TTT"], vocabulary)[0], 3]
        failures += pair["input_ids"] != expected or auto.decode(ours[0]) != lines[0]

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
        some = [line for line in lines if len(line) < 10_000][:: 1 if LIMIT == 0 else 3]
        check(name, ids(some, path), [e.ids for e in theirs.encode_batch(some, add_special_tokens=False)], some)
sys.exit(1 if failures else 0)
