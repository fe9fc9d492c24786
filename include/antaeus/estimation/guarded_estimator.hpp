#pragma once
/// \file
/// The whole chain for a loop: observation in, a wrench that its consumer may use out, and why.

#include <string>
#include <vector>

#include "antaeus/estimation/contact_equation.hpp"
#include "antaeus/estimation/feasibility.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/estimation/reliability.hpp"
#include "antaeus/estimation/residual.hpp"
#include "antaeus/estimation/wrench_estimator.hpp"
#include "antaeus/signal/hysteresis.hpp"
#include "antaeus/signal/ring_buffer.hpp"

namespace antaeus {

/// What the consumer reads in a state of the guard.
/// `pass_raw`: the deployed number pinv(Jᵀ)(τ − g). `posterior`: the posterior's. `hold`: the last number of a better
/// state, decaying to zero. `zero`: zero. `stop`: zero, and a request to stop that stays until reset().
enum class ConsumerAction : std::uint8_t { pass_raw, posterior, hold, zero, stop };
template <>
struct EnumNames<ConsumerAction> {
  static constexpr std::pair<const char*, ConsumerAction> table[] = {{"pass_raw", ConsumerAction::pass_raw},
                                                                     {"posterior", ConsumerAction::posterior},
                                                                     {"hold", ConsumerAction::hold},
                                                                     {"zero", ConsumerAction::zero},
                                                                     {"stop", ConsumerAction::stop}};
};

struct GuardedOptions {
  ConsumerAction on_ok = ConsumerAction::posterior;
  ConsumerAction on_degraded = ConsumerAction::posterior;
  ConsumerAction on_refused = ConsumerAction::hold;
  double decay_time = 0.1;
  double rise_dwell = 0.0;
  double fall_dwell = 0.5;
  double maximum_age = 0.1;
  double torque_rate = 500.0;
  double force_limit = 60.0;
  double refuse_sd = 0.0;
  int recorder_samples = 500;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visit) {
    visit(OptionInfo{"on_ok", "", "what the consumer reads: pass_raw, posterior, hold, zero or stop", "our choice"},
          self.on_ok);
    visit(OptionInfo{"on_degraded", "", "the same while degraded",
                     "study, §7: pass only the shrunk value where a direction is unobservable"},
          self.on_degraded);
    visit(OptionInfo{"on_refused", "", "the same while refused", "our choice: no step in the policy's input"},
          self.on_refused);
    visit(OptionInfo{"decay_time", "s", "time constant with which a held wrench goes to zero", "five samples at 50 Hz"},
          self.decay_time);
    visit(OptionInfo{"rise_dwell", "s", "how long a worse state must be asked for; 0: at once", "our choice"},
          self.rise_dwell);
    visit(OptionInfo{"fall_dwell", "s", "how long a better state must be asked for", "our choice"}, self.fall_dwell);
    visit(OptionInfo{"maximum_age", "s", "age of a sample above which it is refused", "five samples at 50 Hz"},
          self.maximum_age);
    visit(OptionInfo{"torque_rate", "N·m/s", "rate of any torque used or tested, over 20 ms or more, that is refused",
                     "largest in the good runs RE1, RE2: 178; in RE3 before its peak: 1495"},
          self.torque_rate);
    visit(OptionInfo{"force_limit", "N", "force above which the estimate is refused: what the consumer was made for",
                     "twice the 30 N that the H1-2 policy was tested with"},
          self.force_limit);
    visit(
        OptionInfo{"refuse_sd", "N", "sd in the worst direction above which the estimate is refused; 0: degraded only",
                   "study, §7: the shrunk value is harmless"},
        self.refuse_sd);
    visit(OptionInfo{"recorder_samples", "1", "samples that the flight recorder keeps", "10 s at 50 Hz, 1 s at 500 Hz"},
          self.recorder_samples);
  }
};

/// What the consumer of one endpoint may use.
struct GuardedWrench {
  Verdict state = Verdict::refused;              ///< ok, degraded or refused, after hysteresis
  std::uint32_t reasons = kReasonInvalidInput;   ///< of this sample; kReasonHeld: the state is worse than the sample
  std::uint32_t because = kReasonInvalidInput;   ///< of the sample that brought the present state
  ConsumerAction action = ConsumerAction::zero;  ///< what `wrench` is
  Sign sign = Sign::on_robot;
  Wrench wrench;                ///< endpoint's origin, world axes; always finite
  bool stop_requested = false;  ///< latched until reset()
};

