"""What is printed, copied and pickled: a walk over every public class, with as many objects as the package gives."""

import copy
import enum
import functools
import inspect
import multiprocessing
import pathlib
import pickle
import re

import antaeus
import numpy as np
import pytest
from support import ROOT

WRIST = "left_wrist_yaw_link"
CLASSES = [value for name in antaeus.__all__ if inspect.isclass(value := getattr(antaeus, name))]
BOUND = [cls for cls in CLASSES if not issubclass(cls, (enum.Enum, BaseException, str))]


def starts(tmp):
    """Objects from which the others are reached: by their attributes and by their calls without arguments."""
    robot = antaeus.load_robot("h1_2")
    payload = antaeus.Payload(WRIST, antaeus.Inertial(2.0, [0, 0, 0.1], np.eye(3) * 0.01), "box")
    twin = antaeus.make_twin(robot, "incident")
    log, frames, q = twin.episode, robot.endpoint_frames()[:2], robot.pose("arm_waist_target")
    yield from (robot, antaeus.load_robot("h1_2", payloads=[payload]), twin, log, payload, antaeus.Wrench([1, 2, 3]), antaeus.Pose(),
                log.observe(3), antaeus.Observation(), antaeus.read_urdf(robot.model.description().source))
    reader = antaeus.InstantReader(robot, frames)
    now, residual, posterior = reader.at(log.observe(20)), antaeus.ResidualEstimator(robot), antaeus.PosteriorEstimator(reader)
    formed = residual.form(now)
    found = posterior.solve(formed)
    yield from (reader, now, residual, formed, posterior, found, found[0], antaeus.DeployedEstimator(reader),
                antaeus.StackedEstimator(reader), antaeus.DeployedEstimator(reader).solve(now))
    chain, reliability = antaeus.GuardChain(), antaeus.ReliabilityEstimator(reader, posterior)
    hypotheses = antaeus.HypothesisTest(reader)
    yield from (chain, chain.apply(found[0]), reliability, hypotheses, antaeus.Cusum(), antaeus.SequentialHypothesis(),
                antaeus.ContactSpaceFilter(reader, posterior), antaeus.FeasibilityChecker(robot, robot.endpoint_frames()))
    loop = antaeus.GuardedEstimator(robot, frames)
    for step in range(10):
        yield loop.update(log.observe(step))[0]
    yield from (loop, antaeus.FrameWrenchEstimator(robot), antaeus.preflight(robot, frames, q), antaeus.advise(robot, frames[:1], q),
                antaeus.audit(log, robot, [log]), antaeus.check(log, robot), antaeus.show(log, robot),
                antaeus.describe(robot), antaeus.BatchReplay("h1_2"))
    dynamics, time = antaeus.Dynamics(robot.model), np.arange(300) * 0.01
    yield from (dynamics, dynamics.at(robot.model.neutral()), 
                antaeus.estimate_delay(time, np.sin(9 * time), time, np.sin(9 * time)), antaeus.SelfCollisionModel(robot.model))
    arm = antaeus.load_robot("ur5e")
    chain = antaeus.KinematicChain(arm.model, "tool0")
    model = antaeus.ReachModel(chain)
    solver, target = antaeus.ReachSolver(model), chain.pose(chain.middle())
    yield from (arm, chain, model, solver, solver.solve(target), antaeus.solve_batch(model, [target]), antaeus.PlainSolver(chain))
    problem, neutral, still = antaeus.TaskProblem(arm.model), arm.model.neutral(), np.zeros(arm.model.nv())
    tasks = [antaeus.FrameTask(arm.model, "tool0", target), antaeus.CenterOfMassTask([0, 0, 1]),
             antaeus.PostureTask(arm.model, neutral), antaeus.LookAtTask(arm.model, "tool0", [0, 0, 1], [1, 0, 0]),
             antaeus.CouplingTask(arm.model, arm.model.motor_names()[:2], [[1.0, -1.0]], [0.0])]
    problem.add(tasks[0])
    tasks += [antaeus.LimitDistance(arm.model), antaeus.Manipulability(arm.model, "tool0"), problem]
    solve = antaeus.TaskSolver(problem)
    yield from (*tasks, solve, solve.step(neutral, still, 0.01), solve.solve(neutral))
    tool = antaeus.ToolDynamics(arm.model, "tool0")
    state = tool.at(neutral, still)
    yield from (tool, state, antaeus.TorqueLimits(arm.model), antaeus.GravityCompensation(arm.model),
                antaeus.JointImpedance(arm.model), antaeus.CartesianImpedance(arm.model), antaeus.Admittance(),
                antaeus.HybridController(6), antaeus.ContactTask(), antaeus.LineProfile(0.1, 1.0), antaeus.WrenchTare(), antaeus.ForceLoop())
    yield from (antaeus.ThreeTierInverse(6, 6), antaeus.SmoothDamping(6, 6), antaeus.CarriedReference(6, 6))
    feet = ["left_ankle_roll_link", "right_ankle_roll_link"]
    floating = antaeus.load_robot("h1_2", base="floating")
    rest = np.tile(floating.model.neutral(), (5, 1))
    motion = dict(q=rest, v=np.zeros((5, floating.model.nv())), a=np.zeros((5, floating.model.nv())), time=0.01 * np.arange(5))
    yield from (antaeus.ContactFrameSolver(floating, feet), antaeus.contact_demand(motion, floating, feet),
                antaeus.contact(motion, floating, feet), antaeus.ContactStream(2))
    yield from (antaeus.FreeFlyer(antaeus.load_robot("spacecraft_panda"), "panda_hand_tcp"),
                antaeus.FreeFlight(antaeus.load_robot("spacecraft_panda")))
    try:
        scene = antaeus.ur5e_scene()
    except antaeus.Error:  # the target antaeus_mujoco is not built
        return
    yield from (scene, antaeus.MujocoScene(scene), antaeus.mujoco_robot(antaeus.MujocoScene(scene)))
    yield antaeus.run_experiment("gravity-hold")


