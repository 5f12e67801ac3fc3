"""SHA-256 sums, as `sha256sum --check` reads them."""

import hashlib

NAME = "SHA256SUMS"


def of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def make(out, files):
    path = out / NAME
    path.write_text("".join(f"{of(file)}  {file.name}\n" for file in sorted(files)))
    return path
