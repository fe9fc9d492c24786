#include "antaeus/control/damping_mode.hpp"

#include <algorithm>
#include <cmath>

#include "antaeus/core/option_table.hpp"
#include "core/computable.hpp"

namespace antaeus {

namespace {

bool is_size(double number) noexcept { return std::isfinite(number) && number >= 0.0; }

Status brake(const Robot& robot, ConstVectorRef v, const ConstVectorRef* q, const ConstVectorRef* q_hold,
             const DampingModeOptions& options, VectorRef tau) noexcept {
  const auto fail = [&](Status why) noexcept {
    tau.setConstant(kNaN);
    return why;
  };
  const VectorX& efforts = robot.model.effort_limits();
  const Eigen::Index n = efforts.size();
  if (v.size() != n || tau.size() != n) return fail(Status::wrong_size);
  if (q != nullptr && (q->size() != n || q_hold->size() != n)) return fail(Status::wrong_size);
  if (!is_computable(v) || (q != nullptr && !(is_computable(*q) && is_computable(*q_hold))))
    return fail(Status::not_finite);
  if (!is_size(options.damping) || !is_size(options.hold_stiffness) || !is_size(options.limit_share) ||
      !is_size(options.unlimited_effort)) {
    return fail(Status::not_finite);
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    const double effort = std::isfinite(efforts[i]) ? efforts[i] : options.unlimited_effort;
    double wanted = -options.damping * v[i];
    if (q != nullptr) wanted += options.hold_stiffness * ((*q_hold)[i] - (*q)[i]);
    tau[i] = effort * std::clamp(wanted, -options.limit_share, options.limit_share);
  }
  return Status::ok;
}

}  // namespace

const OptionTable& options_of(const DampingModeOptions&) {
  using O = DampingModeOptions;
  constexpr const char* kStudy = "docs/validation.md#controllers";
  static const OptionTable table(
      "damping_mode",
      {
          option("damping", "s/rad", "D of each joint as a share of its motor's effort limit", kStudy, &O::damping),
          option("hold_stiffness", "1/rad", "K of each joint as a share of it, where a hold is requested", kStudy,
                 &O::hold_stiffness),
          option("limit_share", "1", "of each motor's effort limit that may be used", "the model's limits",
                 &O::limit_share, kShare),
          option("unlimited_effort", "N·m", "what counts as the limit of a motor that has none", "our choice",
                 &O::unlimited_effort, kPositive),
      });
  return table;
}

namespace {
const OptionGroup kDampingModeGroup(DampingModeOptions{});
}

Status damping_mode(const Robot& robot, ConstVectorRef v, const DampingModeOptions& options, VectorRef tau) noexcept {
  return brake(robot, v, nullptr, nullptr, options, tau);
}
Status damping_mode(const Robot& robot, ConstVectorRef v, ConstVectorRef q, ConstVectorRef q_hold,
                    const DampingModeOptions& options, VectorRef tau) noexcept {
  return brake(robot, v, &q, &q_hold, options, tau);
}

}  // namespace antaeus
