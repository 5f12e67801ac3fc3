"""The packages that are linked into the program, from `cargo metadata`: neither tests nor build scripts need them alone."""

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .source import ROOT, output

LICENCE = re.compile(r"(?i)licen[sc]e|copying|notice|unlicense")


@dataclass(frozen=True)
class Package:
    name: str
    version: str
    license: str
    directory: Path
    sha256: str | None
    # Ids of the packages it needs.
    needs: tuple[str, ...]

    @property
    def id(self):
        return f"pkg:cargo/{self.name}@{self.version}"

    def licence_files(self):
        files = [file for file in self.directory.iterdir() if LICENCE.search(file.name)]
        texts = [file for file in files if file.is_file()]
        return sorted(texts + [text for file in files if file.is_dir() for text in file.iterdir()])


def read(targets):
    """The packages of all targets by their id, the program's own first."""
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    sums = {(package["name"], package["version"]): package.get("checksum") for package in locked}
    found = {}
    for target in targets:
        command = ("cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target.triple)
        metadata = json.loads(output(*command))
        packages = {package["id"]: package for package in metadata["packages"]}
        nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
        url = {key: f"pkg:cargo/{package['name']}@{package['version']}" for key, package in packages.items()}
        waiting, seen = [metadata["resolve"]["root"]], set()
        while waiting:
            key = waiting.pop()
            if key in seen:
                continue
            seen.add(key)
            package, linked = packages[key], linked_into(nodes[key])
            waiting += linked
            needs = {url[other] for other in linked} | set(found[url[key]].needs if url[key] in found else ())
            found[url[key]] = Package(
                package["name"],
                package["version"],
                # Some packages still write `MIT/Apache-2.0`.
                (package["license"] or "NOASSERTION").replace("/", " OR "),
                Path(package["manifest_path"]).parent,
                sums.get((package["name"], package["version"])),
                tuple(sorted(needs)),
            )
    own, *others = found.values()
    return [own, *sorted(others, key=lambda package: (package.name, package.version))]


def linked_into(node):
    return [other["pkg"] for other in node["deps"] if any(kind["kind"] is None for kind in other["dep_kinds"])]
