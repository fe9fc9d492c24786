"""Runs the program that ANTAEUS_CLI names as a user would, within bounds of time and memory."""

import ctypes
import functools
import os
import pathlib
import resource
import signal
import subprocess

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
SECONDS = 5.0  # of work, on a machine with two cores that does nothing else
MEMORY = 2 << 30
OFFSET = 0.25 * np.arange(7) - 0.55  # N·m, of conftest's arm_log


@functools.cache
def bounds_memory(program):
    """The address sanitizer reserves terabytes of addresses: such a build cannot be held to a limit."""
    return b"__asan_init" not in pathlib.Path(program).read_bytes()


def work_of(seconds):
    """Seconds of work. The sanitizers make it about ten times as much."""
    return seconds if bounds_memory(os.environ["ANTAEUS_CLI"]) else 15 * seconds


def patience(seconds):
    """How long so much work may take [s]: other jobs of the machine make it a few times slower. `run` bounds the work itself."""
    return 6 * seconds if bounds_memory(os.environ["ANTAEUS_CLI"]) else work_of(seconds)


def cpu_of(call):
    """Returns the CPU time [s] of the processes that the call started and waited for, and its value. A busy machine stretches a clock more."""
    def used():
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        return spent.ru_utime + spent.ru_stime

    before = used()
    value = call()
    return used() - before, value


def prose(stream):
    """Returns a text as one line: where it is wrapped depends on how long the paths in it are."""
    return " ".join(text(stream).split())


def run(*arguments, cwd=None, file_limit=None, stdout=subprocess.PIPE, seconds=SECONDS, capabilities=True):
    """file_limit bounds the size of any file that the program writes [bytes]; without capabilities root is bound by
    permissions as everybody is."""
    program = os.environ["ANTAEUS_CLI"]
    limited = bounds_memory(program)

    # A clock on the wall also counts what others do on the machine; a program that hangs in a loop is ended by this.
    work = max(2, round(2 * seconds))

    def bound():
        if not capabilities and os.geteuid() == 0:
            set_securebits, no_root = 28, 1  # prctl(2): an id of 0 brings no capabilities across execve
            if ctypes.CDLL(None, use_errno=True).prctl(set_securebits, no_root, 0, 0, 0) != 0:
                raise OSError(ctypes.get_errno(), "root cannot give up its capabilities here")
        if limited:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CPU, (work, work))
        if file_limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it, and children would inherit that

    return subprocess.run(
        [program, *map(os.fspath, arguments)],
        cwd=cwd, stdout=stdout, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, timeout=patience(seconds), preexec_fn=bound, check=False)


def text(stream):
    return stream.decode("utf-8")


def refused(*arguments, **how):
    """The one line that a refusal is."""
    done = run(*arguments, **how)
    lines = text(done.stderr).splitlines()
    assert done.returncode == 2, (done.returncode, lines)
    assert len(lines) == 1, lines
    assert done.stdout == b""
    assert lines[0].startswith("antaeus: ")
    return lines[0]