def parts_of(thing):
    """Attributes, and what calls without arguments give: nothing that has a verb for its name."""
    for name, member in inspect.getmembers(type(thing)):
        if name.startswith("_") or not (isinstance(member, property) or hasattr(member, "__nb_signature__")):
            continue
        verb = name.startswith(("reset", "restart", "begin", "drop", "retreat", "finish", "push", "to_", "binary"))
        if isinstance(member, property) or (not verb and list(inspect.signature(member).parameters) == ["self"]):
            try:
                yield getattr(thing, name) if isinstance(member, property) else getattr(thing, name)()
            except Exception:  # noqa: BLE001: not computed yet
                continue


@functools.lru_cache
def objects(tmp):
    """One or more objects of each class that can be reached."""
    seen, left = {}, list(starts(tmp))
    while left:
        thing = left.pop()
        if isinstance(thing, (list, tuple)):
            left += thing[:2]
        elif type(thing) in BOUND and len(seen.setdefault(type(thing), [])) < 2:
            seen[type(thing)].append(thing)
            left += parts_of(thing)
    return seen


@pytest.fixture(scope="module")
def reached(tmp_path_factory):
    return objects(tmp_path_factory.mktemp("values"))


def state(value):
    return value.__reduce__()[1][2]


def same(one, other):
    assert type(one) is type(other)
    assert state(one) == state(other)


# Lines -----------------------------------------------------------------------------------------------------------------


def test_every_class_has_a_line():
    for cls in CLASSES:
        assert cls.__repr__ is not object.__repr__, cls.__name__
        assert cls not in BOUND or "__repr__" in vars(cls), f"{cls.__name__}: nanobind's own"


def test_a_line_says_what_it_is(reached):
    print(f"{len(reached)} of {len(BOUND)} classes reached")
    for cls, things in reached.items():
        for thing in things:
            line = repr(thing)
            assert "\n" not in line and " object at 0x" not in line, line
            assert len(line) < 260, line
            assert line.startswith(cls.__name__) or cls is antaeus.ParameterEstimate, line
            assert not line.endswith("()") or cls is antaeus.Settings, line


