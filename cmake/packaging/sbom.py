#!/usr/bin/env python3
"""The bill of materials of an installed tree: cmake/packaging/sbom.py TREE [NAME...] >sbom.cdx.json

CycloneDX 1.6: what TREE/lib/bigdna and the programs contain, except the components NAME, with versions, licences and checksums of
files. A component is a folder of TREE/share/doc/bigdna/licences with its texts and a file VERSION; components.tsv has its licence
and files. A file without a component, a component without a text or version, and one that is in the table alone are errors. The same
tree gives the same bytes.
"""
import hashlib, json, pathlib, subprocess, sys, uuid


def table():
    """Component: (licence, names of files)."""
    lines = (pathlib.Path(__file__).parent / "components.tsv").read_text().splitlines()
    fields = [line.split("\t") for line in lines if not line.startswith("#")]
    return {name: (licence, [] if files == "-" else files.split()) for name, licence, files in fields}


def components(tree, without=()):
    """(name, version, licence, files, licence texts) of everything that the tree bundles."""
    known, texts = table(), tree / "share/doc/bigdna/licences"
    for folder in sorted(path for path in texts.glob("*") if path.is_dir()):
        name = folder.name
        version, listed = folder / "VERSION", folder / "FILES"
        licence, names = known.get(name, (f"LicenseRef-{name}", []))
        names = names + (listed.read_text().split() if listed.exists() else [])
        files = sorted(tree / "lib/bigdna" / file for file in names if (tree / "lib/bigdna" / file).exists())
        papers = sorted(path for path in folder.rglob("*") if path.is_file() and path not in (version, listed) and path.stat().st_size)
        if not version.exists() or not papers:
            sys.exit(f"sbom: {folder}: no {'VERSION' if papers else 'text of the licence'}")
        if name not in without:
            yield name, version.read_text().strip(), licence, files, papers


def check(tree):
    """Ends the program if a component of the table or the component of a file is missing."""
    there = list(components(tree))
    left = {path.name for path in (tree / "lib/bigdna").iterdir()} - {file.name for entry in there for file in entry[3]}
    if left:
        sys.exit(f"sbom: {tree}: no component has {', '.join(sorted(left))} (components.tsv)")
    missing = set(table()) - {entry[0] for entry in there}
    if missing:
        sys.exit(f"sbom: {tree}: no licences of {', '.join(sorted(missing))}, which components.tsv has")


def sbom(tree, without=()):
    """The text of the bill."""

    def sha256(path):
        return [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}]

    bundled = []
    for name, version, licence, files, papers in components(tree, without):
        entry = {"type": "library", "bom-ref": name, "name": name, "version": version, "licenses": [{"expression": licence}]}
        if files:
            entry["components"] = [{"type": "file", "name": f"lib/bigdna/{file.name}", "hashes": sha256(file)} for file in files]
        entry["properties"] = [{"name": "bigdna:licence-text", "value": str(paper.relative_to(tree))} for paper in papers]
        bundled.append(entry)
    version = subprocess.run([tree / "bin/bigdna", "--version-only"], check=True, capture_output=True, text=True).stdout.strip()
    programs = [{"type": "file", "name": f"bin/{path.name}", "hashes": sha256(path)} for path in sorted((tree / "bin").iterdir())]
    bill = {
        "bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": "bigdna", "name": "bigdna", "version": version,
                                   "licenses": [{"license": {"id": "Apache-2.0"}}], "components": programs}},
        "components": bundled, "dependencies": [{"ref": "bigdna", "dependsOn": [entry["bom-ref"] for entry in bundled]}],
    }
    bill["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, json.dumps(bill))}"
    return json.dumps(bill, indent=1) + "\n"


if __name__ == "__main__":
    check(pathlib.Path(sys.argv[1]))
    sys.stdout.write(sbom(pathlib.Path(sys.argv[1]), sys.argv[2:]))
