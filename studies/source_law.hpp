#pragma once
// The force-control lab's hybrid law (docs/sources.md), as it is printed and with the orientation term that it lacks:
// to be measured beside ours, not to be taken to a robot.
#include "antaeus/control/contact_task.hpp"
#include "antaeus/control/tool_dynamics.hpp"
#include "antaeus/robot/dynamics.hpp"

namespace antaeus {

/// The lab's table of gains, under its names.
struct SourceGains {
  double K_p = 2000.0;        ///< of the place along the table [N/m]
  double K_d = 100.0;         ///< of its velocity [N·s/m]
  double K_fp = 5.0;          ///< force, proportional [1]
  double K_fi = 10.0;         ///< force, integral [1/s]
  double K_dz = 30.0;         ///< damping of the normal [N·s/m]
  double alpha_filter = 0.2;  ///< share of the newest force in its filter [1]
  double K_o = 50.0;          ///< of the orientation [N·m/rad]: not in the lab's table, nor in its printed law
  double K_do = 5.0;          ///< of its velocity [N·m·s/rad]: the same
};
const OptionTable& options_of(const SourceGains&);

/// τ = Jᵀ (F_p + F_f) + g(q), with S_p = diag(1, 1, 0) in world axes. In free motion all three axes are held.
class SourceLaw {
 public:
  SourceLaw(const RobotModel& model, const SourceGains& gains, bool holds_orientation)
      : gains_(gains), holds_orientation_(holds_orientation), dynamics_(model), tau_(model.nv()) {}

  /// \param force  of the table on the tool along z [N], unfiltered
  const VectorX& update(const ToolState& state, const TaskOrder& order, double force, double dt);
  double filtered() const noexcept { return filtered_; }

 private:
  SourceGains gains_;
  bool holds_orientation_;
  Dynamics dynamics_;
  VectorX tau_;
  double filtered_ = 0.0, integral_ = 0.0;
};

}  // namespace antaeus