def test_lines_of_what_people_print_most(robot):
    assert repr(antaeus.load_robot("panda")).startswith("Robot(panda: 7 motors, base fixed, endpoints panda_hand")
    episode = antaeus.make_twin(robot, "incident").episode
    assert repr(episode) == "Episode(twin_incident: 77 steps, 1.513 s, q tau target v imu_quaternion)"
    assert repr(antaeus.Wrench([0.1, 0, -2.5])) == "Wrench(force=[0.1, 0, -2.5] N, torque=[0, 0, 0] N·m)"
    reader = antaeus.InstantReader(robot, [WRIST])
    estimate = antaeus.DeployedEstimator(reader).solve(reader.at(episode.observe(3)))[0]
    assert repr(estimate).startswith(f"WrenchEstimate({estimate.verdict}, on_environment: F = [")
    assert " N, M = [" in repr(estimate)
    assert "incident" in repr(antaeus.audit(episode, robot))
    assert repr(antaeus.Observation()) == "Observation(no time, 0 motors, no channels)"


def test_lines_of_the_package_s_own_classes(robot):
    from antaeus.stateful import StatefulRobot

    line = repr(StatefulRobot(robot, frames=[WRIST]))
    assert line == f"StatefulRobot(h1_2, posterior: {WRIST}; state: not set)"
    episode = antaeus.make_twin(robot, "good", duration=0.5).episode
    found = antaeus.BatchReplay(robot, [WRIST])(episode)
    assert repr(found).startswith("ReplayResults(on_") and f"wrench [{episode.steps()} × 1 × 6]" in repr(found)
    for other in (copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert repr(other) == repr(found) and other.formed_of == found.formed_of


# Values ----------------------------------------------------------------------------------------------------------------


def is_value(cls):
    return "__reduce__" in vars(cls) and cls.__reduce__.__module__ != "antaeus._values"


def test_a_class_is_copied_and_pickled_or_says_why_not(reached):
    values = refusing = 0
    for cls, things in reached.items():
        thing = things[0]
        if "__getstate__" in vars(cls):
            assert type(pickle.loads(pickle.dumps(thing))) is cls
        elif is_value(cls):
            values += 1
            for other in (pickle.loads(pickle.dumps(thing)), copy.copy(thing), copy.deepcopy(thing)):
                assert other is not thing
                same(thing, other)
                assert repr(other) == repr(thing)
        else:
            refusing += 1
            for call in (pickle.dumps, copy.copy, copy.deepcopy):
                with pytest.raises(TypeError) as caught:
                    call(thing)
                assert str(caught.value).startswith(f"antaeus.{cls.__name__} cannot be copied or pickled: ")
                assert "; " in str(caught.value) and "\n" not in str(caught.value)
    print(f"{values} classes are values, {refusing} say why not")


def test_what_must_be_a_value_is_one():
    for name in ("Wrench Pose Observation WrenchEstimate Uncertainty ConsistencyTest Setting OptionValue Settings Inertial Payload "
                 "ModelOptions RobotDescription RobotModel RobotProfile Robot NoiseModel Episode SyntheticEpisode PreflightReport "
                 "PoseAdvice CheckResult Finding Event Statement ContactState ReachSolution ReachOptions LineProfile FlyingReference "
                 "ContactDemand DelayEstimate FlightRecord Audit EpisodeAudit IdentifyResult").split():
        assert is_value(getattr(antaeus, name)), f"{name}: {getattr(getattr(antaeus, name), '_no_value', 'no reason')}"


def test_enumerations_errors_and_functions():
    for cls in CLASSES:
        if issubclass(cls, enum.Enum):
            for member in cls:
                assert pickle.loads(pickle.dumps(member)) is copy.deepcopy(member) is member
    with pytest.raises(antaeus.StatusError) as caught:
        antaeus.Dynamics(antaeus.load_robot("panda").model).at([0.0])
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.status is antaeus.Status.wrong_size
    assert pickle.loads(pickle.dumps(antaeus.load_robot)) is antaeus.load_robot
    assert pickle.loads(pickle.dumps(antaeus.Wrench.to_vector)) is antaeus.Wrench.to_vector
    bound = pickle.loads(pickle.dumps(antaeus.Wrench([1, 2, 3]).to_vector))
    assert bound().tolist() == [1, 2, 3, 0, 0, 0]


def test_a_copy_shares_nothing():
    settings = antaeus.load_robot("h1_2").profile.settings
    other, count = copy.copy(settings), len(settings.all())
    other.set("posterior.sign=on_robot")
    assert len(settings.all()) == count and len(other.all()) == count + 1
    wrench = antaeus.Wrench([1, 2, 3])
    moved = copy.copy(wrench)
    moved.force = [0, 0, 0]
    assert wrench.force.tolist() == [1, 2, 3]


def test_a_class_of_a_user_keeps_its_attributes():
    found = pickle.loads(pickle.dumps(Named([1, 2, 3])))
    assert type(found) is Named and found.force.tolist() == [1, 2, 3]
    named = Named([4, 5, 6])
    named.name = "push"
    for other in (pickle.loads(pickle.dumps(named)), copy.copy(named), copy.deepcopy(named)):
        assert other.name == "push" and other.force.tolist() == [4, 5, 6]


class Named(antaeus.Wrench):
    """A wrench with a name."""


def test_damaged_bytes_and_other_versions_are_refused():
    restore, (cls, version, data) = antaeus.Wrench([1, 2, 3]).__reduce__()
    for broken in (data[:-1], data + b"0", b""):
        with pytest.raises(antaeus.Error, match="antaeus.*pickled bytes"):
            restore(cls, version, broken)
    with pytest.raises(antaeus.Error, match="antaeus.Wrench: pickled by version 0.0.1; this is .*; pickle it again"):
        restore(cls, "0.0.1", data)
    restore, (cls, version, data) = antaeus.load_robot("panda").__reduce__()
    for size in range(0, len(data), 997):
        with pytest.raises(antaeus.Error):
            restore(cls, version, data[:size])


def test_each_damaged_byte_is_found():
    """No value is restored from damaged bytes or for another type."""
    robot = antaeus.load_robot("panda")
    for value in (robot, robot.profile, antaeus.Wrench([1, 2, 3]), antaeus.Observation(), antaeus.Settings()):
        restore, (cls, version, data) = value.__reduce__()
        for at in np.unique(np.linspace(0, len(data) - 1, 60).astype(int)):
            damaged = data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]
            with pytest.raises(antaeus.Error, match=rf"antaeus.{cls.__name__}: the pickled bytes are damaged, or .* without a checksum; pickle"):
                restore(cls, version, damaged)
        with pytest.raises(antaeus.Error, match="without a checksum"):
            restore(antaeus.Pose, version, data)
    replay = pickle.dumps(antaeus.BatchReplay("planar_3r"))
    with pytest.raises(antaeus.Error, match="antaeus.BatchReplay: the pickled bytes are damaged"):
        pickle.loads(replay.replace(b"planar_3r", b"planar_4r"))


