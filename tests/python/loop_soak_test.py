"""Every loop object of the package with inputs that go wrong at random, alone, in threads that share a model, and in a forked
process: a call answers or raises an error of the package, never `ok` with a number that is none, and is `ok` again at the first
good cycles after a fault. `make soak` runs a million cycles, the tests a sample."""

import hashlib
import os
import threading

import antaeus
import numpy as np
import pytest

SOAK = "ANTAEUS_SOAK" in os.environ
SEED = 5300
THREADS = 4
ARM = np.array([0.1, -0.6, 0.2, -2.2, 0.1, 1.8, 0.7])
WRONG = [np.nan, np.inf, -np.inf, 1e300, -1.7e308, 5e-324, -0.0, 0.0]


class Faults:
    """Bursts of faults with calm between them; what passes through spoil() goes wrong with a chance of one in three then."""

    def __init__(self, seed):
        self.chance = np.random.default_rng(seed)
        self.left, self.burst, self.calm, self.unusable = 1, True, 0, False

    def begin(self):
        if self.left == 0:
            self.burst = not self.burst
            self.left = int(self.chance.integers(1, 9 if self.burst else 16))
        self.left -= 1
        self.calm = 0 if self.burst else self.calm + 1
        self.unusable = False

    def near(self, middle, spread):
        middle = np.asarray(middle, float)
        return middle + spread * self.chance.uniform(-1, 1, middle.shape)

    def spoil(self, values):
        """A copy: a number, an array with a wrong entry, or one of another size."""
        values = np.array(values, float)
        if not self.burst or self.chance.integers(3):
            return values if values.shape else float(values)
        wrong = WRONG[self.chance.integers(len(WRONG))]
        if not values.shape:
            self.unusable |= not np.isfinite(wrong)
            return wrong
        way = self.chance.integers(5)
        if way == 0:
            self.unusable = True
            return values[:-1]
        if way == 1:
            self.unusable = True
            return np.append(values, 0.0)
        values.flat[self.chance.integers(values.size)] = wrong
        self.unusable |= not np.isfinite(wrong)
        return values

    def pass_over(self):
        """What was spoilt so far is bridged by the object, as it documents."""
        self.unusable = False


def finite(*parts):
    return all(np.isfinite(np.asarray(part, float)).all() for part in parts)


def is_ok(answer):
    return str(answer.status) in ("ok", "reached")


# Loop objects ------------------------------------------------------------------------------------------------------------------
# Each makes its own objects on what is shared, and gives what runs one cycle: → whether it is ok, and numbers that must be finite
# then.


class Shared:
    """Models that all threads have."""

    def __init__(self):
        self.panda = antaeus.load_robot("panda")
        arm = antaeus.load_robot("ur5e", base="fixed")
        self.arm, self.arm_home = arm, np.array([0.3, -1.4, 1.6, -1.7, -1.5, 0.2])
        self.hand = antaeus.ReachModel(antaeus.KinematicChain(arm.model, "tool0"), table_samples=2000)
        self.craft = antaeus.load_robot("spacecraft_ur3")
        self.humanoid = antaeus.load_robot("h1_2", base="floating")


def wrench_estimators(shared):
    robot = shared.panda
    motors = robot.model.motor_count()
    frame = "panda_hand"
    home = np.append(ARM, np.full(motors - 7, 0.02))[:motors]
    gravity = antaeus.replay(home[None], robot, [], want=("torque",))["torque"][0]
    reader = antaeus.InstantReader(robot, [frame])
    residual, posterior = antaeus.ResidualEstimator(robot), antaeus.PosteriorEstimator(reader)
    filtered, deployed = antaeus.ContactSpaceFilter(reader, posterior), antaeus.DeployedEstimator(reader)
    stacked, chain, causes = antaeus.StackedEstimator(reader), antaeus.GuardChain(), antaeus.HypothesisTest(reader)
    reliability, sequential = antaeus.ReliabilityEstimator(reader, posterior), antaeus.SequentialHypothesis()
    feasible = antaeus.FeasibilityChecker(robot, [frame])
    guarded, drop_in = antaeus.GuardedEstimator(robot, [frame]), antaeus.FrameWrenchEstimator(robot, frames=[frame])
    clock = [0.0]

    def cycle(faults):
        clock[0] += 0.002
        time, v = faults.spoil(clock[0]), faults.spoil(faults.near(np.zeros(motors), 1e-3))
        faults.pass_over()
        q, tau = faults.spoil(faults.near(home, 1e-4)), faults.spoil(faults.near(gravity, 0.1))
        sample = antaeus.Observation(time=time, q=q, v=v, tau=tau)
        read = [one.wrench.to_vector() for one in guarded.update(sample)]
        assert finite(read), "what a consumer reads is always a number"
        now = reader.at(sample)
        formed = residual.form(now)
        estimates = posterior.solve(formed)
        told = [estimates[0], deployed.solve(now)[0], stacked.solve(now)[0], filtered.step(formed, 0.002)[0],
                drop_in.get_frame_wrench(frame, q, tau)]
        for one in told:
            assert not is_ok(one) or finite(one.wrench.to_vector()), one
        chained = chain.apply(told[1])
        assert str(chained.verdict) != "ok" or finite(chained.wrench.to_vector())
        assert [str(one.status) for one in reliability.judge(estimates)] and feasible.check(estimates) is not None
        causes.solve(formed)
        sequential.step(time, estimates[0].uncertainty.nis, estimates[0].uncertainty.nis_rows)
        # The residual needs a clock; what is without one answers all the same.
        return all(map(is_ok, (told[1], told[2], told[4]))), [told[1].wrench.to_vector(), told[4].wrench.to_vector()]

    return cycle


