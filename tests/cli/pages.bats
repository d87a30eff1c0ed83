# Man pages and completions: made from the options that the commands declare, so they must name the same ones as --help.
load helpers

setup() {
  cd "$BATS_TEST_TMPDIR"
  pages=${BIGDNA%/bin/*}/pages
  [[ -d $pages ]] || skip "no pages beside BIGDNA: it is not in a build folder"
}

# What readline would offer for a command line; its last word is the one at the cursor.
completed() {
  bash -c '
    source "$0"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _bigdna
    printf "%s\n" "${COMPREPLY[@]}"' "$pages/bash-completion/completions/bigdna" "$@"
}

@test "a man page per command, with every option of its help and no other" {
  pages=$pages python3 - <<'PY'
import os, re, subprocess
folder = os.environ["pages"] + "/man/man1"
def run(*words): return subprocess.run(["bigdna", *words], capture_output=True, text=True).stdout
commands = re.findall(r"^  ([a-z][a-z-]*(?: [a-z]+)?)  ", run("--help"), re.M)
assert sorted(os.listdir(folder)) == sorted(["bigdna.1"] + [f"bigdna-{c.replace(' ', '-')}.1" for c in commands])
for command in commands:
    text = open(f"{folder}/bigdna-{command.replace(' ', '-')}.1").read().replace("\\-", "-")
    shown = {flag for line in re.findall(r"^\.TP\n\\fB(-.*?)\\fR", text, re.M) for flag in line.split(", ")}
    help_text = run(*command.split(), "--help")
    wanted = {flag for line in re.findall(r"^  (-[^\s\[]+)", help_text, re.M) for flag in line.split(",")}
    assert shown == wanted, (command, shown ^ wanted)
PY
}

@test "man pages are sound roff" {
  command -v groff >/dev/null || skip "no groff"
  for page in "$pages"/man/man1/*.1; do groff -man -Tutf8 -ww -z "$page" 2>&1; done >said
  cat said
  [ ! -s said ]
}

@test "bash: commands, second words, options, values; files elsewhere" {
  completed bigdna pretr | diff - <(echo pretrain)
  completed bigdna --ver | sort | diff - <(printf '%s\n' --version --version-only)
  completed bigdna dataset '' | sort | diff - <(bigdna dataset --help | sed -nE 's/^  dataset ([a-z]+) .*/\1/p' | sort)
  touch my_model
  completed bigdna evaluate m | diff - <(printf '%s\n' mlm my_model)
  completed bigdna evaluate my_model --comp | diff - <(echo --compare)
  completed bigdna evaluate mlm --dev | diff - <(echo --device)
  completed bigdna chromatin m --precision '' | sort | diff - <(printf '%s\n' auto bf16 fp32)
  completed bigdna chromatin m --genome '' | no_lines
  completed bigdna chromatin mod | no_lines
  completed bigdna chromatin -- | grep -E '^--' >all
  grep -qx -- --resume=replace all
  grep -v = all >offered
  bigdna chromatin --help | grep -oE '^  (-[^ ,]+,)?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u | diff <(sort -u offered) -
}

@test "zsh: the completion loads" {
  command -v zsh >/dev/null || skip "no zsh"
  zsh -n "$pages/zsh/site-functions/_bigdna"
  zsh -fc 'fpath=('"$pages"'/zsh/site-functions $fpath); autoload -Uz compinit; compinit -D -d dump; print -r -- $_comps[bigdna]' | diff - <(echo _bigdna)
}
