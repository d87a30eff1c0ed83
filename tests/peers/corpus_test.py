"""A corpus of the yeast genome, read by other software: the safetensors library maps the arrays, SentencePiece turns
tokens into text, and a FASTA reader written here gives the bases at each document's coordinates."""
import gzip
import json
import os
import subprocess
import sys
import tempfile

import numpy
import sentencepiece
from safetensors.numpy import load_file

data = os.environ.get("BIGDNA_DATA", os.path.join(os.environ["BIGDNA_SOURCE_DIR"], "..", "shared", "data"))
fasta = os.path.join(data, "genomes", "sacCer3.fa.gz")
if not os.path.exists(fasta):
    print("SKIPPED: no real data:", fasta)
    sys.exit(77)
bigdna = os.environ["BIGDNA"]

genome, name = {}, None
with gzip.open(fasta, "rt") as lines:
    for line in lines:
        if line[0] == ">":
            name = line[1:].split()[0]
            genome[name] = []
        else:
            genome[name].append(line.strip().upper())
genome = {name: "".join(parts) for name, parts in genome.items()}
complement = str.maketrans("ACGTN", "TGCAN")

with tempfile.TemporaryDirectory() as folder:
    def run(*arguments):
        subprocess.run([bigdna, *arguments, "--quiet"], check=True, cwd=folder)

    run("vocab", os.path.join(data, "genomes", "lambda_NC_001416.1.fa.gz"), "-o", "vocabulary", "--vocab-size", "256")
    run("corpus", fasta, "--vocab", "vocabulary", "-o", "corpus", "--passes", "2", "--strands", "both", "--file-size", "2000000")
    manifest = json.load(open(os.path.join(folder, "corpus", "corpus.json")))
    processor = sentencepiece.SentencePieceProcessor(model_file=os.path.join(folder, "corpus", "dna.model"))
    pieces = [processor.id_to_piece(i) for i in range(processor.get_piece_size())]
    contigs = [contig["name"] for contig in manifest["contigs"]]
    lengths = {contig["name"]: contig["length"] for contig in manifest["contigs"]}
    assert lengths == {name: len(bases) for name, bases in genome.items()}
    held_out = {name: numpy.zeros(len(bases), bool) for name, bases in genome.items()}
    for contig, start, end, *_ in manifest["held_out_intervals"]:
        held_out[contig][start:end] = True

    checked = {"training": 0, "validation": 0}
    documents = {"+": 0, "-": 0}
    for file in manifest["files"]:
        if not file["name"].endswith(".safetensors"):
            continue
        part = file["name"].split("/")[0]
        a = load_file(os.path.join(folder, "corpus", file["name"]))
        assert a["tokens"].dtype == numpy.uint16
        for d in range(len(a["document_contig"])):
            contig, start, end = contigs[a["document_contig"][d]], int(a["document_start"][d]), int(a["document_end"][d])
            strand = chr(a["document_strand"][d])
            bases = genome[contig][start:end]
            if strand == "-":
                bases = bases.translate(complement)[::-1]
            tokens = a["tokens"][a["document_tokens"][d]:a["document_tokens"][d + 1]]
            assert "".join(pieces[t] for t in tokens) == bases, (contig, start, end, strand)
            sentences = slice(int(a["document_sentences"][d]), int(a["document_sentences"][d + 1]))
            starts = [*a["sentence_bases"][sentences].tolist(), len(bases)]
            firsts = [*a["sentence_starts"][sentences].tolist(), len(tokens)]
            if d % 20 == 0:  # SentencePiece's own tokens, sentence by sentence
                for s in range(len(starts) - 1):
                    assert processor.encode(bases[starts[s]:starts[s + 1]]) == tokens[firsts[s]:firsts[s + 1]].tolist()
            sizes = [y - x for x, y in zip(starts, starts[1:])]
            cut_short = sizes.pop(0 if strand == "-" else -1)  # where the contig or an interval ends
            assert 0 < cut_short <= 1000 and all(500 <= size <= 1000 for size in sizes)
            overlap = held_out[contig][start:end]
            assert not overlap.any() if part == "training" else overlap.all()
            checked[part] += len(bases)
            documents[strand] += 1
    assert checked["training"] > 2 * 0.9 * 12_157_105 and checked["validation"] > 300_000, checked
    assert min(documents.values()) > 100, documents
    print("every base of", sum(documents.values()), "documents is the genome's:", checked)
