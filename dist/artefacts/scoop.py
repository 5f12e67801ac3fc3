"""The Scoop manifest: it installs the archive for Windows, with its sum."""

import json

from . import archive, sums


def make(out, source, target):
    file = out / archive.name(source, target)
    manifest = {
        "version": source.version,
        "description": source.description,
        "homepage": source.repository or source.releases,
        "license": source.license.replace(" OR ", "|"),
        "architecture": {
            "64bit": {
                "url": f"{source.releases}/{file.name}",
                "hash": sums.of(file),
                "extract_dir": archive.stem(source, target),
            }
        },
        "bin": target.program,
    }
    path = out / "hefesto.json"
    path.write_text(json.dumps(manifest, indent=4) + "\n")
    return path
