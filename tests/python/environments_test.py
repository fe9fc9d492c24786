"""antaeus.environments: the Gymnasium interface by Gymnasium's own checker, the reward by hand, limits and quiet joints.

MuJoCo says where the hand is; Pinocchio reads the same file for how it is turned.
"""

import warnings

import antaeus
import gymnasium
import mujoco
import numpy as np
import pinocchio as pin
import pytest
from antaeus.environments import CartesianReach
from gymnasium.utils.env_checker import check_env
from support import ROOT, generator, run_python

LIMITS = antaeus.load_robot("panda").model
SPEED, EFFORT = LIMITS.velocity_limits(), LIMITS.effort_limits()
READY = antaeus.load_robot("panda").pose("ready")
PERIOD = 0.04  # [s]


def scripted(env, info):
    """Straight to the target: half the way, at most the largest action."""
    return np.clip((info["target"] - info["hand"]) / 0.04, -1, 1).astype(np.float32)


def play(env, policy, seed, steps=200, **options):
    """Observations, rewards and infos of an episode."""
    observation, info = env.reset(seed=seed, options=options)
    rows, rewards, infos = [observation], [], [info]
    for _ in range(steps):
        observation, reward, terminated, truncated, info = env.step(policy(env, info))
        rows.append(observation)
        rewards.append(reward)
        infos.append(info)
        if terminated or truncated:
            break
    return np.array(rows), np.array(rewards), infos


@pytest.fixture(scope="module")
def env():
    return CartesianReach()


@pytest.mark.parametrize("options", [{}, dict(keep_orientation=True, change_cost=0.1, axis_weights=(1, 2, 0)),
                                     dict(robot="ur5e", frame="tool0"),
                                     dict(robot="h1_2", frame="left_wrist_yaw_link", start=[0.0, 0.2, 0, 1, 0, 0, 0])])
