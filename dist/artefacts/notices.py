"""The licence texts of everything that is linked into the program."""

MUSL = "musl libc (Linux): Copyright 2005-2020 Rich Felker, et al. MIT licence, as in LICENSE-MIT.\n"
RUST = "The Rust standard library: Copyright The Rust Project Contributors. MIT OR Apache-2.0.\n"


def make(packages):
    """One text; what several packages have word for word stands there once, below all their names."""
    texts = {}
    for package in packages[1:]:
        files = package.licence_files()
        # A package that goes with another of its project has its texts there: `winapi-x86_64-pc-windows-gnu`.
        whole = (other for other in packages if package.name.startswith(f"{other.name}-"))
        files = files or [file for other in whole for file in other.licence_files()]
        if not files:
            raise SystemExit(f"dist/build: {package.name} {package.version} has no licence file in {package.directory}")
        for file in files:
            words = file.read_text(errors="replace").strip()
            texts.setdefault(words, []).append(f"{package.name} {package.version} ({package.license})")
    parts = [f"{MUSL}{RUST}"]
    parts += ["\n".join(dict.fromkeys(names)) + f"\n\n{words}\n" for words, names in texts.items()]
    return ("\n" + "=" * 80 + "\n").join(parts).encode()
