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
    """Of a command that reads a genome, too, the tool gives one: a path in a dataset or in further options is not staged."""
    global checked
    if command not in helps:
        helps[command] = subprocess.run(["bigdna", *command.split(), "--help"], capture_output=True, text=True, check=True).stdout
    for option in options:
        assert re.search(rf"(^|[ ,]){option}(?![\w-])", helps[command], re.M), f"{path}: bigdna {command} has no {option}"
        checked += 1
    if "-g,--genome" in helps[command]:
        assert {"-g", "--genome"} & set(options), f"{path}: bigdna {command} reads a genome"

for path in (root / "cwl").glob("*.cwl"):
    text = path.read_text()
    if "class: CommandLineTool" not in text:
        continue
    command = re.search(r"baseCommand: \[bigdna, (.*)\]", text)[1].replace(", ", " ")
    check(path, command, re.findall(r'prefix: "(--[a-z-]+)"', text))
for path in (root / "galaxy").glob("bigdna_*.xml"):
    for command in re.findall(r"^ *bigdna .*?(?=&&)", path.read_text(), re.M | re.S):
        check(path, command.split()[1], re.findall(r"(--[a-z-]+)", command))
for path in (root / "nextflow").rglob("main.nf"):
    text = path.read_text()
    for command in re.findall(r"^ *bigdna ((?:dataset )?[a-z-]+) (.*(?:\\\n.*)*)", text, re.M):
        check(path, command[0], re.findall(r" (--?[a-z@-]+) ", f" {command[1]} ") + re.findall(r'\? "(--?[a-z-]+) \$', text))
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

@test "CWL: bins made from a genome that was then staged elsewhere are trained on, by a network and by an encoder" {
  [ -x "$cwltool" ] || skip "no cwltool: tests/peers/setup.sh --workflows installs it"
  export TMPDIR=$PWD
  small_encoder
  mkdir first
  cp "$TEST_DATA"/{peaks.tsv,tf.narrowPeak,dhs.narrowPeak.gz,hm.broadPeak,tss.bed} .
  cp "$TEST_DATA/genome.fa.gz" first
  samtools faidx first/genome.fa.gz
  tool() {  # NAME, with its inputs from stdin; writes into out
    cat >inputs.yaml
    "$cwltool" --no-container --outdir out "$BIGDNA_SOURCE_DIR/pipelines/cwl/$1.cwl" inputs.yaml >out.json 2>log || { tail -20 log; false; }
  }
  for strands in one both; do
    sites=null
    if [ $strands = both ]; then sites='{class: File, path: tss.bed}'; fi
    tool dataset_chromatin <<END
peaks: {class: File, path: peaks.tsv}
peak_files: [{class: File, path: tf.narrowPeak}, {class: File, path: dhs.narrowPeak.gz}, {class: File, path: hm.broadPeak}]
start_sites: $sites
genome: {class: File, path: first/genome.fa.gz}
output_name: $strands.tar
options: [--upstream, "0", --downstream, "0", --keep, all, --test, "chr2,chr3", --validation, chrX, --max-bins, "2000"]
END
  done
  mv first second
  fails 1 "there is no such file, from which out/both.tar was made" bigdna train out/both.tar -o run
  tool train <<'END'
dataset: {class: File, path: out/both.tar}
genome: {class: File, path: second/genome.fa.gz}
output_name: network.tar
options: [--preset, tiny, --networks, "1", --steps, "2", --batch, "2", --window, "4000", --precision, fp32, --no-baseline]
END
  tool finetune <<'END'
model: {class: Directory, path: pre}
dataset: {class: File, path: out/one.tar}
genome: {class: File, path: second/genome.fa.gz}
output_name: encoder.tar
options: [--steps, "2", --batch, "2", --precision, fp32, --no-baseline, --random-head]
END
  printf 'chr3\t1000\t1200\nchr3\t5000\t5200\n' >regions.bed
  for model in network encoder; do
    tool predict <<END
model: {class: File, path: out/$model.tar}
regions: {class: File, path: regions.bed}
genome: {class: File, path: second/genome.fa.gz}
output_name: $model.tsv
options: [--precision, fp32]
END
    bigdna predict out/$model.tar -R regions.bed -g "$TEST_DATA/genome.fa.gz" --precision fp32 --quiet >expected.tsv
    same_rows out/$model.tsv expected.tsv
    [ "$(grep -vc '^#' out/$model.tsv)" = 2 ]
  done
}

