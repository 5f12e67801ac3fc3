"""hefesto's own skills as a plugin or extension of each form, packed by the program itself."""

import subprocess
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from . import archive
from .source import ROOT

FORMS = ("plugin", "claude", "codex", "gemini")
SKILLS = ROOT / "dist" / "plugin" / "skills"
DOCUMENTS = (ROOT / "dist" / "plugin" / "README.md", ROOT / "LICENSE-MIT")


def make(out, source, program):
    """One archive a form. Its directory has no version, so that unpacking the next one replaces it."""
    now = datetime.fromtimestamp(source.time, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    names = sorted(skill.name for skill in SKILLS.iterdir())
    made = []
    with tempfile.TemporaryDirectory() as work:

        def hefesto(*args):
            command = [program, "-C", Path(work, "project"), "--quiet", *args]
            subprocess.run(command, env={"HOME": work, "PATH": "", "HEFESTO_NOW": now}, stdout=subprocess.DEVNULL, check=True)

        hefesto("init", "--target", "claude")
        hefesto("adopt", SKILLS, "--target", "claude", "--yes")
        for form in FORMS:
            packed = Path(work, form)
            hefesto("pack", *names, "--as", form, "--name", "hefesto", "--out", packed)
            top = f"hefesto-plugin-{form}"
            there = [path for path in packed.rglob("*") if path.is_file()]
            files = [(f"{top}/{path.relative_to(packed)}", path.read_bytes(), False) for path in there]
            files += [(f"{top}/{document.name}", document.read_bytes(), False) for document in DOCUMENTS]
            made.append(out / f"{top}-{source.version}.tar.gz")
            archive.write(made[-1], files, source.time)
    return made
