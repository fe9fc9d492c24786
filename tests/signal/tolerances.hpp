#pragma once
/// \file
/// Tolerances of tests/signal alone.

#include "support/tolerances.hpp"

namespace antaeus::tolerance {

/// Filters' outputs of order 1 after some hundred steps, each rounding by a few ε.
inline constexpr Tolerance kFilterStep{1e-13};
/// Sum of a sine's 10 001 images, which fall with the cube of their number: of the rest 1e-12 remains.
inline constexpr Tolerance kImages{1e-12};
/// Tables print three decimals.
inline constexpr Tolerance kPrintedTable{5.1e-4};
/// Tail probabilities relative to themselves: exp of exponents up to 700, each with some ε of its own size.
inline constexpr Tolerance kTail{1e-11};
/// Limits of alarms against SciPy's, relative: the bar of chi_squared.hpp for the tail, whose slope makes it smaller in
/// the limit. The residuals are below 1e-14.
inline constexpr Tolerance kAlarmLimit{1e-12};
/// Innovations of 40 samples, a few sds each, against one Cholesky of condition 2e3: rounding of 40 steps times that.
inline constexpr Tolerance kWhitened{1e-11};
/// Mean, variance and kurtosis of 4e6 normal numbers: five of their own standard errors, √(96/4e6) the largest.
inline constexpr Tolerance kDrawnMoments{0.025};
/// Siegmund's approximation of run lengths, relative, against tables of exact ones with drift ½; at shifts of 2 and 3
/// sd, where the alarm comes within 2 to 4 samples and a sum is no diffusion, twice and five times that.
inline constexpr Tolerance kSiegmund{0.02};
/// Wilson and Hilferty's tails relative to probabilities of 1 % and more; 6 and 17 times that at 1e-3 and 1e-4.
inline constexpr Tolerance kWilsonHilferty{0.03};
/// Values of order 10 from least squares with up to 21 powers of numbers up to 1.
inline constexpr Tolerance kPolynomial{1e-12};
/// A delay without noise [s]: interpolation between samples 5 ms apart of a signal that curves by 40 per second² errs
/// by 1e-4 of an amplitude of 1 and a slope of 6 per second, and 500 samples average it.
inline constexpr Tolerance kNoiselessDelay{5e-6};
/// Four standard errors of the mean, and of the mean square, of 300 standard normal numbers.
inline constexpr Tolerance kMeanOf300{0.23};
inline constexpr Tolerance kMeanSquareOf300{0.33};

}  // namespace antaeus::tolerance
