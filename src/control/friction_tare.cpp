#include "antaeus/control/friction_tare.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/core/option_table.hpp"
#include "control/recipe.hpp"
#include "core/computable.hpp"

namespace antaeus {

namespace {

constexpr double kLeastVariance = 1e-10;  // of what is told to be known exactly [(N·m)²]
constexpr double kOnset = 0.2;            // [s] over which amplitudes rise, and fall at the end

}  // namespace

const OptionTable& options_of(const FrictionTareOptions&) {
  using O = FrictionTareOptions;
  static const OptionTable table(
      "", {
              option("tare_duration", "s", "of the tare's motion", kRecipe, &O::tare_duration, at_least(0.5)),
              option("tare_amplitude", "rad", "of each joint's sine", kRecipe, &O::tare_amplitude, kPositive),
              option("tare_slowest", "Hz", "frequency of the first joint's sine", kRecipe, &O::tare_slowest, kPositive),
              option("tare_fastest", "Hz", "frequency of the last joint's sine", kRecipe, &O::tare_fastest, kPositive),
              option("tare_direction", "1", "|s| from which a sample counts: below, the joint may stick",
                     "3 mrad/s at 1 mrad/s of noise", &O::tare_direction, kBelowOne),
              option("tare_correlation", "s", "samples this far apart are independent", "2/K of the observer",
                     &O::tare_correlation, kPositive),
              option("tare_noise", "N·m", "least sd of a sample about the line", "a fifth of the motors' noise",
                     &O::tare_noise, kPositive),
          });
  return table;
}

struct FrictionTare::Workspace {
  Workspace(const JointFriction& told_in, double time_step_in, const FrictionTareOptions& options_in)
      : n(static_cast<int>(told_in.coulomb.size())),
        time_step(time_step_in),
        options(options_in),
        told(told_in),
        result(told_in) {
    for (VectorX* const vector : {&wanted.q, &wanted.v, &wanted.a}) vector->setConstant(n, kNaN);
    reset();
  }

  void reset() noexcept {
    count.setZero(n);
    up.clear(n);
    down.clear(n);
  }

  const TareMotion& motion(double time) noexcept {
    // Amplitude A(t), a smooth step of fifth order at both ends.
    const double end = options.tare_duration;
    double A = 0.0, A1 = 0.0, A2 = 0.0;
    const double from_end = std::min(time, end - time);
    if (from_end >= kOnset) {
      A = 1.0;
    } else if (from_end > 0.0) {
      const double x = from_end / kOnset, sign = time < end - time ? 1.0 : -1.0;
      A = x * x * x * (10.0 + x * (6.0 * x - 15.0));
      A1 = sign * 30.0 * x * x * (1.0 - x) * (1.0 - x) / kOnset;
      A2 = 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / (kOnset * kOnset);
    }
    for (int i = 0; i < n; ++i) {
      const double part = n > 1 ? static_cast<double>(i) / (n - 1) : 0.0;
      const double frequency = options.tare_slowest + part * (options.tare_fastest - options.tare_slowest);
      const double w = 2.0 * std::numbers::pi * frequency;
      const double x = options.tare_amplitude * std::sin(w * time);
      const double x1 = options.tare_amplitude * w * std::cos(w * time), x2 = -w * w * x;
      wanted.q[i] = A * x;
      wanted.v[i] = A1 * x + A * x1;
      wanted.a[i] = A2 * x + 2.0 * A1 * x1 + A * x2;
    }
    if (!is_computable(time)) {  // the sine's angle would be infinite
      for (VectorX* const vector : {&wanted.q, &wanted.v, &wanted.a}) vector->setConstant(kNaN);
    }
    return wanted;
  }

  Status add(ConstVectorRef residual, ConstVectorRef direction) noexcept {
    if (residual.size() != n || direction.size() != n) return Status::wrong_size;
    if (!is_computable(residual) || !is_computable(direction)) return Status::not_finite;
    for (int i = 0; i < n; ++i) {
      const double to = direction[i], torque = residual[i];
      if (std::abs(to) < options.tare_direction) continue;
      Sums& sums = to > 0.0 ? up : down;
      sums.count[i] += 1.0;
      sums.s[i] += to;
      sums.u[i] += 1.0 - to * to;
      sums.r[i] += torque;
      sums.rr[i] += torque * torque;
      count[i] += 1.0;
    }
    return Status::ok;
  }

