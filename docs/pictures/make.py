#!/usr/bin/env python3
"""Draws the manual's pictures as SVG, in the folder of this script: make.py [TRACKS].

overview, region and pretraining are diagrams. TRACKS is a folder with predictions.tsv, calibration.tsv and BED files of
peaks for each of their features, as docs/pictures/tracks.sh makes them from runs of human-chr20-chrX."""
import html
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
INK, SOFT, LINE = "#1f2933", "#616e7c", "#9aa5b1"
BLUE, GREEN, ORANGE, PURPLE = "#2b6cb0", "#2f855a", "#c05621", "#6b46c1"
PALE = {BLUE: "#e3eefa", GREEN: "#e2f3e9", ORANGE: "#fbeadd", PURPLE: "#ede7fa"}


class Picture:
    def __init__(self, width, height, title):
        self.size, self.title, self.parts = (width, height), title, []

    def add(self, part):
        self.parts.append(part)

    def text(self, x, y, text, size=14, color=INK, anchor="start", weight="normal", mono=False):
        family = "ui-monospace, DejaVu Sans Mono, monospace" if mono else "Helvetica, Arial, DejaVu Sans, sans-serif"
        self.add(f'<text x="{x}" y="{y}" font-family="{family}" font-size="{size}" fill="{color}" text-anchor="{anchor}" '
                 f'font-weight="{weight}">{html.escape(text)}</text>')

    def box(self, x, y, width, height, color, lines=(), mono=()):
        self.add(f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{PALE[color]}" stroke="{color}"/>')
        top = y + height / 2 - 9 * (len(lines) + len(mono) - 1) + 5
        for i, line in enumerate([*lines, *mono]):
            self.text(x + width / 2, top + 18 * i, line, 14 if i < len(lines) else 13, INK if i < len(lines) else color, "middle",
                      "bold" if not i and lines else "normal", i >= len(lines))

    def line(self, x1, y1, x2, y2, color=LINE, width=1.5, dash=""):
        self.add(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{color}" stroke-width="{width}"'
                 + (f' stroke-dasharray="{dash}"' if dash else "") + "/>")

    def arrow(self, x1, y1, x2, y2, color=LINE):
        self.add(f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{color}" stroke-width="2" marker-end="url(#head)"/>')

    def write(self, name):
        width, height = self.size
        head = ('<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
                f'<path d="M0 0 L8 4 L0 8 z" fill="{LINE}"/></marker></defs>')
        (HERE / name).write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">\n'
            f"<title>{html.escape(self.title)}</title>\n{head}\n"
            f'<rect width="{width}" height="{height}" fill="white"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def overview():
    p = Picture(880, 330, "From data to a model to answers: what bigdna reads and writes")
    for x, title in ((110, "your data"), (440, "a model"), (765, "answers")):
        p.text(x, 28, title, 16, SOFT, "middle")
    data = (("genome", "FASTA"), ("peaks, start sites", "BED, GTF"), ("labelled sequences", "CSV, TSV"))
    for i, lines in enumerate(data):
        p.box(20, 50 + 88 * i, 180, 66, BLUE, lines[:1], lines[1:])
        p.arrow(200, 83 + 88 * i, 318, 112 + 14 * i)
    p.arrow(200, 95, 318, 215)
    p.box(320, 90, 240, 74, GREEN, ("trained by you",), ("train, or", "pretrain + finetune"))
    p.box(320, 190, 240, 74, PURPLE, ("comes with bigdna",), ("human-chr20-chrX, yeast",))
    p.text(440, 296, "evaluate: compared with k-mers,", 13, SOFT, "middle")
    p.text(440, 313, "on sequence that was held out", 13, SOFT, "middle")
    answers = (("tracks of a genome", "chromatin"), ("start sites", "predict-promoter"), ("effects of variants", "variants"), ("bases that matter", "explain, motifs"))
    for i, lines in enumerate(answers):
        p.box(665, 45 + 68 * i, 200, 54, ORANGE, lines[:1], lines[1:])
        p.line(578, 172, 600, 172)
        p.arrow(600, 172, 663, 72 + 68 * i)
    p.line(560, 127, 578, 172)
    p.line(560, 227, 578, 172)
    p.write("overview.svg")


def region():
    p = Picture(880, 300, "How a region is read: the bin at its centre, its context, both strands")
    x0, x1, y = 60, 820, 110
    p.text(440, 28, "a network on bases reads 13 400 bp to predict one bin of 200 bp", 16, SOFT, "middle")
    p.add(f'<rect x="{x0 + 90}" y="{y - 26}" width="{x1 - x0 - 180}" height="52" fill="{PALE[BLUE]}"/>')
    p.line(x0, y, x1, y, INK, 2)
    p.add(f'<rect x="426" y="{y - 26}" width="28" height="52" fill="{PALE[ORANGE]}" stroke="{ORANGE}" stroke-width="2"/>')
    p.text(440, y - 36, "bin, 200 bp", 14, ORANGE, "middle", "bold")
    for a, b, label in ((150, 426, "context, 6600 bp"), (454, 730, "context, 6600 bp")):
        p.line(a, y + 42, b, y + 42, BLUE)
        p.line(a, y + 36, a, y + 48, BLUE)
        p.line(b, y + 36, b, y + 48, BLUE)
        p.text((a + b) / 2, y + 62, label, 14, BLUE, "middle")
    p.text(x0, y - 12, "contig", 13, SOFT)
    p.arrow(200, 212, 400, 212, INK)
    p.text(190, 217, "forward", 14, INK, "end")
    p.arrow(400, 242, 200, 242, INK)
    p.text(190, 247, "reverse", 14, INK, "end")
    p.text(420, 217, "log-odds of each feature", 14)
    p.text(420, 247, "log-odds of each feature", 14)
    p.line(600, 206, 625, 224, LINE)
    p.line(600, 242, 625, 232, LINE)
    p.text(632, 233, "mean: the probability", 14, INK, weight="bold")
    p.text(440, 285, "A base that lies beyond the contig's end, or that is N, counts as unknown.", 13, SOFT, "middle")
    p.write("region.svg")


def pretraining():
    p = Picture(800, 262, "Pretraining: the encoder predicts masked tokens from the tokens around them")
    p.text(400, 28, "pretraining needs sequence alone: masked tokens are predicted from the others", 16, SOFT, "middle")
    p.text(40, 74, "ACGTTGCAACGTAGCTAGCTAGGATCCTTGACC", 15, SOFT, mono=True)
    p.text(390, 74, "sequence of the genome, cut into tokens of the vocabulary", 13, SOFT)
    tokens = ("ACG", "TTGC", "AACG", "[MASK]", "AGC", "TAGG", "[MASK]", "CTTG", "ACC")
    x = 40
    for token in tokens:
        width = 30 + 10 * len(token)
        color = ORANGE if token == "[MASK]" else BLUE
        p.box(x, 92, width, 34, color, (), (token,))
        if token == "[MASK]":
            p.arrow(x + width / 2, 186, x + width / 2, 202)
            p.text(x + width / 2, 222, "TAGCT" if x < 400 else "ATC", 15, GREEN, "middle", "bold", True)
        p.line(x + width / 2, 126, x + width / 2, 146)
        x += width + 8
    p.box(40, 146, x - 48, 40, PURPLE, ("encoder",))
    p.text(40, 222, "predicted pieces", 13, SOFT)
    p.text(40, 250, "Bits per base measure how surprising the true pieces are: 2 for a model that knows nothing.", 13, SOFT)
    p.write("pretraining.svg")


def tracks(folder):
    lines = (folder / "predictions.tsv").read_text().split("\n")
    header = next(line for line in lines if line.startswith("#chrom")).split("\t")
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    first, last = int(rows[0][1]), int(rows[-1][2])
    names = header[6:]
    left, width, each = 150, 700, 84
    p = Picture(880, 66 + each * len(names) + 40, "Predicted probabilities above measured peaks, on sequence that was held out of training")
    p.text(440, 26, f"human-chr20-chrX on held-out sequence: chr20:{first:,}-{last:,} (hg19)", 16, SOFT, "middle")
    
    def place(position):
        return left + width * (position - first) / (last - first)

    for i, name in enumerate(names):
        base = 56 + each * i + 56
        p.text(left - 12, base - 24, name.split("|")[0], 15, INK, "end", "bold")
        p.text(left - 12, base - 8, name.split("|")[1], 12, SOFT, "end")
        values = [float(row[6 + i]) for row in rows]
        points = " ".join(f"{place(int(row[1])):.1f},{base - 52 * v:.1f} {place(int(row[2])):.1f},{base - 52 * v:.1f}" for row, v in zip(rows, values))
        p.add(f'<polygon points="{left},{base} {points} {left + width},{base}" fill="{BLUE}" stroke="{BLUE}" stroke-width="0.6"/>')
        p.line(left, base, left + width, base, LINE, 1)
        p.text(left + width + 6, base - 44, "1", 11, SOFT)
        p.text(left + width + 6, base + 2, "0", 11, SOFT)
        for line in (folder / f"{name.split('|')[0]}.bed").read_text().split("\n"):
            fields = line.split("\t")
            if len(fields) > 2 and int(fields[2]) > first and int(fields[1]) < last:
                a, b = place(max(first, int(fields[1]))), place(min(last, int(fields[2])))
                p.add(f'<rect x="{a:.1f}" y="{base + 5}" width="{max(1.5, b - a):.1f}" height="8" fill="{ORANGE}"/>')
    bottom = 56 + each * len(names) + 12
    p.add(f'<rect x="{left}" y="{bottom + 6}" width="14" height="10" fill="{BLUE}"/>')
    p.text(left + 20, bottom + 16, "predicted probability, bins of 200 bp", 13, SOFT)
    p.add(f'<rect x="{left + 300}" y="{bottom + 6}" width="14" height="10" fill="{ORANGE}"/>')
    p.text(left + 320, bottom + 16, "measured peaks (ENCODE)", 13, SOFT)
    p.write("tracks.svg")


def calibration(folder):
    """Predicted probabilities of calibration.tsv against the share of bins with a peak, in groups of bins, on logarithmic scales."""
    lines = (folder / "calibration.tsv").read_text().split("\n")
    header = next(line for line in lines if line.startswith("#chrom")).split("\t")
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    p = Picture(620, 430, "Calibration: predicted probabilities and the share of bins that have a peak, on held-out sequence")
    left, bottom, size = 90, 375, 300

    def place(value):
        return size * (math.log10(value) + 4) / 4

    p.text(310, 28, "human-chr20-chrX on held-out sequence: chr20:54-58 Mb", 16, SOFT, "middle")
    for power in range(-4, 1):
        at = place(10 ** power)
        label = ("1 %", "10 %", "100 %")[power + 2] if power > -3 else ("0.01 %", "0.1 %")[power + 4]
        p.line(left + at, bottom, left + at, bottom - size, "#e4e7eb", 1)
        p.line(left, bottom - at, left + size, bottom - at, "#e4e7eb", 1)
        p.text(left + at, bottom + 20, label, 12, SOFT, "middle")
        p.text(left - 8, bottom - at + 4, label, 12, SOFT, "end")
    p.line(left, bottom, left + size, bottom - size, LINE, 1.5, "5 4")
    p.text(left + size / 2, bottom + 44, "mean predicted probability", 13, INK, "middle")
    p.text(left - 70, bottom - size - 14, "share of bins with a peak", 13, INK)
    edges = (0, 0.003, 0.01, 0.03, 0.1, 0.3, 1.01)
    for i, (name, color) in enumerate(zip(header[6:], (BLUE, GREEN, ORANGE))):
        peaks = [tuple(map(int, line.split("\t")[1:3])) for line in (folder / f"{name.split('|')[0]}.all.bed").read_text().split("\n") if line]
        covered = [0] * len(rows)
        origin = int(rows[0][1])
        for start, end in peaks:
            for index in range(max(0, (start - origin) // 200), min(len(rows), (end - origin) // 200 + 1)):
                covered[index] += max(0, min(end, origin + 200 * index + 200) - max(start, origin + 200 * index))
        pairs = [(float(row[6 + i]), bases > 100) for row, bases in zip(rows, covered) if row[6 + i] != "."]
        points = []
        for low, high in zip(edges, edges[1:]):
            group = [pair for pair in pairs if low <= pair[0] < high]
            positives = sum(label for _, label in group)
            if positives:
                points.append((left + place(sum(value for value, _ in group) / len(group)), bottom - place(positives / len(group))))
        p.add(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in points)}" fill="none" stroke="{color}" stroke-width="2"/>')
        for x, y in points:
            p.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}"/>')
        p.add(f'<circle cx="420" cy="{130 + 52 * i}" r="5" fill="{color}"/>')
        p.text(432, 135 + 52 * i, name.split("|")[0], 14, INK, weight="bold")
        p.text(432, 153 + 52 * i, f"{sum(label for _, label in pairs)} bins with a peak,", 12, SOFT)
        p.text(432, 168 + 52 * i, f"{sum(value for value, _ in pairs):.0f} expected", 12, SOFT)
    p.text(420, 300, "dashed: perfect calibration", 12, SOFT)
    p.write("calibration.svg")


overview()
region()
pretraining()
if len(sys.argv) > 1:
    tracks(pathlib.Path(sys.argv[1]))
    calibration(pathlib.Path(sys.argv[1]))
