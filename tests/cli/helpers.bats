# The helpers themselves: a helper that cannot fail would make every test pass.
load helpers

says() { printf '%s' "$1"; printf '%s' "$2" >&2; return "$3"; }

@test "golden compares stdout, stderr and exit code" {
  BIGDNA_SOURCE_DIR=$PWD/tree; mkdir -p tree/tests/cli/golden
  BIGDNA_RECORD=1 golden case says $'data\n' "took 1.5 s in $PWD" 3
  [ "$(cat tree/tests/cli/golden/case.rc)" = 3 ]
  [ "$(cat tree/tests/cli/golden/case.err)" = "took TIME in TEST_DIR" ]
  golden case says $'data\n' "took 12 min 5 s in $PWD" 3
  not golden case says $'other\n' "took 2 s in $PWD" 3
  not golden case says $'data\n' "took 2 s" 3
  not golden case says $'data\n' "took 2 s in $PWD" 0
  not golden unrecorded says "data" "" 0
  golden unrecorded says "" "" 0
  nothing_but tree
}

@test "fails wants the code, no stdout and one line" {
  fails 1 "a cause" says "" "file: a cause" 1
  not fails 2 "a cause" says "" "file: a cause" 1
  not fails 1 "a cause" says "data" "file: a cause" 1
  not fails 1 "a cause" says "" "another" 1
  not fails 1 "a cause" says "" $'a cause\nand more' 1
  not fails 0 "" says "" "" 0
}

@test "not wants a failure of the command itself; no_lines wants silence" {
  echo a >file
  not grep b file
  not not grep a file
  not not grep a missing_file
  not not missing_command
  not not sh -c 'kill -9 $$'
  no_lines </dev/null
  printf '' | no_lines
  not no_lines <file
  piped() { says "" "" 3 | no_lines; }
  not piped
}

@test "nothing_but sees what is left over" {
  nothing_but
  touch a b
  nothing_but a b
  not nothing_but a
}

@test "a pipeline fails where its first command does" {
  piped() { says "data" "" 3 | grep -c data; }
  not piped
}

@test "all_rows wants rows, and the condition in each" {
  printf '#a\tb\nx\t1\ny\t2\n' >t.tsv
  all_rows '$2 > 0' <t.tsv
  all_rows '$2 > 1' '$1 == "y"' <t.tsv
  not all_rows '$2 > 1' <t.tsv
  not all_rows '$2 < 2' <t.tsv
  not all_rows '$2 > 0' '$1 == "z"' <t.tsv
  not all_rows 1 </dev/null
}

@test "killed_when kills what still runs, and fails where it has ended" {
  killed_when '[ -e begun ]' sh -c 'touch begun; exec sleep 600'
  not killed_when '[ -e never ]' sh -c 'exit 0'
  not killed_when '[ -e never ]' sh -c 'exit 3'
  f() { sleep 600; }
  not killed_when true f
}