def controllers(shared):
    model, home = shared.arm.model, shared.arm_home
    n = len(home)
    tool = antaeus.ToolDynamics(model, "tool0")
    gravity = antaeus.GravityCompensation(model, hold_stiffness=10, hold_integral=10)
    joints, cartesian, limits = antaeus.JointImpedance(model), antaeus.CartesianImpedance(model), antaeus.TorqueLimits(model)
    hybrid, law, task = antaeus.HybridController(n), antaeus.HybridLaw.published(n), antaeus.ContactTask()
    loop, tare, admittance = antaeus.ForceLoop(), antaeus.WrenchTare(), antaeus.Admittance()
    sensorless = antaeus.SensorlessControl(np.full(n, 0.5), 1e-3)
    begun = [False]
    place = tool.at(home, np.zeros(n)).X_WT

    def cycle(faults):
        force = faults.spoil(faults.near([0.0, 0, 5], 1.0))
        felt = antaeus.Wrench(force, np.zeros(3)) if len(force) == 3 else None
        faults.pass_over()  # a wrench that did not come is the last one
        q, v = faults.spoil(faults.near(home, 0.01)), faults.spoil(faults.near(np.zeros(n), 0.01))
        goal, dt, tau = faults.spoil(home), faults.spoil(1e-3), faults.spoil(faults.near(np.zeros(n), 5.0))
        now = tool.at(q, v)
        if not begun[0]:
            begun[0] = is_ok(now) and str(sensorless.begin(now)) == "ok" and str(task.begin(now)) == "ok"
        told = [now, joints.update(now, goal), cartesian.update(now, place, posture=goal), limits.apply(tau),
                gravity.update(q, v, goal, felt), hybrid.update(now, place, measured=felt, dt=dt)]
        order = task.update(now, felt, dt)
        told.append(law.update(now, order, felt, dt))
        sensorless_told = sensorless.update(now, tau)
        assert not is_ok(sensorless_told) or finite(sensorless_told.tau)
        assert finite(order.target.X_WT.translation) or not begun[0]
        push = loop.push(5.0, None if felt is None else felt.force[2], dt=dt)
        if felt is not None:
            tare.add(felt)
            reference = admittance.update(felt, place)
            assert not is_ok(reference) or finite(reference.twist)
        assert finite(tare.offset().to_vector(), loop.integral())
        assert not np.isinf(push)
        for one in told[1:]:
            assert not is_ok(one) or finite(one.tau), one
        return all(map(is_ok, told)), [one.tau for one in told[1:]]

    return cycle


def kinematics(shared):
    home = shared.arm_home
    solver, plain = antaeus.ReachSolver(shared.hand), antaeus.PlainSolver(shared.hand.chain(), iterations=5)
    problem = antaeus.TaskProblem(shared.arm.model, iteration_budget=5)
    hand = problem.add(antaeus.FrameTask(shared.arm.model, "tool0"))
    tasks = antaeus.TaskSolver(problem)
    place = shared.hand.chain().pose(home)

    def cycle(faults):
        start, position = faults.spoil(faults.near(home, 0.01)), faults.spoil(place.translation)
        dt, v = faults.spoil(0.01), faults.spoil(np.zeros(6))
        if len(position) != 3:
            raise antaeus.Error("no position")
        target = antaeus.Pose(rotation=place.rotation, translation=position)
        told = solver.follow(target, start)
        assert not is_ok(told) or finite(told.q)
        rough = plain.solve(target, start)
        assert not is_ok(rough) or finite(rough.q)
        tasks.set_target(hand, target)
        step = tasks.step(start, v, dt)
        assert not is_ok(step) or finite(step.v)
        return is_ok(told) and is_ok(step), [told.q, step.v]

    return cycle


