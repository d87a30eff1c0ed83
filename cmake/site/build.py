#!/usr/bin/env python3
"""Builds the manual as a site: the repository's pages, docs/ among them, with search, in build/site or FOLDER. It needs no network.

  tests/peers/setup.sh --site        installs MkDocs and its theme, once
  cmake/site/build.py [FOLDER]       builds; a link that leads nowhere, or a page that the menu lacks, is an error
  python3 -m http.server -d FOLDER   shows it, with its search, at http://localhost:8000"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PNG = "data:image/png;base64"


def mkdocs():
    """The program of the environment that tests/peers/setup.sh makes, or the one on the PATH."""
    cache = subprocess.run([ROOT / "cmake/setup.sh", "--print"], capture_output=True, text=True, check=True).stdout.strip()
    return shutil.which("mkdocs", path=f"{cache}/site/bin:{os.environ['PATH']}")


def for_mkdocs(text):
    """GitHub's Markdown as Python-Markdown reads it: lists within lists are indented by four blanks, and code in a table
    may hold a bar as it is. What commands print has a class of its own, output.
    Help is folded, as the last section of a command's page."""
    blocks = re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)
    blocks[1::2] = [re.sub(r"^```text\n", "``` {.text .output}\n", block) for block in blocks[1::2]]
    for i in range(0, len(blocks), 2):
        blocks[i] = re.sub(r"^  (?=[-*] )", "    ", blocks[i], flags=re.M)
        blocks[i] = re.sub(r"^\|.*", lambda row: re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), row[0]), blocks[i], flags=re.M)
    text = "".join(blocks)
    return re.sub(r"^## All options\n(.*)", r"## All options\n\n<details markdown><summary>What --help prints</summary>\n\1\n</details>\n", text, flags=re.M | re.S)


def of_notebook(text):
    """A notebook as a page: its text, its code, and what it printed and drew."""
    page = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        page.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            printed = "".join(output.get("text", data.get("text/plain", ""))).rstrip()
            page.append(f"![]({PNG},{data['image/png'].strip()})" if "image/png" in data else f"```text\n{printed}\n```")
    return "\n\n".join(page) + "\n"


def version():
    number = re.search(r"project\(bigdna VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    return number + ("+" + commit.stdout.strip() if commit.returncode == 0 else "")


def front_matter(page):
    """The first page has no menu at its side; measurements come last among what a search finds."""
    if page.parts[:2] == ("docs", "benchmarks"):
        return "---\nsearch: {boost: 0.1}\n---\n"
    return "---\nhide: [navigation]\n---\n" if page.name == str(page) == "README.md" else ""


def stage(folder):
    """Copies pages, with the pictures and files that they link to, in the repository's own layout: links stay as they are."""
    linked = ("*.md", "*.ipynb", "*.svg", "*.png", "*.yaml", "*.css")
    sources = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
    for room in ("docs", "lib", "models", "pipelines", "test-data", "cmake"):
        sources += [path for pattern in linked for path in (ROOT / room).rglob(pattern)]
    for source in sources:
        target = folder / source.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix in (".md", ".ipynb"):
            text = source.read_text() if source.suffix == ".md" else of_notebook(source.read_text())
            text = text.replace(".ipynb)", ".md)")  # links to it
            target.with_suffix(".md").write_text(front_matter(source.relative_to(ROOT)) + for_mkdocs(text))
        else:
            shutil.copyfile(source, target)


def main():
    if "--help" in sys.argv or "-h" in sys.argv:
        return print(__doc__)
    program = mkdocs()
    if not program:
        print("SKIPPED: MkDocs is not here: tests/peers/setup.sh --site installs it", file=sys.stderr)
        sys.exit(77)
    site = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build/site").resolve()
    with tempfile.TemporaryDirectory() as folder:
        pages = pathlib.Path(folder) / "pages"
        stage(pages)
        environment = dict(os.environ, BIGDNA_PAGES=str(pages), BIGDNA_SITE=str(site), BIGDNA_DOCUMENTED="bigdna " + version(), NO_MKDOCS_2_WARNING="true")
        done = subprocess.run([program, "build", "--strict", "--clean", "-f", HERE / "mkdocs.yml"], env=environment, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{done.stderr}site: not built")
    print(site / "index.html")


main()
