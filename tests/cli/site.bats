# The manual as a site (cmake/site), and the spelling of pages, help and comments. Both need what tests/peers/setup.sh --site installs.
load helpers

setup() {
  cd "$BATS_TEST_TMPDIR"
  site=$("$BIGDNA_SOURCE_DIR/cmake/setup.sh" --print)/site/bin
}

@test "the site: every page in the menu, every link leads somewhere, nothing comes from elsewhere, measurements are not in the menu" {
  [[ -x $site/mkdocs ]] || skip "no MkDocs: tests/peers/setup.sh --site installs it"
  "$BIGDNA_SOURCE_DIR/cmake/site/build.py" site
  python3 - <<'PY'
import json, pathlib, re
site = pathlib.Path("site")
pages = list(site.rglob("*.html"))
assert len(pages) > 100, len(pages)
loaded = re.compile(r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"?(\w+:)?//[^>]*|<link\b[^>]*rel=\"?(?:stylesheet|preconnect|preload)[^>]*href=\"?https?://[^>]*")
for page in pages:
    assert not (found := loaded.search(page.read_text())), (page, found[0])
menu = re.findall(r'href="([^"#]*)" class="md-nav__link', (site / "docs/faq.html").read_text())
notebook = (site / "docs/tutorials/notebook.html").read_text()
assert notebook.count('src="data:image/png;base64,') + notebook.count("src=data:image/png;base64,") >= 3, "the notebook's pictures"
assert "commands/train.html" in menu and "benchmarks.html" in menu, menu
assert not [link for link in menu if "benchmarks/" in link], menu
found = [entry["location"] for entry in json.loads((site / "search/search_index.json").read_text())["docs"] if "--keep-networks" in entry["text"]]
assert any(place.startswith("docs/commands/train.html") for place in found), found
PY
}

@test "the site: a link that leads nowhere, and a page that the menu lacks, are errors" {
  [[ -x $site/mkdocs ]] || skip "no MkDocs: tests/peers/setup.sh --site installs it"
  git -C "$BIGDNA_SOURCE_DIR" ls-files -z -- '*.md' '*.ipynb' '*.svg' '*.png' '*.yaml' CMakeLists.txt cmake |
    tar -C "$BIGDNA_SOURCE_DIR" --null -T - -c | tar -x
  echo '[nowhere](nowhere.md)' >>docs/faq.md
  echo '# Added' >"docs/added".md
  not cmake/site/build.py site 2>err
  grep -q "'docs/faq.md' contains a link 'nowhere.md'" err
  grep -q added.md err
}

@test "spelling of pages, help, messages and comments" {
  [[ -x $site/codespell ]] || skip "no codespell: tests/peers/setup.sh --site installs it"
  cd "$BIGDNA_SOURCE_DIR"
  git ls-files -z -- '*.md' '*.h' '*.cpp' '*.cu' '*.cuh' '*.py' '*.sh' '*.bats' '*.bash' '*.cmake' '*.txt' '*.yml' '*.yaml' '*.tsv' '*.awk' \
    '*.cff' '*.css' lib/report/*.js ':!test-data' ':!tests/cli/golden' >"$BATS_TEST_TMPDIR/files"
  [ "$(tr -cd '\0' <"$BATS_TEST_TMPDIR/files" | wc -c)" -gt 500 ]
  spelled() { xargs -0 "$site/codespell" --builtin clear,rare --ignore-words tests/cli/words.txt; }
  spelled <"$BATS_TEST_TMPDIR/files"
  printf 'A sep%srate page.\n' e >"$BATS_TEST_TMPDIR/wrong.md"
  not spelled < <(printf '%s\0' "$BATS_TEST_TMPDIR/wrong.md")
}
