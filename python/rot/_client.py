"""The conversation with the program that solves.

One process `rot worker` serves all threads of this one. It is started by the
first call and speaks the protocol of the Go package worker. Two threads move
the bytes: Ctrl-C interrupts only the main thread, so that it can never tear a
message in two. After a fork the child has a worker of its own.
"""

from __future__ import annotations

import atexit
import collections
import io
import itertools
import json
import logging
import math
import os
import queue
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

import numpy as np

from ._errors import ConvergenceError, InputError, WorkerError

log = logging.getLogger("rot")

PROTOCOL = 1
_PREFIX = struct.Struct("<IQ")
_DTYPES = ("<f8", "<i4", "|u1")  # of arrays in messages
_JOIN = 1 << 18  # messages up to here are written at once
# How long a wait may take no notice of Ctrl-C: for ever where the system wakes
# us, as all but Windows do.
_POLL = 0.05 if sys.platform == "win32" else None

Arrays = Dict[str, np.ndarray]


def binary() -> str:
    """The program inside this package, or the one that ROT_BINARY names."""
    given = os.environ.get("ROT_BINARY")
    if given:
        return given
    name = "rot.exe" if sys.platform == "win32" else "rot"
    inside = Path(__file__).parent / "bin" / name
    if inside.exists():
        return str(inside)
    raise WorkerError(f"this installation of rot has no program for this system at {inside}; set ROT_BINARY to a built one")