def test_no_member_hides_in_padding():
    """What the comparison of sizes cannot see when a class is bound: a bool or int that both lists leave out."""
    headers = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "include").rglob("*.hpp"))
    bindings = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "python/bindings").glob("*.[ch]pp"))
    count = 0
    for cls in BOUND:
        body = re.search(rf"^struct (ANTAEUS_API )?{cls.__name__} (: \w+ )?\{{(.*?)^\}};", headers, re.S | re.M)
        if not is_value(cls) or not body:
            continue
        count += 1
        lists = re.findall(rf"visit_fields\(const {cls.__name__}\*.*?^}}", headers, re.S | re.M)
        lists += re.findall(rf"same_as<{cls.__name__}>.*?^}}", bindings, re.S | re.M)
        named = set(re.findall(r"&\w+::(\w+)", "".join(lists)))
        text = re.sub(r"^  (struct|enum) .*?^  \};", "", re.sub(r"//.*", "", body[3]), flags=re.M | re.S)
        for declared in re.findall(r"^  (?:bool|int|Status|Verdict|\w+(?:Kind|Mode|State|Status)) ([\w ,=.\-+:]+);", text, re.M):
            for member in declared.split(","):
                name = member.split("=")[0].strip()
                assert name in named, f"{cls.__name__}.{name} is stored by no list (python/bindings/stored.hpp)"
    assert count > 70


# Another process -------------------------------------------------------------------------------------------------------


def gravity(robot, observation):
    """In the other process: the robot is used, not only held."""
    reader = antaeus.InstantReader(robot, robot.endpoint_frames()[:1])
    found = antaeus.PosteriorEstimator(reader)
    residual = antaeus.ResidualEstimator(robot).form(reader.at(observation))
    return robot, reader.instant().gravity_torque(), found.solve(residual)[0]


