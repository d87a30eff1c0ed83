#!/usr/bin/env bash
# Sets up, builds and runs every test. Options:
#   --peers      also make the environments of the tests against other software, of the workflow engines and of the site (CI does), else these tests
#                run where they exist
#   --no-build   take build/ as it is
#   --quick      without the tests of whole pipelines (label workflow), which CI runs
#   ARGS         anything else goes to ctest, e.g. -L unit, -R tokenizer
# Tests on real data read $BIGDNA_DATA (default: ../shared/data) and say so where they skip.
set -euo pipefail
root=$(dirname "$(dirname "$(readlink -f "$0")")")
peers=${CI:+1} build=1 arguments=()
for argument in "$@"; do
  case $argument in
    --peers) peers=1 ;;
    --no-build) build= ;;
    --quick) arguments+=(-LE workflow) ;;
    -h|--help) sed -n '2,8s/^# \?//p' "$0"; exit 0 ;;
    *) arguments+=("$argument") ;;
  esac
done
[[ -z $build ]] || "$root/cmake/build.sh"
[[ -z $peers ]] || { "$root/tests/peers/setup.sh" && "$root/tests/peers/setup.sh" --workflows && "$root/tests/peers/setup.sh" --site; } >/dev/null
environment=$("$root/cmake/setup.sh" --print)/debian/environment
[[ ! -e $environment ]] || . "$environment"
export BIGDNA_DATA=${BIGDNA_DATA:-$root/../shared/data}
export GOMP_SPINCOUNT=${GOMP_SPINCOUNT:-10000}  # tests share the processors: threads that wait sleep soon, as under bin/bigdna
[[ -d $BIGDNA_DATA ]] || echo "tests: no real data in $BIGDNA_DATA: tests that need it are skipped" >&2
[[ -x $("$root/cmake/setup.sh" --print)/peers/bin/python ]] || echo "tests: no peer environment (tests/peers/setup.sh makes it): peer tests are skipped" >&2
started=$SECONDS
cd "$root/build"
status=0
# a build waits with linking the programs (apps/CMakeLists.txt) until the tests are done
flock -s -o tests.lock ctest --output-on-failure -j "$(nproc)" "${arguments[@]}" || status=$?
log=Testing/Temporary/LastTest.log
echo "tests: $((SECONDS - started)) s; skipped cases inside them: $(grep -c -E '^\[  SKIPPED \]|# skip' "$log" || true)" >&2
exit $status
