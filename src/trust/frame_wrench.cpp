#include "antaeus/trust/frame_wrench.hpp"

#include <algorithm>

namespace antaeus {

namespace {

std::vector<std::string> chosen(const Robot& robot, const std::vector<std::string>& frames) {
  if (!frames.empty()) return robot.endpoint_frames(frames);
  return robot.endpoint_frames(robot.profile.deployed_endpoints);
}

/// A consumer whose profile states its sign goes on reading that sign, whatever an option says.
PosteriorOptions in_consumers_sign(const RobotProfile& profile, const Settings& settings) {
  PosteriorOptions options = settings.get<PosteriorOptions>();
  if (profile.deployed_sign) options.sign = *profile.deployed_sign;
  return options;
}

InstantOptions with_imu(InstantOptions options, ImuUse imu) {
  options.imu = imu;
  return options;
}

ResidualOptions static_only(const Settings& settings) {
  ResidualOptions options = settings.get<ResidualOptions>();
  options.kind = ResidualChoice::static_gravity;
  return options;
}

}  // namespace

FrameWrenchEstimator::FrameWrenchEstimator(const Robot& robot, FrameWrenchMethod method,
                                           const std::vector<std::string>& frames, std::optional<ImuUse> imu)
    : FrameWrenchEstimator(robot, method, chosen(robot, frames),
                           imu.value_or(robot.settings(chosen(robot, frames)).get<InstantOptions>().imu),
                           robot.settings(chosen(robot, frames))) {}

FrameWrenchEstimator::FrameWrenchEstimator(const Robot& robot, FrameWrenchMethod method,
                                           const std::vector<std::string>& frames, ImuUse imu, const Settings& settings)
    : method_(method),
      imu_(imu),
      scalar_first_(robot.profile.imu.order == QuaternionOrder::wxyz),
      reader_(robot, frames, with_imu(settings.get<InstantOptions>(), imu)),
      input_(robot, settings.get<InputCheckOptions>()),
      residual_(robot, static_only(settings)),
      posterior_(reader_, in_consumers_sign(robot.profile, settings)),
      places_(robot, reader_, posterior_, settings.get<ContactPlaceOptions>()),
      deployed_(reader_, {.sign = posterior_.options().sign}) {
  const Eigen::Index motors = robot.model.motor_count();
  observation_.q.setZero(motors);
  observation_.tau.setZero(motors);
  // Of the shape that they will have: nothing is allocated later.
  for (std::size_t i = 0; i < reader_.endpoint_names().size(); ++i) {
    results_.push_back(method == FrameWrenchMethod::deployed ? deployed_.results()[i] : posterior_.results()[i]);
  }
  unknown_.reset(motors);
  unknown_.invalidate(Status::unknown_frame);
  unknown_.sign = posterior_.options().sign;
}

const WrenchEstimate& FrameWrenchEstimator::get_frame_wrench(std::string_view frame_name, ConstVectorRef q,
                                                             ConstVectorRef tau,
                                                             const Eigen::Vector4d* imu_quat) noexcept {
  const std::vector<std::string>& names = reader_.endpoint_names();
  std::size_t k = 0;
  while (k < names.size() && names[k] != frame_name) ++k;
  if (k == names.size()) {
    unknown_.invalidate(Status::unknown_frame);
    return unknown_;
  }
  if (q.size() != observation_.q.size() || tau.size() != observation_.tau.size()) {
    unknown_.invalidate(Status::wrong_size);
    return unknown_;
  }
  Eigen::Vector4d xyzw(0.0, 0.0, 0.0, 1.0);
  if (imu_quat) {
    xyzw = scalar_first_ ? Eigen::Vector4d((*imu_quat)[1], (*imu_quat)[2], (*imu_quat)[3], (*imu_quat)[0]) : *imu_quat;
  }
  // NaN equals nothing, so a bad sample is computed, and refused, each time.
  const bool same = computed_ && observation_.has_imu == (imu_quat != nullptr) && observation_.q == q &&
                    observation_.tau == tau && observation_.imu_quaternion_xyzw == xyzw;
  if (!same) {
    observation_.q = q;
    observation_.tau = tau;
    observation_.has_imu = imu_quat != nullptr;
    observation_.imu_quaternion_xyzw = xyzw;
    const Instant& now = reader_.at(observation_);
    const Reasons findings = input_.inspect(observation_).reasons;
    if (method_ == FrameWrenchMethod::deployed) {
      deployed_.solve(now);
    } else {
      places_.judge(posterior_.solve(residual_.form(now)));
    }
    for (std::size_t i = 0; i < results_.size(); ++i) {
      results_[i] = method_ == FrameWrenchMethod::deployed ? deployed_.results()[i] : posterior_.results()[i];
      results_[i].reasons.add(findings);
      if (method_ == FrameWrenchMethod::posterior) {
        const ContactPlaces& place = places_.results()[i];
        if (place.elsewhere) results_[i].reasons.add(Reason::contact_elsewhere);
        if (place.faulty) results_[i].reasons.add(Reason::joint_error);
      }
      if (!findings.empty()) results_[i].verdict = std::max(results_[i].verdict, Verdict::refused);
    }
    computed_ = true;
  }
  return results_[k];
}

}  // namespace antaeus
