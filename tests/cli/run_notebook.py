#!/usr/bin/env python3
"""run_notebook.py NOTEBOOK: runs a notebook's cells in this folder and compares what they print with what the notebook holds. Decimal
numbers may differ as in run_page.py; a picture has to be there. BIGDNA_RECORD=1 writes what is printed and drawn into the notebook instead."""
import os
import pathlib
import re
import sys

import nbclient
import nbformat

PICTURE, TEXT = "image/png", "text/plain"
NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?$")


def near(x, y):
    a, b = (float(number.replace(",", "")) for number in (x, y))
    return abs(a - b) <= max(0.02, 0.05 * max(abs(a), abs(b)))


def shown(cell):
    """What a cell prints, in words; a picture is one word."""
    words = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        words += ["PICTURE"] if len(data.get(PICTURE, "")) > 1000 else output.get("text", data.get(TEXT, "")).split()
    return words


def same(printed, expected):
    return len(printed) == len(expected) and all(
        x == y or (NUMBER.match(x) and NUMBER.match(y) and near(x, y)) for x, y in zip(printed, expected))


def main():
    path = pathlib.Path(sys.argv[1])
    notebook = nbformat.read(path, 4)
    expected = [shown(cell) for cell in notebook.cells]
    nbclient.NotebookClient(notebook, timeout=600, record_timing=False).execute()
    for cell in notebook.cells:  # what says nothing of the result
        cell.metadata = {}
    if os.environ.get("BIGDNA_RECORD"):
        nbformat.write(notebook, path)
        expected = [shown(cell) for cell in notebook.cells]
    for number, (cell, wanted) in enumerate(zip(notebook.cells, expected), 1):
        if not same(shown(cell), wanted):
            sys.exit(f"{path}: cell {number} shows\n{' '.join(shown(cell))}\nand not\n{' '.join(wanted)}")
    pictures = sum(words.count("PICTURE") for words in expected)
    print(f"{path.name}: {len(expected)} cells, {pictures} pictures")


main()
