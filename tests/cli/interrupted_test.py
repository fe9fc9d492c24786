"""Runs that are ended early: a folder of results holds one run's files or another's, and what a dead run left behind goes
with the next. ANTAEUS_KILLS says how many runs are killed (default 20; 200 take about 20 s)."""

import ctypes
import hashlib
import os
import random
import shutil
import signal
import stat
import struct
import subprocess
import time
import urllib.parse

import needs
import pytest
from command_line import patience, run
from waiting import until

SEED = 7
KILLS = int(os.environ.get("ANTAEUS_KILLS", "20"))


def start(*arguments, **how):
    return subprocess.Popen([os.environ["ANTAEUS_CLI"], *map(os.fspath, arguments)], stdin=subprocess.DEVNULL,
                            stdout=how.pop("stdout", subprocess.DEVNULL), stderr=subprocess.PIPE, **how)


def print_of(folder):
    """What tells one run's folder from another's."""
    return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in sorted(folder.iterdir())}


def hidden(folder):
    return [str(f) for f in folder.rglob(".antaeus-*")]


def half_written(folder, before=frozenset()):
    """Files in hidden folders, which their owner has locked by then."""
    # os.walk, for folders that go while they are listed
    return {os.path.join(path, name) for path, _, names in os.walk(folder) if ".antaeus-" in path for name in names} - before


def audit(episode, out, *more):
    return ("audit", episode, "--robot", "planar_3r", "--out", out, *more)


@pytest.fixture
def two_runs(small, tmp_path):
    """Arguments of two audits that differ in every file, and what their folders hold."""
    runs = []
    for label, more in (("a", ()), ("b", ("--set", "published_guard.clamp_force=31", "--to", "0.3"))):
        out = tmp_path / label
        assert run(*audit(small, out, *more)).returncode == 0
        runs.append((more, print_of(out)))
        shutil.rmtree(out)
    assert all(runs[0][1][name] != runs[1][1][name] for name in runs[0][1])
    return runs


