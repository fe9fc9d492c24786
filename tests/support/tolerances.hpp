#pragma once
/// The tolerances that several rooms share; those of one room stand in tests/<room>/tolerances.hpp. Each has a name and
/// a reason. ANTAEUS_TOLERANCE_SCALE=0 shows the true residuals.

#include <cstdlib>

namespace antaeus::tolerance {

/// Multiplies every tolerance; 0 makes each comparison fail and print its true residual.
inline double scale() {
  static const double value = [] {
    const char* text = std::getenv("ANTAEUS_TOLERANCE_SCALE");
    return text ? std::atof(text) : 1.0;
  }();
  return value;
}

class Tolerance {
 public:
  constexpr explicit Tolerance(double value) : value_(value) {}
  operator double() const { return value_ * scale(); }

 private:
  double value_;
};

/// Two algorithms for one quantity in double precision on a tree of 28 bodies: 1e-13 relative × entries up to 700.
inline constexpr Tolerance kSameQuantity{1e-10};
/// Central differences with step 1e-6: truncation 1e-12 × third derivative, rounding 1e-16 × 700 / 1e-6.
inline constexpr Tolerance kFiniteDifference{2e-6};
/// Holding by gravity's torque alone [rad]: 4e-16 is met; fingers that stand otherwise than in the model make 1.4e-5
/// (docs/validation.md).
inline constexpr Tolerance kGravityHold{1e-10};
/// Sums and products of a handful of numbers of order 1.
inline constexpr Tolerance kArithmetic{1e-13};
/// A wrench that torques hold exactly, recovered: κ ≤ 40 times rounding of torques up to 300 N·m (1e-13).
inline constexpr Tolerance kRecoveredWrench{1e-9};
/// A few products and sums of numbers up to 1000 that are written out by hand.
inline constexpr Tolerance kByHand{1e-9};
/// A Gaussian posterior by two algorithms (Cholesky of the whitened problem; dense inverses): κ of the problem, below
/// 1e6, times ε.
inline constexpr Tolerance kSamePosterior{1e-9};
/// Cross products and differences of positions below 2 m, and singular values of one matrix by two ways.
inline constexpr Tolerance kSameKinematics{1e-13};
/// Probabilities of AlarmLimits, relative: linear between nodes of a factor of two, ((ln 2)²/8) d²x/d(ln p)² of the
/// limit.
inline constexpr Tolerance kAlarmTable{5e-3};
/// Run lengths of 10 000 simulated alarms, relative: four standard errors of 1 %, and Siegmund's 2 %; 1.7 times that
/// with a drift of 1, where Siegmund's formula is 6 % off.
inline constexpr Tolerance kMonteCarloRunLength{0.06};
/// A corner of a mesh below 1 m that was written as float in mm, moved and scaled: four roundings of 6e-8 [m].
inline constexpr Tolerance kMeshCorner{2.4e-7};
/// A base force where none is needed [N]: rounding alone, 3e-14 is met (docs/validation.md).
inline constexpr Tolerance kContactFree{1e-12};
/// Distances of spheres, capsules and boxes below 2 m by GJK, which is asked for 1e-10 of what is squared [m].
inline constexpr Tolerance kGjkDistance{1e-8};

}  // namespace antaeus::tolerance