class _Worker:
    """One process and the requests that it has not answered yet."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.ids = itertools.count(1)
        self.waiting: Dict[int, "queue.SimpleQueue[Any]"] = {}
        self.outbox: "queue.SimpleQueue[Optional[List[Any]]]" = queue.SimpleQueue()
        self.death: Optional[str] = None
        self.stderr: "collections.deque[str]" = collections.deque(maxlen=40)
        child_in, self.stdin = os.pipe()
        self.stdout, child_out = os.pipe()
        errors, child_err = os.pipe()
        self.fds = [self.stdin, self.stdout, errors]
        flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP if sys.platform == "win32" else 0
        try:
            self.process = subprocess.Popen(
                [binary(), "worker", "--parent", str(self.pid)],
                stdin=child_in, stdout=child_out, stderr=child_err, creationflags=flags,
            )  # fmt: skip
        except BaseException as e:
            for fd in self.fds:
                os.close(fd)
            if isinstance(e, OSError):
                raise WorkerError(f"cannot start {binary()}: {e}") from e
            raise
        finally:
            for fd in (child_in, child_out, child_err):
                os.close(fd)
        _widen(self.stdin)
        _widen(self.stdout)
        for target, args in ((self._read, ()), (self._write, ()), (self._listen, (errors,))):
            threading.Thread(target=target, args=args, name="rot" + target.__name__, daemon=True).start()
        log.debug("started worker %d", self.process.pid)

    # What callers use.

    def alive(self) -> bool:
        return self.death is None and self.pid == os.getpid()

    def post(self, number: int, op: str, args: Optional[Mapping[str, Any]] = None, arrays: Optional[Mapping[str, np.ndarray]] = None) -> None:
        arrays = arrays or {}
        header = json.dumps(
            {
                "id": number, "op": op, "args": args or {},
                "arrays": [{"name": k, "dtype": v.dtype.str, "shape": v.shape} for k, v in arrays.items()],
            }
        ).encode()  # fmt: skip
        size = sum(v.nbytes for v in arrays.values())
        parts: List[Any] = [_PREFIX.pack(len(header), size) + header]
        parts += [memoryview(v.reshape(-1)).cast("B") for v in arrays.values() if v.size]
        if size <= _JOIN:
            parts = [b"".join(parts)]
        self.outbox.put(parts)

    # The threads.

    def _write(self) -> None:
        while True:
            parts = self.outbox.get()
            if parts is None:
                return
            try:
                for part in parts:
                    view = memoryview(part)
                    while len(view):
                        view = view[os.write(self.stdin, view[: 1 << 30]) :]
            except OSError:
                return  # The reader sees the end, too, and tells everybody.

    def _read(self) -> None:
        try:
            with io.FileIO(self.stdout, "rb", closefd=False) as raw:
                stream = io.BufferedReader(raw, 1 << 16)
                while True:
                    prefix = stream.read(_PREFIX.size)
                    if len(prefix) < _PREFIX.size:
                        break
                    length, _ = _PREFIX.unpack(prefix)
                    message = json.loads(stream.read(length))
                    arrays: Arrays = {}
                    for a in message.get("arrays") or ():
                        arrays[a["name"]] = v = np.empty(a["shape"], a["dtype"])
                        view = memoryview(v.reshape(-1)).cast("B") if v.size else memoryview(b"")
                        while len(view):
                            got = stream.readinto(view)
                            if not got:
                                raise EOFError
                            view = view[got:]
                    self._deliver(message, arrays)
        except (OSError, ValueError, EOFError) as e:
            self.stderr.append(f"{e}\n")
        self._end()

    def _deliver(self, message: Dict[str, Any], arrays: Arrays) -> None:
        if message["op"] == "hello":
            args = message["args"]
            log.debug("worker %d is rot %s", self.process.pid, args["version"])
            if args["protocol"] != PROTOCOL:
                raise ValueError(f"{binary()} speaks protocol {args['protocol']}, not {PROTOCOL}: it belongs to another version of this package")
            return
        inbox = self.waiting.get(message["id"])
        if inbox is not None:
            inbox.put((message["op"], message.get("args") or {}, arrays))

    def _listen(self, fd: int) -> None:
        with io.FileIO(fd, "rb", closefd=False) as raw:
            for line in io.TextIOWrapper(io.BufferedReader(raw), errors="replace"):
                self.stderr.append(line)
                log.warning("worker %d: %s", self.process.pid, line.rstrip())

    def _end(self) -> None:
        if self.pid != os.getpid():
            return
        try:
            code: Any = self.process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        time.sleep(0.01)  # for the last words
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        self.death = f"the worker ended with {how}" + ("\n" + "".join(self.stderr) if self.stderr else "")
        self.outbox.put(None)
        for inbox in list(self.waiting.values()):
            inbox.put(("death", {}, {}))

    # The end.

    def close(self) -> None:
        """Ends the process, as the end of its input tells it to."""
        self.death = self.death or "the worker was closed"
        self.outbox.put(None)
        fd, self.stdin = self.stdin, -1
        if fd >= 0:
            os.close(fd)
        try:
            self.process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            self.process.kill()

    def forget(self) -> None:
        """Lets go in the child of a fork, which does not own the process."""
        for fd in self.fds:
            try:
                os.close(fd)
            except OSError:
                pass
        self.process.returncode = 0  # so that nobody here waits for it


def _widen(fd: int) -> None:
    """Makes a pipe hold more, where the system allows it."""
    if sys.platform == "linux":
        import fcntl

        try:
            fcntl.fcntl(fd, 1031, 1 << 20)  # F_SETPIPE_SZ, which Python names from 3.10 on
        except OSError:
            pass


_worker: Optional[_Worker] = None
_lock = threading.Lock()


def _current() -> _Worker:
    global _worker
    w = _worker
    if w is not None and w.alive():
        return w
    with _lock:
        if _worker is None or not _worker.alive():
            _worker = _Worker()
        return _worker


def close() -> None:
    """Ends the worker process. The next call starts another one."""
    global _worker
    with _lock:
        w, _worker = _worker, None
    if w is not None and w.pid == os.getpid():
        w.close()


def _after_fork() -> None:
    global _worker, _lock
    w, _worker, _lock = _worker, None, threading.Lock()
    if w is not None:
        w.forget()


atexit.register(close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def plain(v: Any) -> Any:
    """A number as JSON has it, which knows no infinity."""
    if isinstance(v, (float, np.floating)) and not math.isfinite(v):
        return "nan" if math.isnan(v) else ("inf" if v > 0 else "-inf")
    return v.item() if isinstance(v, np.generic) else v


def request(
    op: str,
    args: Mapping[str, Any],
    arrays: Mapping[str, Optional[np.ndarray]],
    make: Callable[[Dict[str, Any], Arrays], Any],
    progress: Any = None,
) -> Any:
    """Asks for op and returns make(args, arrays) of the answer.

    An interrupt cancels the solve and does not wait for it. `progress` is False
    for none, a function of a dict, or None for a bar when there is someone to
    look at it.
    """
    sent = {k: plain(v) for k, v in args.items() if v is not None}
    data = {k: np.ascontiguousarray(v, v.dtype.str if v.dtype.str in _DTYPES else "<f8") for k, v in arrays.items() if v is not None}
    if progress is not False:
        sent["progress"] = True
        if progress is None:
            sent["patience"] = _Bar.PATIENCE
    worker = _current()
    number = next(worker.ids)
    inbox: "queue.SimpleQueue[Tuple[str, Dict[str, Any], Arrays]]" = queue.SimpleQueue()
    worker.waiting[number] = inbox
    start = time.monotonic()
    bar = _Bar(op, progress, start)
    try:
        worker.post(number, op, sent, data)
        while True:
            if worker.death is not None:
                raise WorkerError(worker.death)
            try:
                kind, reply, got = inbox.get(timeout=_POLL)
            except queue.Empty:
                continue
            if kind == "progress":
                bar.update(reply)
                continue
            break
    except BaseException:
        if worker.alive():
            worker.post(number, "cancel")
        raise
    finally:
        worker.waiting.pop(number, None)
        bar.close()
    if log.isEnabledFor(logging.DEBUG):
        log.debug("%s %s took %.1f ms", op, {k: v.shape for k, v in data.items()}, 1e3 * (time.monotonic() - start))
    if kind == "result":
        return make(reply, got)
    raise _error(worker, kind, reply, got, make)


def _error(worker: _Worker, kind: str, reply: Dict[str, Any], got: Arrays, make: Callable[[Dict[str, Any], Arrays], Any]) -> Exception:
    if kind == "death":
        return WorkerError(worker.death)
    text = reply["text"]
    if reply["kind"] == "input":
        return InputError(text)
    if reply["kind"] == "convergence":
        result = make(reply["result"], got) if reply.get("result") else None
        return ConvergenceError(text, result=result, gap=float(reply["gap"]), tol=float(reply["tol"]), iters=reply.get("iters", 0))
    return WorkerError(text)


class _Bar:
    """A tqdm bar for solves that take longer than one waits without asking."""

    PATIENCE = 1.5  # seconds

    def __init__(self, op: str, wanted: Any, start: float) -> None:
        self.op, self.wanted, self.start, self.bar = op, wanted, start, None

    def update(self, reply: Dict[str, Any]) -> None:
        done = float(reply["done"])
        if callable(self.wanted):
            self.wanted({"stage": reply["stage"], "iters": reply["iters"], "done": done})
            return
        if self.bar is None:
            if self.wanted is not True and (time.monotonic() - self.start < self.PATIENCE or not _watched()):
                return
            try:
                from tqdm.auto import tqdm
            except ImportError:
                self.wanted = False if self.wanted is None else self.wanted
                log.info("%s: %s, %d steps", self.op, reply["stage"], reply["iters"])
                return
            self.bar = tqdm(total=1.0, desc=self.op, leave=False, bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}")
        self.bar.set_description(f"{self.op}: {reply['stage']}", refresh=False)
        if math.isfinite(done):
            self.bar.n = done
        self.bar.refresh()

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def _watched() -> bool:
    return sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)
