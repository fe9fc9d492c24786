"""--threads of the verbs that read many states: every output is the same, byte for byte, and a number that is none is refused."""

import pytest
from command_line import refused, run, text


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def verbs(twins, arm_log):
    incident = twins / "twin_incident"
    return {
        "estimate": ("estimate", incident, "-r", "h1_2", "-o", "{out}/steps.parquet"),
        "audit": ("audit", incident, "-r", "h1_2", "-o", "{out}"),
        "map": ("map", "-r", "ur5e", "--pose", "ready", "-j", "elbow_joint", "-j", "wrist_1_joint", "--steps", "12", "-o", "{out}"),
        "advise": ("advise", "-r", "h1_2", "--pose", "arm_waist_target", "--json"),
        "identify": ("identify", arm_log, "-r", "panda", "--contact-free", "all", "-o", "{out}"),
    }


@pytest.mark.parametrize("verb", ["estimate", "audit", "map", "advise", "identify"])
def test_no_output_depends_on_the_number_of_threads(verb, twins, arm_log, tmp_path):
    told, written = [], []
    for threads in (1, 2, 7):
        out = tmp_path / "out"  # one name, because outputs name it
        out.mkdir()
        arguments = [str(word).format(out=out) for word in verbs(twins, arm_log)[verb]]
        done = run(*arguments, "--threads", str(threads), seconds=60)
        assert done.returncode in (0, 1), text(done.stderr)
        told.append(done.stdout)
        written.append(files_of(out))
        out.rename(tmp_path / f"out{threads}")
    assert told[0] and told[0] == told[1] == told[2]
    assert written[0] == written[1] == written[2]
    assert written[0] or verb == "advise"


@pytest.mark.parametrize("verb", ["estimate", "audit", "map", "advise", "identify"])
def test_a_number_of_threads_that_is_none_is_refused(verb, twins, arm_log, tmp_path):
    arguments = [str(word).format(out=tmp_path / "out") for word in verbs(twins, arm_log)[verb]]
    for number in ("0", "-2", "many", "1e9", "100000"):
        assert "--threads" in refused(*arguments, "--threads", number), number
    assert not (tmp_path / "out").exists()


def test_an_instruction_set_that_is_none_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("ANTAEUS_INSTRUCTION_SET", "avx1024")
    for verb in (("map", "-r", "ur5e", "--pose", "ready", "-j", "elbow_joint", "-j", "wrist_1_joint", "--steps", "5", "-o", tmp_path / "out"),
                 ("advise", "-r", "ur5e", "--pose", "ready")):
        assert "ANTAEUS_INSTRUCTION_SET: unknown instruction set 'avx1024'" in refused(*verb)
    assert not (tmp_path / "out").exists()
