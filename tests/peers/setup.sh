#!/usr/bin/env bash
# Makes the Python environments that only tests use; bigdna itself needs none of them. Safe to run twice. Prints the environment's folder.
#   setup.sh              PyTorch, transformers, scikit-learn ... (requirements.txt), which the peer tests compare with, and, if this user may
#                         install packages, Chromium without a window (Debian's, 64 MB), which opens reports in tests
#   setup.sh --bench      the same, and the tokenisers that only tests/bench compares with (tiktoken, YouTokenToMe)
#   setup.sh --workflows  workflow engines (workflows.txt), which run pipelines/snakemake and pipelines/cwl in tests; an environment of their own
#   setup.sh --site       MkDocs, which makes the manual's site (cmake/site/build.py), and codespell (site.txt); an environment of their own
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
cache=$("$here/../../cmake/setup.sh" --print)

install() {  # ENVIRONMENT REQUIREMENTS WHAT
  if cmp -s "$here/$2" "$cache/$1/$2"; then return; fi
  echo "$1: installs $3 in $cache/$1" >&2
  python3 -m venv "$cache/$1"
  "$cache/$1/bin/pip" install -q --disable-pip-version-check -r "$here/$2" >&2
  cp "$here/$2" "$cache/$1/$2"
}

if [[ ${1:-} == --workflows ]]; then
  install workflows workflows.txt "Snakemake, cwltool, MultiQC and check-jsonschema (downloads 150 MB)"
  echo "$cache/workflows"
  exit
fi
if [[ ${1:-} == --site ]]; then
  install site site.txt "MkDocs and codespell (downloads 15 MB)"
  echo "$cache/site"
  exit
fi
install peers requirements.txt "PyTorch, transformers and others (downloads 2 GB, takes 6 GB)"
peers=$cache/peers
if ! command -v chromium-headless-shell >/dev/null; then
  as_root=()
  if ((EUID)); then as_root=(sudo -n); fi
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends chromium-headless-shell >&2 ||
    echo "peers: chromium-headless-shell is not installed, so reports are not opened in tests" >&2
fi
if [[ ${1:-} == --bench ]]; then
  "$peers/bin/pip" install -q --disable-pip-version-check tiktoken "cython<3" setuptools wheel >&2
  # Unmaintained: no wheels, and its build needs the Cython that is there.
  "$peers/bin/pip" install -q --disable-pip-version-check --no-build-isolation youtokentome >&2 || echo "peers: YouTokenToMe does not build here" >&2
fi
echo "$peers"
