"""npm packages: one a platform with the program, and a launcher that depends on all of them as optional ones.

npm installs of the optional packages the one whose `os` and `cpu` fit, so no script runs on installing and nothing is
downloaded later. There is no `libc` field: the Linux programs are static and run with every C library.
"""

import json

from . import archive
from .source import ROOT

LAUNCHER = ROOT / "dist" / "npm" / "hefesto.js"


def platform_package(source, target):
    return f"{source.name}-{target.npm_os}-{target.npm_cpu}"


def described(source, name, more):
    package = {"name": name, "version": source.version, "description": source.description, "license": source.license}
    if source.repository:
        package["repository"] = source.repository
    return json.dumps(package | more, indent=2).encode() + b"\n"


def pack(out, source, name, description, files):
    path = out / f"{name}-{source.version}.tgz"
    licences = [(f"package/{file}", (ROOT / file).read_bytes(), False) for file in ("LICENSE-APACHE", "LICENSE-MIT")]
    files = [("package/package.json", description, False), *licences, *files]
    archive.write(path, files, source.time)
    return path


def make(out, source, target, binary, notices):
    name = platform_package(source, target)
    more = {"os": [target.npm_os], "cpu": [target.npm_cpu], "preferUnplugged": True}
    files = [(f"package/bin/{target.program}", binary.read_bytes(), True), ("package/LICENSES-OTHERS.txt", notices, False)]
    readme = f"The program of `{source.name}` for {target.npm_os} on {target.npm_cpu}. Install `{source.name}` instead.\n"
    files.append(("package/README.md", readme.encode(), False))
    return pack(out, source, name, described(source, name, more), files)


def make_launcher(out, source, targets):
    more = {
        "keywords": list(source.keywords),
        "bin": {"hefesto": "bin/hefesto.js"},
        "engines": {"node": ">=18"},
        "optionalDependencies": {platform_package(source, target): source.version for target in targets},
    }
    files = [
        ("package/bin/hefesto.js", LAUNCHER.read_bytes(), True),
        ("package/README.md", (ROOT / "README.md").read_bytes(), False),
    ]
    return pack(out, source, source.name, described(source, source.name, more), files)
