#!/usr/bin/env python3
"""check_english.py ROOT [PAGE ...]: counts the manual's English, and fails on forms that tests/cli/english.tsv bans or above its limits.

check_english.py ROOT --program HELP: the same for what the program says: banned forms in the texts of lib/ and apps/, and in HELP, the output of
`bigdna --help-all`, also sentences of more than 30 words.

Prints for each page: lines, words, numbers in 100 words, sentences, their share over 30 words in percent, and the share of lines that are
recorded from the program. Code, tables and what is recorded from the program do not count as prose. Pages named on the command line are counted without limits."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
rows = [line.split("\t") for line in (pathlib.Path(__file__).parent / "english.tsv").read_text().split("\n") if line and not line.startswith("#")]
banned = [(re.compile(rf"\b(?:{row[1]})\b", re.I if row[0] == "form" else 0), row[2]) for row in rows if row[0] in ("form", "spelling")]
limits = {row[1]: tuple(map(float, row[2:6])) for row in rows if row[0] == "limit"}

OTHERS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "models/README.md", "pipelines/README.md", "pipelines/snakemake/README.md", "test-data/README.md", "cmake/packaging/README.md", "lib/kernels/cuda/README.md", "lib/sparsity/README.md")


def prose(text):
    """Paragraphs of prose, with the number of the line that each begins on."""
    paragraphs, lines, start, fenced = [], [], 0, False
    for number, line in enumerate(text.split("\n") + [""], 1):
        if line.startswith("```"):
            fenced = not fenced
        ends = fenced or not line.strip() or re.match(r"```|\||#|    \S|---|!\[", line)
        item = re.match(r"\s*(?:[-*]|\d+\.) ", line)
        if (ends or item) and lines:
            paragraphs.append((start, " ".join(lines)))
            lines = []
        if not ends:
            start = start if lines else number
            lines.append(re.sub(r"^\s*(?:[-*]|\d+\.) ", "", line).strip())
    return paragraphs


def cells(text):
    """Lines of tables, with their numbers: banned forms are looked for in these, too."""
    return [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.startswith("|")]


def plain(text):
    text = re.sub(r"`[^`]*`", "CODE", text)
    text = re.sub(r"\]\([^)]*\)", "", text)
    return re.sub(r"[*\[\]]", "", text)


def sentences(text):
    return [s for s in re.split(r"(?<=[.?!])[)\"]*\s+(?=[\w(\"])", re.sub(r"\b(e\.g|i\.e|et al|vs|St)\.", r"\1", text)) if re.search(r"\w", s)]


def words(text):
    return re.findall(r"[^\s(),;:]*\w[^\s(),;:]*", text)


def recorded(text):
    """The sections that tests/cli/help.bats and attentions.bats record from the program."""
    return re.findall(r"^## (?:Columns|All options)\n(?:(?!^## ).*\n?)*|^## Attentions\n[\s\S]*?^(?=## Measured\n)", text, flags=re.M)


def count(page):
    text = page.read_text()
    printed = recorded(text)
    for part in printed:
        text = text.replace(part, "\n" * part.count("\n"))
    paragraphs = [(line, plain(paragraph)) for line, paragraph in prose(text)]
    found = [sentence for _, paragraph in paragraphs for sentence in sentences(paragraph)]
    listed = [word for _, paragraph in paragraphs for word in words(paragraph)]
    return {"lines": text.count("\n"), "words": len(listed), "numbers": sum(bool(re.match(r"[-+]?\d", word)) for word in listed), "sentences": len(found),
            "long": sum(len(words(sentence)) > 30 for sentence in found), "help": sum(part.count("\n") for part in printed)}, paragraphs + [(number, plain(line)) for number, line in cells(text)]


def faults(page, paragraphs):
    for line, paragraph in paragraphs:
        for pattern, instead in banned:
            for match in pattern.finditer(paragraph):
                yield f"{page.relative_to(root)}:{line}: \"{match[0]}\": {instead}"


TOKENS = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((.*?)\)"|"((?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)+\'|\s+|.', re.S)
CODE = re.compile(r"\[[^\]]*\]\([^)]*\)|`[^`]*`|bigdna [a-z-]+|--?[a-z][\w-]*|\S*\w\.[A-Za-z]\S*|\S*[_=</\\]\S*")


def texts(source):
    """The string literals of C++, adjacent ones joined, with their lines."""
    line, start, text = 1, 0, None
    for token in TOKENS.finditer(source):
        literal = token[1] if token[1] is not None else token[2]
        if literal is not None:
            start, text = (line, literal) if text is None else (start, text + literal)
        elif text is not None and not token[0].isspace() and not token[0].startswith(("//", "/*")):
            yield start, text
            text = None
        line += token[0].count("\n")


def help_texts(text):
    """Of each option and line of a help text its words, without placeholders and what is in brackets, with its line."""
    entries = []
    for number, line in enumerate(text.split("\n"), 1):
        if re.match(r" {8,}\S", line) and entries:
            entries[-1][1] += " " + line.strip()
        elif not line.startswith("  bigdna "):
            entries.append([number, line])
    for number, entry in entries:
        for sentence in re.split(r"(?<=[.;:])\s", re.sub(r"\([^()]*\)|\[[^\]]*\]|^ +-\S+(?: \S+)?  +", "", entry)):
            yield number, CODE.sub("CODE", sentence)


def program_faults(help_path):
    for path in sorted(p for folder in ("apps", "lib") for p in (root / folder).rglob("*") if p.suffix in (".h", ".cpp")):
        spoken = [(line, CODE.sub("CODE", text)) for line, text in texts(path.read_text())]
        yield from faults(path, [(line, text) for line, text in spoken if len(text.split()) > 1])
    help_path = pathlib.Path(help_path)
    for line, sentence in help_texts(help_path.read_text()):
        if len(words(sentence)) > 30:
            yield f"{help_path.name}:{line}: a sentence of {len(words(sentence))} words: {sentence}"


def share(part, whole):
    return 100 * part / whole if whole else 0


def main():
    if "--program" in sys.argv:
        wrong = list(program_faults(sys.argv[3]))
        print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
        sys.exit(bool(wrong))
    named = [pathlib.Path(name) for name in sys.argv[2:]]
    pages = named or [root / name for name in OTHERS if (root / name).exists()] + sorted(p for p in (root / "docs").rglob("*.md") if not {"benchmarks"} & set(p.parent.parts) and p.name != "changelog.md")
    total, wrong = {}, []
    print("page\tlines\twords\tnumbers_per_100_words\tsentences\tover_30_words_percent\thelp_percent")
    for page in pages:
        counts, paragraphs = count(page)
        numbers, long = share(counts["numbers"], counts["words"]), share(counts["long"], counts["sentences"])
        name = str(page.relative_to(root)) if not named else page.name
        print(f"{name}\t{counts['lines']}\t{counts['words']}\t{numbers:.1f}\t{counts['sentences']}\t{long:.1f}\t{share(counts['help'], counts['lines']):.0f}")
        for key, value in counts.items():
            total[key] = total.get(key, 0) + value
        if named:
            continue
        most_lines, most_numbers, most_long, most_faults = limits.get(name, limits["*"])
        found = list(faults(page, paragraphs))
        wrong += found if len(found) > most_faults else []
        wrong += [f"{name}: {value:.1f} {what}, and {most:g} are the limit of tests/cli/english.tsv"
                  for value, most, what in ((counts["lines"] - counts["help"], most_lines, "lines without help"),
                                            (numbers, most_numbers, "numbers in 100 words"), (long, most_long, "% of sentences over 30 words"))
                  if value > most]
    print(f"all\t{total['lines']}\t{total['words']}\t{share(total['numbers'], total['words']):.1f}\t{total['sentences']}\t"
          f"{share(total['long'], total['sentences']):.1f}\t{share(total['help'], total['lines']):.0f}")
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    sys.exit(bool(wrong))


main()
