# The build itself: a library that includes what it does not declare must not build.
load helpers

setup() {
  cd "$BATS_TEST_TMPDIR"
  mkdir -p lib/genome lib/io lib/model
  cat >CMakeLists.txt <<EOF
cmake_minimum_required(VERSION 3.22)
project(rooms LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH $BIGDNA_SOURCE_DIR/cmake)
include(CheckIncludes)
add_subdirectory(lib)
EOF
  echo '#pragma once' >lib/genome/region.h
  echo '#pragma once' >lib/io/output.h
  printf '%s\n' '#include <string>' '#include "genome/region.h"' '#include "model/own.h"' 'int answer() { return 42; }' >lib/model/model.cpp
  echo '#pragma once' >lib/model/own.h
  rooms genome
}

# rooms DEPENDENCY...: lib/model names these.
rooms() {
  printf '%s\n' "add_library(model STATIC model/model.cpp)" "target_include_directories(model PRIVATE \${CMAKE_CURRENT_SOURCE_DIR})" \
    "bigdna_check_includes(model $*)" >lib/CMakeLists.txt
}

builds() { cmake -S . -B build -G Ninja >configure.log && cmake --build build >build.log 2>&1; }

@test "a library builds that includes what it declares" {
  builds
  [ -e build/lib/libmodel.a ]
}

@test "a header of a room that is not declared fails the build with file and line" {
  builds
  sed -i '1i #include "io/output.h"' lib/model/own.h
  not builds
  grep -F "lib/model/own.h:1: error: includes a header of lib/io, which lib/CMakeLists.txt does not name among the DEPENDS of model" build.log
  rooms genome io
  builds
}

@test "a declared room that nothing is included from fails the build" {
  rooms genome io
  not builds
  grep -F "lib/CMakeLists.txt: error: model names io among its DEPENDS, and no file of it includes a header from there" build.log
}

@test "a line over 120 columns and a file over 400 lines are errors with file and line" {
  local check=$BIGDNA_SOURCE_DIR/cmake/check_code_size.sh
  printf '%0120d\n' 0 >lib/io/wide.cpp
  printf 'é%.0s' {1..120} >lib/io/accents.cpp
  seq 400 >lib/io/long.h
  "$check" lib
  printf 'int a;\n%0121d\n' 0 >lib/io/wide.cpp
  not "$check" lib 2>errors
  [ "$(cat errors)" = "lib/io/wide.cpp:2: error: longer than 120 columns" ]
  printf 'int a;\n' >lib/io/wide.cpp
  seq 401 >lib/io/long.h
  not "$check" lib 2>errors
  [ "$(cat errors)" = "lib/io/long.h: error: 401 lines, of 400 at most: divide it by subject" ]
}

@test "a statement of a command test that cannot fail is an error with file and line" {
  local check=$BIGDNA_SOURCE_DIR/cmake/check_bats.py line
  sed 's/^=/@/' >good.bats <<'EOF'  # bats would take it for a test of this file
helper() { [ -e a ] && [ -e b ]; }
other() { ! grep a b; }
=test "what can fail" {
  [[ -e a && -e b ]]
  if [ -e a ] && [ -e b ]; then echo yes; fi
  until [ -e a ] || ! kill -0 1; do sleep 1; done
  (cd a && ls b)
  [ -e a ] || skip "none"
  bash -c "true && false"
  [ "$(awk '$1 && $2' file | sort)" = "a && b" ]
  awk '$1 {exit 1}' file >out
  awk '$1 {bad = 1} END {exit bad || !NR}' file
  awk '$1 {n = 1; if ($2 > 2) exit 1} END {if (!n) exit 1}' file
  awk 'NR == 1 {print; exit}' file >first
  awk '$1' file >out
  for i in 1 2; do echo a | tr a b; done >out
  x=$(cat <<<"a && b") y=(a "$(echo b)")
  cat <<'TEXT' >file
a && b
! c
TEXT
  awk '$1' file | no_lines
  mkdir a && cd a  # may fail
}
EOF
  "$check" good.bats
  while read -r line; do
    printf '@test "x" {\n  true\n  %s\n  true\n}\n' "$line" >bad.bats
    not "$check" bad.bats 2>errors
    grep -F "bad.bats:3: error: " errors
  done <<'EOF'
awk '{exit !($1 > 2)}' file
awk -F'\t' '$1 == "a" {print; exit !($2 > 2)}' file
sed 1d file | awk 'NR > 1 && $2 != end {exit 1} {end = $3}'
awk '{++n; if ($1 > 2) exit 1} END {exit !n}' file
kill -9 $! 2>/dev/null || true
[ $rc = 1 ] && [ ! -e out.tsv ]
grep a b && false
! grep a b
for i in 1 2; do [ -e a ] && [ -e b ]; done
if true; then ! grep a b; fi
[ -e a ] || true && [ -e b ]
awk '$1 == 2' file
bigdna x | grep y && cat z
cut -f1 file | sort | uniq -d
[ "$(bigdna x | wc -l)" = 0 ]
[ "$(bigdna x | grep -c y)" = 0 ]
[ -z "$(bigdna x)" ]
[ "$(bigdna x)" = "" ]
{ [ -e a ] && [ -e b ]; }
EOF
}
