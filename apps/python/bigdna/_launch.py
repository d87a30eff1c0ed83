"""Starts a wheel's program with the torch of this Python. The command `bigdna` runs this file alone, without `import bigdna` (NumPy)."""
import importlib.util
import os
import sys


def environment(package: str) -> "dict[str, str]":
    """The environment for the program in `package`. That of a wheel takes LibTorch from the torch that this Python would import; a
    tarball has its own."""
    variables = dict(os.environ)
    if os.path.exists(os.path.join(package, "bin", "bigdna")) and "BIGDNA_TORCH" not in variables:
        torch = importlib.util.find_spec("torch")
        if torch is not None and torch.submodule_search_locations:
            variables["BIGDNA_TORCH"] = list(torch.submodule_search_locations)[0]
    return variables


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    os.execve(os.path.join(here, "bin", "bigdna"), ["bigdna", *sys.argv[1:]], environment(here))