@test "each Nextflow module has what nf-core asks for, and its meta.yml describes its channels" {
  python=$("$BIGDNA_SOURCE_DIR/cmake/setup.sh" --print)/workflows/bin/python
  "$python" -c 'import yaml' || skip "no PyYAML: tests/peers/setup.sh --workflows installs it"
  "$python" - "$BIGDNA_SOURCE_DIR/pipelines/nextflow/modules/bigdna" <<'PY'
import pathlib, re, sys, yaml

def channels(block):
    """The names of each channel of an input or output block of main.nf, in their order, and what it is emitted as."""
    for line in filter(None, (re.sub(r"  // .*", "", line).strip() for line in block.split("\n"))):
        emitted = re.search(r", emit: (\w+)$", line)
        yield [a or b for a, b in re.findall(r'\b(?:val|path)[ (]+(?:"([^"]+)"|(\w+))', line)], emitted and emitted[1]

modules = sorted(pathlib.Path(sys.argv[1]).iterdir())
assert len(modules) == 7
for module in modules:
    text, test = (module / "main.nf").read_text(), (module / "tests/main.nf.test").read_text()
    meta, environment = (yaml.safe_load((module / name).read_text()) for name in ("meta.yml", "environment.yml"))
    inputs, outputs = (re.search(rf"^    {part}:\n(.*?)\n\n", text, re.M | re.S)[1] for part in ("input", "output"))
    assert meta["name"] == "bigdna_" + module.name and len(meta["keywords"]) >= 3
    described = [[name for element in channel for name in element] for channel in meta["input"]]
    assert described == [names for names, _ in channels(inputs)], (module, described)
    described = {emit: [name for element in elements for name in element] for output in meta["output"] for emit, elements in output.items()}
    assert described == {emit: names for names, emit in channels(outputs)}, (module, described)
    elements = [element for channel in meta["input"] for element in channel] + [e for output in meta["output"] for channel in output.values() for e in channel]
    assert all({"type", "description"} <= set(about) for element in elements for about in element.values())
    assert {"versions"} <= set(described) and "stub:" in text and 'conda "${moduleDir}/environment.yml"' in text and "container '" in text
    assert any(word.startswith("bigdna=") for word in environment["dependencies"])
    process = re.match(r"process (\w+) \{", text)[1]
    assert process == "BIGDNA_" + module.name.upper() and f'process "{process}"' in test and 'options "-stub"' in test
    given = {int(i) for i in re.findall(r"input\[(\d+)\]", test)}
    assert given == set(range(len(meta["input"]))), (module, given)
PY
}

@test "the Nextflow files parse as Groovy" {
  command -v groovy >/dev/null && java=$(readlink -f "$(command -v java)") || skip "no groovy (apt-get install groovy)"
  export JAVA_HOME=${java%/bin/java}
  cat >parse.groovy <<'END'
import org.codehaus.groovy.control.*
args.each { name ->
  def unit = new CompilationUnit()
  unit.addSource(name, new File(name).text)
  unit.compile(Phases.CONVERSION)
}
println args.size() + " files"
END
  readarray -t files < <(find "$BIGDNA_SOURCE_DIR/pipelines/nextflow" -name '*.nf' -o -name '*.nf.test' -o -name '*.config')
  [ "$(groovy parse.groovy "${files[@]}")" = "17 files" ]
  echo 'process A { input: tuple val(meta), path(x }' >bad.nf
  not groovy parse.groovy bad.nf
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
