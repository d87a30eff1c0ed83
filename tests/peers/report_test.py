"""Reports in a browser (headless Chromium): they draw everything, ask the network for nothing, say nothing on the console, fit
narrow screens, pass axe-core's rules for accessibility, and their controls work; wide in light mode, narrow in dark mode."""
import csv
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
if chromium is None:
    print("SKIPPED: no Chromium (tests/peers/setup.sh installs it)")
    sys.exit(77)
root = pathlib.Path(os.environ["BIGDNA_SOURCE_DIR"])
data = root / "test-data"
tip = "#tip:not([hidden])"


def bigdna(*words, output=None):
    with open(output or os.devnull, "w") as out:
        subprocess.run([os.environ["BIGDNA"], *map(str, words), "--quiet"], check=True, stdout=out)


def make_reports():
    """Of each kind of input one, by its name."""
    genome = shutil.copy(data / "genome.fa.gz", "genome.fa.gz")
    bigdna("pretrain", genome, "--preset", "tiny", "--layers", 1, "--hidden", 32, "--ffn", 64, "--max-length", 256, "--vocab-size", 200, "--steps", 24,
           "--batch", 2, "--hold-out", "chr2,chr3", "--evaluation-tokens", 1000, "--evaluate-every", 8, "-o", "pre")
    bigdna("dataset", "promoter", "--promoters", data / "tss.bed", "-g", genome, "--upstream", 400, "--downstream", 200, "--tss-distance", 700,
           "--split-like", "pre/model", "--validation", "chrX", "-o", "starts")
    for name, steps in (("first", 24), ("second", 30)):
        bigdna("finetune", "pre", "starts", "--steps", steps, "--evaluations", 3, "-o", name)
    bigdna("dataset", "chromatin", "--peaks", data / "peaks.tsv", "-g", genome, "--upstream", 200, "--downstream", 200, "--max-bins", 300,
           "--split-like", "pre/model", "--validation", "chrX", "--keep", "any", "-o", "bins")
    bigdna("finetune", "pre", "bins", "--steps", 24, "--evaluations", 2, "-o", "chromatin")
    pathlib.Path("tile.bed").write_text("chr1\t0\t40000\nchr2\t1000\t9000\n")
    bigdna("chromatin", "chromatin", "tile.bed", "-g", genome, "--tile", 200, "-o", "tracks.tsv")
    subprocess.run([sys.executable, root / "tests/cli/edited_fasta.py", "random", genome, "1", "60"], check=True, stdout=open("v.vcf", "w"))
    bigdna("variants", "chromatin", "v.vcf", "-g", genome, "--null", 200, "-o", "effects.vcf")
    random.seed(1)
    numbers = [(random.random(), random.random()) for _ in range(60)]
    pathlib.Path("numbers.tsv").write_text("#chrom\tstart\tend\tname\tscore\tstrand\tlabel:<i>y</i>\tbigdna:<i>y</i>\n" + "".join(
        f".\t0\t9\tr{i}\t.\t.\t{a:.4f}\t{a + b:.4f}\n" for i, (a, b) in enumerate(numbers)))
    pathlib.Path("ranked.tsv").write_text("#chrom\tpos\tname\tref\talt\tskipped\tDIFF:a\tDIFF:b\tDIFF_percentile:a\n" + "".join(
        f"1\t{i}\t.\tA\tC\t.\t{0.1 * i}\t0\t{percentile}\n" for i, percentile in enumerate((50, ".", 99), 1)))
    alleles = "rank chrom pos name ref alt output effect value percentile logit p_ref p_alt seen gene distance location".split()
    pathlib.Path("alleles.tsv").write_text("##alleles=900\n#" + "\t".join(alleles) + "\n" + "".join("\t".join(map(str, (
        i, "20", 2_301_760 + i, f"rs11757{i}", "AG" * (i % 3) + "A", "ACGTACGTACGT"[:i % 9 + 1], f"H3K4me3|GM12878|{i}", "DIFF", -0.368542 / i, 99.8 - i, -3.881 / i, 0.381 / i,
        0.0125 / i, i % 2, f"GENE{i}", -1_088_985 + i, "intergenic"))) + "\n" for i in range(1, 31)))
    deepsea(919)
    os.mkdir("good")
    pathlib.Path("good/metrics.tsv").write_text("#method\tsplit\tmetric\tvalue\tlow\thigh\n" + "".join(
        f"{method}\ttest\tauroc\t{value}\t{value - 0.02}\t{value + 0.01}\n" for method, value in (("bigdna", 0.99), ("kmers", 0.94))))
    counts()
    pathlib.Path("bases.tsv").write_text("#chrom\tstart\tend\tname\tbase\tCTCF\tDNase\n" + "".join(
        f"chr1\t{i}\t{i + 1}\tr\t{random.choice('ACGT')}\t{random.gauss(0, 1):.4f}\t{random.gauss(0, 1):.4f}\n" for i in range(500, 560)))
    os.mkdir("logos")
    pathlib.Path("logos/1_rs1.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg" width="900" height="40"><script>document.title = "ran"</script><text y="20">rs1</text></svg>')
    for name, paths in {"run": ["first"], "side": ["first", "second"], "pretrain": ["pre"], "data": ["starts", "bins", "pre/corpus", "pre/vocabulary", "pre/model"],
                        "chromatin": ["chromatin"], "tracks": ["tracks.tsv"], "variants": ["effects.vcf"], "numbers": ["numbers.tsv"], "ranked": ["ranked.tsv"], "alleles": ["alleles.tsv", "bases.tsv"], "deepsea": ["deepsea"], "good": ["good"], "counts": ["counts", "--title", "Two <b>tracks</b>", "--note", "asked by A"],
                        "bases": ["bases.tsv", "logos"]}.items():
        bigdna("report", *paths, "-o", f"{name}.html")
        yield name, pathlib.Path(f"{name}.html").resolve()


def counts():
    """An evaluation of two tracks, in which the model is behind."""
    os.mkdir("counts")
    with open("counts/metrics.tsv", "w") as out:
        print("##verdict=WORSE than GC content by 0.100 [0.050, 0.200] (Pearson's r of log(1 + count)): use GC content", file=out)
        print("#index name cell assay group strand bins rows method split metric value low high".replace(" ", "\t"), file=out)
        for index, track in enumerate(("ATAC", "CAGE")):
            for method, value in (("bigdna", 0.4), ("gc", 0.5), ("halves", 0.9), ("bigdna-gc", -0.1)):
                print(index, track, "-", "-", "-", ".", "all", 400, method, "test", "pearson_log1p", value + 0.01 * index, value - 0.05, value + 0.05, sep="\t", file=out)
    with open("counts/scores.tsv.gz", "w") as out:
        print("#chrom start end name score strand label:ATAC label:CAGE bigdna:ATAC bigdna:CAGE gc:ATAC gc:CAGE".replace(" ", "\t"), file=out)
        for row in range(400):
            observed = [int(random.expovariate(0.05)), random.choice((0, 0, 0, 2, 40))]
            print("chr1", 200 * row, 200 * row + 200, f"b{row}", ".", ".", *observed, *(f"{n * random.random() * 2:.3f}" for n in observed * 2), sep="\t", file=out)


def deepsea(count):
    """An evaluation of as many features as DeepSEA has."""
    os.mkdir("deepsea")
    groups = ["DHS"] * 125 + ["TF"] * 690 + ["HM"] * (count - 815)
    methods = ("bigdna", "kmers", "encoder", "bases")
    with open("deepsea/metrics.tsv", "w") as out:
        print("#group method split features scored auroc_median auroc_mean auroc_median_low auroc_median_high".replace(" ", "\t"), file=out)
        for method in methods:
            print("all", method, "test", count, count, 0.9, 0.88, 0.89, 0.91, sep="\t", file=out)
    with open("deepsea/features.tsv", "w") as out:
        print("#index", "name", "cell", "assay", "group", "positives", "prevalence", *(f"{m}_{v}" for m in methods for v in ("auroc", "auprc")), sep="\t", file=out)
        for i, group in enumerate(groups):
            print(i, f"factor{i % 843}", f"cell{i % 90}", "-", group, 40 + i, 0.01, *(f"{random.random():.6f}" for _ in range(8)), sep="\t", file=out)
    with open("deepsea/scores.tsv.gz", "w") as out:
        print("#chrom", "start", "end", "name", "score", "strand", *(f"label:f{i}" for i in range(count)), *(f"{m}:f{i}" for m in methods for i in range(count)),
              sep="\t", file=out)
        for row in range(200):
            labels = [int(random.random() < 0.2) for _ in range(count)]
            print("chr1", row, row + 1, f"b{row}", ".", ".", *labels, *(f"{(random.random() + label) / 2:.6f}" for _ in methods for label in labels), sep="\t", file=out)


def opened(browser, html, width, scheme, **more):
    """A page that has drawn everything; what it asked for, and said."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, accept_downloads=True, **more)
    page, asked, said = context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(html.as_uri())
    page.wait_for_function("document.documentElement.dataset.drawn === 'all'")
    return page, asked, said


def check_page(browser, name, html):
    assert html.stat().st_size < 3_000_000, (name, html.stat().st_size)
    for width, scheme in ((1280, "light"), (400, "dark")):
        page, asked, said = opened(browser, html, width, scheme)
        where = (name, width, scheme)
        assert asked == [html.as_uri()], (where, asked)
        assert not said, (where, said)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, where
        plots = page.locator(".plot")
        assert plots.count() >= 1, where
        for i in range(plots.count()):
            plot = plots.nth(i)
            assert plot.locator("svg path").count() > 3, (where, plot.get_attribute("aria-label"))
            shown = plot.inner_text() + plot.inner_html()
            wrong = re.search(r".{,60}(NaN|undefined|Infinity|e\+?30[0-9]).{,60}", shown)
            assert not wrong, (where, plot.get_attribute("aria-label"), wrong[0])
        page.context.close()
        page, _, _ = opened(browser, html, width, scheme, bypass_csp=True)  # axe is a script of its own
        faults = [(fault["id"], fault["impact"], fault["nodes"][0]["html"][:200]) for fault in Axe().run(page).response["violations"]]
        assert not [fault for fault in faults if fault[1] in ("serious", "critical")], (where, faults)
        page.context.close()


def figure(page, title):
    """Its heading may name the path that it is of."""
    return page.locator("figure", has=page.locator("h3", has_text=re.compile(rf"^(\S+: )?{re.escape(title)}$"))).first


def check_controls(browser, reports):
    page, _, said = opened(browser, reports["run"], 1280, "light")
    metrics = figure(page, "Metrics of the test examples")
    before = metrics.locator("svg").inner_html()
    metrics.locator("label", has_text="metric").locator("select").select_option("auprc")
    page.wait_for_timeout(300)
    assert metrics.locator("svg").inner_html() != before and "auprc" in metrics.locator("svg").inner_html()
    # its table, by keyboard: opened, sorted, searched, saved
    metrics.locator("summary").focus()
    page.keyboard.press("Enter")
    rows = metrics.locator("tbody tr")
    rows.first.wait_for()
    count = rows.count()
    metrics.get_by_role("button", name="value", exact=True).focus()
    page.keyboard.press("Enter")
    assert metrics.locator("th[aria-sort=descending]").count() == 1
    place = [header.strip().split("\n")[0] for header in metrics.locator("th").all_inner_texts()].index("value") + 1
    values = [float(text.replace(",", "")) for text in metrics.locator(f"tbody td:nth-child({place})").all_inner_texts() if text != "–"]
    assert values == sorted(values, reverse=True) and len(values) > 10
    metrics.get_by_label("Find").fill("auroc")
    assert 0 < rows.count() < count
    with page.expect_download() as download:
        metrics.get_by_role("button", name="Table as CSV").click()
    saved = list(csv.reader(open(download.value.path(), newline="")))
    assert saved[0] == ["method", "examples", "metric", "value", "low", "high"]
    wanted = {(line.split("\t")[0], line.split("\t")[2]): float(line.split("\t")[3]) for line in open("first/metrics.tsv") if not line.startswith("#") and "NA" not in line.split("\t")[3]}
    for method, group, metric, value, *_ in saved[1:]:
        if group == "all" and value:
            assert abs(float(value) - wanted[method, metric]) < 1e-5, (method, metric)
    with page.expect_download() as download:
        figure(page, "ROC").get_by_role("button", name="Picture as SVG").click()
    assert open(download.value.path()).read().startswith("<svg")
    # the numbers of a mark beside the pointer
    box = figure(page, "Confusion matrix").locator("svg").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 70)
    page.wait_for_selector(tip)
    assert "examples" in page.locator(tip).inner_text()
    assert not said, said
    # several runs in one picture
    page, _, _ = opened(browser, reports["side"], 1280, "light")
    assert [text.split(":")[0] for text in figure(page, "ROC").locator("svg .role-legend-label text").all_text_contents()] == ["first", "second"]
    # tracks by a region that is typed
    page, _, said = opened(browser, reports["tracks"], 1280, "light")
    track = figure(page, "Along the genome")
    track.get_by_label("region").fill("chr1:10,000-12,000")
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    ticks = [int(text.replace(",", "")) for text in track.locator("svg .role-axis-label text").all_text_contents() if "," in text]
    assert ticks and min(ticks) >= 10_000 and max(ticks) <= 12_000, ticks
    assert not said, said
    # the strongest alleles are a table, sorted by any effect
    page, _, said = opened(browser, reports["variants"], 1280, "light")
    alleles = figure(page, "Alleles with the largest effects")
    assert {"position", "ref", "alt", "feature", "DIFF", "percentile", "LOGIT"} <= set(alleles.locator("thead th").all_inner_texts())
    alleles.get_by_role("button", name="LOGIT", exact=True).click()
    place = alleles.locator("thead th").all_inner_texts().index("LOGIT") + 1
    logits = [float(text) for text in alleles.locator(f"tbody td:nth-child({place})").all_inner_texts()]
    assert len(logits) > 20 and logits == sorted(logits, reverse=True), logits
    assert not said, said
    # an allele without a percentile is not drawn at percentile 0
    page, _, _ = opened(browser, reports["ranked"], 1280, "light")
    assert figure(page, "Alleles with the largest effects").locator("svg .mark-symbol.role-mark path").count() == 2
    # names are text, whatever they hold
    page, _, _ = opened(browser, reports["numbers"], 1280, "light")
    pairs = figure(page, "Predicted and measured numbers")
    pairs.locator("summary").click()
    pairs.locator("tbody tr").first.wait_for()
    assert "<i>y</i>" in pairs.inner_text()  # the one output is said once, above the table
    assert page.locator("i").count() == 0


def check_story(browser, reports):
    page, _, _ = opened(browser, reports["counts"], 1280, "light")
    assert page.locator("h1").inner_text() == "Two <b>tracks</b>" and page.locator(".note").inner_text() == "asked by A"
    verdict = page.locator(".verdict.behind")
    assert "WORSE than GC content" in verdict.inner_text()
    first = page.locator("main .plot").first  # one picture beside it, on the first screen
    for part in (verdict, first):
        box = part.bounding_box()
        assert box["y"] + box["height"] < 900, box
    assert figure(page, "Each track").locator("svg .mark-symbol.role-mark path").count() == 6  # two tracks, three methods
    density = figure(page, "Observed and expected counts")
    before = density.locator("svg").inner_html()
    density.locator("label", has_text="output").locator("select").select_option("CAGE")
    page.wait_for_timeout(300)
    assert density.locator("svg").inner_html() != before
    # an area under the curve is at most 1, and so is its axis
    page, _, _ = opened(browser, reports["good"], 1280, "light")
    ticks = [float(text) for text in page.locator("main .plot svg .role-axis-label text").all_text_contents() if re.fullmatch(r"[\d.]+", text)]
    assert len(ticks) > 3 and max(ticks) == 1, ticks
    # training details are folded, and are drawn in full width once they are open
    page, _, said = opened(browser, reports["run"], 1280, "light")
    loss = figure(page, "Training loss")
    assert not loss.is_visible()
    page.locator("details.fold > summary").click()
    page.wait_for_timeout(500)
    assert loss.is_visible() and loss.locator("svg").bounding_box()["width"] > 400
    assert not said, said
    # one colour for a split, whatever the picture
    page, _, _ = opened(browser, reports["data"], 1280, "light")
    assert page.evaluate("placed(['test', 'train'], ['a', 'b', 'c'])") == page.evaluate("placed(['train', 'test'], ['a', 'b', 'c']).reverse()")
    # letters of bases, and a picture in which nothing runs
    page, _, _ = opened(browser, reports["bases"], 1280, "light")
    letters = figure(page, "What each base contributes")
    assert letters.locator("svg .mark-text.role-mark text").count() == 60
    letters.get_by_label("region").fill("chr1:510-520")
    page.keyboard.press("Enter")
    page.wait_for_timeout(300)
    assert letters.locator("svg .mark-text.role-mark text").count() == 11  # 1-based, with both ends
    assert page.locator(".picture img").evaluate("image => image.naturalWidth") == 900 and page.title() != "ran"
    # what does not fit says so, and nothing else does
    assert page.locator(".hint:visible").count() == 0
    page, _, _ = opened(browser, reports["bases"], 400, "light")
    assert page.locator(".picture .hint").is_visible()
    # of a broad table nothing lies beyond the edge, and no allele, name or heading is cut in two; cut rows are counted
    page, _, _ = opened(browser, reports["alleles"], 1400, "light")
    table = figure(page, "Alleles by rank")
    assert "30 rows; the page has 30 of 900" in table.inner_text() and not table.locator(".hint").is_visible()
    assert table.get_by_role("button", name="Table as CSV (30 of 900 rows)").count() == 1
    page.set_viewport_size({"width": 718, "height": 900})  # A4
    page.emulate_media(media="print")
    lines = """cells => cells.filter(cell => {
      const range = document.createRange();
      range.selectNodeContents(cell);
      return new Set([...range.getClientRects()].map(box => Math.round(box.bottom / 4))).size > 1;
    }).map(cell => cell.textContent)"""
    assert table.locator("td:visible:not(.words), th:not(.words), .word:visible").evaluate_all(lines) == []
    assert table.evaluate("box => box.querySelector('table').scrollWidth <= box.clientWidth")
    assert "20 of 900 rows are printed." in table.inner_text()
    # in print: a heading stands above what is printed
    page, _, _ = opened(browser, reports["side"], 1280, "light")
    page.emulate_media(media="print")
    assert page.evaluate("[...document.querySelectorAll('h2:not(.small, .unprinted)')].every((head) => [...head.nextElementSibling.children].some((child) => child.offsetHeight > 0))")
    # in print: no controls, and at most 20 rows of a table
    page, _, _ = opened(browser, reports["variants"], 1280, "light")
    assert page.locator("tbody tr:visible").count() > 30
    labels = figure(page, "Alleles with the largest effects").locator("svg .mark-text.role-mark text").all_inner_texts()
    assert 0 < len(labels) <= 10, labels
    page.emulate_media(media="print")
    assert figure(page, "Alleles with the largest effects").locator("tbody tr:visible").count() == 20
    # a caption keeps to the table below it; one that ends its picture would tie the next picture to it, and so on
    assert page.evaluate("[...document.querySelectorAll('figcaption')].every((caption) => (getComputedStyle(caption).breakAfter === 'avoid') === (caption.closest('figure').querySelector('details[open] table') !== null))")
    assert page.locator(".controls:visible").count() == 0 == page.locator("input:visible").count()


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        reports = dict(make_reports())
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=chromium)
            for name, html in reports.items():
                check_page(browser, name, html)
            check_controls(browser, reports)
            check_story(browser, reports)
            browser.close()


main()
print("ok")
