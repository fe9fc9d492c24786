"""Inverse dynamics by the velocity after a time step, as Nimble's calls take it."""

import antaeus
import numpy as np
import pytest
from support import generator

FEET = ["left_ankle_roll_link", "right_ankle_roll_link"]
STEP = 0.01  # s


@pytest.fixture(scope="module")
def robot():
    return antaeus.load_robot("h1_2", base="floating")


@pytest.fixture(scope="module")
def state(robot):
    numbers = generator()
    q = robot.model.integrate(robot.model.neutral(), numbers.uniform(-0.3, 0.3, robot.model.nv()))
    v, later = numbers.uniform(-1, 1, (2, robot.model.nv()))
    return q, v, (later - v) / STEP, later


def test_is_the_call_by_acceleration(robot, state):
    q, v, a, later = state
    by = dict(next_velocity=later, dt=STEP)
    assert np.array_equal(antaeus.inverse_dynamics(robot, q, v, **by), antaeus.inverse_dynamics(robot, q, v, a))
    for pair in [(antaeus.contact_inverse_dynamics(robot, q, v, None, FEET[0], **by),
                  antaeus.contact_inverse_dynamics(robot, q, v, a, FEET[0])),
                 (antaeus.multiple_contact_inverse_dynamics(robot, q, v, None, FEET, **by),
                  antaeus.multiple_contact_inverse_dynamics(robot, q, v, a, FEET))]:
        # A state's a is checked and kept; the other is divided in the library: a rounding apart, of 1e4 N.
        assert np.allclose(pair[0].torques, pair[1].torques, rtol=1e-12, atol=1e-8)
        assert np.allclose(pair[0].wrenches, pair[1].wrenches, rtol=1e-12, atol=1e-8)


@pytest.mark.parametrize("call", [
    lambda robot, q, v, a, **by: antaeus.inverse_dynamics(robot, q, v, a, **by),
    lambda robot, q, v, a, **by: antaeus.contact_inverse_dynamics(robot, q, v, a, FEET[0], **by),
    lambda robot, q, v, a, **by: antaeus.multiple_contact_inverse_dynamics(robot, q, v, a, FEET, **by)])
def test_bad_input_is_one_line(robot, state, call):
    q, v, a, later = state
    for given, by, words in [(None, dict(next_velocity=later[:-1], dt=STEP), "next_velocity"),
                             (None, {}, "neither a nor next_velocity"), (a, dict(next_velocity=later, dt=STEP), "both"),
                             (None, dict(next_velocity=later), "dt"), (None, dict(next_velocity=later, dt=0.0), "dt"),
                             (a, dict(dt=STEP), "a needs none")]:
        with pytest.raises((antaeus.Error, ValueError), match=words) as caught:
            call(robot, q, v, given, **by)
        assert "\n" not in str(caught.value)
