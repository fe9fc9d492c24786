"""The package as a user meets it: what goes in, what comes out, what is refused, how long things live."""

import ast
import gc
import importlib
import inspect
import os
import pathlib
import re
import sys

import antaeus
import numpy as np
import pytest
from support import ROOT, generator, peak, run_python

MOTORS = 27
WRIST = "left_wrist_yaw_link"
PACKAGE = pathlib.Path(antaeus.__file__).parent


def sample(robot, **more):
    return antaeus.Observation(q=robot.pose("arm_waist_target"), tau=np.linspace(-5, 5, MOTORS), **more)


def estimates(robot, observation):
    reader = antaeus.InstantReader(robot, [WRIST])
    return antaeus.DeployedEstimator(reader).solve(reader.at(observation))


# What goes in --------------------------------------------------------------------------------------------------------


def test_arrays_of_any_real_kind_and_layout(robot):
    dynamics = antaeus.Dynamics(robot.model)
    q = np.round(robot.model.neutral() * 4) / 4  # exact in single precision too
    expected = dynamics.at(q).gravity_torque()
    wide = np.zeros((q.size, 3))
    wide[:, 1] = q
    readonly = q.copy()
    readonly.flags.writeable = False
    swapped = q.astype(">f8")
    for same in (q.astype(np.float32), list(q), tuple(q), wide[:, 1], q[::-1].copy()[::-1], readonly, swapped,
                 q.astype(int), memoryview(q)):
        assert np.array_equal(dynamics.at(same).gravity_torque(), expected)


@pytest.mark.parametrize("bad", ["text", ["a"] * 34, [None] * 34, np.zeros(34, complex), [[1.0], [2.0, 3.0]], None,
                                 np.zeros(34, bool)])
def test_what_is_no_array_of_numbers_is_a_type_error(robot, bad):
    with pytest.raises(TypeError):
        antaeus.Dynamics(robot.model).at(bad)


def test_a_wrong_shape_is_named(robot):
    dynamics = antaeus.Dynamics(robot.model)
    with pytest.raises(antaeus.StatusError, match=r"Dynamics\.at: wrong_size: q has shape \(27,\); give shape \(34,\)"):
        dynamics.at(np.zeros(MOTORS))
    with pytest.raises(antaeus.StatusError, match=r"v has shape \(1, 33\); give shape \(33,\)"):
        dynamics.inverse_dynamics(robot.model.neutral(), np.zeros((1, 33)), np.zeros(33))
    with pytest.raises(antaeus.StatusError, match=r"imu_quaternion_xyzw has shape \(3,\)"):
        antaeus.Observation(imu_quaternion_xyzw=[0, 0, 1])
    with pytest.raises(antaeus.StatusError, match="an array of one dimension"):
        antaeus.Observation(q=np.zeros((1, MOTORS)))


@pytest.mark.parametrize("spoil, status", [(lambda q: q.__setitem__(9, np.nan), "not_finite"),
                                           (lambda q: q.__setitem__(6, 2.0), "bad_orientation")])
def test_a_status_of_dynamics_is_raised(robot, spoil, status):
    q = robot.model.neutral()
    spoil(q)
    for call in (lambda d: d.at(q), lambda d: d.mass_matrix(q), lambda d: d.nonlinear_effects(q, np.zeros(33))):
        with pytest.raises(antaeus.StatusError) as caught:
            call(antaeus.Dynamics(robot.model))
        assert caught.value.status is antaeus.Status[status]


def test_terms_expire_with_the_next_call(robot):
    dynamics = antaeus.Dynamics(robot.model)
    terms = dynamics.at(robot.model.neutral())
    dynamics.mass_matrix(robot.model.neutral())
    for call in (terms.gravity_torque, terms.center_of_mass, lambda: terms.frame_pose(WRIST)):
        with pytest.raises(antaeus.StatusError) as caught:
            call()
        assert caught.value.status == "not_computed"


