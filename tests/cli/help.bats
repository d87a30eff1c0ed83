# What --help says, and that the pages in docs/commands say the same. BIGDNA_RECORD=1 rewrites the sections "Columns" and "All
# options" of the pages: read the diff before committing it.
load helpers

@test "every command's help: purpose, an example that parses, usage, options in groups" {
  python3 - <<'PY'
import re, subprocess
def run(*words): return subprocess.run(["bigdna", *words], capture_output=True, text=True)
commands = re.findall(r"^  ([a-z][a-z-]*(?: [a-z]+)?)  ", run("--help").stdout, re.M)
assert len(commands) >= 17, commands
for command in commands:
    text = run(*command.split(), "--help").stdout
    lines = text.split("\n")
    assert re.fullmatch(r"[A-Z].*\.", lines[0]), (command, lines[0])
    if command in ("predict", "chromatin", "predict-promoter"):  # which of the three to take
        assert lines[1].startswith("Of three commands, take predict for"), (command, lines[1])
        del lines[1:3]
    assert lines[1] == "" and lines[2] == "Example:", (command, lines[:3])
    assert lines[3].startswith(f"  bigdna {command} "), lines[3]
    assert lines[5].startswith(f"Usage: bigdna {command} "), lines[5]
    words = lines[3].split(">")[0].split()[1:]
    flags = [word for word in words if word.startswith("-")]
    for flag in flags: assert re.search(rf"^  ([^ ]*,)?{flag}[, ]", text, re.M), (command, flag)
    assert max(map(len, lines)) <= 110, (command, max(lines, key=len))
PY
}

@test "docs/commands: a page names every option of its commands, and no other" {
  BIGDNA_PAGES=$BIGDNA_SOURCE_DIR/docs/commands python3 - <<'PY'
import os, re, subprocess
pages, record = os.environ["BIGDNA_PAGES"], os.environ.get("BIGDNA_RECORD")
def run(*words): return subprocess.run(["bigdna", *words], capture_output=True, text=True).stdout
commands = re.findall(r"^  ([a-z][a-z-]*(?: [a-z]+)?)  ", run("--help"), re.M)
def page_of(command):
    for name in (command.replace(" ", "-"), command.split()[0]):
        if os.path.exists(f"{pages}/{name}.md"): return f"{pages}/{name}.md"
    raise SystemExit(f"no page in docs/commands for {command}")
sections, columns, flags = {}, {}, {"--help", "--help-all", "--version"}
for command in commands:
    text = run(*command.split(), "--help")
    flags |= set(re.findall(r"--[a-z][a-z-]*", text))
    options = text[text.index("Usage:"):text.index("Print this help") + len("Print this help")]
    sections.setdefault(page_of(command), []).append(f"```\n{options}\n```\n")
    tables = re.findall(r"^Columns.*:\n(?:  .*\n?)+", text, re.M)
    if tables: columns.setdefault(page_of(command), []).append((command, "".join(tables).rstrip("\n")))
others = set("--cache --custom --vcf --pty --signal --cpus-per-task --gpus-per-node --map-by --nnodes --no-python --nproc-per-node --ntasks-per-node --rdzv-backend --rdzv-endpoint".split())
for path, blocks in sections.items():
    page = open(path).read()
    head = "## All options\n\n"
    before = re.split("## Columns\n\n|" + head, page)[0].rstrip("\n") + "\n\n"
    named = columns.get(path, [])
    lists = [(f"`{command}`:\n\n" if len(named) > 1 else "") + f"```\n{text}\n```\n\n" for command, text in named]
    wanted = before + ("## Columns\n\n" + "".join(lists) if named else "") + head + "\n".join(blocks)
    if record: open(path, "w").write(wanted)
    else: assert page == wanted, f"{path}: its sections 'Columns' and 'All options' are not what --help says (BIGDNA_RECORD=1 rewrites it)"
    unknown = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", before)) - flags - others
    assert not unknown, f"{path}: no command has {unknown}"
PY
}

@test "a command that does not exist: a usage error that names the nearest" {
  fails 2 "pretrian is not a command of bigdna (did you mean pretrain?)" bigdna pretrian x
  fails 2 "nosuch is not a command of bigdna" bigdna nosuch --help
  fails 2 "dataset tabel is not a command of bigdna (did you mean dataset table?)" bigdna dataset tabel
  fails 2 "name a command: dataset promoter, dataset chromatin, dataset profile, dataset table" bigdna dataset
  fails 2 "evaluate-mlm is not a command of bigdna (did you mean evaluate mlm?)" bigdna evaluate-mlm
  fails 2 "name a command (see bigdna --help)" bigdna
  fails 2 "--min-mtch: unknown option (did you mean --min-match?)" bigdna liftover a.bed --chain c --min-mtch 1
  # before what else is missing, which goes by the names of the help
  fails 2 "bigdna tokenize: --voca: unknown option (did you mean --vocab?); see bigdna tokenize --help" bigdna tokenize a.fa --voca v
  fails 2 "bigdna vocab: --hlep: unknown option (did you mean --help?)" bigdna vocab --hlep
  fails 2 "bigdna: --foo: unknown option; see bigdna --help" bigdna --foo
  fails 2 "bigdna: -V: unknown option" bigdna -V
  fails 2 "bigdna vocab: FILE... is required" bigdna vocab -o v
  fails 2 "bigdna evaluate mlm: MODEL... CORPUS|FASTA: At least 2 required but received 1" bigdna evaluate mlm model
  bigdna dataset --help | grep -c 'dataset promoter'
}

@test "the dataset says the task: the task as a word is a usage error that says what to type" {
  fails 2 "the dataset says that it is one of chromatin: bigdna train bins" bigdna train chromatin bins -o run
  fails 2 "the dataset says that it is one of promoter: bigdna finetune run promoters" bigdna finetune promoter run promoters -o x
  fails 2 "the dataset says that it is one of table: bigdna evaluate model measured" bigdna evaluate table model measured
  fails 1 "chromatin/dataset.json: No such file" bigdna train chromatin -o run  # a folder may have that name
}
