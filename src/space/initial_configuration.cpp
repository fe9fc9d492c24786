#include "antaeus/space/initial_configuration.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "antaeus/core/error.hpp"

namespace antaeus {

namespace {

/// Steele, Lea & Flood, "Fast splittable pseudorandom number generators" (2014): the same numbers everywhere.
class SplitMix {
 public:
  explicit SplitMix(std::uint64_t seed) : state_(seed) {}
  /// In [−1, 1).
  double next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
  }

 private:
  std::uint64_t state_;
};

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
          option("samples", "", "candidates", kSource, &InitialOptions::samples),
          option("seed", "", "of the generator", "any", &InitialOptions::seed),
          option("score", "", "what is to be large", kSource, &InitialOptions::score),
      });
  return table;
}

BestSample best_sample(const std::function<double(ConstVectorRef theta)>& score, ConstVectorRef centre, double step,
                       int samples, std::uint64_t seed) {
  if (!std::isfinite(step) || step < 0.0) throw Error("step", "negative or not finite", "give radians");
  if (samples < 0) throw Error("samples", "negative", "give the number of candidates");
  BestSample best{centre, kNaN, -1};
  SplitMix random(seed);
  VectorX theta = centre;
  for (int i = 0; i <= samples; ++i) {
    if (i > 0) {
      for (Eigen::Index k = 0; k < theta.size(); ++k) theta[k] = centre[k] + step * random.next();
    }
    const double value = score(theta);
    if (std::isfinite(value) && !(value <= best.score)) best = {theta, value, i};
  }
  return best;
}

BestSample choose_q_init_by_sigma(FreeFlyer& flying, const InitialOptions& options) {
  check_options(options);
  const auto score = [&](ConstVectorRef theta) {
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
