#pragma once
/// \file
/// Many states of one robot at a time: gravity's torques or inverse dynamics, residuals, Jacobians, and the wrench and
/// singular values of each endpoint, at some hundred nanoseconds a state.
///
/// The numbers are those of Instant and of pinv(Jᵀ) r, to rounding; which instruction set, which block and which
/// neighbours a state has changes no bit of them. Joints without a motor stand where RobotModel::neutral() has them.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/core/instruction_set.hpp"
#include "antaeus/core/status.hpp"
#include "antaeus/robot/instant.hpp"
#include "antaeus/robot/noise_model.hpp"
#include "antaeus/robot/robot_profile.hpp"

namespace antaeus {

namespace detail {
struct BatchNumbers;
}

/// What the posterior of each endpoint is made of: those of PosteriorEstimator with PosteriorRows::own, whose names the
/// fields have.
struct BatchPosteriorOptions {
  /// Of each endpoint the motors whose torques speak for it (PosteriorEstimator::rows()), among those that move it; no
  /// motor speaks for two. Empty: no posterior.
  std::vector<std::vector<int>> rows = {};
  double force_prior = 20.0;  ///< [N] sd of each component of a contact's force
  double moment_prior = 1.5;  ///< [N·m] of its moment about the endpoint's origin; 0: contacts are pure forces
  int reference_motor = -1;   ///< whose row only tests the estimates (InstantReader::reference_motor()); −1: none
  /// The robot's identified noise (RobotProfile::noise). Empty: BatchInput::variance says each row's, and rows have
  /// nothing to do with each other.
  std::optional<NoiseModel> noise = {};
  /// Whether its mean is taken out of residuals. Else it is doubted by its whole size, which is added to the rows'
  /// variances: as ResidualEstimator does with dynamic residuals where noise was identified in a held pose.
  bool mean_counts = true;
  /// Probability at which an endpoint's own rows show a contact, for `reference_nis`: PosteriorEstimator's.
  double contact_shown = 1e-3;
};

struct BatchOptions {
  ImuUse imu = ImuUse::mounted;  ///< what the base's orientation is taken from, as in InstantOptions
  std::string imu_frame = {};    ///< where the sensor sits; empty: at the root
  /// Singular values below this share of the largest count as zero: NumPy's default, as in WrenchEstimatorOptions.
  double relative_tolerance = 1e-15;
  BatchPosteriorOptions posterior = {};
};

/// A robot flattened into plain numbers, with the endpoints that are asked for. A cheap handle; thread-safe.
class ANTAEUS_API BatchModel {
 public:
  /// \param endpoints  frame names, none for torques alone
  /// \throws ModelError for an unknown frame, with the nearest name, and for a robot without motors; OptionsError for
  ///         a tolerance that is negative or no number
  BatchModel(const RobotModel& model, const std::vector<std::string>& endpoints, const BatchOptions& options = {});
  /// The same with the IMU's frame of the robot's profile.
  BatchModel(const Robot& robot, const std::vector<std::string>& endpoints, ImuUse imu = ImuUse::mounted);

  int motor_count() const noexcept;
  int endpoint_count() const noexcept;
  Base base() const noexcept;
  /// Motors between the root and an endpoint, from the root on: the only columns of its Jacobian that are not zero.
  const std::vector<int>& supporting_motors(int endpoint) const;
  /// Numbers in a state's row of BatchOutput::jacobian: 6 for each supporting motor of each endpoint.
  int jacobian_width() const noexcept;
  const detail::BatchNumbers& numbers() const noexcept;

 private:
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

/// A number of each state, or a row of them. Empty: absent.
template <class T>
struct BatchRowsOf {
  std::span<T> values;
  std::ptrdiff_t stride = 0;  ///< between the beginnings of two rows; 0: one follows the other