def test_killed_at_random_moments(small, tmp_path, two_runs):
    chance = random.Random(SEED)
    place = tmp_path / "place"
    place.mkdir()
    out = place / "out"
    begun = time.monotonic()
    assert run(*audit(small, out)).returncode == 0
    length = time.monotonic() - begun
    (out / "notes.txt").write_text("mine")
    whole = [prints | {"notes.txt": hashlib.sha256(b"mine").hexdigest()} for _, prints in two_runs]
    found = [0, 0]
    for n in range(KILLS):
        more = two_runs[n % 2][0]
        process = start(*audit(small, out, *more))
        # The end of a run is where files are written.
        time.sleep(length * chance.uniform(0.3, 1.1))
        with_signal = chance.choice([signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
        process.send_signal(with_signal)
        process.communicate(timeout=patience(10))
        now = print_of(out)
        assert now in whole, f"seed {SEED}, run {n}, {with_signal.name}: mixed"
        found[whole.index(now)] += 1
        if with_signal != signal.SIGKILL and n % 2 == 0:
            assert process.returncode in (0, -with_signal)
    assert run(*audit(small, out)).returncode == 0
    assert print_of(out) == whole[0]
    assert hidden(place) == []
    if KILLS >= 100:
        assert min(found) > 0, "the kills met no run's end"


def stopped_in_scratch(arguments, place):
    """A run that has begun to write, stopped there; None when it was too quick."""
    # What a quick run wrote goes: a run that replaces results also has the old ones in a hidden folder, which is nobody's.
    for written in place.iterdir():
        if not written.name.startswith(".antaeus-"):
            shutil.rmtree(written)
    before = half_written(place)
    process = start(*arguments)
    end = time.monotonic() + patience(10)
    while time.monotonic() < end and process.poll() is None:
        if half_written(place, before):
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            if half_written(place, before) and process.poll() is None:
                return process
            process.send_signal(signal.SIGCONT)
            break
    process.communicate(timeout=patience(10))
    return None


def in_scratch(arguments, place):
    for _ in range(100):  # a busy machine lets many pass
        if process := stopped_in_scratch(arguments, place):
            return process
    pytest.fail("no run could be stopped while it wrote")


@pytest.mark.parametrize("with_signal", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_while_writing(small, tmp_path, with_signal):
    place = tmp_path / "place"
    place.mkdir()
    process = in_scratch(audit(small, place / "new" / "out"), place)
    process.send_signal(with_signal)
    process.send_signal(signal.SIGCONT)
    process.communicate(timeout=patience(10))
    # A shell shows it as 128 + signal: 130, 143, 129.
    assert process.returncode in (0, -with_signal)
    assert hidden(place) == []
    assert list(place.iterdir()) == [] or len(list((place / "new" / "out").iterdir())) == 4


def test_a_signal_that_is_ignored_stays_ignored(small, tmp_path):
    """As under nohup."""
    process = start(*audit(small, tmp_path / "out"), preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    while process.poll() is None:
        process.send_signal(signal.SIGHUP)
        time.sleep(0.005)
    assert process.returncode == 0, process.stderr.read()
    assert len(list((tmp_path / "out").iterdir())) == 4


def scratch(place):
    return [f.name for f in place.iterdir() if f.name.startswith(".antaeus-")]


def test_what_a_killed_run_left_goes_with_the_next_and_what_a_living_one_writes_stays(small, tmp_path):
    place = tmp_path / "place"
    place.mkdir()
    dead = in_scratch(audit(small, place / "out"), place)
    dead.kill()
    dead.communicate()
    left = set(scratch(place))
    assert left
    living = in_scratch(audit(small, place / "out"), place)
    own = set(scratch(place))  # of each table that is written as it comes, and of the set
    assert own and not own & left, "the dead run's went, its own are there"
    assert run(*audit(small, place / "other")).returncode == 0
    assert hidden(place), "it was taken from one that lives"
    living.send_signal(signal.SIGCONT)
    living.communicate(timeout=patience(10))
    assert living.returncode == 0
    assert hidden(place) == []
    assert len(print_of(place / "out")) == len(print_of(place / "other")) == 4


def test_two_writers_at_once_leave_one_whole_result(small, tmp_path, two_runs):
    place = tmp_path / "place"
    for there_before in (False, True) * 5:
        out = place / "out"
        if not there_before and out.exists():
            shutil.rmtree(out)
        both = [start(*audit(small, out, *more)) for more, _ in two_runs]
        for process in both:
            _, told = process.communicate(timeout=patience(20))
            assert process.returncode == 0, told
        assert print_of(out) in [prints for _, prints in two_runs]
    assert hidden(place) == []


# --- file systems that cannot exchange --------------------------------------------------------------------------------------

RENAMEAT2 = {"x86_64": (316, 0xC000003E), "aarch64": (276, 0xC00000B7)}.get(os.uname().machine)


def without_renameat2():
    """In a child: renameat2 answers EINVAL, as where a file system knows none of its flags."""
    number, arch = RENAMEAT2
    allow, refuse, kill = 0x7FFF0000, 0x00050000 | 22, 0x80000000
    program = [(0x20, 0, 0, 4), (0x15, 1, 0, arch), (0x06, 0, 0, kill), (0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, refuse), (0x06, 0, 0, allow)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
    filters = struct.pack("HxxxxxxP", len(program), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_seccomp, mode_filter = 38, 22, 2
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) or libc.prctl(set_seccomp, mode_filter, filters, 0, 0):
        raise OSError(ctypes.get_errno(), "no filter of system calls here")


@needs.skip_unless(RENAMEAT2, f"the system call renameat2 of {os.uname().machine} is not listed here", "grep renameat2 /usr/include/asm-generic/unistd.h")
def test_without_exchange_results_are_still_replaced(small, tmp_path, two_runs):
    place = tmp_path / "place"
    for more, prints in [*two_runs, two_runs[0]]:
        process = start(*audit(small, place / "out", *more), preexec_fn=without_renameat2)
        _, told = process.communicate(timeout=patience(20))
        assert process.returncode == 0, told
        assert print_of(place / "out") == prints
        assert hidden(place) == []


def test_in_the_working_directory_the_folder_stays_the_same(small, tmp_path):
    """A shell that stands in the folder must not find itself in one that is gone."""
    here = tmp_path / "here"
    here.mkdir()
    before = here.stat().st_ino
    for _ in range(2):
        assert run("audit", small, "--robot", "planar_3r", "--out", ".", cwd=here).returncode == 0
    assert here.stat().st_ino == before
    assert len(list(here.iterdir())) == 4


# --- stdout that fails ------------------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def full():
    if not os.path.exists("/dev/full"):
        needs.skip("/dev/full does not exist", "mknod -m 666 /dev/full c 1 7")
    with open("/dev/full", "wb") as stream:
        yield stream


def closed(*arguments):
    process = start(*arguments, stdout=None, preexec_fn=lambda: os.close(1))
    _, told = process.communicate(timeout=patience(20))
    return process.returncode, told


def test_a_verdict_outlives_a_stdout_that_fails(twins, tmp_path, full):
    incident = ("audit", twins / "twin_incident", "--robot", "h1_2", "--out", tmp_path / "out")
    done = run(*incident, stdout=full, seconds=20)
    assert done.returncode == 1
    assert done.stderr == b"antaeus: stdout: cannot be written; free disk space, or redirect it\n"
    code, told = closed(*incident)
    assert (code, told) == (1, done.stderr)
    assert len(print_of(tmp_path / "out")) == 4


def test_without_a_verdict_a_stdout_that_fails_is_an_error(small, tmp_path, full):
    for arguments in (("--help",), ("--version",), ("audit", "--help"), ("robot",), audit(small, tmp_path / "out")):
        assert run(*arguments, stdout=full).returncode == 2, arguments
        assert closed(*arguments)[0] == 2, arguments


# --- the browser of --pdf ---------------------------------------------------------------------------------------------------

def script(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_the_browser_ends_with_a_program_that_was_killed(small, tmp_path):
    """KILL cannot be handled: the browser and what it started end because nobody holds them any more."""
    pid_file = tmp_path / "pid"
    browser = script(tmp_path / "browser", f"sleep 300 &\necho $! $$ > '{pid_file}.new'\nmv '{pid_file}.new' '{pid_file}'\nwait\n")
    process = start(*audit(small, tmp_path / "out", "--pdf"), env=os.environ | {"CHROMIUM": str(browser), "TMPDIR": str(tmp_path)})
    until(pid_file.exists)
    left = [int(pid) for pid in pid_file.read_text().split()]
    assert all(alive(pid) for pid in left)
    process.kill()
    process.communicate(timeout=patience(10))
    until(lambda: not any(alive(pid) for pid in left))


@pytest.mark.parametrize("with_signal", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_the_browser_and_removes_its_folder(small, tmp_path, with_signal):
    place = tmp_path / "tmp"
    place.mkdir()
    pid_file = tmp_path / "pid"
    browser = script(tmp_path / "browser", f"sleep 300 &\necho $! > '{pid_file}.new'\nmv '{pid_file}.new' '{pid_file}'\nwait\n")
    process = start(*audit(small, tmp_path / "out", "--pdf"), env=os.environ | {"CHROMIUM": str(browser), "TMPDIR": str(place)})
    until(pid_file.exists)
    child = int(pid_file.read_text())
    assert list(place.iterdir())
    process.send_signal(with_signal)
    process.communicate(timeout=patience(10))
    assert process.returncode == -with_signal
    assert list(place.iterdir()) == []
    assert not (tmp_path / "out").exists()
    until(lambda: not alive(child))  # the browser's child too


def alive(pid):
    try:
        return open(f"/proc/{pid}/stat").read().split()[2] not in "ZX"
    except FileNotFoundError:
        return False


def test_the_address_of_the_page_is_encoded(small, tmp_path):
    place = tmp_path / "a#b?c%41 d"
    place.mkdir()
    told = tmp_path / "told"
    browser = script(tmp_path / "browser", f'for last in "$@"; do :; done\nprintf %s "$last" > "{told}"\nexit 1\n')
    process = start(*audit(small, tmp_path / "out", "--pdf"), env=os.environ | {"CHROMIUM": str(browser), "TMPDIR": str(place)})
    process.communicate(timeout=patience(20))
    address = urllib.parse.urlsplit(told.read_text())
    assert address.scheme == "file" and not address.query and not address.fragment
    assert urllib.parse.unquote(address.path).startswith(str(place) + "/")
    assert list(place.iterdir()) == []
