#pragma once
/// \file
/// What a consumer may use: from estimates, sample by sample, a state with its reasons and the wrench that it reads.

#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/fields.hpp"
#include "antaeus/episode/input_checks.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/signal/hysteresis.hpp"
#include "antaeus/signal/ring_buffer.hpp"
#include "antaeus/trust/contact_place.hpp"
#include "antaeus/trust/feasibility.hpp"
#include "antaeus/trust/set_up_watch.hpp"
#include "antaeus/trust/torque_rate.hpp"

namespace antaeus {

/// What the consumer reads in a state of the guard.
/// `pass_raw`: the deployed number pinv(Jᵀ)(τ − g). `posterior`: the posterior's. `observable`: the posterior's with
/// the force in the directions that count as observed alone (Uncertainty::observable_force): nothing where the torques
/// tell little, instead of noise of about the sd. `hold`: the last number of a better state, decaying to zero. `zero`:
/// zero. `stop`: zero, and a request to stop that stays until reset().
enum class ConsumerAction : std::uint8_t { pass_raw, posterior, observable, hold, zero, stop };
constexpr auto enum_names(ConsumerAction) noexcept {
  return name_list<ConsumerAction>("pass_raw", "posterior", "observable", "hold", "zero", "stop");
}

struct ConsumerGuardOptions {
  /// What the consumer reads: pass_raw, posterior, observable, hold, zero or stop.
  ConsumerAction on_ok = ConsumerAction::posterior;
  ConsumerAction on_degraded = ConsumerAction::observable;  ///< the same while degraded
  ConsumerAction on_refused = ConsumerAction::hold;         ///< the same while refused
  double decay_time = 0.1;                                  ///< [s] time constant with which a held wrench goes to zero
  double rise_dwell = 0.0;           ///< [s] how long a worse state must be requested; 0: at once
  double fall_dwell = 0.5;           ///< [s] how long a better state must be requested
  double maximum_age = 0.1;          ///< [s] age of a sample above which it is refused
  double torque_rate = 500.0;        ///< [N·m/s] rate of any torque used or tested, over 20 ms or more, that is refused
  double force_limit = 60.0;         ///< [N] force above which the estimate is refused: what the consumer was made for
  double foot_force_limit = 1300.0;  ///< [N] the same at feet, which carry the robot
  double refuse_sd = 0.0;  ///< [N] sd in the worst direction above which the estimate is refused; 0: degraded only
  /// [s] that a force has been there from the start, a residual follows gravity or velocity, or the NIS is high, until
  /// the set-up is doubted; 0: never
  double set_up_time = 5.0;
  int recorder_samples = 500;  ///< [1] samples that the flight recorder keeps
};
ANTAEUS_API const OptionTable& options_of(const ConsumerGuardOptions&);

/// What the consumer of one endpoint may use.
struct ConsumerWrench {
  Verdict state = Verdict::refused;
  Reasons reasons = Reason::invalid_input, because = Reason::invalid_input;
  ConsumerAction action = ConsumerAction::zero;
  Sign sign = Sign::on_robot;
  Wrench wrench;
  bool stop_requested = false;
};
constexpr void visit_fields(const ConsumerWrench*, auto&& visit) {
  using C = ConsumerWrench;
  visit(field("state", "", "ok, degraded or refused, after hysteresis", &C::state));
  visit(field("reasons", "", "of this sample; held: the state is worse than the sample", &C::reasons));
  visit(field("because", "", "of the sample that brought the present state", &C::because));
  visit(field("action", "", "what wrench is", &C::action));
  visit(field("sign", "", "of wrench", &C::sign));
  visit(field("wrench", "N, N·m", "endpoint's origin, world axes; always finite", [](const C& c) { return c.wrench; }));
  visit(field("stop_requested", "", "latched until reset()", &C::stop_requested));
}

/// One sample of the flight recorder.
struct FlightSample {
  Observation observation;
  VectorX residual;
  ResidualKind residual_kind = ResidualKind::static_gravity;
  struct AtEndpoint {
    Vector6 wrench;
    double worst_sd = 0.0, nis = 0.0;
    ConsumerWrench guarded;
  };
  std::vector<AtEndpoint> endpoints;
};
constexpr void visit_fields(const FlightSample::AtEndpoint*, auto&& visit) {
  using A = FlightSample::AtEndpoint;
  visit(field("wrench", "N, N·m", "[6] estimate before the guard; NaN on invalid input", &A::wrench));
  visit(field("worst_sd", "N", "of the force, in the direction of which least is known", &A::worst_sd));
  visit(field("nis", "1", "sum of the tests", &A::nis));
  visit(field("guarded", "", "what the consumer reads", &A::guarded));
}
constexpr void visit_fields(const FlightSample*, auto&& visit) {
  using F = FlightSample;
  visit(field("observation", "", "what came in", &F::observation));
  visit(field("residual", "N·m", "[motors] NaN on invalid input", &F::residual));
  visit(field("residual_kind", "", "of the residual", &F::residual_kind));
  visit(field("endpoints", "", "one an endpoint", &F::endpoints));
}

/// What was recorded up to the moment of a refusal.
struct FlightRecord {
  int endpoint = -1;
  Reasons reasons;
  double time = 0.0;
  RingBuffer<FlightSample> samples;
};
constexpr void visit_fields(const FlightRecord*, auto&& visit) {
  using F = FlightRecord;
  visit(field("endpoint", "", "that was refused; −1: nothing was refused yet", &F::endpoint));
  visit(field("reasons", "", "why", &F::reasons));
  visit(field("time", "s", "of the refusal", &F::time));
  visit(field("samples", "", "oldest first; the last one is the refused sample", [](const F& f) {
    std::vector<FlightSample> samples;
    for (int i = 0; i < f.samples.size(); ++i) samples.push_back(f.samples[i]);
    return samples;
  }));
}

/// The part of the guard that has a history: it sees every sample once, in the order of time. What it is given is
/// computed of one sample by itself, by whomever: in the loop by GuardedEstimator, in a log's replay by several
/// threads.
///
/// A sample requests `refused` when
/// - it cannot be used: NaN, sizes, time going back, age, no clock;
/// - what it says cannot be (InputChecks): of the sample as a whole, and of the torques that this endpoint uses;
/// - it contradicts the model (NIS), or changes faster than a contact can;
/// - its force is larger than the consumer was made for (at a foot: than feet carry), or no direction is observable;
/// - feet are among the endpoints, and no ground can have made it (FeasibilityChecker).
///
/// It requests `degraded` for any lesser reason, among them what speaks against the set-up (SetUpWatch, suspect()) and
/// a contact that is rather at another link of the limb (ContactPlaceTest). The state rises after `rise_dwell`, and
/// falls after `fall_dwell` of better samples.
class ANTAEUS_API ConsumerGuard {
 public:
  /// \param posterior  whose estimates it will see: its sign, and the rows of each endpoint, whose torques are watched
  /// \throws OptionsError
  ConsumerGuard(const Robot& robot, const std::vector<std::string>& endpoints, const PosteriorEstimator& posterior,
                ConsumerGuardOptions options = {}, InputCheckOptions input = {});