def test_gymnasiums_checker_has_nothing_to_say(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Lengths and speeds have no bound that could not be passed.
        warnings.filterwarnings("ignore", ".*infinity. This is probably too (low|high)")
        if "start" in options:
            robot = antaeus.load_robot("h1_2")
            joints = antaeus.KinematicChain(robot.model, options["frame"]).size()
            options = {**options, "start": np.resize(options["start"], joints)}
        check_env(CartesianReach(**options), skip_render_check=True)


def test_a_seed_decides_everything(env):
    first, again, other = (play(env, scripted, seed)[0] for seed in (3, 3, 4))
    assert first.tobytes() == again.tobytes() and first[0].tobytes() != other[0].tobytes()
    apart = play(CartesianReach(), scripted, 3)[0]
    assert apart.tobytes() == first.tobytes()
    two = gymnasium.vector.SyncVectorEnv([CartesianReach, CartesianReach])
    assert two.reset(seed=3)[0][0].tobytes() == first[0].tobytes()


@pytest.mark.parametrize("keep", (False, True))
def test_a_straight_line_gets_there(keep):
    env = CartesianReach(keep_orientation=keep)
    ends = [play(env, scripted, seed) for seed in range(25)]
    assert all(infos[-1]["distance"] < 0.01 and len(rewards) < 100 for _, rewards, infos in ends)
    assert all(info["status"] in ("reached", "local_minimum") for _, _, infos in ends for info in infos)


def test_the_reward_is_its_formula():
    """−‖w ∘ (target − hand)‖ − α ‖a‖ − β ‖a − a before‖, of what MuJoCo says; nearer is better."""
    weights, alpha, beta = np.array([1.0, 2.0, 0.5]), 0.3, 0.07
    env = CartesianReach(axis_weights=weights, action_cost=alpha, change_cost=beta)
    numbers = generator()
    env.reset(seed=1)
    before = np.zeros(3)
    for _ in range(20):
        action = numbers.uniform(-1.5, 1.5, 3)
        observation, reward, _, _, info = env.step(action)
        cut = np.clip(action, -1, 1)
        hand = env.data.xpos[env.model.body("panda_hand").id]
        assert np.array_equal(info["hand"], hand) and info["distance"] == np.linalg.norm(info["target"] - hand)
        assert reward == pytest.approx(-np.linalg.norm(weights * (info["target"] - hand)) - alpha * np.linalg.norm(cut)
                                       - beta * np.linalg.norm(cut - before), rel=1e-14)
        assert np.array_equal(observation, np.concatenate([env.data.qpos, env.data.qvel, hand, info["target"] - hand, cut]))
        before = cut
    plain = CartesianReach(action_cost=0.0)
    near, far = (plain.reset(seed=1, options={"target": [0.3 + away, 0.0, 0.5]}) and plain.step(np.zeros(3))[1]
                 for away in (0.1, 0.5))
    assert near > far


def test_only_the_change_of_the_action_charges_roughness():
    """One way of 16 cm: fast, slowly, and in jerks. The actions cost the same, their changes do not."""
    ways = {"fast": [1.0] * 8, "slow": [0.25] * 32, "jerks": [1.0, 0.0] * 8}

    def cost(entries, **weights):
        env = CartesianReach(axis_weights=(0, 0, 0), reached_distance=0.0, **weights)
        env.reset(seed=0, options={"start": READY})
        return -sum(env.step(np.array([0, entry, 0]))[1] for entry in [*entries, 0.0])

    actions = {way: cost(entries, action_cost=0.5) for way, entries in ways.items()}
    assert actions == {way: pytest.approx(0.5 / 0.02 * 0.16, rel=1e-12) for way in ways}
    changes = {way: cost(entries, action_cost=0.0, change_cost=1.0) for way, entries in ways.items()}
    assert changes == {"fast": 2.0, "slow": 0.5, "jerks": 16.0}


def test_the_hand_goes_where_the_action_says(env):
    """Ten steps of 1 cm along y, then rest: the controller lags and arrives."""
    env.reset(seed=0, options={"start": READY, "target": [0.9, 0.0, 0.2]})
    begin = env.data.xpos[env.model.body("panda_hand").id].copy()
    for action in [[0, 0.5, 0]] * 10 + [[0, 0, 0]] * 15:
        *_, info = env.step(np.array(action))
    assert np.abs(info["hand"] - begin - [0, 0.1, 0]).max() < 1e-3


def test_torques_stay_within_the_motors_limits(monkeypatch):
    """A controller that would ask for more, step by step of MuJoCo."""
    env, step2, seen, numbers = CartesianReach(bandwidth=100.0, action_size=0.1), mujoco.mj_step2, [], generator()

    def spy(model, data):
        seen.append(np.abs(data.qfrc_applied) / EFFORT)
        step2(model, data)

    monkeypatch.setattr(mujoco, "mj_step2", spy)
    env.reset(seed=1)
    for _ in range(20):
        env.step(np.sign(numbers.normal(size=3)))
    assert len(seen) == 400 and np.max(seen) == 1.0 and np.mean(seen) < 0.7


def test_limits_are_kept_and_no_joint_jumps(env):
    """Wild actions for four hundred steps: the joint angles that are asked for, and their steps."""
    numbers = generator()
    lower, upper = LIMITS.lower_limits(), LIMITS.upper_limits()
    env.reset(seed=5)
    last, moved = env._wanted, []
    for step in range(400):
        env.step(numbers.uniform(-1, 1, 3) if step % 80 < 40 else np.sign(numbers.normal(size=3)))
        assert ((lower <= env._wanted) & (env._wanted <= upper)).all()
        moved.append(np.abs(env._wanted - last) / (SPEED * PERIOD))
        last = env._wanted
    assert np.max(moved) <= 1 + 1e-12
    assert (env.data.qpos > lower - 0.01).all() and (env.data.qpos < upper + 0.01).all()


def test_pushing_at_the_edge_does_not_wind_up(env):
    """Outwards for two seconds beyond the reach: status and reason say so, and the way back begins at once."""
    env.reset(seed=0, options={"start": READY})
    for _ in range(60):
        *_, info = env.step(np.array([1.0, 0, 0]))
    assert info["status"] in ("out_of_reach", "local_minimum") and "misses it by" in info["reason"]
    edge = info["hand"][0]
    assert edge > 0.7
    for _ in range(4):
        *_, info = env.step(np.array([-1.0, 0, 0]))
    assert info["status"] == "reached" and info["hand"][0] < edge - 0.02


def test_the_orientation_is_kept_where_asked():
    env = CartesianReach(keep_orientation=True, start_noise=0.0)
    reference = pin.buildModelFromUrdf(str(ROOT / "robots/panda/panda.urdf"))
    data, frame = reference.createData(), reference.getFrameId("panda_hand")

    def turned(q):
        pin.framesForwardKinematics(reference, data, np.append(q, [0, 0]))
        return data.oMf[frame].rotation.copy()

    rows, _, infos = play(env, scripted, 2)
    begin = turned(rows[0][:7])
    assert infos[0]["distance"] > 0.2
    assert max(np.linalg.norm(pin.log3(begin.T @ turned(row[:7]))) for row in rows) < 0.1  # of the lagging joints
    assert np.linalg.norm(pin.log3(begin.T @ turned(env._wanted))) < 1e-3


def test_episodes_end(env):
    _, rewards, infos = play(env, lambda *_: np.zeros(3), 0, steps=500)
    assert len(rewards) == 200 and infos[-1]["distance"] > 0.01
    near = infos[0]["hand"] + [0, 0, 0.005]
    env.reset(seed=0, options={"target": near})
    assert env.step(np.zeros(3))[2:4] == (True, False)
    endless = CartesianReach(reached_distance=0.0, max_steps=3)
    endless.reset(seed=0, options={"target": near})
    assert [endless.step(np.zeros(3))[2:4] for _ in range(3)] == [(False, False), (False, False), (False, True)]


@pytest.mark.parametrize("call, line", [
    (lambda env: CartesianReach(action_size=0.0), "CartesianReach.action_size: 0.0 does not fit; give a number above 0"),
    (lambda env: CartesianReach(action_cost=-1.0), "CartesianReach.action_cost: -1.0 does not fit; give 0 or more"),
    (lambda env: CartesianReach(max_steps=float("nan")), "CartesianReach.max_steps: nan does not fit"),
    (lambda env: CartesianReach(axis_weights=(1, 2)), "CartesianReach.axis_weights: (1, 2) does not fit"),
    (lambda env: CartesianReach("pnda"), "did you mean 'panda'"),
    (lambda env: CartesianReach(frame="panda_hnd"), "did you mean 'panda_hand'"),
    (lambda env: CartesianReach(start="redy"), "did you mean 'ready'"),
    (lambda env: CartesianReach(start=[0.0]), "give shape (7,)"),
    (lambda env: env.reset(options={"goal": [0, 0, 0]}), "CartesianReach.options 'goal': is unknown; give target or start"),
    (lambda env: env.reset(options={"target": [0, 0]}), "CartesianReach.target: [0, 0] does not fit; give three numbers"),
    (lambda env: env.step(np.full(3, np.nan)), "CartesianReach.action: [nan nan nan] does not fit; give three numbers"),
])
def test_what_does_not_fit_is_refused(env, call, line):
    with pytest.raises(antaeus.Error) as caught:
        call(env)
    assert line in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("package", ("gymnasium", "mujoco"))
def test_a_missing_package_is_named(package):
    code = (f"import sys; sys.modules[{package!r}] = None\nimport antaeus\n"
            "try:\n    import antaeus.environments\nexcept ImportError as error:\n    print(error)")
    assert run_python(code) == f"antaeus.environments needs the package {package}; pip install {package}\n"
