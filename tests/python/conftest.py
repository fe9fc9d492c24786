"""One robot for all tests of the package."""

import antaeus
import pytest


@pytest.fixture(scope="session")
def robot():
    """With its assumed figures: the tests' torques are made, and have none of the errors identified on a robot."""
    return antaeus.with_noise(antaeus.load_robot("h1_2"), None)