  // b and c of one joint, with their covariance.
  struct Line {
    double b, c, bb, cc, bc;

    // One more equation r = b − c s of that variance (Kalman 1960).
    void learn(double r, double s, double variance) noexcept {
      const double to_b = bb - bc * s, to_c = bc - cc * s, all = to_b - to_c * s + variance;
      const double gain_b = to_b / all, gain_c = to_c / all, off = r - b + c * s;
      b += gain_b * off;
      c += gain_c * off;
      bb -= gain_b * to_b;
      cc -= gain_c * to_c;
      bc -= gain_b * to_c;
    }
  };

  // Each direction is one equation, the means of its samples: how s scatters among them is noise of the velocity, and
  // says nothing of c. What of friction its s leaves open is the same in all samples.
  void solve(int i) noexcept {
    Line line{told.bias[i], told.coulomb[i], std::max(kLeastVariance, told.bias_variance[i]),
              std::max(kLeastVariance, told.coulomb_variance[i]), told.covariance[i]};
    const double independent = std::min(1.0, time_step / options.tare_correlation);  // share of the samples
    for (const Sums* const sums : {&up, &down}) {
      const double samples = sums->count[i];
      if (!(samples > 0.0)) continue;
      const double r = sums->r[i] / samples, open = told.coulomb[i] * sums->u[i] / samples;
      const double noise = std::max(options.tare_noise * options.tare_noise, sums->rr[i] / samples - r * r);
      line.learn(r, sums->s[i] / samples, noise / std::max(1.0, samples * independent) + open * open);
    }
    result.bias[i] = line.b;
    result.coulomb[i] = std::max(0.0, line.c);
    result.bias_variance[i] = std::max(0.0, line.bb);
    result.coulomb_variance[i] = std::max(0.0, line.cc);
    result.covariance[i] = line.bc;
  }

  struct Sums {
    VectorX count, s, u, r, rr;  // of samples in one direction
    void clear(Eigen::Index size) {
      for (VectorX* const vector : {&count, &s, &u, &r, &rr}) vector->setZero(size);
    }
  };

  int n;
  double time_step;
  FrictionTareOptions options;
  JointFriction told, result;
  TareMotion wanted;
  VectorX count;
  Sums up, down;
};

FrictionTare::FrictionTare(const JointFriction& told, double time_step, const FrictionTareOptions& options) {
  check_options(options);
  // What an estimator takes is what a prior may be.
  ContactForceEstimator taker(std::max(1, static_cast<int>(told.coulomb.size())), time_step);
  if (taker.set_friction(told) != Status::ok) {
    throw OptionsError("friction tare", "the assumed friction has NaN, a value below zero or unequal sizes",
                       "make it with JointFriction::told");
  }
  workspace_ = std::make_unique<Workspace>(told, time_step, options);
}
FrictionTare::~FrictionTare() = default;
FrictionTare::FrictionTare(FrictionTare&&) noexcept = default;
FrictionTare& FrictionTare::operator=(FrictionTare&&) noexcept = default;

double FrictionTare::duration() const noexcept { return workspace_->options.tare_duration; }
const TareMotion& FrictionTare::motion(double time) noexcept { return workspace_->motion(time); }
Status FrictionTare::add(ConstVectorRef residual, ConstVectorRef direction) noexcept {
  return workspace_->add(residual, direction);
}
const JointFriction& FrictionTare::friction() noexcept {
  for (int i = 0; i < workspace_->n; ++i) workspace_->solve(i);
  return workspace_->result;
}
const VectorX& FrictionTare::samples() const noexcept { return workspace_->count; }
void FrictionTare::reset() noexcept { workspace_->reset(); }

}  // namespace antaeus
