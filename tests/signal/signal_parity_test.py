"""Compares with SciPy and NumPy what the library computed (tests/signal/signal_parity_test.cpp)."""

import os
import pathlib
import subprocess

import needs
import numpy as np
import pytest
from scipy import linalg, signal, stats

# Tails and quantiles relative to themselves: the bar that include/antaeus/signal/chi_squared.hpp states.
RELATIVE = 1e-10
# Values of order 1 after 200 steps or a fit of 21 points; derivatives are divided by half a window's length.
ABSOLUTE = 1e-11


@pytest.fixture(scope="module")
def load(tmp_path_factory):
    """Loads an array by name, written by the test program that lies beside the CLI."""
    cli = os.environ.get("ANTAEUS_CLI")
    if not cli:
        needs.skip("ANTAEUS_CLI is not set", "make test")
    program = pathlib.Path(cli).parent / "signal_tests"
    written = tmp_path_factory.mktemp("signal")
    environment = {**os.environ, "ANTAEUS_SIGNAL_PARITY": str(written)}
    subprocess.run([program, "--gtest_filter=SignalParity.*"], env=environment, check=True, capture_output=True)
    return lambda name: np.load(written / f"{name}.npy", allow_pickle=False)


def assert_tail(found, expected):
    normal = expected > 1e-300  # below, doubles lose digits
    assert normal.sum() > 0.5 * len(expected)
    np.testing.assert_allclose(found[normal], expected[normal], rtol=RELATIVE, atol=0)
    assert np.all(np.abs(found[~normal]) <= 1e-299)


def test_chi_squared_tails(load):
    dof, x, cdf, survival = load("chi_squared").T
    assert_tail(cdf, stats.chi2.cdf(x, dof))
    assert_tail(survival, stats.chi2.sf(x, dof))


def test_chi_squared_quantiles(load):
    dof, p, quantile, threshold = load("quantile").T
    # By the tail that they leave, because SciPy's own quantiles of extreme tails are less exact than its tails.
    proper = quantile > 1e-300
    assert proper.sum() > 0.8 * len(p)
    np.testing.assert_allclose(stats.chi2.cdf(quantile[proper], dof[proper]), p[proper], rtol=RELATIVE)
    np.testing.assert_allclose(stats.chi2.sf(threshold, dof), p, rtol=RELATIVE)
    usual = (p > 1e-9) & (dof >= 1)
    np.testing.assert_allclose(quantile[usual], stats.chi2.ppf(p[usual], dof[usual]), rtol=RELATIVE)
    np.testing.assert_allclose(threshold[usual], stats.chi2.isf(p[usual], dof[usual]), rtol=RELATIVE)


def test_normal(load):
    z, cdf, p, quantile = load("normal").T
    assert_tail(cdf, stats.norm.cdf(z))
    np.testing.assert_allclose(quantile, stats.norm.ppf(p), rtol=RELATIVE, atol=1e-15)


@pytest.mark.parametrize("window,order", [(11, 3), (21, 4), (5, 2)])
def test_savitzky_golay_at_even_times(load, window, order):
    samples, found = load("samples"), load(f"even_{window}_{order}")
    inside = slice(window // 2, -(window // 2))
    for derivative in range(3):
        expected = signal.savgol_filter(samples, window, order, deriv=derivative, delta=0.02, axis=0)
        ours = found[:, 3 * derivative : 3 * derivative + 3]
        tolerance = ABSOLUTE / 0.02**derivative
        np.testing.assert_allclose(ours[inside], expected[inside], rtol=0, atol=tolerance)


def test_savitzky_golay_at_uneven_times_and_ends(load):
    samples, time, found = load("samples"), load("uneven")[:, 0], load("uneven_11_3")
    for row in range(len(time)):
        window = slice(max(0, row - 5), row + 6)
        for channel in range(3):
            fit = np.polynomial.Polynomial.fit(time[window], samples[window, channel], 3)
            for derivative in range(3):
                expected = (fit.deriv(derivative) if derivative else fit)(time[row])
                np.testing.assert_allclose(
                    found[row, 3 * derivative + channel], expected, rtol=0, atol=10 * ABSOLUTE / 0.01**derivative
                )


def test_low_passes_at_uneven_times(load):
    """The filters' differential equations over each held sample, by SciPy's matrix exponential."""
    samples, time = load("samples"), load("uneven")[:, 0]
    omega = 2 * np.pi * 4.0
    numerator, denominator = signal.butter(2, omega, analog=True)
    np.testing.assert_allclose(denominator, [1, np.sqrt(2) * omega, omega**2], rtol=1e-12)
    np.testing.assert_allclose(numerator, [omega**2], rtol=1e-12)
    # State (value, rate), and the held sample as a third that does not change.
    system = np.array([[0, 1, 0], [-(omega**2), -np.sqrt(2) * omega, omega**2], [0, 0, 0]])
    second = np.stack([samples[0], 0 * samples[0]])
    first = samples[0]
    exponential, butterworth = load("exponential"), load("butterworth")
    for row in range(len(time)):
        dt = time[row] - time[row - 1] if row else 0.0
        second = (linalg.expm(system * dt) @ np.vstack([second, samples[row]]))[:2]
        first = (linalg.expm(np.array([[-12.0, 12.0], [0, 0]]) * dt) @ np.vstack([first, samples[row]]))[0]
        np.testing.assert_allclose(butterworth[row, :3], second[0], rtol=0, atol=ABSOLUTE)
        np.testing.assert_allclose(butterworth[row, 3:], second[1], rtol=0, atol=omega * ABSOLUTE)
        np.testing.assert_allclose(exponential[row], first, rtol=0, atol=ABSOLUTE)
