#pragma once
/// \file
/// The guarded estimator: takes an observation, gives a wrench that the consumer may use, with state and reasons.

#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"
#include "antaeus/estimation/residual.hpp"
#include "antaeus/robot/instant.hpp"
#include "antaeus/trust/consumer_guard.hpp"
#include "antaeus/trust/contact_place.hpp"
#include "antaeus/trust/reliability.hpp"

namespace antaeus {

/// Take it in a control loop that has velocities and a clock (docs/concepts/estimator.md#which-estimator-to-take).
/// Observation → instant → residual → posterior → reliability, place of contact → guard. All memory is taken by the
/// constructor. What refuses and degrades a sample: ConsumerGuard.
class ANTAEUS_API GuardedEstimator {
 public:
  /// Options come from the profile's [options.equation], [options.residual], [options.posterior],
  /// [options.consumer_guard], [options.feasibility], [options.input], [options.contact_place], and from what fits this
  /// robot and these endpoints (Robot::settings): the sign is the one that the profile's deployed consumer reads.
  /// \throws ModelError, OptionsError
  GuardedEstimator(const Robot& robot, const std::vector<std::string>& endpoints);
  GuardedEstimator(const Robot& robot, const std::vector<std::string>& endpoints, const Settings& settings);
  GuardedEstimator(const Robot& robot, const std::vector<std::string>& endpoints, InstantOptions equation,
                   ResidualOptions residual, PosteriorOptions posterior, ConsumerGuardOptions guarded,
                   FeasibilityOptions feasibility = {}, InputCheckOptions input = {}, ContactPlaceOptions places = {});

  /// One result an endpoint, in the order given. \realtime (guarded_estimator_realtime_test)
  const std::vector<ConsumerWrench>& update(const Observation& observation) noexcept {
    return update(observation, observation.time);
  }
  /// \param clock  the consumer's, for the sample's age [s]
  const std::vector<ConsumerWrench>& update(const Observation& observation, double clock) noexcept;
  /// What a check of a log of this set-up found (check_log): see ConsumerGuard::suspect.
  void suspect(Reasons why, const std::vector<int>& motors = {}) noexcept { guard_.suspect(why, motors); }
  /// "Nothing touches now": see ResidualEstimator::begin_tare and tare().state(). \realtime
  void begin_tare() noexcept { residual_.begin_tare(); }
  void drop_tare() noexcept { residual_.drop_tare(); }
  /// "From now on nothing touches", until end_day(): see ResidualEstimator::begin_day and day()->state(). \realtime
  void begin_day() noexcept { residual_.begin_day(); }
  void end_day() noexcept { residual_.end_day(); }
  void drop_day() noexcept { residual_.drop_day(); }
  const DayEstimator* day() const noexcept { return residual_.day(); }
  const Tare& tare() const noexcept { return residual_.tare(); }
  /// Forgets history, states and stop requests; the last refusal stays, and so does a tare.
  void reset() noexcept;

  const std::vector<ConsumerWrench>& results() const noexcept { return guard_.results(); }
  const PosteriorEstimates& estimates() const noexcept { return posterior_.results(); }
  const std::vector<EndpointReliability>& reliability() const noexcept { return reliability_.results(); }
  const std::vector<int>& reliability_rows(std::size_t endpoint) const noexcept { return reliability_.rows(endpoint); }
  /// Where on its limb each endpoint's contact may be.
  const std::vector<ContactPlaces>& places() const noexcept { return places_.results(); }
  /// Names of the links in the order of their places.
  const std::vector<std::string>& links(int endpoint) const noexcept { return places_.links(endpoint); }
  /// Motors whose torques the places are told from, from the limb's root.
  const std::vector<int>& place_rows(int endpoint) const noexcept { return places_.rows(endpoint); }
  /// Of the last sample; empty margins without feet among the endpoints.
  const Feasibility& feasibility() const noexcept { return feasibility_.result(); }
  /// What is wrong with the last sample itself.
  const InputFindings& input() const noexcept { return guard_.input(); }
  const Residual& residual() const noexcept { return residual_.residual(); }
  /// Speeds against those that the noise was identified in; null without an envelope.
  const SpeedEnvelope* envelope() const noexcept { return residual_.envelope(); }
  /// The instant of the last sample.
  const Instant& instant() const noexcept { return reader_.instant(); }
  const InstantReader& reader() const noexcept { return reader_; }
  const RingBuffer<FlightSample>& recorder() const noexcept { return guard_.recorder(); }
  const FlightRecord& last_refusal() const noexcept { return guard_.last_refusal(); }
  int refusals() const noexcept { return guard_.refusals(); }

 private:
  InstantReader reader_;
  ResidualEstimator residual_;
  PosteriorEstimator posterior_;
  AlarmLimits first_limits_;  ///< of a stream whose rate is not known yet
  ReliabilityEstimator reliability_;
  ContactPlaceTest places_;
  FeasibilityChecker feasibility_;
  DeployedEstimator raw_;
  ConsumerGuard guard_;
};

}  // namespace antaeus
