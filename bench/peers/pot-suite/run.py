"""Runs the parts of POT's own test suite that concern functions of rot, with rot in POT's place.

    pip install ./python -r bench/peers/pot-suite/requirements.txt
    python bench/peers/pot-suite/run.py [--tests FOLDER] [pytest options]

The tests come from POT's source distribution on PyPI, which is not kept.
--tests takes those of a clone of POT (its folder test) instead, which has the
tests of unbalanced transport besides.
"""

import hashlib
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.request
from pathlib import Path

VERSION = "0.9.7.post1"
HASH = "2edd70845047ac2d378487b980a2bffb5ff58e9b92b7133896ff5753f6300cec"
FILES = ("test_ot.py", "test_1d_solver.py", "test_partial.py", "test_bregman.py", "unbalanced/test_mm.py")


def fetch(folder):
    """The tests of the source distribution, unpacked into folder."""
    with urllib.request.urlopen("https://pypi.org/simple/pot/") as page:
        text = page.read().decode()
    url = re.search(r'href="([^"#]*pot-' + re.escape(VERSION) + r"\.tar\.gz)", text).group(1)
    with urllib.request.urlopen(url) as file:
        data = file.read()
    if hashlib.sha256(data).hexdigest() != HASH:
        raise SystemExit(f"{url} is not the file that it was")
    archive = Path(folder) / "pot.tar.gz"
    archive.write_bytes(data)
    with tarfile.open(archive) as tar:
        tar.extractall(folder, members=[m for m in tar.getmembers() if "/test/" in m.name])
    return next(Path(folder).glob("pot-*/test"))


def main():
    here = Path(__file__).resolve().parent
    args = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        if "--tests" in args:
            at = args.index("--tests")
            tests = Path(args[at + 1]).resolve()
            del args[at : at + 2]
        else:
            tests = fetch(folder)
        files = [str(tests / f) for f in FILES if (tests / f).exists()]
        command = [sys.executable, "-m", "pytest", "-q", "-p", "plugin", "-p", "no:cacheprovider", "--noconftest", "-W", "ignore::UserWarning", "-c", "/dev/null", "--rootdir", str(tests)]
        raise SystemExit(subprocess.call([*command, *files, *args], env={**__import__("os").environ, "PYTHONPATH": str(here)}))


if __name__ == "__main__":
    main()
