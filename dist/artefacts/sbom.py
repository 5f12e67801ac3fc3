"""The software bill of materials, CycloneDX 1.5 in JSON, made from `cargo metadata` and Cargo.lock."""

import json
import re
import uuid
from datetime import datetime, timezone

from .source import output


def component(package):
    described = {
        "type": "library",
        "bom-ref": package.id,
        "name": package.name,
        "version": package.version,
        "licenses": [{"expression": package.license}],
        "purl": package.id,
    }
    if package.sha256:
        described["hashes"] = [{"alg": "SHA-256", "content": package.sha256}]
    return described


def sqlite(packages):
    """SQLite is compiled from the C sources that `libsqlite3-sys` carries."""
    carrier = next(package for package in packages if package.name == "libsqlite3-sys")
    header = (carrier.directory / "sqlite3" / "sqlite3.h").read_text()
    version = re.search(r'#define SQLITE_VERSION\s+"([^"]+)"', header)[1]
    url = f"pkg:generic/sqlite@{version}"
    described = {"type": "library", "bom-ref": url, "name": "sqlite", "version": version, "purl": url}
    return carrier, described | {"licenses": [{"license": {"name": "Public Domain"}}]}


def make(out, source, packages):
    own, *others = packages
    carrier, carried = sqlite(packages)
    needs = {package.id: list(package.needs) for package in packages}
    needs[carrier.id].append(carried["bom-ref"])
    needs[carried["bom-ref"]] = []
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{own.id}#{source.commit}')}",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(source.time, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": component(own) | {"type": "application"},
            "properties": [
                {"name": "hefesto:commit", "value": source.commit},
                {"name": "hefesto:rustc", "value": output("rustc", "--version").strip()},
                {"name": "hefesto:made-from", "value": "cargo metadata and Cargo.lock"},
            ],
        },
        "components": [component(package) for package in others] + [carried],
        "dependencies": [{"ref": ref, "dependsOn": needed} for ref, needed in sorted(needs.items())],
    }
    path = out / f"hefesto-{source.version}.cdx.json"
    path.write_text(json.dumps(bom, indent=2) + "\n")
    return path
