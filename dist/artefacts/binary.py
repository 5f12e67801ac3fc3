"""The programs, by `cargo zigbuild`: its linker links for every target and needs no system library of it."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from .source import ROOT, output

# No program is larger, in bytes, and no archive.
MOST, MOST_PACKED = 24_000_000, 14_500_000


def target_directory():
    return Path(json.loads(output("cargo", "metadata", "--no-deps", "--format-version", "1"))["target_directory"])


def path(target):
    return target_directory() / target.triple / "dist" / target.program


def build(source, target):
    """Compiles the program. Neither the directory of the sources nor that of cargo can be read out of it."""
    if not shutil.which("cargo-zigbuild"):
        raise SystemExit("dist/build: cargo-zigbuild is needed: pip install -r dist/requirements.txt")
    subprocess.run(["cargo", "fetch", "--locked", "--target", target.triple], cwd=ROOT, check=True)
    cargo_home = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    registries = sorted((cargo_home / "registry" / "src").iterdir())
    renamed = [(registry, "/registry") for registry in registries] + [(ROOT, "/hefesto"), (target_directory(), "/target")]
    env = dict(os.environ)
    for variable in ("RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CFLAGS"):
        env.pop(variable, None)
    env["CARGO_ENCODED_RUSTFLAGS"] = "\x1f".join(f"--remap-path-prefix={old}={new}" for old, new in renamed)
    env["CARGO_INCREMENTAL"] = "0"
    env["HEFESTO_COMMIT"] = source.commit
    env["HEFESTO_TARGET"] = target.triple
    command = ["cargo", "zigbuild", "--locked", "--profile", "dist", "--bin", "hefesto", "--target", target.triple]
    subprocess.run(command, cwd=ROOT, env=env, check=True)


def check_commit(source, binary):
    if source.commit.encode() not in binary.read_bytes():
        raise SystemExit(f"dist/build: {binary} is not of {source.commit}; compile it, without --keep-binaries")


def check_size(binary, archive):
    for file, most in ((binary, MOST), (archive, MOST_PACKED)):
        size = file.stat().st_size
        print(f"  {size / 1e6:5.2f} MB of {most / 1e6:.1f}  {file.name}")
        if size > most:
            raise SystemExit(f"dist/build: {file} has {size} bytes, more than {most}")