def test_an_observation_keeps_what_it_is_given():
    q = np.arange(3.0)
    seen = antaeus.Observation(time=1.5, q=q, imu_quaternion_xyzw=[0, 0, 0, 1])
    q[:] = 7
    assert seen.time == 1.5 and seen.q.tolist() == [0, 1, 2] and seen.has_imu
    assert seen.v.shape == (0,) and seen.tau.shape == (0,)
    seen.tau = [1, 2, 3]
    assert seen.tau.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        seen.tau[1] = 5
    seen.imu_quaternion_xyzw = None
    assert not seen.has_imu and seen.imu_quaternion_xyzw is None
    assert np.isnan(antaeus.Observation().time)


# Errors --------------------------------------------------------------------------------------------------------------


def test_the_family_of_errors():
    assert issubclass(antaeus.Error, ValueError)
    for name in ("ModelError", "OptionsError", "EpisodeError", "StatusError"):
        assert getattr(antaeus, name).__base__ is antaeus.Error
        assert getattr(antaeus, name).__module__ == "antaeus"


def test_unknown_names_bring_the_nearest(robot, tmp_path):
    with pytest.raises(antaeus.ModelError, match="did you mean 'h1_2'"):
        antaeus.load_robot("h1_3")
    with pytest.raises(antaeus.ModelError, match="did you mean 'left_wrist_yaw_link'"):
        robot.model.frame("left_wrist_yaw_lin")
    with pytest.raises(antaeus.ModelError, match="did you mean 'arm_waist_target'"):
        robot.pose("arm_waist")
    with pytest.raises(antaeus.EpisodeError, match="no such episode"):
        antaeus.load_episode(tmp_path / "none", robot)
    with pytest.raises(antaeus.OptionsError, match="did you mean 'incident'"):
        antaeus.make_twin(robot, "incidnt")
    with pytest.raises(antaeus.OptionsError, match="did you mean 'ignored'"):
        antaeus.load_robot("h1_2", meshes="ignore")
    with pytest.raises(antaeus.OptionsError, match="1 values for 27 motors"):
        antaeus.preflight(robot, [WRIST], [0.0])


def test_a_loop_never_raises(robot):
    reader = antaeus.InstantReader(robot, [WRIST])
    estimator, chain = antaeus.DeployedEstimator(reader), antaeus.GuardChain()
    bad = {"wrong_size": antaeus.Observation(q=[1.0], tau=[1.0]),
           "not_finite": antaeus.Observation(q=np.zeros(MOTORS), tau=np.full(MOTORS, np.nan)),
           "bad_orientation": sample(robot, imu_quaternion_xyzw=[0, 0, 0, 2])}
    for status, observation in bad.items():
        now = reader.at(observation)
        assert now.status() == status
        estimate = estimator.solve(now)[0]
        assert estimate.status == status and estimate.verdict == "invalid_input"
        assert estimate.reasons == ["invalid_input"]
        assert np.isnan(estimate.wrench.to_vector()).all() and np.isnan(estimate.gain).all()
        read = chain.apply(estimate)
        assert read.verdict == "invalid_input" and not read.wrench.is_finite()
        assert {record.action for record in read.records} == {"no_input"}


def test_an_endpoint_that_does_not_exist_is_an_index_error(robot):
    reader = antaeus.InstantReader(robot, [WRIST])
    now = reader.at(sample(robot))
    for call in (now.jacobian, now.base_jacobian, now.pose, reader.frame):
        for endpoint in (-1, 1):
            with pytest.raises(IndexError):
                call(endpoint)


# Options -------------------------------------------------------------------------------------------------------------


def test_options_by_keyword(robot):
    strict = antaeus.GuardChain(["clamp"], clamp_force=np.float32(1.5), watchdog_steps=np.int64(2))
    estimate = estimates(robot, sample(robot))[0]
    read = strict.apply(estimate)
    assert np.abs(read.wrench.force).max() == 1.5 and read.verdict == "degraded" and read.reasons == ["clamped"]
    assert read.records[0].limit == 1.5

    reader = antaeus.InstantReader(robot, [WRIST], imu="none")
    now = reader.at(sample(robot, imu_quaternion_xyzw=[0, 0, 0.6, 0.8]))
    assert not now.used_imu()
    scaled = dict(sign=antaeus.Sign.on_robot, characteristic_length=0.3)
    flipped = antaeus.DeployedEstimator(reader, **scaled).solve(now)[0]
    plain = antaeus.DeployedEstimator(reader).solve(now)[0]
    assert flipped.sign == "on_robot" and flipped.kappa_scaled > 1 and np.isnan(plain.kappa_scaled)
    assert np.array_equal(flipped.wrench.to_vector(), -plain.wrench.to_vector())


