# pipelines/cwl, galaxy and nextflow: what the tools give bigdna exists, and cwltool runs its workflow.
load helpers

cwltool=$("$BIGDNA_SOURCE_DIR/cmake/setup.sh" --print)/workflows/bin/cwltool

@test "every option that a tool of CWL, Galaxy or Nextflow gives is one of its command" {
  python3 - "$BIGDNA_SOURCE_DIR/pipelines" <<'PY'
import pathlib, re, subprocess, sys

root = pathlib.Path(sys.argv[1])
helps = {}
checked = 0

def check(path, command, options):
    global checked
    if command not in helps:
        helps[command] = subprocess.run(["bigdna", *command.split(), "--help"], capture_output=True, text=True, check=True).stdout
    for option in options:
        assert re.search(rf"(^|[ ,]){option}(?![\w-])", helps[command], re.M), f"{path}: bigdna {command} has no {option}"
        checked += 1

for path in (root / "cwl").glob("*.cwl"):
    text = path.read_text()
    if "class: CommandLineTool" not in text:
        continue
    command = re.search(r"baseCommand: \[bigdna, (.*)\]", text)[1].replace(", ", " ")
    for kind in ["promoter", "chromatin", "table"] if command == "finetune" else [""]:
        check(path, f"{command} {kind}".strip(), re.findall(r'prefix: "(--[a-z-]+)"', text))
for path in (root / "galaxy").glob("bigdna_*.xml"):
    for command in re.findall(r"^ *bigdna .*?(?=&&)", path.read_text(), re.M | re.S):
        check(path, command.split()[1], re.findall(r"(--[a-z-]+)", command))
for path in (root / "nextflow").rglob("main.nf"):
    for command in re.findall(r"^ *bigdna ((?:dataset )?[a-z-]+) (.*(?:\\\n.*)*)", path.read_text(), re.M):
        name = "finetune promoter" if command[0] == "finetune" else command[0]
        check(path, name, re.findall(r" (--?[a-z@-]+) ", f" {command[1]} "))
assert checked > 60, checked
PY
}

@test "cwltool takes every tool and runs promoters.cwl, whose parts are merged" {
  [ -x "$cwltool" ] || skip "no cwltool: tests/peers/setup.sh --workflows installs it"
  export TMPDIR=$PWD
  for tool in "$BIGDNA_SOURCE_DIR"/pipelines/cwl/*.cwl; do "$cwltool" --validate "$tool" >log 2>&1 || { cat log; false; }; done
  "$cwltool" --no-container --outdir out "$BIGDNA_SOURCE_DIR/pipelines/cwl/promoters.cwl" "$BIGDNA_SOURCE_DIR/pipelines/cwl/test_promoters.yaml" >out.json 2>log || { tail -20 log; false; }
  bigdna predict-promoter out/model.tar -g "$TEST_DATA/genome.fa.gz" --contigs chr3 --precision fp32 -o whole.tsv --counts whole.json --quiet
  same_rows whole.tsv out/promoters.tsv
  [ "$(counts whole.json)" = "$(counts out/counts.json)" ]
}

@test "the Galaxy tools are XML whose macros and test data exist" {
  python3 - "$BIGDNA_SOURCE_DIR/pipelines/galaxy" <<'PY'
import pathlib, sys, xml.etree.ElementTree as tree

root = pathlib.Path(sys.argv[1])
macros = tree.parse(root / "macros.xml").getroot()
names = {m.get("name") for m in macros.iter() if m.tag in ("xml", "token")}
tools = sorted(root.glob("bigdna_*.xml"))
assert len(tools) >= 3
for path in tools:
    tool = tree.parse(path).getroot()
    used = {e.get("macro") for e in tool.iter("expand")} | {"@MODEL@", "@VERSION@"}
    assert used <= names, (path, used - names)
    for param in tool.findall("tests/test/param"):
        if "." in param.get("value") and not param.get("value").replace(".", "").isdigit():
            assert (root / "test-data" / param.get("value")).exists(), (path, param.get("value"))
PY
}