def flight(shared):
    model = shared.craft.model
    home = np.array(model.neutral(), float)
    home[7:] = [0.3, -1.2, 1.5, -0.3, 1.3, 0.2]
    flyer, control, plant = antaeus.FreeFlyer(model, "ee_link"), antaeus.FlyingControl(model, "ee_link", home), antaeus.FreeFlight(model)
    still = np.zeros(model.nv())
    motion = flyer.motion_at(home, still)
    reference = antaeus.FlyingReference(motion.X_WE, motion.X_WB.rotation, motion.p_com)
    plant.reset(home, still)

    def cycle(faults):
        q, v, dt = faults.spoil(home), faults.spoil(faults.near(still, 0.01)), faults.spoil(1e-3)
        tau = faults.spoil(faults.near(still, 0.1))
        terms = flyer.at(q, v)
        told = control.update(q, v, reference, dt)
        assert finite(told.tau) and (is_ok(told) or not np.any(told.tau)), "not ok: it coasts"
        try:
            plant.step(tau, dt)
        finally:
            assert finite(plant.q(), plant.v())
            plant.reset(home, still)
        return is_ok(terms) and is_ok(told), [told.tau, plant.q()]

    return cycle


def dynamics(shared):
    model, home = shared.arm.model, shared.arm_home
    one, n = antaeus.Dynamics(model), len(home)

    def cycle(faults):
        q, v, a = (faults.spoil(faults.near(middle, 0.5)) for middle in (home, np.zeros(n), np.zeros(n)))
        numbers = [one.inverse_dynamics(q, v, a), one.forward_dynamics(q, v, a), one.nonlinear_effects(q, v), one.mass_matrix(q),
                   one.coriolis_matrix(q, v), one.at(q).frame_jacobian("tool0")]
        return True, numbers

    return cycle


def contacts(shared):
    robot = shared.humanoid
    solver = antaeus.ContactFrameSolver(robot, ["left_ankle_roll_link", "right_ankle_roll_link"])
    home, nv = np.array(robot.model.neutral(), float), robot.model.nv()

    def cycle(faults):
        q, v, a = faults.spoil(home), faults.spoil(faults.near(np.zeros(nv), 0.1)), faults.spoil(np.zeros(nv))
        told = solver.solve(q, v, a)
        return is_ok(told), [told.wrenches, told.torques, told.residual]

    return cycle


def sums(_):
    one = antaeus.Cusum()

    def cycle(faults):
        status = str(one.step(faults.spoil(faults.near(0.0, 1.0))))
        return status == "ok", [one.upper(), one.lower()]

    return cycle


LOOPS = [wrench_estimators, controllers, kinematics, flight, dynamics, contacts, sums]


@pytest.fixture(scope="module")
def shared():
    return Shared()


def soaked(make, shared, seed, cycles):
    """Runs the cycles. → what two runs must have in common to the last bit"""
    cycle, faults, bits = make(shared), Faults(seed), hashlib.sha256()
    fine = faulty = 0
    for i in range(cycles):
        faults.begin()
        try:
            ok, numbers = cycle(faults)
        except antaeus.Error as error:
            assert str(error) and "\n" not in str(error)
            ok, numbers = False, []
        assert not ok or finite(*numbers), (make.__name__, i)
        assert not (ok and faults.unusable), (make.__name__, i, "ok, of an input that is none")
        assert ok or faults.calm < 4, (make.__name__, i, "not ok, calm for", faults.calm)
        fine, faulty = fine + ok, faulty + faults.unusable
        for one in numbers:
            bits.update(np.ascontiguousarray(np.asarray(one, float) + 0.0).tobytes() if ok else b"-")
    assert fine > cycles // 4 and faulty > 0
    return bits.hexdigest()


def cycles_of(make):
    """A million over all objects and ways, of the estimators fewer: a cycle of theirs is two dozen calls."""
    whole = 20_000 if make is wrench_estimators else 40_000
    return whole if SOAK else 120


@pytest.mark.parametrize("make", LOOPS, ids=lambda make: make.__name__)
def test_faults_are_told_in_one_thread_in_several_and_in_a_forked_process(shared, make):
    count = cycles_of(make)
    expected = soaked(make, shared, SEED, count)
    found, failed = [], []

    def work():
        try:
            found.append(soaked(make, shared, SEED, count))
        except BaseException as error:  # noqa: BLE001  (told by the test, not by the thread)
            failed.append(repr(error))

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert failed == [] and found == [expected] * THREADS
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        answer = b"!"
        try:
            answer = soaked(make, shared, SEED, count).encode()
        finally:
            os.write(write, answer)
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        answer = pipe.read()
    assert os.waitpid(child, 0)[1] == 0 and answer == expected.encode()
