#pragma once
/// \file
/// Where an arm of a free-flying robot begins: well away from its singularities. Set-up code.

#include <cstdint>
#include <functional>
#include <string>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/core/options.hpp"
#include "antaeus/space/free_flyer.hpp"

namespace antaeus {

struct BestSample {
  VectorX theta;
  double score = kNaN;
  int index = -1;
};
template <class Visit>
constexpr void visit_fields(const BestSample*, Visit&& visit) {
  using B = BestSample;
  visit(field("theta", "rad", "[n] of the best candidate", &B::theta));
  visit(field("score", "", "its score, no unit of its own; NaN: none was finite, theta is the centre", &B::score));
  visit(field("index", "", "0: the centre itself; −1: none", &B::index));
}

/// The best of the centre and \p samples candidates around it, each joint uniform within ± \p step. The same seed gives
/// the same candidates on every platform (SplitMix64). Ties go to the earlier one.
/// \param score  larger is better; not finite: refused
/// \throws Error for a step that is negative or not finite, or a negative number of samples
ANTAEUS_API BestSample best_sample(const std::function<double(ConstVectorRef theta)>& score, ConstVectorRef centre,
                                   double step, int samples, std::uint64_t seed);

/// What a search asks for.
enum class InitialScore : std::uint8_t {
  sigma_gamma,  ///< smallest singular value of Γ
  sigma_j,      ///< of J⊕
};
constexpr auto enum_names(InitialScore) noexcept { return name_list<InitialScore>("sigma_gamma", "sigma_j"); }

struct InitialOptions {
  double step = 0.35;  ///< half the width of what is searched, each joint [rad]
  int samples = 96;    ///< candidates
  int seed = 1;        ///< of the generator
  InitialScore score = InitialScore::sigma_gamma;
};
ANTAEUS_API const OptionTable& options_of(const InitialOptions&);

/// best_sample() around neutral joints, the base at rest at the origin; positions outside the joints' limits are
/// refused. Touches nothing that \p flying remembers. Around neutral, where elbow and wrist are straight, a UR3 reaches
/// no more than σ_Γ = 0.03 with the defaults.
ANTAEUS_API BestSample choose_q_init_by_sigma(FreeFlyer& flying, const InitialOptions& options = {});

/// σ_min of the bare arm near its straight elbow: slope · |sin θ_elbow|. A law of small angles with the wrist bent.
struct ElbowLaw {
  double slope = kNaN;
  double sigma_J = kNaN, sigma_Gamma = kNaN;
  double miss = kNaN;
};
template <class Visit>
constexpr void visit_fields(const ElbowLaw*, Visit&& visit) {
  using E = ElbowLaw;
  visit(field("slope", "", "K, in the unit of J", &E::slope));
  visit(field("sigma_J", "", "σ_min(J⊕)/σ_min(J) at 0.1 rad", &E::sigma_J));
  visit(field("sigma_Gamma", "", "σ_min(Γ)/σ_min(J) there", &E::sigma_Gamma));
  visit(field("miss", "1", "|σ_min(J)/(K sin 0.1) − 1| there: a per cent where these joints are such an elbow",
              &E::miss));
}
/// The published slope: of a UR3 whose upper arm and forearm are 1.18 times as long. A stock UR3 has 0.090.
inline constexpr double kPublishedElbowSlope = 0.107;

/// Fits the law to this robot at θ_elbow → 0, the wrist at π/2 and the others neutral.
/// \param elbow, wrist  joints of the arm, 0 the first; Error when they are not
ANTAEUS_API ElbowLaw fit_elbow_law(FreeFlyer& flying, int elbow = 2, int wrist = 4);

/// Arm positions with this σ_min of the bare arm by the law: θ_elbow = asin(min(1, σ/K)), θ_wrist = π/2, others
/// neutral. No generator. \throws Error unless target_sigma ≥ 0 and slope > 0
ANTAEUS_API VectorX deterministic_q_init(const FreeFlyer& flying, double target_sigma, double slope, int elbow = 2,
                                         int wrist = 4);

/// A start without a generator, by the elbow law. Off by default: the search is the rule.
struct DeterministicOptions {
  bool enabled = false;        ///< take it in place of the search
  double target_sigma = 0.05;  ///< σ_min of the bare arm [mixed m and 1]; Γ's lies ElbowLaw::sigma_Gamma times below
  double slope = 0.0;          ///< K [mixed]; 0: fitted to this robot. The published 0.107 is kPublishedElbowSlope
  std::string elbow;           ///< joint that straightens the arm; empty: the third of six, the fourth of seven
  std::string wrist;           ///< joint that is bent by π/2; empty: the fifth of six, the sixth of seven
};
ANTAEUS_API const OptionTable& options_of(const DeterministicOptions&);

/// deterministic_q_init() of joints by name and, with slope 0, of the law that was fitted to them. The elbow bends to
/// where its limits allow.
/// \throws OptionsError that says what is missing: joints for which the law is off by more than 5 % at 0.1 rad or that
///         leave the arm singular, a target above the slope, positions outside the limits
ANTAEUS_API VectorX deterministic_q_init(FreeFlyer& flying, const DeterministicOptions& options);

/// Where to begin: by the law where it is enabled, else by the search. \throws OptionsError when the search finds
/// nothing
ANTAEUS_API VectorX initial_joints(FreeFlyer& flying, const InitialOptions& search = {},
                                   const DeterministicOptions& law = {});

/// θ + q0_eps · d̂ with a stored unit direction d̂, in place of what GiordanoRobot (docs/references.md)
/// draws with seed 20260617: for a plant's first state alone. q0_eps = 0 returns \p theta, bit for bit.
/// \throws Error for more than 7 joints or a q0_eps not finite
ANTAEUS_API VectorX perturbed_start(ConstVectorRef theta, double q0_eps);

}  // namespace antaeus