/// One sample of the flight recorder.
struct FlightSample {
  Observation observation;
  VectorX residual;  ///< [N·m]; NaN on invalid input
  ResidualKind residual_kind = ResidualKind::static_gravity;
  struct AtEndpoint {
    Vector6 wrench;  ///< estimate before the guard; NaN on invalid input
    double worst_sd = 0.0, nis = 0.0;
    GuardedWrench guarded;
  };
  std::vector<AtEndpoint> endpoints;
};

/// What was recorded up to the moment of a refusal.
struct FlightRecord {
  int endpoint = -1;  ///< that was refused; −1: nothing was refused yet
  std::uint32_t reasons = 0;
  double time = 0.0;                 ///< [s]
  RingBuffer<FlightSample> samples;  ///< oldest first; the last one is the refused sample
};

/// Observation → equation → residual → posterior → reliability → guard, with memory taken once.
///
/// A sample asks for `refused` when it cannot be used (NaN, sizes, time going back, age), contradicts the model (NIS),
/// changes faster than a contact can, lies outside what the consumer was made for, no direction is observable, or, with
/// feet among the endpoints, no ground could have made it (FeasibilityChecker); for `degraded` for any lesser reason.
/// The state rises after `rise_dwell`, and falls after `fall_dwell` of better samples.
class GuardedEstimator {
 public:
  /// Options come from the profile's [options.equation], [options.residual], [options.posterior], [options.guarded],
  /// [options.feasibility].
  /// \throws ModelError, OptionsError
  GuardedEstimator(const Robot& robot, const std::vector<std::string>& endpoints);
  GuardedEstimator(const Robot& robot, const std::vector<std::string>& endpoints, ContactEquationOptions equation,
                   ResidualOptions residual, PosteriorOptions posterior, GuardedOptions guarded,
                   FeasibilityOptions feasibility = {});

  /// One result an endpoint, in the order given. \realtime (guarded_estimator_realtime_test)
  const std::vector<GuardedWrench>& update(const Observation& observation) noexcept {
    return update(observation, observation.time);
  }
  /// \param now  the consumer's clock, for the sample's age [s]
  const std::vector<GuardedWrench>& update(const Observation& observation, double now) noexcept;
  /// Forgets history, states and stop requests; the last refusal stays.
  void reset() noexcept;

  const std::vector<GuardedWrench>& results() const noexcept { return results_; }
  const std::vector<WrenchEstimate>& estimates() const noexcept { return posterior_.results(); }
  const std::vector<EndpointReliability>& reliability() const noexcept { return reliability_.results(); }
  const std::vector<int>& reliability_rows(std::size_t endpoint) const noexcept { return reliability_.rows(endpoint); }
  /// Of the last sample; empty margins without feet among the endpoints.
  const Feasibility& feasibility() const noexcept { return feasibility_.result(); }
  const Residual& residual() const noexcept { return residual_.residual(); }
  const ContactEquation& equation() const noexcept { return equation_; }
  const RingBuffer<FlightSample>& recorder() const noexcept { return recorder_; }
  const FlightRecord& last_refusal() const noexcept { return refusal_; }
  int refusals() const noexcept { return refusals_; }

 private:
  std::uint32_t inspect(std::size_t endpoint, const Observation& observation, double now, double dt) const noexcept;
  void act(std::size_t endpoint, double dt) noexcept;
  void record(const Observation& observation) noexcept;

  GuardedOptions options_;
  ContactEquation equation_;
  ResidualEstimator residual_;
  PosteriorEstimator posterior_;
  ReliabilityEstimator reliability_;
  FeasibilityChecker feasibility_;
  DeployedEstimator raw_;
  bool needs_raw_;
  std::vector<std::vector<int>> watched_;  ///< per endpoint: motors whose torque rate is looked at
  std::vector<Hysteresis> states_;
  std::vector<Wrench> held_;
  std::vector<GuardedWrench> results_;
  VectorX last_torque_;
  double last_time_;
  RingBuffer<FlightSample> recorder_;
  FlightRecord refusal_;
  int refusals_ = 0;
};

}  // namespace antaeus
