# The documentation: links between pages, and the files that pages and comments name, exist.
load helpers

@test "links, anchors, and names of files and types in the documentation exist" {
  python3 - "$BIGDNA_SOURCE_DIR" <<'PY'
import pathlib, re, subprocess, sys

root = pathlib.Path(sys.argv[1])
wrong = []

def anchors(page):
    """GitHub's anchors of a page's headings."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ +(.+)$", text, flags=re.M)}

def names_a_file(name, page):
    """Whether something in the repository has that name; NAME, DIR and the like stand for any name."""
    pattern = re.sub(r"\b[A-Z]{2,}\b", "*", name)
    return any(next(folder.glob(pattern.rstrip("/")), None) for folder in (root, page.parent))

pages = sorted(p for p in root.rglob("*.md") if not {"build", "build-asan", ".git"} & set(p.relative_to(root).parts))
assert len(pages) > 20, pages
for page in pages:
    text = page.read_text()
    where = page.relative_to(root)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    wrong += [f"{where}: '{heading}' has no blank line before and after it" for heading in re.findall(r"^#+ .*", prose, flags=re.M)
              if not re.search(rf"(?:\A|\n\n){re.escape(heading)}\n(?:\n|\Z)", prose)]
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path) if path else page
        if not linked.exists():
            wrong.append(f"{where}: link to {target}, which does not exist")
        elif anchor and anchor not in anchors(linked):
            wrong.append(f"{where}: link to {target}, which has no such heading")
    for name in re.findall(r"(?<![\w/.~-])((?:lib|apps|tests|docs|cmake|pipelines|test-data)/[\w./*-]*\w)", text):
        if not names_a_file(name, page) and not names_a_file(name + ".*", page):
            wrong.append(f"{where}: {name} does not exist")

headers = "".join(p.read_text() for p in (root / "lib").rglob("*.h"))
for page in (root / "docs").rglob("*.md"):
    for name in re.findall(r"`(?:\w+::)+(\w+)`", page.read_text()):
        if not re.search(rf"\b{name}\b", headers):
            wrong.append(f"{page.relative_to(root)}: no header has {name}")

rooms = "|".join(p.name for p in (root / "lib").iterdir() if p.is_dir())
code_paths = re.compile(rf"(?<![\w./-])((?:lib|apps|tests|cmake|pipelines|{rooms})/[\w./-]*\.(?:h|cpp|cuh|cu|sh|py|bats))\b")
sources = [root / folder for folder in ("lib", "apps", "tests", "cmake", "pipelines")]
for path in (p for folder in sources for p in folder.rglob("*") if p.is_file() and p.suffix in {".h", ".cpp", ".cuh", ".cu", ".txt", ".cmake", ".sh", ".py", ".bats"}):
    text = path.read_text()
    for name in re.findall(r"docs/[\w./-]*\.md", text):
        if not (root / name).exists():
            wrong.append(f"{path.relative_to(root)}: {name} does not exist")
    for comment in re.findall(r"//.*" if path.suffix in {".h", ".cpp", ".cuh", ".cu"} else r"(?m)^\s*# .*|  # .*", text):
        for name in code_paths.findall(comment):
            if "NAME" not in name and not any((folder / name).exists() for folder in (root, root / "lib", path.parent)):
                wrong.append(f"{path.relative_to(root)}: a comment names {name}, which does not exist")
print("\n".join(wrong))
sys.exit(bool(wrong))
PY
}

@test "figures of claims, limits and model cards are those of the measurements that they link to" {
  python3 - "$BIGDNA_SOURCE_DIR" <<'PY'
import pathlib, re, sys

root = pathlib.Path(sys.argv[1])
wrong = []
FIGURE = re.compile(r"\d+\.\d+(?:e-?\d+)?")

def figures(text):
    return set(FIGURE.findall(re.sub(r"\]\([^)]*\)", "", text)))

checked = 0
for page in (root / "docs/benchmarks.md", root / "docs/limitations.md"):
    for line in page.read_text().split("\n"):
        files = re.findall(r"\]\((benchmarks/[\w.-]+\.md)\)", line)
        if not line.startswith("| ") or not files:
            continue
        held = figures("".join((page.parent / name).read_text() for name in files))
        checked += len(figures(line))
        wrong += [f"{page.name}: {figure} is not in {' or '.join(files)}" for figure in sorted(figures(line) - held)]
cards = {
    "human-chr20-chrX": ["networks-two-chromosomes_xeon-amx_2026-11-28"],
    "yeast": ["start-sites-yeast_xeon_2026-11-25"],
    "human-chr20-encoder": ["gpu-pretraining_h200_2026-11-26"],
}
for model, files in cards.items():
    held = figures("".join((root / f"docs/benchmarks/{name}.md").read_text() for name in files))
    rows = [line for line in (root / f"models/{model}/README.md").read_text().split("\n") if line.startswith("| ")]
    assert len(rows) > 3, model
    checked += len(figures("".join(rows)))
    wrong += [f"card of {model}: {figure} is not in {' or '.join(files)}" for figure in sorted(figures("\n".join(rows)) - held)]
claims = figures((root / "docs/benchmarks.md").read_text())
readme = figures("\n".join(line for line in (root / "README.md").read_text().split("\n") if line.startswith("| k-mers")))
assert len(readme) > 4, readme
wrong += [f"README.md: {figure} is not in docs/benchmarks.md" for figure in sorted(readme - claims)]
assert checked > 150, checked
linked = "".join((root / f"docs/{name}.md").read_text() for name in ("benchmarks", "benchmarks/README"))
for path in (root / "docs/benchmarks").glob("*_*.md"):
    if not re.fullmatch(r"[\w-]+_[\w.-]+_\d{4}-\d\d-\d\d", path.stem):
        wrong.append(f"{path.name} is not called THEME_MACHINE_DATE.md")
    if f"({path.name})" not in linked:
        wrong.append(f"docs/benchmarks/README.md does not link to {path.name}")
    if not path.name.startswith("ptxas_"):
        wrong += [f"{path.name} has no row '{row}'" for row in ("machine", "date", "versions", "command", "compared with", "null") if f"\n| {row} | " not in path.read_text()]
print("\n".join(wrong))
sys.exit(bool(wrong))
PY
}

@test "the manual's English: banned forms, numbers in prose, long sentences, spelling" {
  python3 "$BIGDNA_SOURCE_DIR/tests/cli/check_english.py" "$BIGDNA_SOURCE_DIR"
}

@test "a page with a banned form, American spelling, too many numbers or long sentences fails" {
  check() {
    local page=root/docs/page
    mkdir -p root/docs
    echo "A page." >root/README.md
    printf '%s\n' "$1" >$page.md
    python3 "$BIGDNA_SOURCE_DIR/tests/cli/check_english.py" root 2>err
  }
  cd "$BATS_TEST_TMPDIR"
  check 'The colour of `color` is a name.'
  not check 'Two files, of which one is read.'
  grep -q 'page.md:1: "of which": name what it is of' err
  not check '| a cell | those of others |'
  not check 'The color is read.'
  not check 'It took 1 and 2 and 3 and 4.'
  grep -q 'numbers in 100 words' err
  not check "$(printf 'word %.0s' {1..40})."
  grep -q '% of sentences over 30 words' err
}

@test "the program's English: texts of the code and sentences of the help" {
  bigdna --help-all >"$BATS_TEST_TMPDIR/help"
  python3 "$BIGDNA_SOURCE_DIR/tests/cli/check_english.py" "$BIGDNA_SOURCE_DIR" --program "$BATS_TEST_TMPDIR/help"
}

@test "a banned form in a text of the code, or a sentence of over 30 words in the help, fails" {
  check() {
    printf '%s\n' "$1" >root/lib/said.cpp
    printf '  --option N          %s [1]\n' "$2" >help
    python3 "$BIGDNA_SOURCE_DIR/tests/cli/check_english.py" root --program help 2>err
  }
  cd "$BATS_TEST_TMPDIR"
  mkdir -p root/lib
  check 'fail(path, ": is no tokenizer.json (--null N makes one)", "null");  // of which one is read' "A number."
  not check 'fail(path, ": holds two files, "  // a comment
                   "of which one is read");' "A number."
  grep -q 'lib/said.cpp:1: "of which": name what it is of' err
  not check 'log::info(R"(a seed
Normalized counts)");' "A number."
  grep -q '"Normalized": British: -ise' err
  not check '' "$(printf 'word %.0s' {1..31})"
  grep -q 'help:1: a sentence of 31 words' err
}

@test "bigdna accepts every command line of the manual" {
  python3 "$BIGDNA_SOURCE_DIR/tests/cli/check_command_lines.py" "$BIGDNA_SOURCE_DIR"
  cd "$BATS_TEST_TMPDIR"
  mkdir -p root/docs root/pipelines root/models
  printf '```sh\nbigdna vocab genome.fa --sise 100\n```\n' >root/README.md
  run python3 "$BIGDNA_SOURCE_DIR/tests/cli/check_command_lines.py" root
  [ "$status" = 1 ]
  [[ $output == *"bigdna vocab genome.fa --sise 100"*"--sise"* ]]
}

@test "the picture of the libraries is what the build's list gives" {
  python3 "$BIGDNA_SOURCE_DIR/cmake/draw_rooms.py" "$BATS_TEST_TMPDIR/rooms.svg"
  cmp "$BATS_TEST_TMPDIR/rooms.svg" "$BIGDNA_SOURCE_DIR/docs/rooms.svg"
}
