#include "antaeus/space/initial_configuration.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"
#include "antaeus/core/number_text.hpp"
#include "antaeus/core/option_table.hpp"
#include "core/random.hpp"

namespace antaeus {

namespace {

/// q with the base at the origin and these joints.
VectorX at_origin(const FreeFlyer& flying, ConstVectorRef theta) {
  const RobotModel& model = flying.model();
  VectorX step = VectorX::Zero(model.nv()), q(model.nq());
  for (int i = 0; i < model.motor_count(); ++i) step[model.motor_rows()[static_cast<std::size_t>(i)]] = theta[i];
  if (model.integrate(model.neutral(), step, q) != Status::ok) q.setConstant(kNaN);
  return q;
}

void check_joints(const FreeFlyer& flying, int elbow, int wrist) {
  const int n = flying.joints();
  if (elbow < 0 || elbow >= n || wrist < 0 || wrist >= n || elbow == wrist) {
    throw Error("elbow, wrist", "they are not two of the arm's " + std::to_string(n) + " joints", "count from 0");
  }
}

/// Smallest singular value of the bare arm's Jacobian at a configuration.
double bare_sigma(FreeFlyer& flying, ConstVectorRef q) {
  const FreeFlyingMotion& motion = flying.motion_at(q, VectorX::Zero(flying.model().nv()));
  SmallSvd svd(6, flying.joints());
  return svd.compute(MatrixX(motion.J_e)) == Status::ok ? svd.sigma()[5] : kNaN;
}

}  // namespace

const OptionTable& options_of(const InitialOptions&) {
  constexpr const char* kSource = "space robots' coordinated control, the sampler";
  static const OptionTable table(
      "initial",
      {
          option("step", "rad", "half the width of what is searched, each joint", kSource, &InitialOptions::step),
          option("samples", "1", "candidates", kSource, &InitialOptions::samples),
          option("seed", "1", "of the generator", "any", &InitialOptions::seed),
          option("score", "", "what is to be large", kSource, &InitialOptions::score),
      });
  return table;
}

const OptionTable& options_of(const DeterministicOptions&) {
  constexpr const char* kSource = "space robots' coordinated control, the start without a generator";
  static const OptionTable table(
      "det",
      {
          option("enabled", "", "begin by the elbow's law instead of the search", kSource,
                 &DeterministicOptions::enabled),
          option("target_sigma", "m and 1", "smallest singular value of the bare arm's Jacobian at the start",
                 "well above soft_floor", &DeterministicOptions::target_sigma, kPositive),
          option("slope", "m and 1", "that value over |sin| of the elbow's angle; 0: fitted to this robot",
                 "0.107 as published belongs to a UR3 with links 1.18 times as long", &DeterministicOptions::slope),
          option("elbow", "", "joint that straightens the arm; empty: the third of six, the fourth of seven", kSource,
                 &DeterministicOptions::elbow),
          option("wrist", "", "joint that is bent by a quarter turn; empty: the fifth of six, the sixth of seven",
                 kSource, &DeterministicOptions::wrist),
      });
  return table;
}

namespace {
const OptionGroup kInitialGroup(InitialOptions{});
const OptionGroup kDeterministicGroup(DeterministicOptions{});

/// The law's largest error at 0.1 rad that still is one: the UR3's is 0.4 %, of joints that are no elbow it is near 1.
constexpr double kLargestMiss = 0.05;
/// Of an arm that is singular wherever the elbow stands the slope is what rounding leaves, 1e-13 and less.
constexpr double kLeastSlope = 1e-6;

bool within_limits(const RobotModel& model, ConstVectorRef theta) {
  return (theta.array() >= model.lower_limits().array()).all() && (theta.array() <= model.upper_limits().array()).all();
}

/// Place of a joint of the arm, counted from its first.
int joint_named(const FreeFlyer& flying, const char* place, const std::string& name, int of_six) {
  // A seventh joint usually stands before the elbow, in the upper arm.
  if (name.empty()) return flying.joints() == 6 ? of_six : of_six + 1;
  try {
    return flying.model().motor(name);
  } catch (const Error& error) {
    throw OptionsError(place, "no joint of the arm", error.what());
  }
}
}  // namespace

BestSample best_sample(const std::function<double(ConstVectorRef theta)>& score, ConstVectorRef centre, double step,
                       int samples, std::uint64_t seed) {
  if (!std::isfinite(step) || step < 0.0) throw Error("step", "negative or not finite", "give radians");
  if (samples < 0) throw Error("samples", "negative", "give the number of candidates");
  BestSample best{centre, kNaN, -1};
  VectorX theta = centre;
  detail::Random<detail::SplitMix64> random(seed);
  for (int i = 0; i <= samples; ++i) {
    if (i > 0) {
      for (Eigen::Index k = 0; k < theta.size(); ++k) theta[k] = centre[k] + step * (2.0 * random.uniform() - 1.0);
    }
    const double value = score(theta);
    if (std::isfinite(value) && !(value <= best.score)) best = {theta, value, i};
  }
  return best;
}

BestSample choose_q_init_by_sigma(FreeFlyer& flying, const InitialOptions& options) {
  check_options(options);
  const auto score = [&](ConstVectorRef theta) {
    if (!within_limits(flying.model(), theta)) return kNaN;
    const FreeFlyingConditioning result = flying.conditioning_at(at_origin(flying, theta));
    return options.score == InitialScore::sigma_j ? result.sigma_J : result.sigma_Gamma;
  };
  return best_sample(score, VectorX::Zero(flying.joints()), options.step, options.samples,
                     static_cast<std::uint64_t>(options.seed));
}

ElbowLaw fit_elbow_law(FreeFlyer& flying, int elbow, int wrist) {
  check_joints(flying, elbow, wrist);
  ElbowLaw law;
  VectorX theta = VectorX::Zero(flying.joints());
  theta[wrist] = std::numbers::pi / 2;
  // The law's next term is of the order θ²: at 1e-3 rad it is 1e-6 of the slope.
  theta[elbow] = 1e-3;
  law.slope = bare_sigma(flying, at_origin(flying, theta)) / std::sin(theta[elbow]);
  theta[elbow] = 0.1;
  const VectorX q = at_origin(flying, theta);
  const double bare = bare_sigma(flying, q);
  const FreeFlyingConditioning whole = flying.conditioning_at(q);
  law.sigma_J = whole.sigma_J / bare;
  law.sigma_Gamma = whole.sigma_Gamma / bare;
  law.miss = std::abs(bare / (law.slope * std::sin(theta[elbow])) - 1.0);
  return law;
}

VectorX deterministic_q_init(const FreeFlyer& flying, double target_sigma, double slope, int elbow, int wrist) {
  check_joints(flying, elbow, wrist);
  if (!(target_sigma >= 0.0) || !(slope > 0.0)) {
    throw Error("det.target_sigma", "negative, or a slope that is not positive", "fit the law first (fit_elbow_law)");
  }
  VectorX theta = VectorX::Zero(flying.joints());
  theta[elbow] = std::asin(std::min(1.0, target_sigma / slope));
  theta[wrist] = std::numbers::pi / 2;
  return theta;
}

VectorX deterministic_q_init(FreeFlyer& flying, const DeterministicOptions& options) {
  check_options(options);
  const int elbow = joint_named(flying, "det.elbow", options.elbow, 2);
  const int wrist = joint_named(flying, "det.wrist", options.wrist, 4);
  const std::vector<std::string>& names = flying.model().motor_names();
  const std::string pair =
      "'" + names[static_cast<std::size_t>(elbow)] + "' and '" + names[static_cast<std::size_t>(wrist)] + "'";
  if (elbow == wrist) throw OptionsError("det.wrist", pair + " are one joint", "name two");
  double slope = options.slope;
  if (slope == 0.0) {
    const ElbowLaw law = fit_elbow_law(flying, elbow, wrist);
    if (!(law.slope >= kLeastSlope && law.miss <= kLargestMiss)) {
      throw OptionsError("det.elbow", "no law of the form K |sin| holds for " + pair,
                         "name other joints (det.elbow, det.wrist), give det.slope, or leave det.enabled false");
    }
    slope = law.slope;
  }
  if (options.target_sigma > slope) {
    throw OptionsError("det.target_sigma", "more than the law reaches with these joints, " + significant_text(slope, 3),
                       "ask for less, or leave det.enabled false: a search finds more");
  }
  VectorX theta = deterministic_q_init(flying, options.target_sigma, slope, elbow, wrist);
  if (!within_limits(flying.model(), theta)) theta[elbow] = -theta[elbow];
  if (!within_limits(flying.model(), theta)) {
    throw OptionsError("det.elbow", "the start lies outside the limits of " + pair,
                       "name other joints (det.elbow, det.wrist), or leave det.enabled false");
  }
  return theta;
}

VectorX initial_joints(FreeFlyer& flying, const InitialOptions& search, const DeterministicOptions& law) {
  if (law.enabled) return deterministic_q_init(flying, law);
  const BestSample best = choose_q_init_by_sigma(flying, search);
  if (best.index < 0) {
    throw OptionsError("initial.step", "no candidate lies within the joints' limits",
                       "widen it, or ask for more samples");
  }
  return best.theta;
}

VectorX perturbed_start(ConstVectorRef theta, double q0_eps) {
  // Fixed numbers of no meaning but that none is small; as many as there are joints are taken to unit length.
  constexpr double kDirection[] = {0.4629, -0.2176, 0.5314, 0.3307, -0.4185, 0.2743, -0.3118};
  if (theta.size() > std::ssize(kDirection) || !std::isfinite(q0_eps)) {
    throw Error("q0_eps", "not finite, or more than seven joints", "give radians");
  }
  if (q0_eps == 0.0) return theta;
  return theta + q0_eps * Eigen::Map<const VectorX>(kDirection, theta.size()).normalized();
}

}  // namespace antaeus
