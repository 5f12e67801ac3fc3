"""Python wheels, one a platform: the program as a script of the package."""

import base64
import hashlib

from . import archive
from .source import ROOT

# `uvx` and `pipx run` look for a command with the name of the package; an installer makes it from the entry point.
MODULE = """import os, signal, subprocess, sys


def main():
    directory = os.path.dirname(os.path.realpath(sys.argv[0]))
    program = os.path.join(directory, "hefesto.exe" if os.name == "nt" else "hefesto")
    if os.name == "nt":
        # Ctrl-C reaches both; the program decides what it does.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sys.exit(subprocess.call([program, *sys.argv[1:]]))
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
    module = source.name.replace("-", "_")
    stem = f"{module}-{source.version}"
    info, program = f"{stem}.dist-info", f"{stem}.data/scripts/{target.program}"
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in target.wheel_tags)
    files = {
        f"{module}/__init__.py": MODULE.encode(),
        program: binary.read_bytes(),
        f"{info}/METADATA": metadata(source).encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: hefesto dist\nRoot-Is-Purelib: false\n{tags}".encode(),
        f"{info}/entry_points.txt": f"[console_scripts]\n{source.name} = {module}:main\n".encode(),
        f"{info}/licenses/LICENSE-APACHE": (ROOT / "LICENSE-APACHE").read_bytes(),
        f"{info}/licenses/LICENSE-MIT": (ROOT / "LICENSE-MIT").read_bytes(),
        f"{info}/licenses/LICENSES-OTHERS.txt": notices,
    }
    record = "".join(f"{name},{digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    path = out / f"{stem}-py3-none-{'.'.join(target.wheel_tags)}.whl"
    archive.write_zip(path, [(name, content, name == program) for name, content in files.items()], source.time)
    return path