  /// One result an endpoint, in the order given.
  /// \param estimates  of the sample, by that posterior or one like it; they hold its instant and observation
  /// \param feasible   of the same estimates
  /// \param places     of the same estimates
  /// \param raw        the deployed estimator's, where needs_raw(); else it is not read
  /// \param clock      the consumer's, for the sample's age [s]
  /// \realtime (guarded_estimator_realtime_test)
  const std::vector<ConsumerWrench>& update(const PosteriorEstimates& estimates, const Feasibility& feasible,
                                            const std::vector<ContactPlaces>& places, const WrenchEstimates& raw,
                                            double clock) noexcept;
  /// Whether an action reads the deployed number.
  bool needs_raw() const noexcept { return needs_raw_; }
  /// Forgets history, states and stop requests; the last refusal stays.
  void reset() noexcept;
  /// What others know against the set-up, as a finding of check_log: a reason in every sample from now on, also after
  /// reset(). \param motors  whose torques are concerned: endpoints that use or test none of them are left alone;
  /// empty: all endpoints
  void suspect(Reasons why, const std::vector<int>& motors = {}) noexcept;

  const std::vector<ConsumerWrench>& results() const noexcept { return results_; }
  /// What is wrong with the last sample itself.
  const InputFindings& input() const noexcept { return input_.findings(); }
  const RingBuffer<FlightSample>& recorder() const noexcept { return recorder_; }
  const FlightRecord& last_refusal() const noexcept { return refusal_; }
  int refusals() const noexcept { return refusals_; }

 private:
  Reasons inspect(std::size_t endpoint, const PosteriorEstimates& estimates, const Feasibility& feasible,
                  const ContactPlaces& place, double clock) const noexcept;
  void act(std::size_t endpoint, const PosteriorEstimates& estimates, const WrenchEstimates& raw, double dt) noexcept;
  void record(const PosteriorEstimates& estimates) noexcept;

  ConsumerGuardOptions options_;
  InputChecks input_;
  bool needs_raw_;
  std::vector<std::vector<int>> watched_;  ///< per endpoint: motors whose torque rate is looked at
  std::vector<double> force_limits_;       ///< per endpoint [N]
  std::vector<Hysteresis> states_;
  std::vector<Wrench> held_;
  std::vector<ConsumerWrench> results_;
  TorqueRate torque_rate_;
  SetUpWatch set_up_;
  std::vector<Reasons> suspected_;  ///< per endpoint
  double last_time_;
  RingBuffer<FlightSample> recorder_;
  FlightRecord refusal_;
  int refusals_ = 0;
};

}  // namespace antaeus
