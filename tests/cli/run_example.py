#!/usr/bin/env python3
"""run_example.py PAGE: runs the first block of sh of a page that has a block of text right behind it, in this folder, and looks for that text's
lines, in their order, in what the commands print (log lines without their times, models without the folder
that theirs lies in). Numbers may differ by a tenth, or by 0.05; on lines about
speed, memory and disks they may be any. BIGDNA_RECORD=1 writes the numbers that are printed into the page instead."""
import os
import pathlib
import re
import subprocess
import sys

from log_lines import STAMP

NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?[,;:]?$")
MACHINE = re.compile(r"\b(?:speed|memory|disk|made by|CPU|MB)\b")


def same_words(printed, expected):
    a, b = printed.split(), expected.split()
    return len(a) == len(b) and all(x == y or (NUMBER.match(x) and NUMBER.match(y)) for x, y in zip(a, b))


def same(printed, expected):
    a, b = printed.split(), expected.split()
    if len(a) != len(b):
        return False
    for x, y in zip(a, b):
        if x == y:
            continue
        if not (NUMBER.match(x) and NUMBER.match(y)):
            return False
        x, y = (float(z.rstrip(",;:").replace(",", "")) for z in (x, y))
        if not MACHINE.search(expected) and abs(x - y) > max(0.05 if max(abs(x), abs(y)) >= 0.05 else 0, 0.1 * max(abs(x), abs(y))):
            return False
    return True


page = pathlib.Path(sys.argv[1])
found = re.search(r"^```sh\n((?:(?!^```).*\n)*)```\n```text\n((?:(?!^```).*\n)*)```\n", page.read_text(), flags=re.M)
assert found, f"{page} has no example with its output"
done = subprocess.run(["bash", "-euo", "pipefail", "-c", found[1]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                      env=os.environ | {"BASH_ENV": str(pathlib.Path(__file__).with_name("whole_pipes.sh"))})
if done.returncode not in (0, 141):
    sys.exit(f"{page}: exit code {done.returncode}\n{found[1]}{done.stdout[-2000:]}")
rest = [re.sub(r"^/\S*/(?=models/)", "", STAMP.sub("", line)) for line in done.stdout.split("\n")]
like, recorded = same_words if os.environ.get("BIGDNA_RECORD") else same, []
for line in found[2].rstrip("\n").split("\n"):
    while rest and not like(rest[0], line):
        rest.pop(0)
    if not rest:
        sys.exit(f"{page}: does not print\n{line}\nin this place, but\n{done.stdout[-3000:]}")
    recorded.append(rest.pop(0))
if like is same_words:
    page.write_text(page.read_text().replace(found[0], found[0].replace(found[2], "\n".join(recorded) + "\n")))
