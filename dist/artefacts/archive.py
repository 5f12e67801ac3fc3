"""tar.gz archives whose bytes follow from their content: sorted, one time, no owner."""

import gzip
import io
import tarfile

from .source import ROOT

# What lies beside the program in its archive.
DOCUMENTS = ("README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT")


def write(path, files, time):
    """Writes `files`: (path in the archive, bytes, whether it is a program)."""
    with open(path, "wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name, content, runs in sorted(files):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime, entry.mode = len(content), time, 0o755 if runs else 0o644
                tar.addfile(entry, io.BytesIO(content))


def name(source, target):
    """Of the archive without its ending, and of the directory in it. `[package.metadata.binstall]` says the same."""
    return f"hefesto-{source.version}-{target.triple}"


def make(out, source, target, binary, notices):
    top = name(source, target)
    path = out / f"{top}.tar.gz"
    files = [(f"{top}/hefesto", binary.read_bytes(), True), (f"{top}/LICENSES-OTHERS.txt", notices, False)]
    files += [(f"{top}/{document}", (ROOT / document).read_bytes(), False) for document in DOCUMENTS]
    write(path, files, source.time)
    return path
