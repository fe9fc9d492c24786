"""One robot for all tests of the package."""

import antaeus
import pytest


@pytest.fixture(scope="session")
def robot():
    return antaeus.load_robot("h1_2")