def test_numbers_keep_all_their_digits(robot):
    limit = 0.1 + 0.2  # 0.30000000000000004
    chain = antaeus.GuardChain(["clamp"], clamp_force=limit)
    estimate = estimates(robot, sample(robot))[0]
    assert chain.apply(estimate).records[0].limit == limit


@pytest.mark.parametrize("options, message", [
    (dict(clamp_forc=1.0), "guard: unknown option 'clamp_forc'; did you mean 'clamp_force'?"),
    (dict(clamp_force=-1.0), "published_guard.clamp_force: '-1.0' is not a number that fits"),
    (dict(clamp_force=float("nan")), "published_guard.clamp_force: 'nan' is not a number that fits"),
    (dict(clamp_force=True), "published_guard.clamp_force: 'true' is not a number that fits"),
    (dict(clamp_force=None), "published_guard.clamp_force: a value of type NoneType cannot be an option"),
    (dict(clamp_force=np.array([1.0, 2.0])), "published_guard.clamp_force: a value of type ndarray cannot be an option"),
    (dict(clamp_force=np.array([1, 2])), "published_guard.clamp_force: a value of type ndarray cannot be an option"),
    (dict(clamp_force=10**400), "is not a number that fits"),
    (dict(watchdog_steps=1.5), "published_guard.watchdog_steps: '1.5' is not a number that fits"),
    (dict(dominance_form="formul"), "did you mean 'formula'?"),
    (dict(order=["clamp", "wachdog"]), "guard.order: unknown value 'wachdog'; did you mean 'watchdog'?"),
])
def test_an_option_that_does_not_fit_is_refused(options, message):
    with pytest.raises(antaeus.OptionsError) as caught:
        antaeus.GuardChain(**options)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_help_lists_every_option_with_unit_range_and_source():
    text = inspect.getdoc(antaeus.GuardChain.__init__)
    assert "clamp_force: float = 50" in text.splitlines()[0] and "dominance_form: str = 'per_joint'" in text
    for option in ("clamp_force = 50 [N]:", "watchdog_steps = 3 [1]:", "dominance_form = per_joint:"):
        assert option in text
    assert "(at least 1). Source:" in text and "(one of per_joint, formula). Source:" in text
    assert text.count("Source:") == 6


def test_settings_of_a_profile_are_where_the_guarded_loop_starts():
    robot = antaeus.load_robot("h1_2")
    settings = robot.profile.settings
    given = len(settings.all())
    settings.set("posterior.sign=on_environment")
    last = settings.all()[given]
    assert (last.group, last.name, last.value) == ("posterior", "sign", "on_environment") and last.place
    for wrong, message in (("posterior.sgn=on_robot", "did you mean 'sign'"), ("posteriors.sign=on_robot", "did you mean"),
                           ("posterior.force_prior=-1", "not a number that fits"), ("sign", "is not an assignment")):
        with pytest.raises(antaeus.OptionsError, match=message):
            settings.set(wrong)
    assert len(settings.all()) == given + 1
    loop = antaeus.GuardedEstimator(robot, [WRIST])
    assert loop.update(sample(robot, time=0.0))[0].sign == "on_environment"


# Names ---------------------------------------------------------------------------------------------------------------


def test_enumerations_are_their_text():
    assert antaeus.Verdict.ok == "ok" and f"{antaeus.Verdict.refused}" == "refused"
    assert antaeus.Verdict("degraded") is antaeus.Verdict.degraded
    assert antaeus.Verdict.ok < antaeus.Verdict.degraded < "refused" <= antaeus.Verdict.refused
    assert max(antaeus.Verdict) == "invalid_input"  # worst, and not last in the alphabet
    with pytest.raises(ValueError):
        antaeus.Verdict.ok < "excellent"
    assert {antaeus.Sign.on_robot: 1}["on_robot"] == 1
    assert list(antaeus.GuardKind)[0] == "watchdog" == antaeus.GuardChain.default_order()[0]
    assert [str(status) for status in antaeus.Status] == [
        "ok", "wrong_size", "not_finite", "bad_orientation", "unknown_frame", "not_computed",
        "time_back"]


