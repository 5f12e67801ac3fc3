"""Python wheels, one a platform: the program as a script of the package."""

import base64
import hashlib
import time
import zipfile

from .source import ROOT

# `uvx` and `pipx run` look for a command with the name of the package. An installer puts its Python into the first line.
ALIAS = """#!python
import os, sys
program = os.path.join(os.path.dirname(os.path.realpath(__file__)), "hefesto")
os.execv(program, [program, *sys.argv[1:]])
"""


def digest(content):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def metadata(source):
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {source.name}",
        f"Version: {source.version}",
        f"Summary: {source.description}",
        f"License-Expression: {source.license}",
        "License-File: LICENSE-APACHE",
        "License-File: LICENSE-MIT",
        "License-File: LICENSES-OTHERS.txt",
        f"Keywords: {','.join(source.keywords)}",
        "Requires-Python: >=3.8",
        *([f"Project-URL: Source, {source.repository}"] if source.repository else []),
        "Description-Content-Type: text/markdown",
    ]
    return "\n".join(lines) + "\n\n" + (ROOT / "README.md").read_text()


def make(out, source, target, binary, notices):
    stem = f"{source.name.replace('-', '_')}-{source.version}"
    info, scripts = f"{stem}.dist-info", f"{stem}.data/scripts"
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in target.wheel_tags)
    files = {
        f"{scripts}/hefesto": binary.read_bytes(),
        f"{scripts}/{source.name}": ALIAS.encode(),
        f"{info}/METADATA": metadata(source).encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: hefesto dist\nRoot-Is-Purelib: false\n{tags}".encode(),
        f"{info}/licenses/LICENSE-APACHE": (ROOT / "LICENSE-APACHE").read_bytes(),
        f"{info}/licenses/LICENSE-MIT": (ROOT / "LICENSE-MIT").read_bytes(),
        f"{info}/licenses/LICENSES-OTHERS.txt": notices,
    }
    record = "".join(f"{name},{digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    path = out / f"{stem}-py3-none-{'.'.join(target.wheel_tags)}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, time.gmtime(source.time)[:6])
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if scripts in name else 0o100644) << 16
            wheel.writestr(entry, content, compresslevel=9)
    return path
