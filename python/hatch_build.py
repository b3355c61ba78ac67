"""Puts the program into the wheel: one that is there, or one built with Go.

ROT_BUILD_BINARY names a program to take (the Makefile sets it, to build wheels
for other systems), and ROT_BUILD_PLATFORM the platform tags of the wheel.
"""

import os
import shutil
import stat
import subprocess
import sysconfig
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Binary(BuildHookInterface):
    def initialize(self, version, build_data):
        if self.target_name != "wheel":
            return
        platform = os.environ.get("ROT_BUILD_PLATFORM") or local_platform()
        name = "rot.exe" if platform.startswith("win") else "rot"
        folder = Path(self.root) / "rot" / "bin"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        binary = folder / name
        given = os.environ.get("ROT_BUILD_BINARY")
        if given:
            shutil.copyfile(given, binary)
        else:
            go_build(Path(self.root).parent, binary)
        binary.chmod(binary.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
        for licence in ("LICENSE", "internal/notices/NOTICES.txt"):
            text = Path(self.root).parent / licence
            if text.exists():
                shutil.copyfile(text, folder / text.name)
        build_data["pure_python"] = False
        build_data["tag"] = "py3-none-" + platform


def local_platform():
    return sysconfig.get_platform().replace("-", "_").replace(".", "_")


def go_build(module, binary):
    if not (module / "go.mod").exists():
        raise SystemExit(
            f"rot: {module} has no go.mod: build from a clone of the project, or set ROT_BUILD_BINARY to a built program"
        )
    if shutil.which("go") is None:
        raise SystemExit(
            "rot: the program inside the package is built with Go, which is not installed: "
            "see https://go.dev/dl, or install a wheel that has the program"
        )
    command = ["go", "build", "-trimpath", "-ldflags=-s -w", "-o", str(binary), "./cmd/rot"]
    subprocess.run(command, cwd=module, check=True, env={**os.environ, "CGO_ENABLED": "0"})