SUBMODULES = ("core", "signal", "robot", "estimation", "published", "trust", "control", "pose", "episode", "auditing", "checking",
              "contacts", "identification", "replaying", "streams", "ik", "tasks", "numerics", "space", "sim", "studies", "report")
# Of include/antaeus, or a target's own; antaeus.audit, antaeus.check, antaeus.contact and antaeus.replay are the functions.
FOLDERS = {"auditing": "audit", "checking": "check", "contacts": "contact", "replaying": "replay", "streams": "live", "published": "estimation/published",
           "studies": "../../studies"}
BESIDE = {"control": ("robot", "space"), "ik": ("core",), "checking": ("estimation",), "report": ("draw",)}  # rooms whose classes are bound with another's


def test_each_public_name_is_in_one_submodule():
    seen = []
    for room in SUBMODULES:
        module = importlib.import_module(f"antaeus.{room}")
        assert inspect.getdoc(module) and module is getattr(antaeus, room)
        assert [name for name in dir(module) if not name.startswith("_")] == sorted(module.__all__)
        for name in module.__all__:
            assert getattr(module, name) is getattr(antaeus, name), f"{room}.{name}"
        seen += module.__all__
    seen += ["cmake_prefix", "Converted", "convert"]  # of the installation and of antaeus.formats, and of no room
    assert sorted(seen) == sorted(set(seen)) == sorted(antaeus.__all__)
    assert sorted(name for name in dir(antaeus) if not name.startswith("_")) == sorted([*seen, *SUBMODULES])
    assert all((ROOT / "include/antaeus" / FOLDERS.get(name, name)).is_dir() for name in SUBMODULES)
    assert antaeus.estimation.PosteriorEstimator is antaeus.PosteriorEstimator
    assert antaeus.published.GuardChain is antaeus.GuardChain and antaeus.robot.Instant is antaeus.Instant
    everything = {}
    exec("from antaeus import *", everything)
    assert set(antaeus.__all__) <= set(everything) and not set(SUBMODULES) & set(everything)


