"""The Homebrew formula: it installs the archives, each with its sum."""

from . import archive, sums
from .source import ROOT

PLACES = {
    "aarch64-apple-darwin": "MACOS_ARM",
    "x86_64-apple-darwin": "MACOS_INTEL",
    "aarch64-unknown-linux-musl": "LINUX_ARM",
    "x86_64-unknown-linux-musl": "LINUX_INTEL",
}


def make(out, source, targets):
    text = (ROOT / "dist" / "hefesto.rb").read_text()
    values = {"VERSION": source.version, "HOMEPAGE": source.repository or source.releases}
    for target in targets:
        if target.triple in PLACES:
            file = out / archive.name(source, target)
            place = PLACES[target.triple]
            values |= {f"{place}_URL": f"{source.releases}/{file.name}", f"{place}_SHA256": sums.of(file)}
    for name, value in values.items():
        text = text.replace(f"@{name}@", value)
    path = out / "hefesto.rb"
    path.write_text(text)
    return path
