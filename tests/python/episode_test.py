"""Episodes of arrays, and an episode as a sequence of observations."""

import antaeus
import numpy as np
import pytest
from support import generator

STEPS = 40


@pytest.fixture(scope="module")
def arrays():
    chance = generator()
    quaternion = chance.normal(0, 0.05, (STEPS, 4)) + [0, 0, 0, 1]
    return {"q": chance.uniform(-0.3, 0.3, (STEPS, 27)), "tau": chance.normal(0, 5, (STEPS, 27)),
            "v": chance.normal(0, 0.1, (STEPS, 27)), "a": chance.normal(0, 0.1, (STEPS, 27)),
            "target": chance.uniform(-0.3, 0.3, (STEPS, 27)), "time": np.arange(STEPS) / 100,
            "imu_quaternion": quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True),
            "imu_angular_velocity": chance.normal(0, 0.01, (STEPS, 3)),
            "imu_specific_force": chance.normal(0, 0.1, (STEPS, 3)) + [0, 0, 9.81]}


def test_it_is_what_a_file_with_these_arrays_is(robot, arrays, tmp_path):
    arrays = {**arrays, "tau": arrays["tau"].copy(), "v": arrays["v"].copy()}
    arrays["tau"][3, 1] = arrays["v"][5, 2] = np.nan
    episode = antaeus.Episode.from_arrays(**arrays, robot=robot)
    antaeus.write_episode(episode, tmp_path / "log")
    read = antaeus.load_episode(tmp_path / "log", robot)
    for name in ("q", "tau", "v", "target", "time", "imu_quaternion"):
        assert np.array_equal(getattr(episode, name), arrays[name], equal_nan=True)
        assert np.array_equal(getattr(read, name), arrays[name], equal_nan=True)
    seen = episode[9]
    for name in ("imu_angular_velocity", "imu_specific_force", "a", "q", "tau"):
        assert np.array_equal(getattr(seen, name), arrays[name][9])
    assert episode.invalid_steps == read.invalid_steps == [3] and episode.notes == read.notes and episode.notes
    assert episode.sha256 == read.sha256 and episode.missing == read.missing and episode.name == "arrays"
    assert [channel.name for channel in episode.channels] == [channel.name for channel in read.channels]
    arrays["tau"][:] = 7  # they were copied
    assert not (episode.tau == 7).any()


def test_what_may_be_left_away(arrays):
    episode = antaeus.Episode.from_arrays(q=arrays["q"].tolist(), tau=arrays["tau"].astype("f4"), robot="h1_2", name="run 7",
                                          simulated=True, time=None)
    assert episode.name == "run 7" and not episode.has_time() and not episode.has_imu()
    assert np.array_equal(episode.tau, arrays["tau"].astype("f4")) and "time" in episode.missing
    assert episode[0].simulated and episode[0].v.size == 0


def test_a_profiles_channels_are_applied_where_that_is_asked_for(tmp_path):
    robot = antaeus.load_robot("planar_3r")
    antaeus.write_profile(robot, tmp_path)
    text = (tmp_path / "profile.toml").read_text(encoding="utf-8")
    (tmp_path / "profile.toml").write_text(text + "\n[channels]\nposition_scale = 2\n", encoding="utf-8")
    scaled = antaeus.load_robot(str(tmp_path / "profile.toml"))
    q = np.arange(6.0).reshape(2, 3) / 10
    of = {as_logged: antaeus.Episode.from_arrays(q=q, tau=q, robot=scaled, as_logged=as_logged) for as_logged in (False, True)}
    assert np.array_equal(of[False].q, q) and np.array_equal(of[True].q, 2 * q)


