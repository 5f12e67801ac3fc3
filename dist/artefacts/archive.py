"""Archives whose bytes follow from their content: sorted, one time, no owner."""

import gzip
import io
import tarfile
import time
import zipfile

from .source import ROOT

# What lies beside the program in its archive.
DOCUMENTS = ("README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT")


def write(path, files, seconds):
    """Writes `files` as tar.gz: (path in the archive, bytes, whether it is a program)."""
    with open(path, "wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
            for name, content, runs in sorted(files):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime, entry.mode = len(content), seconds, 0o755 if runs else 0o644
                tar.addfile(entry, io.BytesIO(content))


def write_zip(path, files, seconds):
    """The same as zip, in the order of `files`."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content, runs in files:
            entry = zipfile.ZipInfo(name, time.gmtime(seconds)[:6])
            entry.create_system, entry.compress_type = 3, zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if runs else 0o100644) << 16
            packed.writestr(entry, content, compresslevel=9)


def stem(source, target):
    """Of the archive without its ending, and of the directory in it. `[package.metadata.binstall]` says the same."""
    return f"hefesto-{source.version}-{target.triple}"


def name(source, target):
    return stem(source, target) + (".zip" if target.windows else ".tar.gz")


def make(out, source, target, binary, notices):
    top = stem(source, target)
    path = out / name(source, target)
    files = [(f"{top}/{target.program}", binary.read_bytes(), True), (f"{top}/LICENSES-OTHERS.txt", notices, False)]
    files += [(f"{top}/{document}", (ROOT / document).read_bytes(), False) for document in DOCUMENTS]
    (write_zip if target.windows else write)(path, files, source.time)
    return path
