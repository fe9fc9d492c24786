"""What a program may do wrongly while a call runs, or hand over: one line that says so, and never a crash, a wait for ever or a
wrong number."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import antaeus
import numpy as np
import pytest

PANDA = ["panda_hand"]


@pytest.fixture(scope="module")
def panda():
    return antaeus.load_robot("panda")


def states(count, motors=7):
    random = np.random.default_rng(5)
    return random.uniform(-1, 1, (count, motors)), random.normal(0, 5, (count, motors))


# Threads ---------------------------------------------------------------------------------------------------------------------


def test_settings_that_another_thread_changes_during_a_call_change_nothing_in_it(tmp_path):
    """In a process of its own: what this test is against ended in a double free."""
    code = textwrap.dedent(
        f"""
        import threading, time
        import antaeus, numpy as np

        robot, free = antaeus.load_robot("panda"), antaeus.load_robot("panda", base="floating")
        over = threading.Event()

        def spoil():
            i = 0
            while not over.is_set():
                i += 1
                for group in ("contact.smoothing", "input.jump", "episode.maximum_gap"):
                    for one in (robot, free):
                        try:
                            one.profile.settings.set(f"{{group}}={{i % 9 + 1}}" + "0" * (i % 40))
                        except antaeus.Error:
                            pass

        arm = np.cumsum(np.random.default_rng(1).normal(0, 1e-3, (800, 7)), axis=0) + [0, -0.4, 0, -1.8, 0, 1.5, 0.7]
        arrays = dict(q=arm, tau=0.1 * arm, v=np.gradient(arm, 0.01, axis=0), time=np.arange(800) / 100)
        log = antaeus.Episode.from_arrays(**arrays, robot=robot)
        folder = {str(tmp_path / "log")!r}
        antaeus.write_episode(log, folder)
        flying = np.tile(free.model.neutral(), (800, 1))
        flying[:, 7:14] = arm
        rest = np.zeros(free.model.nv())
        thread = threading.Thread(target=spoil)
        thread.start()
        try:
            for _ in range(3):
                antaeus.identify([log], robot, ["all"])
                antaeus.contact({{"q": flying, "dt": 0.01}}, free, ["panda_hand"])
                antaeus.contact_inverse_dynamics(free, flying[0], rest, rest, "panda_hand")
                antaeus.load_episode(folder, robot)
                antaeus.read_episode(folder, robot)
                antaeus.estimate(log, robot)
                antaeus.check(log, robot)
                antaeus.replay(log, robot, want=("verdict",))
            end = time.monotonic() + 2.0  # while it read the caller's robot, this ended in a second
            while time.monotonic() < end:
                try:
                    antaeus.advise(robot, ["panda_hand"], arm[0])
                except antaeus.Error:
                    pass
        finally:
            over.set()
            thread.join()
        print("done")
        """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert (done.returncode, done.stdout) == (0, "done\n"), (done.returncode, done.stderr[-2000:])


# Calls in calls ----------------------------------------------------------------------------------------------------------------


def test_a_replay_inside_of_its_own_call_is_refused():
    replay = antaeus.BatchReplay("panda", PANDA, threads=1)
    q, tau = np.zeros((400_000, 7)), np.zeros((400_000, 7))
    raised = []

    def handler(*_):
        try:
            replay(q[:4], tau[:4])
        except antaeus.Error as error:
            raised.append(str(error))
        else:
            raised.append("no error")

    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        results = replay(q, tau, want=("posterior", "verdict", "wrench"))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(raised) == 1 and "BatchReplay: called during its own call" in raised[0], raised
    assert len(results["verdict"]) == len(q), "the call itself goes on"
    assert replay(q[:4], tau[:4])["status"].tolist() == [0] * 4, "and the next one may come"


def test_calls_of_other_threads_wait_their_turn():
    replay = antaeus.BatchReplay("panda", PANDA, threads=1)
    q, tau = states(50_000)
    expected = replay(q, tau)["residual"]
    found = []
    threads = [threading.Thread(target=lambda: found.append(replay(q, tau)["residual"])) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert len(found) == 4 and all(np.array_equal(one, expected) for one in found)
    assert replay.close_calls() == 0


# Memory ------------------------------------------------------------------------------------------------------------------------


def test_results_in_shared_memory_are_refused_by_name():
    q, tau = states(200)
    replay = antaeus.BatchReplay("panda", PANDA, threads=1)
    expected = {name: np.array(rows) for name, rows in replay(q, tau, want=("residual", "torque", "wrench")).items()}
    shared = np.empty((201, 7))
    with pytest.raises(antaeus.Error, match=r"^replay\.out: .*torque.*residual|^replay\.out: .*residual.*torque"):
        replay(q, tau, out={"residual": shared[:200], "torque": shared[:200]})
    with pytest.raises(antaeus.Error, match="share memory"):
        replay(q, tau, out={"residual": shared[:200], "torque": shared[1:]})
    for name in ("q", "tau"):
        moved = np.empty((201, 7))
        moved[:200] = {"q": q, "tau": tau}[name]
        given = {"q": q, "tau": tau, name: moved[:200]}
        with pytest.raises(antaeus.Error, match=rf"^replay\.out: residual: .*replay\.{name}"):
            replay(**given, out={"residual": moved[1:]})
        with pytest.raises(antaeus.Error, match=rf"^replay\.out: torque: .*replay\.{name}"):
            replay(**given, want=("verdict",), out={"torque": moved[:200]})
        own = given[name].copy()
        np.testing.assert_array_equal(replay(**{**given, name: own}, want=(), out={"residual": own})["residual"], expected["residual"])
        assert np.array_equal(own, expected["residual"]), "in the very place of an input"
    side = np.zeros((200, 14))
    replay(q, tau, want=(), out={"residual": side[:, :7], "torque": side[:, 7:]})
    np.testing.assert_array_equal(side, np.hstack([expected["residual"], expected["torque"]]), "columns side by side share nothing")
    with pytest.raises(antaeus.Error, match="share memory"):
        replay(q, tau, want=(), out={"residual": side[:, :7], "torque": side[:, 6:13]})


def test_a_number_that_no_robot_can_have_is_a_status():
    q, tau = states(6)
    for channel, number in ((tau, 1e308), (tau, -1e20), (q, 1e300)):
        kept = channel[3, 2]
        channel[3, 2] = number
        results = antaeus.replay(q, "panda", PANDA, tau, want=("wrench", "residual", "posterior", "verdict"))
        for name in ("status", "posterior_status"):
            codes = [str(list(antaeus.Status)[code]) for code in results[name]]
            assert codes == ["ok"] * 3 + ["not_finite"] + ["ok"] * 2, (name, number)
        assert np.isnan(results["wrench"][3]).all() and np.isfinite(results["wrench"][[0, 1, 2, 4, 5]]).all()
        assert str(list(antaeus.Verdict)[results["verdict"][3, 0]]) == "invalid_input"
        reader = antaeus.InstantReader(antaeus.load_robot("panda"), PANDA)
        assert reader.at(antaeus.Observation(q=q[3], tau=tau[3])).status() == "not_finite", "the loop says the same"
        channel[3, 2] = kept


# Arguments ---------------------------------------------------------------------------------------------------------------------


def test_arguments_of_another_kind_are_one_line(panda, tmp_path):
    problem = antaeus.TaskProblem(panda.model)
    hand = problem.add(antaeus.FrameTask(panda.model, "panda_hand"))
    posture = problem.add(antaeus.PostureTask(panda.model, panda.model.neutral()))
    solver = antaeus.TaskSolver(problem)
    log = antaeus.Episode.from_arrays(q=np.zeros((50, 7)), tau=np.zeros((50, 7)), time=np.arange(50) / 50, robot=panda)
    page = antaeus.show(log, panda)
    wrong = {
        "a number for a setting's name": lambda: antaeus.run_experiment("parity", {5: 1}),
        "the same of a scenario": lambda: antaeus.run_space_scenario(antaeus.space_scenario_names()[0], {None: 1}),
        "the same of an audit": lambda: antaeus.audit(log, panda, settings={5: 1}),
        "the same of a motion": lambda: antaeus.contact({5: np.zeros((2, 7))}, panda, ["panda_hand"]),
        "no target of a frame": lambda: solver.set_target(hand, None),
        "no target of a posture": lambda: solver.set_target(posture, "here"),
        "a name of 300 characters": lambda: page.save(tmp_path / ("a" * 296 + ".html")),
        "a number for a result's name": lambda: antaeus.replay(log, panda, PANDA, want=(5,)),
    }
    for name, call in wrong.items():
        with pytest.raises(antaeus.Error) as caught:
            call()
        assert str(caught.value) and "\n" not in str(caught.value), name
        assert "bad_cast" not in str(caught.value), name
    assert os.listdir(tmp_path) == []


def test_a_joint_that_is_called_like_a_column_is_told_before_the_work(tmp_path):
    from support import ROOT

    text = (ROOT / "tests" / "support" / "biped.urdf").read_text(encoding="utf-8")
    for name, taken in (("step", True), ("time", True), ("root_Fx", True), ("root_change_alphaz", True), ("root_j", False)):
        file = tmp_path / f"{name}.urdf"
        file.write_text(text.replace('"left_elbow"', f'"{name}"'), encoding="utf-8")
        robot = antaeus.load_robot(file, base="floating")
        motion = {"q": np.tile(robot.model.neutral(), (3, 1)), "dt": 0.01}
        if not taken:
            antaeus.contact(motion, robot, [robot.model.frame_names()[1]])
            continue
        with pytest.raises(antaeus.ModelError, match=rf"^joint '{name}': a column of torques\.csv has its name; rename the joint$"):
            antaeus.contact(motion, robot, [robot.model.frame_names()[1]])


def test_a_target_beyond_all_numbers_has_a_reason_without_infinity(panda):
    result = antaeus.solve_ik([[0.3, 0.0, -1e300], [0.0, 1e160, 0.3]], panda, "panda_hand", position_only=True)
    for target in range(2):
        assert "inf" not in result.reason(target) and "more than 1e150 m" in result.reason(target), result.reason(target)
