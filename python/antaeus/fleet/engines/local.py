"""Processes of this machine, one log at a time each. One that a signal or the kernel's OOM killer ends takes its own log with it only."""

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import typing
from collections.abc import Iterator, Sequence

from antaeus.fleet.engines import Asked, Lost, Row

# One thread a worker: the workers are the cores, and no sum then depends on how a BLAS shares it out.
_ONE_THREAD = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "ARROW_NUM_THREADS", "ARROW_IO_THREADS")}


class _Worker:
    """A process that reads rows and writes outcomes, a line of JSON each."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([sys.executable, "-m", "antaeus.fleet.engines.local_worker"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env={**os.environ, **_ONE_THREAD})
        self.row: Row | None = None

    @property
    def output(self) -> typing.IO[bytes]:
        assert self.process.stdout is not None
        return self.process.stdout

    def give(self, row: Row) -> None:
        self.row = row
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it is dead, which its output says
            self.process.stdin.write(json.dumps(row).encode() + b"\n")
            self.process.stdin.flush()

    def answer(self) -> "dict[str, str] | Lost":
        line = self.output.readline()
        if line.endswith(b"\n"):
            told: dict[str, str] = json.loads(line)
            return Lost(told["reason"], told["cause"]) if told["status"] == "lost" else told
        code = self.process.wait()
        if code == -signal.SIGKILL:
            return Lost("its worker was killed (SIGKILL), as the kernel does where memory runs out", "killed")
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return Lost(f"its worker ended ({name})", "killed")

    def end(self) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.output.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=2 if self.row is None else 0)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def outcomes(rows: Sequence[Row], asked: Asked) -> Iterator[tuple[Row, "dict[str, str] | Lost"]]:
    """Rows in their order, as workers become free."""
    waiting = list(reversed(rows))
    workers: list[_Worker] = []
    with selectors.DefaultSelector() as selector:

        def start() -> None:
            worker = _Worker()
            workers.append(worker)
            selector.register(worker.output, selectors.EVENT_READ, worker)
            worker.give(waiting.pop())

        try:
            for _ in range(min(asked.count(), len(rows))):
                start()
            while any(worker.row is not None for worker in workers):
                for key, _ in selector.select():
                    worker: _Worker = key.data
                    row = worker.row
                    answer = worker.answer()
                    worker.row = None
                    if worker.process.poll() is not None:
                        selector.unregister(worker.output)
                        workers.remove(worker)
                        worker.end()
                        if waiting:
                            start()
                    elif waiting:
                        worker.give(waiting.pop())
                    if row is not None:
                        yield row, answer
        finally:
            for worker in workers:
                worker.end()