def test_a_room_binds_what_its_headers_declare():
    """Of a class or an enumeration: include/antaeus/<room>/ declares that name."""
    for room in SUBMODULES:
        folder = ROOT / "include/antaeus" / FOLDERS.get(room, room)
        folders = [folder, *(folder.parent / beside for beside in BESIDE.get(room, ()))]
        text = "".join(path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.hpp"))
        known = {"StatusError", "audit"}  # of the bindings; run_audit in C++
        # One call each, where C++ has one function for all (contact_inverse_dynamics).
        known |= {"contact", "ContactState", "inverse_dynamics", "multiple_contact_inverse_dynamics",
                  "contact_inverse_dynamics_over_time"}
        known |= {"reason_names"}  # of a replay's bits; Reasons::text() in C++
        known |= {"InstructionSet", "instruction_set"}  # of core/lanes, bound with ik
        known |= {"contact_demand"}  # motion_dynamics(…).demand in C++
        known |= {"fixed_robot"}  # fixed_profile, and make_robot of it
        known |= {"TorqueLimits", "JointTorque"}  # of robot/torque_limits.hpp, bound with control
        known |= {"Severity"}  # of core/note.hpp, bound with check
        nested = {"FlightSampleAtEndpoint", "ReferenceStatisticsContamination", "ReliabilityTableRow",
                  "CounterfactualFalseAlarm", "AdviceRowCondition", "AdviceRowMove", "AdviceRowAlone"}
        known |= nested  # a struct of a struct
        for name in getattr(antaeus, room).__all__:
            assert name in known or re.search(rf"\b{name}\b", text), f"{room}.{name}"
            if inspect.isclass(getattr(antaeus, name)) and name not in known:
                assert re.search(rf"\b(class|struct|enum) ([A-Z_]+ )?{name}\b", text), f"{room}.{name}"


def test_submodules_are_imported_as_any_other():
    run_python("import antaeus.estimation; antaeus.estimation.PosteriorEstimator")
    run_python("from antaeus.signal import estimate_delay; import importlib.util as u; assert u.find_spec('antaeus.ik')")
    with pytest.raises(ImportError, match="Nothing"):
        exec("from antaeus.trust import Nothing", {})


@pytest.mark.parametrize("old, new, name", [("conditioning", "numerics", "ThreeTierInverse"),
                                            ("guard", "trust", "GuardedEstimator"),
                                            ("experiments", "studies", "run_experiment")])
def test_an_old_room_still_works_and_names_the_new_one(old, new, name):
    said = f"DeprecationWarning: antaeus.{old} is antaeus.{new} now"
    for code in (f"import antaeus.{old} as old", f"import antaeus; old = antaeus.{old}",
                 f"from antaeus import {old} as old"):
        run_python(f"import warnings\nwith warnings.catch_warnings(record=True) as seen:\n"
                   f"    warnings.simplefilter('always')\n    import antaeus\n    assert not seen\n    {code}\n"
                   f"assert ['DeprecationWarning: ' + str(one.message) for one in seen] == [{said!r}]\n"
                   f"assert old.{name} is antaeus.{name}")


@pytest.mark.parametrize("old, new", [("ContactEquation", "InstantReader"), ("LoneMove", "SingleJointMove")])
def test_an_old_name_says_what_became_of_it(old, new):
    assert not hasattr(antaeus, old) and hasattr(antaeus, new)
    with pytest.raises(AttributeError, match=rf"^module 'antaeus' has no attribute '{old}'; it is {new} now[^\n]*$"):
        getattr(antaeus, old)
    with pytest.raises(AttributeError, match="^module 'antaeus' has no attribute 'Nothing'$"):
        antaeus.Nothing


def test_public_names_are_documented_and_typed():
    for name in antaeus.__all__:
        value = getattr(antaeus, name)
        assert value.__module__ == "antaeus", name
        assert inspect.getdoc(value), name
    text = (PACKAGE / "__init__.pyi").read_text(encoding="utf-8")
    assert "::" not in text  # a C++ type that Python does not know
    stub = ast.parse(text)
    typed = {node.name for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    typed |= {name.asname for node in stub.body if isinstance(node, ast.ImportFrom) and node.module == "antaeus._convert" for name in node.names}
    assert set(antaeus.__all__) == typed  # nor __getattr__, with which a type checker would take any name
    assert (PACKAGE / "py.typed").exists()
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    init = next(node for node in classes["GuardChain"].body if getattr(node, "name", "") == "__init__")
    assert [argument.arg for argument in init.args.kwonlyargs][:2] == ["clamp_force", "condition_limit"]
    for name, node in classes.items():
        for member in node.body:
            if isinstance(member, ast.FunctionDef) and not member.name.startswith("__"):
                assert hasattr(getattr(antaeus, name), member.name), f"{name}.{member.name}"


def test_submodules_are_typed():
    imported = [alias.asname for node in ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8")).body
                if isinstance(node, ast.ImportFrom) for alias in node.names]
    for room in SUBMODULES:
        assert room in imported
        stub = ast.parse((PACKAGE / f"{room}.pyi").read_text(encoding="utf-8"))
        names = [alias for node in stub.body if isinstance(node, ast.ImportFrom) and node.module == "antaeus"
                 for alias in node.names]
        assert all(alias.asname == alias.name for alias in names)  # `as` makes it an export
        assert {alias.name for alias in names} == set(getattr(antaeus, room).__all__)
        assert not [node for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]


def test_robot_and_profile(robot):
    profile, model = robot.profile, robot.model
    assert (model.nq(), model.nv(), model.motor_count(), model.base()) == (34, 33, MOTORS, "free_flyer")
    assert profile.deployed_sign == "on_environment" and profile.torque_source in ("motor", "joint")
    assert profile.reference_joint == model.motor_names()[robot.reference_motor()]
    assert [endpoint.frame for endpoint in profile.endpoints] == robot.endpoint_frames()
    assert len(profile.figures) == MOTORS and profile.figures[0].torque_sd > 0
    assert profile.find_group("nothing") is None
    kinds = [endpoint.kind for endpoint in profile.endpoints]
    assert "hand" in kinds and "foot" in kinds and kinds[0] is antaeus.EndpointKind(str(kinds[0]))
    assert profile.preflight.gain_row == "Fz" and profile.imu.order in ("xyzw", "wxyz")
    assert profile.imu.deployed_as in ("unknown", "base", "mounted_on") and antaeus.DeployedImu.unknown == "unknown"
    assert profile.file.is_absolute() and profile.file.exists()
    assert model.gravity().tolist() == [0, 0, -9.81]
    assert WRIST in model.frame_names() and model.has_frame(WRIST) and not model.has_frame("nothing")
    assert model.frame_name(model.frame(WRIST)) == WRIST
    assert robot.reference_motor() in model.supporting_motors(model.frame(WRIST))
    assert (model.lower_limits() < model.upper_limits()).all()
    assert "h1_2" in antaeus.robot_names()


def test_a_model_with_a_payload_carries_it(robot):
    load = antaeus.Inertial(2.0, [0, 0, 0.1], np.eye(3) * 0.01)
    options = antaeus.ModelOptions(gravity=[0, 0, -9.81], payloads=[antaeus.Payload(WRIST, load)],
                                   motors=robot.model.motor_names())
    model = antaeus.RobotModel(robot.model.description(), options)
    assert model.total_mass() == pytest.approx(robot.model.total_mass() + 2.0, rel=1e-14)
    q = robot.model.neutral()
    heavier = antaeus.Dynamics(model).at(q).gravity_torque() - antaeus.Dynamics(robot.model).at(q).gravity_torque()
    assert heavier[2] == pytest.approx(2.0 * 9.81, rel=1e-12)  # the base's vertical row, axes along the world's
    loaded = antaeus.Robot(robot.profile, model)
    assert antaeus.InstantReader(loaded, [WRIST]).at(sample(robot)).status() == "ok"
    with pytest.raises(antaeus.OptionsError, match="did you mean 'fixed'"):
        antaeus.ModelOptions(base="fixd")


# Results and lifetimes -----------------------------------------------------------------------------------------------


def test_an_instant_outlives_its_reader_and_grows_stale(robot):
    reader = antaeus.InstantReader(robot, [WRIST])
    assert reader.instant().status() == "not_computed"
    first = reader.at(sample(robot, time=1.0))
    assert (first.endpoint_count(), first.motor_count()) == (1, MOTORS) and first.observation().time == 1.0
    assert first.reference_motor() == reader.reference_motor() == robot.reference_motor()
    assert np.array_equal(first.static_residual(), first.torque() - first.gravity_torque())
    residual = antaeus.ResidualEstimator(robot, kind="static").form(first)
    posterior = antaeus.PosteriorEstimator(reader)
    solved = antaeus.DeployedEstimator(reader).solve(first)
    numbers = solved[0].wrench.to_vector()
    second = reader.at(sample(robot, time=2.0))
    assert first.status() == "not_computed" and second.status() == "ok"
    assert np.isnan(first.static_residual()).all() and np.isnan(first.jacobian(0)).all()
    assert np.isnan(first.pose(0).translation).all()
    # What was computed stays; what would need its Jacobians says that they are gone.
    assert residual.status == "ok" and residual.current() == "not_computed" and np.isfinite(residual.value).all()
    assert solved.status() == "not_computed" and np.array_equal(solved[0].wrench.to_vector(), numbers)
    assert posterior.solve(residual)[0].status == "not_computed"
    expected = second.jacobian(0)
    del reader, posterior
    gc.collect()
    np.full(100_000, 7.0).sum()
    assert second.status() == "ok" and np.array_equal(second.jacobian(0), expected)
    assert antaeus.DeployedEstimator(antaeus.InstantReader(robot, [WRIST])).solve(second)[0].status == "ok"


def test_estimates_are_a_sequence(robot):
    reader = antaeus.InstantReader(robot, robot.endpoint_frames())
    found = antaeus.DeployedEstimator(reader).solve(reader.at(sample(robot)))
    kappas = [estimate.kappa for estimate in found]
    assert len(found) == len(kappas) == 4 and found.status() == "ok" and found.moving in (True, False)
    assert [estimate.kappa for estimate in found.endpoints] == kappas
    assert [estimate.kappa for estimate in found[1:3]] == kappas[1:3] and found[::-1][0].kappa == kappas[3]
    assert found[-1].kappa == kappas[3] and found.instant.endpoint_count() == 4
    for index in (4, -5):
        with pytest.raises(IndexError):
            found[index]
    one, *_ = found
    assert np.array_equal(one.residual, found.instant.static_residual())
    assert one.reference_motor == robot.reference_motor()
    assert one.reference_residual == one.residual[one.reference_motor]


def test_attributes_are_read_only_and_functions_give_new_arrays(robot):
    estimate = estimates(robot, sample(robot))[0]
    episode = antaeus.make_twin(robot, "good", duration=0.1).episode
    for array in (estimate.gain, estimate.residual, estimate.reference_gain, estimate.wrench.force, episode.q, episode.time):
        assert not array.flags.writeable
    now = antaeus.InstantReader(robot, [WRIST]).at(sample(robot))
    first = now.static_residual()
    first[:] = 0
    assert now.static_residual().any()
    assert estimate.gain.shape == (6, MOTORS) and estimate.gain.flags.c_contiguous
    with pytest.raises(AttributeError):
        estimate.kappa = 1.0


def test_a_loop_does_not_grow(robot):
    """20 000 cycles: one leaked gain matrix a cycle would be 26 MB."""
    reader = antaeus.InstantReader(robot, [WRIST])
    estimator, chain = antaeus.DeployedEstimator(reader), antaeus.GuardChain()
    observation = sample(robot)

    def cycle(count):
        for _ in range(count):
            estimate = estimator.solve(reader.at(observation))[0]
            chain.apply(estimate)
            assert estimate.gain.shape == (6, MOTORS)
            try:
                antaeus.GuardChain(nothing=1)
            except antaeus.OptionsError:
                pass

    cycle(1000)
    assert peak(lambda: cycle(20_000)) < 8e6


def test_wrenches_and_poses():
    wrench = antaeus.Wrench([1, 2, 3], [4, 5, 6])
    assert (-wrench).to_vector().tolist() == [-1, -2, -3, -4, -5, -6]
    assert antaeus.Wrench.from_vector(range(6)).torque.tolist() == [3, 4, 5]
    assert antaeus.Wrench().to_vector().tolist() == [0] * 6
    wrench.force = [0, 0, np.nan]
    assert not wrench.is_finite()
    numbers = generator()
    rotation = np.linalg.qr(numbers.normal(size=(3, 3)))[0]
    X_AB = antaeus.Pose(rotation, [1, 2, 3])
    back = X_AB * X_AB.inverse()
    np.testing.assert_allclose(back.rotation, np.eye(3), rtol=0, atol=1e-15)
    np.testing.assert_allclose(back.translation, 0, rtol=0, atol=1e-14)
    assert repr(antaeus.Wrench([0.1, 0, 0])) == "Wrench(force=[0.1, 0, 0] N, torque=[0, 0, 0] N·m)"


def test_logs_of_other_names_are_read(tmp_path):
    robot = antaeus.load_robot("planar_3r")
    q, tau = np.arange(12.0).reshape(4, 3) / 10, np.arange(12.0).reshape(4, 3)
    np.savez(tmp_path / "log.npz", q=q, effort=tau, t=[0.0, 0.1, 0.05, 0.2])
    with pytest.raises(antaeus.EpisodeError, match="time goes back from 0.1 s to 0.05 s"):
        antaeus.load_episode(tmp_path / "log.npz", robot)
    episode = antaeus.read_episode(tmp_path / "log.npz", robot)
    assert np.array_equal(episode.q, q) and np.array_equal(episode.tau, tau) and episode.time[2] == 0.05
    assert episode.missing[0] == "target_dof" and "positions are read from log.npz[q]" in episode.notes


def test_episodes_are_read_and_cut(robot, tmp_path):
    twin = antaeus.make_twin(robot, "pushes", duration=1.0, torque_noise=0.1, seed=5)
    antaeus.write_episode(twin.episode, tmp_path / "pushes")
    episode = antaeus.load_episode(str(tmp_path / "pushes"), robot)
    assert np.array_equal(episode.tau, twin.episode.tau) and episode.steps() == len(episode.time)
    assert {"tau", "qpos"} <= {channel.name for channel in episode.channels} and episode.invalid_steps == []
    part, first = antaeus.cut_episode(episode, from_=episode.time[10])
    assert first == 10 and np.array_equal(part.q, episode.q[10:])
    seen = episode.observe(3)
    assert np.array_equal(seen.q, episode.q[3]) and seen.time == episode.time[3]
    with pytest.raises(IndexError):
        episode.observe(episode.steps())
    assert np.array_equal(antaeus.read_episode(tmp_path / "pushes", robot).q, episode.q)
    assert robot.profile.channels.time_scale == 1 and robot.profile.channels.quaternion_order is None
    with pytest.raises(antaeus.OptionsError, match="did you mean 'require_target'"):
        antaeus.load_episode(tmp_path, robot, require_targets=False)


# The package on the path ---------------------------------------------------------------------------------------------


def test_import_is_light_and_silent():
    assert run_python("import sys, antaeus; print('numpy' in sys.modules, antaeus.__version__)").startswith("False 0.")
    kept = "import antaeus; antaeus.kept = antaeus.load_robot('h1_2'); print('done')"
    assert run_python(kept) == "done\n"  # nor anything at the end, on stderr either


def test_the_folder_holds_what_was_built():
    """PYTHONPATH of these tests, and of the examples, names the tree that is tested."""
    assert PACKAGE.parent == pathlib.Path(os.environ["PYTHONPATH"].split(os.pathsep)[0])
    assert {path.name for path in (ROOT / "python/antaeus").iterdir() if path.is_file()} <= set(os.listdir(PACKAGE))


if PACKAGE.parent.resolve() == (pathlib.Path(sys.prefix).parent / "python").resolve():

    def test_the_environment_finds_the_package_by_itself():
        """`build/venv/bin/python` imports what the build beside it made: antaeus.pth, written by tools/setup.sh."""
        bare = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        found = run_python("import antaeus; print(antaeus.__file__)", environment=bare).strip()
        assert pathlib.Path(found).resolve().parent == PACKAGE.resolve()


def test_the_base_is_an_argument():
    urdf = antaeus.load_robot("planar_3r").model.description().source
    bare = antaeus.load_robot(urdf)
    assert bare.model.base() == "fixed" and bare.profile.base_source == "limbs"
    assert antaeus.base_text(bare) == 'fixed (one limb; base="floating" otherwise)'
    assert antaeus.load_robot(urdf, base="floating").model.nv() == 9
    assert antaeus.limb_count(antaeus.load_robot("h1_2").model.description()) == 4
    with pytest.raises(antaeus.OptionsError, match="load_robot.base: unknown base 'flaoting'; did you mean 'floating'"):
        antaeus.load_robot(urdf, base="flaoting")


def test_messages_name_the_argument_and_both_sizes():
    robot = antaeus.load_robot("h1_2")
    wrist, q = ["left_wrist_yaw_link"], np.zeros(27)
    for call, line in [
        (lambda: antaeus.preflight(robot, wrist, q[:26]), "preflight.q: 26 values for 27 motors; give one a motor"),
        (lambda: antaeus.preflight(robot, wrist, q, q[:3]), "preflight.target: 3 values for 27 motors; give one a motor"),
        (lambda: antaeus.preflight(robot, wrist, q * np.nan), "preflight.q: NaN or infinity among the values; give finite numbers"),
        (lambda: antaeus.advise(robot, wrist, q[:3]), "advise.q: 3 values for 27 motors; give one a motor"),
        (lambda: antaeus.advise(robot, wrist, q * np.nan), "advise.q: NaN or infinity among the values; give finite numbers"),
        (lambda: antaeus.advise(robot, wrist, q, joints=["left_elbow_jont"]), "advise.joints: unknown motor joint 'left_elbow_jont'; did you mean 'left_elbow_joint'?"),
        (lambda: antaeus.preflight(robot, ["left_wrist_yaw_lnk"], q), "endpoints: unknown frame 'left_wrist_yaw_lnk'; did you mean 'left_wrist_yaw_link'?"),
        (lambda: antaeus.InstantReader(robot, ["left_wrist_yaw_lnk"]), "endpoints: unknown frame 'left_wrist_yaw_lnk'; did you mean 'left_wrist_yaw_link'?"),
        (lambda: robot.endpoint_frames(["left wrst"]), "endpoints: unknown endpoint or frame 'left wrst'; did you mean 'left wrist'?"),
    ]:
        with pytest.raises(antaeus.Error) as caught:
            call()
        assert str(caught.value) == line
