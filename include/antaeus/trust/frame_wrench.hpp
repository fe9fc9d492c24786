#pragma once
/// \file
/// Drop-in replacement for the deployed estimator's call. It returns the
/// posterior's wrench with verdict and uncertainty.

#include <optional>
#include <string_view>
#include <vector>

#include "antaeus/core/api.hpp"
#include "antaeus/episode/input_checks.hpp"
#include "antaeus/estimation/posterior_estimator.hpp"
#include "antaeus/estimation/published/wrench_estimator.hpp"
#include "antaeus/trust/contact_place.hpp"

namespace antaeus {

/// Which number get_frame_wrench returns. `posterior`: the one to use. `deployed`: pinv(Jᵀ)(τ − g), to compare.
enum class FrameWrenchMethod { posterior, deployed };
constexpr auto enum_names(FrameWrenchMethod) noexcept { return name_list<FrameWrenchMethod>("posterior", "deployed"); }

/// Take it where existing code calls `get_frame_wrench`, with positions and torques alone; else GuardedEstimator
/// (docs/concepts/estimator.md#which-estimator-to-take).
/// Replaces an object that has `get_frame_wrench(frame_name, q, tau, imu_quat)`, as the H1-2's deployed code has it.
///
/// The sign is the profile's `deployed.sign`, so that the consumer need not change: no option turns it. A profile that
/// states none leaves it to `posterior.sign`, else to `on_robot`. Both methods have the same sign. The residual is
/// static. This call knows neither velocity nor clock, so motion cannot be excluded: every posterior is at best
/// `degraded` with `motion_unknown`, and each joint's sd is at least its `static_sd`. With velocities, a gyro and a
/// clock, GuardedEstimator is more accurate. A position that cannot be (InputChecks) is `refused`, with the reason. A
/// posterior whose torques rather speak for a contact at another link says `contact_elsewhere`, and for an error of one
/// joint `joint_error`.
class ANTAEUS_API FrameWrenchEstimator {
 public:
  /// \param frames  those that get_frame_wrench will name; empty: the endpoints that the deployed code reads, else all
  /// \param imu     use of imu_quat; empty: equation.imu of the robot's settings, by default `mounted`. `as_base`
  ///                reproduces deployed code that takes the quaternion of an IMU elsewhere for that of the base
  /// \throws ModelError, OptionsError
  explicit FrameWrenchEstimator(const Robot& robot, FrameWrenchMethod method = FrameWrenchMethod::posterior,
                                const std::vector<std::string>& frames = {}, std::optional<ImuUse> imu = {});

  /// Successive calls with the same q, tau and quaternion compute once, whatever their frames.
  /// \param q, tau    motor order [rad, N·m]
  /// \param imu_quat  of the IMU's frame (`as_base`: used as the base's), in the profile's quaternion order; null: the
  ///                  base counts as upright
  /// \return for a frame that the constructor was not given: `unknown_frame`, NaN. \realtime (frame_wrench_test)
  const WrenchEstimate& get_frame_wrench(std::string_view frame_name, ConstVectorRef q, ConstVectorRef tau,
                                         const Eigen::Vector4d* imu_quat = nullptr) noexcept;

  const std::vector<std::string>& frame_names() const noexcept { return reader_.endpoint_names(); }
  FrameWrenchMethod method() const noexcept { return method_; }
  ImuUse imu() const noexcept { return imu_; }

 private:
  FrameWrenchEstimator(const Robot& robot, FrameWrenchMethod method, const std::vector<std::string>& frames, ImuUse imu,
                       const Settings& settings);

  FrameWrenchMethod method_;
  ImuUse imu_;
  bool scalar_first_ = false;
  InstantReader reader_;
  InputChecks input_;
  ResidualEstimator residual_;
  PosteriorEstimator posterior_;
  ContactPlaceTest places_;
  DeployedEstimator deployed_;
  Observation observation_;
  bool computed_ = false;
  std::vector<WrenchEstimate> results_;
  WrenchEstimate unknown_;
};

}  // namespace antaeus
