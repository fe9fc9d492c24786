"""The program `antaeus` of the wheel: the command line in C++, which comes back for the verbs that are written in Python."""

import os
import pathlib
import signal
import sys

from antaeus import _installation
from antaeus._terminal import Escaping, say

# Verb → its work: what stands after the verb → exit code. Help, suggestions and exit codes are those of the C++ command
# line, which lists these verbs too (apps/antaeus/python_verbs.cpp).
def _convert(arguments: list[str]) -> int:
    from antaeus.formats import convert  # its libraries load when they are used

    return convert.run(arguments)


def _fleet(arguments: list[str]) -> int:
    from antaeus.fleet import _command

    return _command.run(arguments)


def _watch(arguments: list[str]) -> int:
    from antaeus.live import _command

    return _command.run(arguments)


VERBS = {"convert": _convert, "fleet": _fleet, "watch": _watch, "cmake-prefix": _installation.print_cmake_prefix}


def main() -> int:
    """Becomes the C++ program beside the package, and tells it which Python to come back to. Exit code 2 without one."""
    package = pathlib.Path(__file__).parent
    os.environ["ANTAEUS_PYTHON"] = sys.executable
    program = package / "bin" / "antaeus"  # of an installation
    if not program.exists():
        program = package.parents[1] / "bin" / "antaeus"  # of a build tree
    try:
        os.execv(program, ["antaeus", *sys.argv[1:]])
    except OSError as error:
        print(f"antaeus: {program}: cannot be run ({error.strerror}); install the wheel again", file=sys.stderr)
        return 2


def run_verb(name: str, arguments: list[str]) -> int:
    """The work of a verb in Python; an error is one line on stderr and exit code 2, as in C++."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # who reads a pipe may leave early
    sys.stdout, sys.stderr = Escaping(sys.stdout), Escaping(sys.stderr)
    try:
        return VERBS[name](arguments)
    except (ValueError, OSError) as error:
        say(f"antaeus: {error}", sys.stderr)
        return 2