def test_values_cross_to_a_spawned_process(robot, tmp_path):
    load = antaeus.Payload(WRIST, antaeus.Inertial(2.0, [0, 0, 0.1], np.eye(3) * 0.01))
    loaded = antaeus.load_robot("h1_2", payloads=[load])
    episode = antaeus.make_twin(loaded, "pushes", duration=0.5).episode
    observation = episode.observe(2)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        for each in (loaded, robot):
            back, torque, estimate = pool.apply(gravity, (each, observation))
            mine = gravity(each, observation)
            assert np.array_equal(torque, mine[1]) and np.array_equal(estimate.wrench.to_vector(), mine[2].wrench.to_vector())
            same(back, each)
            assert back.model.total_mass() == each.model.total_mass()
            antaeus.write_profile(back, tmp_path / "back")
            antaeus.write_profile(each, tmp_path / "each")
            assert (tmp_path / "back/profile.toml").read_bytes() == (tmp_path / "each/profile.toml").read_bytes()
        audits = pool.starmap(antaeus.audit, [(episode, loaded)])
        assert pool.map(antaeus.load_robot, ["panda"])[0].model.motor_count() == 7
    assert audits[0].outcome == antaeus.audit(episode, loaded).outcome


def test_a_pickled_result_writes_the_same_page(robot, tmp_path):
    episode = antaeus.make_twin(robot, "incident").episode
    for result, files in ((antaeus.check(episode, robot), ["page.html"]), (antaeus.audit(episode, robot), ["page.html"])):
        if not is_value(type(result)):
            continue
        for folder, thing in (("one", result), ("two", pickle.loads(pickle.dumps(result)))):
            (tmp_path / folder).mkdir(exist_ok=True)
            for file in files:
                thing.save(tmp_path / folder / file)
        for file in files:
            assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


# Paths -----------------------------------------------------------------------------------------------------------------


class AnyPath:
    """What os.fspath reads, and nothing else."""

    def __init__(self, path):
        self.path = path

    def __fspath__(self):
        return str(self.path)


def test_paths_of_every_kind(robot, tmp_path):
    episode = antaeus.make_twin(robot, "good", duration=0.5).episode
    urdf = pathlib.Path(antaeus.load_robot("planar_3r").model.description().source)
    checked, audited = antaeus.check(episode, robot), antaeus.audit(episode, robot)
    for number, kind in enumerate((str, pathlib.Path, AnyPath, lambda path: str(path).encode())):
        folder = tmp_path / str(number)
        folder.mkdir()
        antaeus.write_episode(episode, kind(folder / "log"))
        antaeus.write_profile(robot, kind(folder / "profile"))
        assert antaeus.load_robot(kind(urdf)).model.motor_count() == 3
        assert antaeus.load_robot(kind(folder / "profile" / "profile.toml")).model.motor_count() == 27
        assert antaeus.read_urdf(kind(urdf)).name
        log = kind(folder / "log")
        assert antaeus.load_episode(log, robot).steps() == antaeus.read_episode(log, robot).steps() == episode.steps()
        assert antaeus.check(log, kind(robot.profile.file)).log
        antaeus.show(log, robot).save(kind(folder / "show.html"))
        checked.save(kind(folder / "check.html"))
        audited.save(kind(folder / "audit.html"))
        assert antaeus.BatchReplay(kind(urdf), []).motor_count() == 3
        with pytest.raises(antaeus.Error):
            antaeus.run_space_scenario("no such", robot=kind(urdf))


def test_whatever_is_called_a_path_takes_one():
    """Of every public function: a parameter that names a file has os.PathLike among its types."""
    count = 0
    for owner in [antaeus, *BOUND]:
        for name, function in list(vars(owner).items()):
            if not hasattr(function, "__nb_signature__") or (name.startswith("_") and name != "__init__"):
                continue
            for parameter in inspect.signature(function).parameters.values():
                takes = str(parameter.annotation)
                if parameter.annotation is bool:  # solve_ik's path: whether the targets are one
                    continue
                if parameter.name in ("path", "file", "folder", "name_or_path") or "PathLike" in takes:
                    count += 1
                    assert "os.PathLike" in takes, f"{owner.__name__}.{name}: {parameter}"
                if parameter.name == "robot" and "str" in takes.split(" | "):
                    assert "os.PathLike" in takes, f"{owner.__name__}.{name}: {parameter}"
    assert count >= 20