  BatchRowsOf() noexcept = default;
  BatchRowsOf(std::span<T> all, std::ptrdiff_t between = 0) noexcept : values(all), stride(between) {}
};

/// What was measured, a row for each state. Motor channels are in motor order. No NaN is taken for a number: a state
/// with one in any channel that is given is `not_finite`.
struct BatchInput {
  std::ptrdiff_t count = 0;       ///< states
  BatchRowsOf<const double> q;    ///< motor positions [rad|m]; always needed
  BatchRowsOf<const double> tau;  ///< joint torques, RobotProfile::joint_torque [N·m|N]
  /// motors, in place of tau: torque minus model as it is known already, as of filtered signals [N·m|N]. The noise's
  /// mean is taken out of it as out of tau − torque; torques are computed only if asked for.
  BatchRowsOf<const double> residual;
  /// Motor velocities and accelerations. Both: inverse dynamics in place of gravity, and noise of that motion. v alone,
  /// with identified noise only: gravity, and noise of a base at rest whose motors have these speeds.
  BatchRowsOf<const double> v, a;
  BatchRowsOf<const double> imu_quaternion_xyzw;   ///< 4; absent: the base stands upright; a fixed base ignores it
  BatchRowsOf<const double> imu_angular_velocity;  ///< 3, sensor axes [rad/s]; absent: 0. With v and a only
  /// 3, sensor axes [m/s²]; absent: the base's origin is not accelerated. With v and a, and a floating base, only
  BatchRowsOf<const double> imu_specific_force;
  /// 3, of the base against the world in base axes [rad/s²]; absent: 0. With v and a, and a floating base, only
  BatchRowsOf<const double> base_angular_acceleration;
  /// motors: of each row's error [N²·m²]. Infinity: the row is no evidence. NaN, or not above zero: the posteriors that
  /// use it are NaN. With identified noise it comes on top of that, and may be zero, but of rows that were not
  /// identified it is all; absent: 0. For the posterior only
  BatchRowsOf<const double> variance;
  BatchRowsOf<const double> least_variance;  ///< motors: R's diagonal is at least this. With identified noise only
  BatchRowsOf<const double> motion_share;  ///< 1: as in TorqueNoise::evaluate(); absent: 0. With identified noise only
};

/// What is wanted, a row for each state; what is empty is not computed. NaN where the state's status is not `ok`.
struct BatchOutput {
  BatchRowsOf<double> torque;         ///< motors: g(q), or M a + C v + g [N·m|N]
  BatchRowsOf<double> residual;       ///< motors: tau − torque, and less the mean of identified noise
  BatchRowsOf<double> base_residual;  ///< 6, floating base: minus force and moment of its rows, base axes [N, N·m]
  BatchRowsOf<double> base_rotation;  ///< 9: R_WB row by row
  BatchRowsOf<double> base_angular_velocity;  ///< 3, base axes [rad/s]; with v and a only
  BatchRowsOf<double> wrench;    ///< 6 an endpoint: pinv(Jᵀ) residual, of the robot on the environment, at the frame's
                                 ///< origin in world axes, force first [N, N·m]
  BatchRowsOf<double> sigma;     ///< 6 an endpoint: singular values of J, largest first; 0 where joints are missing
  BatchRowsOf<int> rank;         ///< 1 an endpoint: how many of them count; −1 where the state's status is not `ok`
  BatchRowsOf<double> jacobian;  ///< BatchModel::jacobian_width(): J_WF_W column by column
  BatchRowsOf<double> pose;      ///< 12 an endpoint: R_WF row by row, then its origin; base at the world's origin [m]
  std::span<Status> status;      ///< of each state: `ok`, `not_finite` or `bad_orientation`
  /// \name The posterior of each endpoint given its own rows, where BatchPosteriorOptions::rows says which
  /// NaN, and −1 for a number of rows, where the rows' variances are none.
  ///
  /// With either noise they hold all that PosteriorEstimator judges by: wrench, covariance and its principal
  /// directions; the tests misfit (misfit_rows), contact = max(nis − misfit, 0) (evidence_rows − misfit_rows) and, of
  /// endpoints that the reference moves, reference = (innovation / its sd)² (1 row); and the NIS, nis + reference_nis
  /// (evidence_rows + 1). Gains, and tests of each row, are the loop's alone.
  ///@{
  BatchRowsOf<double> posterior;         ///< 6 an endpoint: mean, as `wrench` whose, where and in which order
  BatchRowsOf<double> covariance;        ///< 21 an endpoint: upper triangle of its covariance row by row
  BatchRowsOf<double> force_sd;          ///< 3 an endpoint: along the force's principal directions, ascending [N]
  BatchRowsOf<double> force_directions;  ///< 9 an endpoint: those directions one after the other, world axes
  BatchRowsOf<double> nis;               ///< 1 an endpoint: as GaussianPosterior::nis() of its rows, and so on:
  BatchRowsOf<double> misfit;            ///< 1 an endpoint
  BatchRowsOf<double> null_nis;          ///< 1 an endpoint
  BatchRowsOf<int> evidence_rows;        ///< 1 an endpoint
  BatchRowsOf<int> misfit_rows;          ///< 1 an endpoint
  /// 2 an endpoint: of the reference row, what the posterior's contact makes of it [N·m] and the variance of that
  BatchRowsOf<double> reference_share;
  /// 1 an endpoint: what the reference row adds to its `nis`, as one row more: its squared innovation, over the
  /// variance, given this endpoint's rows and those of endpoints whose null_nis shows a contact, contacts at these
  /// alone. NaN where there is no innovation, and of endpoints that the reference does not move
  BatchRowsOf<double> reference_nis;
  /// 2: the reference row's innovation given all other rows, contacts at all endpoints within their priors, and its sd
  /// [N·m]; identified noise couples all of them. NaN where the row is no evidence
  BatchRowsOf<double> innovation;
  ///@}
};

/// Says what is wrong with arrays, before a loop over blocks. \throws OptionsError naming the array, what it holds and
/// what it should
ANTAEUS_API void check_block(const BatchModel& model, const BatchInput& in, const BatchOutput& out);

/// Scratch memory and the instruction set: the workspace, one a thread.
class ANTAEUS_API BatchWorkspace {
 public:
  /// With wanted_instruction_set(). \throws OptionsError as it does
  explicit BatchWorkspace(BatchModel model);
  /// \throws OptionsError for a set that this machine does not have
  BatchWorkspace(BatchModel model, InstructionSet set);

  const BatchModel& model() const noexcept { return model_; }
  InstructionSet set() const noexcept { return set_; }
  /// States that it works on side by side.
  int lanes() const noexcept;

  /// Fills what \p out asks for. Blocks of 256 to 4096 states stay in the cache.
  /// \return `wrong_size` where check_block() would throw; nothing is written then. Each state's own status is in
  ///         \p out. \realtime (batch_realtime_test)
  Status replay(const BatchInput& in, const BatchOutput& out) noexcept;

 private:
  BatchModel model_;
  InstructionSet set_;
  std::vector<double> memory_;
};

}  // namespace antaeus
