# .github/workflows: what runs where other people's changes are checked.
load helpers

@test "the workflows fit GitHub's schema, and every script and preset that they name exists" {
  cd "$BIGDNA_SOURCE_DIR"
  workflow=.github/workflows/ci.yml
  grep -oE '(cmake|tests)/[a-z]+\.sh' $workflow | sort -u >"$BATS_TEST_TMPDIR/scripts"
  [ "$(wc -l <"$BATS_TEST_TMPDIR/scripts")" = 3 ]
  while read -r script; do [ -x "$script" ]; done <"$BATS_TEST_TMPDIR/scripts"
  python3 - $workflow CMakePresets.json <<'PY'
import json, re, sys
named = set(re.findall(r"--preset (\S+)", open(sys.argv[1]).read()))
presets = json.load(open(sys.argv[2]))
assert named and all(named <= {preset["name"] for preset in presets[kind]} for kind in ("configurePresets", "buildPresets", "testPresets")), named
PY
  check=$(cmake/setup.sh --print)/workflows/bin/check-jsonschema
  [ -x "$check" ] || skip "no check-jsonschema: tests/peers/setup.sh --workflows installs it"
  "$check" --builtin-schema vendor.github-workflows $workflow
  sed 's/runs-on: ubuntu-24.04/runs_on: ubuntu-24.04/' $workflow >"$BATS_TEST_TMPDIR/bad.yml"
  not "$check" --builtin-schema vendor.github-workflows "$BATS_TEST_TMPDIR/bad.yml"
}
