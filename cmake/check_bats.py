#!/usr/bin/env python3
"""check_bats.py FILE.bats...: fails, with file and line, where a statement of a command test cannot make it fail.

bash's set -e, by which bats ends a test, ignores the status of
  A && B     if A fails: two lines (or `if`) say the same and fail. As the last statement of a function it is its status.
  ! A        whatever A does: use `not A` (tests/cli/helpers.bash).
and nothing is ever wrong with
  awk '...' FILE | sort      commands that only print: compare what they print, or `| no_lines`
  [ "$(... | wc -l)" = 0 ]   which is true, too, if a command before it fails: use `... | no_lines`
  [ -z "$(...)" ]            the same
  awk '{exit $1 > 2}' FILE   which looks at the first row only
  awk '$1 > 2 {exit 1}'      which is true of no rows
  awk '$1 > 2 {exit 1} END {exit !n}'   whose END takes the place of what a row has decided
                             of all three: `all_rows` (tests/cli/helpers.bash), or an END that exits where no row came
  kill -9 $! || true         so that the process may have ended before: `killed_when` (tests/cli/helpers.bash)
Lines with `# may fail` are left alone.
"""

import re
import sys

# Commands of a pipeline that fail only where they cannot run.
PRINTERS = {"awk", "cat", "cut", "echo", "head", "printf", "sed", "seq", "sort", "tail", "tr", "uniq", "wc"}
IF = re.compile(r"\bif\s*\(|\belse\b")
CONDITIONS = {"if", "elif", "while", "until"}


def skip_quoted(text, i):
    """The place behind the quotation, substitution or test that begins at text[i]."""
    if text[i] == "\\":
        return i + 2
    if text[i] == "'":
        return text.index("'", i + 1) + 1
    if text.startswith("$'", i):
        i += 2
        while text[i] != "'":
            i += 2 if text[i] == "\\" else 1
        return i + 1
    if text[i] == '"':
        i += 1
        while text[i] != '"':
            i = skip_quoted(text, i) if text[i] in "\\`" or text.startswith(("$(", "${"), i) else i + 1
        return i + 1
    if text[i] == "`":
        return text.index("`", i + 1) + 1
    opening, closing = ("{", "}") if text.startswith("${", i) else ("(", ")")
    i = text.index(opening, i) + 1
    depth = 1
    while depth:
        if text[i] in "\\'\"`" or text.startswith(("$(", "${"), i):
            i = skip_quoted(text, i)
            continue
        depth += (text[i] == opening) - (text[i] == closing)
        i += 1
    return i


def tokens(text):
    """(line, token) of words, operators and line ends. Quotations, substitutions, [[ ]] and (( )) are parts of words."""
    i, line, here = 0, 1, []
    while i < len(text):
        start = i
        if text[i] == "\n":
            i += 1
            yield line, "\n"
            line += 1
            for end in here:  # the text of here-documents
                body = re.compile(rf"^\t*{re.escape(end)}$", re.M).search(text, i)
                line += text.count("\n", i, body.end())
                i = body.end()
            here = []
        elif text[i] in " \t":
            i += 1
        elif text.startswith("\\\n", i):
            i, line = i + 2, line + 1
        elif text[i] == "#":
            i = text.find("\n", i)
        elif match := re.compile(r"<<-?\s*(['\"]?)(\w+)\1(?!<)").match(text, i):
            here.append(match[2])
            i = match.end()
        elif match := re.compile(r"&&|\|\||;;|&>>?|[0-9]*[<>]+&[0-9-]?|\|&|[;&|]").match(text, i):
            i = match.end()
            yield line, match[0]
        elif text.startswith("((", i):
            i = text.index("))", i) + 2
            yield line, text[start:i]
        elif text[i] in "()":
            i += 1
            yield line, text[start]
        else:
            if re.compile(r"\[\[\s").match(text, i):
                i = re.compile(r"\s\]\](?=\s|;|$|\))").search(text, i).end()
            while i < len(text) and text[i] not in " \t\n;&|()":
                quoted = text[i] in "\\'\"`" or text.startswith(("$(", "${", "$'", "<(", ">("), i) or text.startswith("=(", i)
                i = skip_quoted(text, i + text.startswith("=(", i)) if quoted else i + 1
            yield line, text[start:i]
            line += text.count("\n", start, i)


def rules_of(program):
    """(pattern, body) of each rule of an awk program; texts within quotation marks are left out."""
    program = re.sub(r'"(\\.|[^"\\])*"', '""', program)
    rules, pattern, start, depth = [], 0, 0, 0
    for i, c in enumerate(program):
        if c == "{":
            depth += 1
            if depth == 1:
                start = i
        elif c == "}":
            depth -= 1
            if depth == 0:
                rules.append((program[pattern:start].strip(" \n;"), program[start + 1:i]))
                pattern = i + 1
    return rules


def fault_of_awk(program):
    """What keeps an awk program whose exit code is asked for from saying more than that it ran; "" if nothing does."""
    rules = rules_of(program)
    of_rows = [(pattern, body) for pattern, body in rules
               if pattern not in ("BEGIN", "END") and not pattern.startswith("function") and re.search(r"\bexit\b", body)]
    ends = [body for pattern, body in rules if pattern == "END" and re.search(r"\bexit\b", body)]
    if any(not pattern and not IF.search(body[:body.index("exit")]) for pattern, body in of_rows):
        return "awk looks at the first row only: write `all_rows`"
    if of_rows and not ends:
        return "true where there are no rows: write `all_rows`, or an END that exits where none came"
    if of_rows and not all(IF.search(body[:body.index("exit")]) for body in ends):
        return "END's exit takes the place of what a row has decided: write `all_rows`"
    return ""


