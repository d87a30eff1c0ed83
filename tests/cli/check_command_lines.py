#!/usr/bin/env python3
"""check_command_lines.py ROOT: whether bigdna accepts every command line of the manual. Each block of commands of the pages runs in an empty
folder, where bigdna finds no input and every other program is missing: exit code 1 of a command is fine, and 2, wrong usage, is not."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROLOGUE = """
readonly PATH=/nowhere
command_not_found_handle() { return 0; }
bigdna() {
  "$program" "$@" </dev/null >/dev/null 2>error
  local status=$? last line
  if ((status == 2)); then
    while read -r line; do last=$line; done <error
    [[ $last == *'only --resume of a run that has begun'* ]] ||
      printf '  bigdna %s\\n    %s\\n' "$*" "$last" >&3
  fi
  printf . >&4
  return 0
}
"""
root, program = pathlib.Path(sys.argv[1]), shutil.which("bigdna")
bash = shutil.which("bash")
pages = [root / "README.md", *(path for folder in ("docs", "pipelines", "models") for path in sorted((root / folder).rglob("*.md")))]
commands, wrong = 0, []
for page in pages:
    if "benchmarks" in page.parts or page.name == "changelog.md":
        continue
    blocks = [block for language, block in re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), flags=re.M | re.S)
              if language in ("sh", "bash") or (not language and re.search(r"^bigdna ", block, flags=re.M) and "Usage: " not in block)]
    indented = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    blocks += re.findall(r"^    (bigdna .*)$", indented, flags=re.M)
    for block in blocks:
        with tempfile.TemporaryDirectory() as folder:
            usage = pathlib.Path(folder, "usage")
            subprocess.run([bash, "-c", f'exec 3>"{usage}" 4>"{usage}.count"\n{PROLOGUE}{block}'], cwd=folder,
                           env={"program": program, "LC_ALL": "C", "I": "1"}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, timeout=300)
            commands += len(pathlib.Path(f"{usage}.count").read_text())
            if usage.read_text():
                wrong.append(f"{page.relative_to(root)}:\n{usage.read_text()}")
print("".join(wrong) + f"{commands} commands of {len(pages)} pages")
sys.exit(bool(wrong) or commands < 150)