@pytest.mark.parametrize(("change", "kind", "message"), [
    ({"q": None}, antaeus.EpisodeError, "q: missing; an episode needs tau and qpos, one row per step"),
    ({"tau": np.zeros((STEPS, 26))}, antaeus.EpisodeError, "tau: shape (40, 26), not (steps, 27)"),
    ({"v": np.zeros((STEPS - 1, 27))}, antaeus.EpisodeError, "v: 39 steps, but tau has 40"),
    ({"q": np.zeros(27)}, antaeus.EpisodeError, "Episode.from_arrays: q: it has 1 dimensions; give two: steps, and columns"),
    ({"q": np.zeros((0, 27))}, antaeus.EpisodeError, "Episode.from_arrays: q: no steps"),
    ({"time": np.zeros((STEPS, 1))}, antaeus.EpisodeError, "Episode.from_arrays: time: it has 2 dimensions"),
    ({"time": -np.arange(STEPS) / 100}, antaeus.EpisodeError, "time row 1: time goes back from 0 s to -0.01 s"),
    ({"imu_quaternion": np.zeros((STEPS, 3))}, antaeus.EpisodeError, "imu_quaternion: shape (40, 3), not (steps, 4)"),
    ({"imu_specific_force": np.tile([0, 0, 1.0], (STEPS, 1))}, antaeus.EpisodeError,
     "imu_specific_force: median norm 1: it is in g"),
    ({"tau": [["a"]]}, TypeError, "Episode.from_arrays: tau is no array of real numbers"),
    ({"simulated": 1}, TypeError, "Episode.from_arrays: simulated is no bool"),
    ({"name": 1}, TypeError, "Episode.from_arrays: name is no text"),
    ({"qq": 1}, antaeus.OptionsError, "Episode.from_arrays: unknown argument 'qq'; did you mean 'q'?"),
    ({"robot": None}, antaeus.OptionsError, "Episode.from_arrays: robot: is missing"),
    ({"robot": 3}, TypeError, "Episode.from_arrays: robot: of type int"),
])
def test_what_is_refused(robot, arrays, change, kind, message):
    with pytest.raises(kind) as caught:
        antaeus.Episode.from_arrays(**{**arrays, "robot": robot, **change})
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_an_episode_is_a_sequence(robot, arrays):
    episode = antaeus.Episode.from_arrays(**arrays, robot=robot)
    assert len(episode) == episode.steps() == STEPS
    assert [seen.time for seen in episode] == arrays["time"].tolist()
    assert np.array_equal(episode[-1].q, arrays["q"][-1]) and np.array_equal(episode[np.int64(2)].q, arrays["q"][2])
    assert [seen.time for seen in reversed(episode)] == arrays["time"][::-1].tolist()
    for step in (STEPS, -STEPS - 1):
        with pytest.raises(IndexError, match=f"step {step} of {STEPS}"):
            episode[step]
    for key in ("q", 1.5, None):
        with pytest.raises(TypeError, match="Episode: steps are whole numbers or slices, not"):
            episode[key]


def test_slices_are_episodes(robot, arrays):
    tau = arrays["tau"].copy()
    tau[12] = np.nan
    episode = antaeus.Episode.from_arrays(**{**arrays, "tau": tau}, robot=robot)
    for part, rows in ((episode[10:20], slice(10, 20)), (episode[-5:], slice(-5, None)), (episode[:], slice(None))):
        assert isinstance(part, antaeus.Episode) and len(part) == len(arrays["time"][rows])
        for name in ("q", "tau", "v", "target", "time", "imu_quaternion"):
            assert np.array_equal(getattr(part, name), getattr(episode, name)[rows], equal_nan=True)
    assert episode[10:20].invalid_steps == [2] and episode[13:].invalid_steps == []
    assert antaeus.cut_episode(episode, from_=0.1, to=0.19)[0].q.tolist() == episode[10:20].q.tolist()
    with pytest.raises(antaeus.EpisodeError, match="no steps there; it has 40"):
        episode[7:7]
    with pytest.raises(antaeus.OptionsError, match="an episode is cut, not thinned"):
        episode[::2]
    bare = antaeus.Episode.from_arrays(q=arrays["q"], tau=tau, robot=robot)
    assert len(bare[3:5]) == 2
    with pytest.raises(antaeus.EpisodeError, match="leave from_ and to away"):
        antaeus.cut_episode(bare, from_=0.1)