class Statement:
    def __init__(self, line):
        self.line, self.operators, self.commands = line, [], [[]]

    def word(self, text):
        self.commands[-1].append(text)


def faults(path):
    text = open(path, encoding="utf-8").read() + "\n"
    lines = text.split("\n")
    contexts = []  # of the enclosing constructs: test, function, subshell, loop, condition
    statement, last = None, None
    found = []
    printed = [[]]  # faults in what only prints, of the enclosing constructs: nothing is wrong where these are redirected

    def judge(s, is_last):
        where = contexts[-1] if contexts else "file"
        words = [c[0] if c else "" for c in s.commands]
        if where in ("condition", "file") or "# may fail" in lines[s.line - 1] or not words[0]:
            return
        chained = [o for o in s.operators if o in ("&&", "||")]
        result = is_last and where in ("function", "subshell")  # its status is the construct's
        if chained and chained[-1] == "&&" and not result:
            found.append((s.line, "the status of what is before && is ignored: write two lines, or `if`"))
        elif words[0] == "!" and not chained and not result:
            found.append((s.line, "! never fails a test: write `not COMMAND`"))
        whole = " ".join(" ".join(c) for c in s.commands)
        for command in s.commands:
            programs = [w for w in command[1:] if "{" in w and w[0] in "'\""]
            if command and command[0] == "awk" and programs and not any(re.match(r"[0-9&]*>", w) for w in command):
                if fault := fault_of_awk(programs[0][1:-1]):
                    found.append((s.line, fault))
        if words[0] == "kill" and words[1:] == ["true"] and s.operators == ["||"] and "-9" in s.commands[0]:
            found.append((s.line, "it may have ended before: write `killed_when`"))
        if re.search(r'"\$\(.*\| *(wc -l|grep -c.*) *\)" *(=|==|-eq) *0 ', whole) or re.search(
                r'^(\[|test|\[\[) (-z "\$\(|"\$\(.*\)" = "" )', whole):
            found.append((s.line, "true, too, if the command within fails: write `COMMAND | no_lines`"))
        if where in ("function", "subshell") or chained:
            return
        prints = all(c and c[0] in PRINTERS and not any(re.match(r"[0-9&]*>", w) for w in c) and
                     not (c[0] == "awk" and re.search(r"\bexit\b", " ".join(c))) for c in s.commands)
        if prints and (words[0] == "awk" or len(words) > 1):
            printed[-1].append((s.line, "it only prints, and so cannot fail: compare it, or end it with `| no_lines`"))

    def finish(is_last=False):
        nonlocal statement, last
        if statement and any(statement.commands):
            if last:
                judge(last, False)
            last = statement
        statement = None

    def leave():
        nonlocal last
        finish()
        if last:
            judge(last, True)
        last = None
        if contexts:
            contexts.pop()
            own = printed.pop()
            behind = []
            for _, token in stream[k + 1:]:
                if token in ("\n", ";"):
                    break
                behind.append(token)
            if not any(token in ("|", "|&") or re.match("[0-9&]*>", token) for token in behind):
                (printed[-1] if contexts else found).extend(own)

    def enter(context):
        nonlocal last, statement
        finish()
        if last:
            judge(last, False)
        last = None
        contexts.append(context)
        printed.append([])

    stream = list(tokens(text))
    function = False
    for k, (line, token) in enumerate(stream):
        following = [t for _, t in stream[k + 1:k + 3]]
        at_start = statement is None or not statement.commands[-1]
        if token in ("\n", ";", "&", ";;"):
            if statement and statement.commands[-1] or token != "\n":
                finish()
            continue
        if token == "(" and at_start:
            enter("subshell")
            continue
        if token == "(":  # NAME ()
            continue
        if token == ")":
            if "subshell" in contexts:
                leave()
                statement = Statement(line)  # what may follow: redirections, || ...
                statement.word("(...)")
            elif following[:1] == ["{"]:
                function, statement = True, None
            else:
                finish()
            continue
        if at_start and token in CONDITIONS:
            if token == "elif":
                leave()
            enter("condition")
            continue
        if at_start and token in ("then", "do"):
            if contexts and contexts[-1] == "condition":
                leave()
            enter("loop")
            continue
        if at_start and token == "else":
            leave()
            enter("loop")
            continue
        if at_start and token in ("fi", "done"):
            leave()
            statement = Statement(line)
            statement.word(token)
            continue
        if token == "{" and (function or statement and statement.commands[0][:1] == ["@test"]):
            enter("function" if function else "test")
            function, statement, last = False, None, None
            continue
        if at_start and token == "{":
            enter("loop")
            continue
        if at_start and token == "}":
            leave()
            statement = Statement(line)
            statement.word("}")
            continue
        if statement is None:
            statement = Statement(line)
        if token in ("&&", "||", "|", "|&"):
            statement.operators.append(token)
            statement.commands.append([])
            continue
        statement.word(token)
    finish()
    return found


def main():
    status = 0
    for path in sys.argv[1:]:
        for line, fault in sorted(faults(path)):
            print(f"{path}:{line}: error: {fault}", file=sys.stderr)
            status = 1
    return status


sys.exit(main())
