"""The program, which runs as a process of its own: it shares no memory, compiler or library with this Python."""
from __future__ import annotations

import json
import os
import shutil
import subprocess
import warnings
from typing import Union

from ._launch import environment

Word = Union[str, "os.PathLike[str]", int, float]


class Error(RuntimeError):
    """What the program ended with: its message, and `returncode` (2 for a wrong call, 1 for anything else)."""

    def __init__(self, message: str, returncode: int):
        super().__init__(message)
        self.returncode = returncode


def program() -> str:
    """The program that is run: of the same wheel or tarball, or else the one on the PATH."""
    here = os.path.dirname(os.path.abspath(__file__))
    for folder in (here, os.path.join(here, *[os.pardir] * 4)):  # a wheel's package; share/bigdna/python/bigdna of a tarball
        path = os.path.normpath(os.path.join(folder, "bin", "bigdna"))
        if os.access(path, os.X_OK):
            return path
    path = shutil.which("bigdna") or ""
    if not path:
        raise FileNotFoundError("bigdna: no such program on the PATH")
    return path


def run(*words: Word) -> str:
    """Runs a command (`run("info", "human-chr20-chrX")`) and returns what it prints."""
    line = [program(), *(os.fspath(word) if isinstance(word, os.PathLike) else str(word) for word in words), "--log-format", "json"]
    done = subprocess.run(line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                          env=environment(os.path.dirname(os.path.abspath(__file__))))
    errors = []
    for text in done.stderr.splitlines():
        level, message = _entry(text)
        if level == "warning":
            warnings.warn(message, stacklevel=2)
        elif level in ("error", ""):
            errors.append(message)
    if done.returncode:
        ended = f"bigdna was ended by signal {-done.returncode}" if done.returncode < 0 else "bigdna failed without a message"
        raise Error("\n".join(errors) or ended, done.returncode)
    return done.stdout


def _entry(line: str) -> tuple[str, str]:
    """Level and message of a line on stderr; no level for one that is not bigdna's."""
    try:
        entry = json.loads(line)
        return str(entry["level"]), str(entry["message"])
    except (ValueError, KeyError, TypeError):
        return "", line
